package host

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"dream-mcp/consolidate/transcript/said"
)

// aider appends all sessions of a project to one Markdown file in it. A heading begins a session. Each line that a
// person typed is a heading too, what the program says is quoted, and both end with two spaces; the rest is the
// model's. Only a session's beginning has a time.
var aider = Host{
	ID: "aider", Name: "aider", Program: "aider",
	Sessions: []Sessions{{
		Format: said.Format{
			Host: "aider", Folders: []said.Folder{{Path: aiderFile, Why: "aider's, of this project", Trust: said.ByFolder}}, Paths: aiderPaths,
			Collect: aiderChats,
		},
		File: "AIDER_CHAT_HISTORY_FILE",
	}},
}

var _ = add(&aider)

const aiderFile = ".aider.chat.history.md"

func aiderPaths(_ string, roots []string) (paths []string) {
	for _, root := range roots {
		paths = append(paths, filepath.Join(root, aiderFile))
	}
	return paths
}

// aiderStart begins the line that begins a session.
const aiderStart = "# aider chat started at "

func aiderChats(path string, ours func([]string) bool) said.Collection {
	dir := filepath.Dir(path)
	return &parts{path, said.MaxWhole, false, func(text string, at time.Time) (all []part) {
		for chat := range strings.SplitSeq("\n"+text, "\n"+aiderStart) {
			line, _, _ := strings.Cut(chat, "\n")
			began, err := time.ParseInLocation(time.DateTime, strings.TrimSpace(line), time.Local)
			if err != nil || !ours([]string{dir}) {
				continue
			}
			if len(all) > 0 { // its file was modified until the next one began
				all[len(all)-1].ModTime = began
			}
			id := fmt.Sprintf("aider-%s-%d", began.Format("20060102-150405"), len(all)+1)
			all = append(all, part{id, said.Status{Size: int64(len(chat)), ModTime: at}, func() []said.Record { return aiderLines(chat, dir) }})
		}
		return all
	}}
}

func aiderLines(text, dir string) []said.Record {
	head := said.Record{Type: said.MetaType, CWD: said.Quoted(dir)}
	lines := []said.Record{head}
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
		lines = said.AppendMessage(lines, words, answers)
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
