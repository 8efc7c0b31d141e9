package host

import (
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"dream-mcp/consolidate/transcript/said"
)

// aider appends all sessions of a project to one Markdown file in it. A heading begins a session. Each line that a person typed is a
// heading too, what the program says is quoted, and both end with two spaces; the rest is the model's. Only a session's beginning has
// a time.
var aider = Host{
	ID: "aider", Name: "aider", Program: "aider",
	Sessions: []Sessions{{
		Format: said.Format{
			Host: "aider", Folders: []said.Folder{{Path: aiderFile, Why: "aider's, of this project", Trust: said.Whole}}, Paths: aiderPaths,
			Collect: func(path string, ours func([]string) bool) said.Collection { return &chats{path, ours} },
		},
		File: "AIDER_CHAT_HISTORY_FILE",
	}},
}

const aiderFile = ".aider.chat.history.md"

func aiderPaths(_ string, roots []string) (paths []string) {
	for _, root := range roots {
		paths = append(paths, filepath.Join(root, aiderFile))
	}
	return paths
}

// chats is the collection of the sessions in one file.
type chats struct {
	path string
	ours func([]string) bool
}

// A chat is one session.
type chat struct {
	id   string
	text string
	said.Status
}

// aiderStart begins the line that begins a session.
const aiderStart = "# aider chat started at "

// all returns the sessions. The time of one is the file's, or when the next one began.
func (c *chats) all() (all []chat, err error) {
	if !c.ours([]string{filepath.Dir(c.path)}) {
		return nil, nil
	}
	f, err := said.OpenFile(c.path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	stat, err := f.Stat()
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(f, said.MaxWhole+1))
	if len(text) > said.MaxWhole {
		return nil, said.ErrTooBig
	}
	for part := range strings.SplitSeq("\n"+string(text), "\n"+aiderStart) {
		line, _, _ := strings.Cut(part, "\n")
		began, wrong := time.ParseInLocation(time.DateTime, strings.TrimSpace(line), time.Local)
		if wrong != nil {
			continue
		}
		if len(all) > 0 {
			all[len(all)-1].ModTime = began
		}
		id := fmt.Sprintf("aider-%s-%d", began.Format("20060102-150405"), len(all)+1)
		all = append(all, chat{id, part, said.Status{Size: int64(len(part)), ModTime: stat.ModTime()}})
	}
	return all, err
}

func (c *chats) List(since time.Time) (files []said.File, _ said.Skipped, err error) {
	all, err := c.all()
	for _, of := range all {
		if of.ModTime.After(since) {
			files = append(files, said.File{ID: of.id, Path: filepath.Join(c.path, of.id), Size: of.Size, ModTime: of.ModTime})
		}
	}
	return files, said.Skipped{}, err
}

func (c *chats) Read(id string) (lines []byte, at said.Status, err error) {
	all, err := c.all()
	for _, of := range all {
		if of.id == id {
			return aiderLines(of.text, filepath.Dir(c.path)), of.Status, err
		}
	}
	if err == nil {
		err = fs.ErrNotExist
	}
	return nil, at, err
}

func aiderLines(text, dir string) []byte {
	head := said.Record{Type: said.MetaType, CWD: said.Quoted(dir)}
	lines := head.AppendLine(nil)
	rest := strings.Split(text, "\n")[1:]
	for len(rest) > 0 {
		kind, n, part := aiderKind(rest[0]), 0, []string(nil)
		for ; n < len(rest) && aiderKind(rest[n]) == kind; n++ {
			part = append(part, strings.TrimPrefix(strings.TrimPrefix(strings.TrimSuffix(rest[n], "  "), kind), " "))
		}
		rest = rest[n:]
		words, answers := said.Record{CWD: head.CWD}, said.Record{CWD: head.CWD}
		switch text := strings.TrimSpace(strings.Join(part, "\n")); kind {
		case "####":
			words.TypedBlocks(typedText(text), []string{"<blank>"}, aiderTyped)
		case "":
			if text != "" {
				words.Type, words.Message.Blocks = said.AssistantType, typedText(text)
			}
		}
		lines = said.AppendMessage(lines, &words, &answers)
	}
	return lines
}

// aiderKind returns how a line begins that is a person's or the program's; "" for the model's.
func aiderKind(line string) string {
	for _, kind := range []string{"####", ">"} {
		if strings.HasPrefix(line, kind+" ") && strings.HasSuffix(line, "  ") {
			return kind
		}
	}
	return ""
}

// aiderTyped returns what a person said of a text: nothing in most commands.
func aiderTyped(text string) string {
	for _, command := range []string{"/ask ", "/code ", "/architect "} {
		if words, ok := strings.CutPrefix(text, command); ok {
			return words
		}
	}
	if strings.HasPrefix(text, "/") || strings.HasPrefix(text, "!") {
		return ""
	}
	return text
}
