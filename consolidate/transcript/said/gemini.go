package said

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Gemini CLI keeps a folder for each project, named by a short name or the SHA-256 of the project's path,
// and in it a file a session: one JSON document, or (since 2026) a log that must be replayed to its end:
// a message written again under its id replaces the first, "$set" changes the head or all messages, "$rewindTo"
// removes a message and all after it. So a file is read whole, and turned into lines of what it has at its end, two for
// each message.

// maxMarker bounds what is read of a file that names a folder's project.
const maxMarker = 4 << 10

// maxProjects bounds what is read of projects.json.
const maxProjects = 1 << 20

// geminiOurs returns a filter for the chat folders of the project with these roots.
func geminiOurs(home string, roots []string) func(chats string) bool {
	ours := func(dir string) bool {
		return slices.ContainsFunc(roots, func(root string) bool { return Within(root, dir) })
	}
	named := map[string]bool{} // folders that are ours by the register or a sum
	for _, root := range roots {
		sum := sha256.Sum256([]byte(root))
		named[hex.EncodeToString(sum[:])] = true
	}
	var register struct{ Projects map[string]string }
	if json.Unmarshal(ReadStart(filepath.Join(home, "projects.json"), maxProjects), &register) == nil {
		for dir, name := range register.Projects {
			if ours(dir) {
				named[name] = true
			}
		}
	}
	return func(chats string) bool {
		folder := filepath.Dir(chats)
		// What the folder records of itself counts before what others record of its name.
		if dir := strings.TrimSpace(string(ReadStart(filepath.Join(folder, ".project_root"), maxMarker))); dir != "" {
			return ours(dir)
		}
		return named[filepath.Base(folder)]
	}
}

// ReadStart returns the beginning of a regular file; nothing where there is none.
func ReadStart(path string, most int64) []byte {
	f, err := OpenFile(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	text, _ := io.ReadAll(io.LimitReader(f, most))
	return text
}

// geminiID is the name of "session-2026-02-10T23-57-9f5659bb" without the first word.
func geminiID(stem string) string {
	id, ok := strings.CutPrefix(stem, "session-")
	if !ok || !IsPlainName(id) || !strings.Contains(id, "-") {
		return ""
	}
	return id
}

// GeminiSession is the last word of an id: the beginning of the session's UUID, which may have several files.
func GeminiSession(id string) string { return "gemini:" + id[strings.LastIndexByte(id, '-')+1:] }

// maxGeminiID is more than a session's UUID has.
const maxGeminiID = 128

// A geminiLog is a session as it is after what was read.
type geminiLog struct {
	session  string
	kind     Raw
	summary  Raw
	messages []Raw
	places   map[string]int // of ids in messages
	bad      int            // lines that could not be read
}

// geminiWhole returns a file in Claude Code's lines.
func geminiWhole(text []byte) []byte {
	log := geminiLog{places: map[string]int{}}
	text = bytes.TrimSpace(bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")))
	if Raw(text).IsWhole() {
		log.set(text)
	} else {
		for line := range bytes.Lines(text) {
			ended := bytes.HasSuffix(line, []byte("\n"))
			if line = bytes.Trim(line, blank+"\n"); Raw(line).IsWhole() {
				log.replay(line)
			} else if len(line) > 0 && ended {
				log.bad++
			}
		}
	}
	return log.lines()
}

// replay applies one line.
func (l *geminiLog) replay(line Raw) {
	rewind, set, session := line.Field("$rewindTo"), line.Field("$set"), line.Field("sessionId")
	switch {
	case rewind.IsString():
		place := l.places[rewind.Text()] // one that is not known removes all, as the host does
		for _, m := range l.messages[place:] {
			delete(l.places, m.Field("id").Text())
		}
		l.messages = l.messages[:place]
	case set != nil:
		l.set(set)
	case !line.Field("id").Empty():
		l.upsert(line)
	case !session.Empty():
		l.kind = nil
		l.set(line)
	}
}

// set changes what is known of the session, and all messages if there are any.
func (l *geminiLog) set(head Raw) {
	head.Each(func(key string, v Raw) {
		switch key {
		case "sessionId":
			l.session = v.Text()
		case "kind":
			l.kind = v
		case "messages":
			l.messages, l.places = nil, map[string]int{}
			v.Items(l.upsert)
		}
	})
}

func (l *geminiLog) upsert(m Raw) {
	if len(m) == 0 || m[0] != '{' {
		return
	}
	id := m.Field("id").Text()
	if place, ok := l.places[id]; ok && id != "" {
		l.messages[place] = m
		return
	}
	l.places[id] = len(l.messages)
	l.messages = append(l.messages, m)
}

// lines returns the log in lines: a head, and two for each message.
func (l *geminiLog) lines() []byte {
	if len(l.session) > maxGeminiID { // it is repeated with every message
		l.session = strconv.FormatUint(Sum(l.session), 16)
	}
	head := Record{Type: MetaType}
	if l.kind.Is("subagent") {
		head.Sidechain = True
	}
	lines := head.AppendLine(nil)
	for _, m := range l.messages {
		said := Record{Timestamp: m.Field("timestamp")}
		answers := said
		if id := m.Field("id"); !id.Empty() { // the same words may have the same id in any session
			said.UUID = Quoted(l.session + "/" + id.Text())
			answers.UUID = Quoted(l.session + "/" + id.Text() + "/answers")
		}
		content := m.Field("content")
		switch kind := m.Field("type"); {
		case kind.Is("user"):
			if shown := m.Field("displayContent"); shown != nil && string(shown) != "null" && !OpensDream(Joined(content.Texts())) {
				content = shown
			}
			said.TypedBlocks(Gemini, []Block{{Type: TextType, Text: Quoted(Joined(content.Texts()))}}, geminiTyped)
		case kind.Is("gemini"):
			said.Type, said.Message.Blocks = AssistantType, content.Texts()
			m.Field("toolCalls").Items(func(call Raw) { // a server's tool is mcp_SERVER_TOOL, or has its own name
				if len(call) == 0 || call[0] != '{' {
					return
				}
				said.Used(call.Field("id"), call.Field("name"), call.Field("args"))
				if output := geminiOutput(call.Field("result")); output != "" {
					answers.Answered(call.Field("id"), output)
				}
			})
		}
		lines = AppendMessage(lines, &said, &answers)
	}
	return AppendBad(lines, l.bad)
}

// geminiOutput is the text of what a tool answered: of each functionResponse its output or error.
func geminiOutput(result Raw) string {
	var texts []string
	result.Items(func(item Raw) {
		if item.IsString() {
			texts = append(texts, item.Text())
			return
		}
		if text := item.Field("text"); !text.Empty() {
			texts = append(texts, text.Text())
		}
		item.Field("functionResponse").Field("response").Each(func(key string, v Raw) {
			if (key == "output" || key == "error") && !v.Empty() {
				texts = append(texts, v.Text())
			}
		})
	})
	return strings.Join(texts, "\n")
}

// geminiAfter is what Gemini CLI, and an editor that starts it, put after what a person typed.
var geminiAfter = []string{
	"\n--- Content from referenced files ---", "\nUser Selected Files:\n- ", "\nCurrent File Path:\n```", "\n PRIOR CHAT HISTORY: ",
}

// geminiTyped is what a person typed of a text: without the files and the talk that were put after it.
func geminiTyped(text string) string {
	for _, after := range geminiAfter {
		text, _, _ = strings.Cut(text, after)
	}
	return text
}
