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

// geminiOurs returns what reports whether a folder of chats is of a project with such roots.
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
	if json.Unmarshal(readStart(filepath.Join(home, "projects.json"), maxProjects), &register) == nil {
		for dir, name := range register.Projects {
			if ours(dir) {
				named[name] = true
			}
		}
	}
	return func(chats string) bool {
		folder := filepath.Dir(chats)
		// What the folder records of itself counts before what others record of its name.
		if dir := strings.TrimSpace(string(readStart(filepath.Join(folder, ".project_root"), maxMarker))); dir != "" {
			return ours(dir)
		}
		return named[filepath.Base(folder)]
	}
}

// readStart returns the beginning of a regular file; nothing where there is none.
func readStart(path string, most int64) []byte {
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

type geminiHead struct {
	Session  string          `json:"sessionId"`
	Kind     string          `json:"kind"`
	Summary  string          `json:"summary"`
	Messages json.RawMessage `json:"messages"`
}

type geminiMessage struct {
	ID      string          `json:"id"`
	Time    string          `json:"timestamp"`
	Type    string          `json:"type"`
	Content json.RawMessage `json:"content"`
	Display json.RawMessage `json:"displayContent"`
	Calls   json.RawMessage `json:"toolCalls"`
}

// A geminiLog is a session as it stands after what was read.
type geminiLog struct {
	head     geminiHead
	messages []geminiMessage
	places   map[string]int // of ids in messages
	bad      int            // lines that could not be read
}

// geminiWhole returns a file in Claude Code's lines.
func geminiWhole(text []byte) []byte {
	log := geminiLog{places: map[string]int{}}
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	if !log.set(text) {
		for line := range bytes.Lines(text) {
			ended := bytes.HasSuffix(line, []byte("\n"))
			if line = bytes.Trim(line, blank+"\n"); len(line) > 0 && !log.take(line) && ended {
				log.bad++
			}
		}
	}
	return log.lines()
}

// take replays one line, and reports whether it could be read.
func (l *geminiLog) take(line []byte) bool {
	var entry struct {
		geminiMessage
		Session string          `json:"sessionId"`
		Set     json.RawMessage `json:"$set"`
		Rewind  *string         `json:"$rewindTo"`
	}
	if tolerate(json.Unmarshal(line, &entry)) != nil {
		return false
	}
	switch {
	case entry.Rewind != nil:
		place := l.places[*entry.Rewind] // one that is not known removes all, as the host does
		for _, m := range l.messages[place:] {
			delete(l.places, m.ID)
		}
		l.messages = l.messages[:place]
	case entry.Set != nil:
		l.set(entry.Set)
	case entry.ID != "":
		l.put(entry.geminiMessage)
	case entry.Session != "":
		l.head = geminiHead{}
		return l.set(line)
	}
	return true
}

// set changes the head, and all messages if there are any, and reports whether it is JSON.
func (l *geminiLog) set(head []byte) bool {
	l.head.Messages = nil
	if tolerate(json.Unmarshal(head, &l.head)) != nil {
		return false
	}
	if l.head.Messages != nil {
		l.replace(l.head.Messages)
	}
	return true
}

func (l *geminiLog) replace(messages json.RawMessage) {
	l.messages, l.places = nil, map[string]int{}
	raw(bytes.TrimSpace(messages)).items(func(item raw) {
		var m geminiMessage
		if len(item) > 0 && item[0] == '{' && tolerate(json.Unmarshal(item, &m)) == nil {
			l.put(m)
		}
	})
}

func (l *geminiLog) put(m geminiMessage) {
	if place, ok := l.places[m.ID]; ok && m.ID != "" {
		l.messages[place] = m
		return
	}
	l.places[m.ID] = len(l.messages)
	l.messages = append(l.messages, m)
}

// lines tells the log: a head, and two lines a message, what was said and asked, and what tools answered.
func (l *geminiLog) lines() []byte {
	t := newEncoder()
	session := l.head.Session
	if len(session) > maxGeminiID { // it is told with every message
		session = strconv.FormatUint(Sum(session), 16)
	}
	t.encode(claudeRecord{Type: "meta", Title: l.head.Summary, Sidechain: l.head.Kind == "subagent"})
	for _, m := range l.messages {
		said := claudeRecord{Time: m.Time}
		answers := claudeRecord{Type: "user", Time: m.Time}
		if m.ID != "" { // the same words may have the same id in any session
			said.UUID = session + "/" + m.ID
			answers.UUID = said.UUID + "/answers"
		}
		switch m.Type {
		case "user":
			said.Type = "user"
			content := m.Display
			if len(content) == 0 || string(content) == "null" || bytes.Contains(m.Content, []byte(DreamMarker)) {
				content = m.Content
			}
			said.addText(typedIn(Gemini, joined(raw(content).texts(), "\n"), geminiTyped))
		case "gemini":
			said.Type = "assistant"
			for _, block := range raw(m.Content).texts() {
				said.addText(block.Text.text())
			}
			l.calls(m, &said, &answers)
		}
		t.encodeMessage(said, answers)
	}
	t.bad(l.bad)
	return t.Bytes()
}

// calls tells the tools of a message.
func (l *geminiLog) calls(m geminiMessage, said, answers *claudeRecord) {
	raw(m.Calls).items(func(item raw) {
		var call struct {
			ID     string          `json:"id"`
			Name   string          `json:"name"`
			Args   json.RawMessage `json:"args"`
			Result json.RawMessage `json:"result"`
		}
		if len(item) > 0 && item[0] == '{' && tolerate(json.Unmarshal(item, &call)) == nil {
			// Gemini names a server's tool mcp_SERVER_TOOL, or by its own name.
			said.addUse(answers, call.ID, call.Name, call.Args, geminiOutput(raw(call.Result)))
		}
	})
}

// geminiOutput is the text of what a tool answered: of each functionResponse its output or error.
func geminiOutput(result raw) string {
	var texts []string
	result.items(func(item raw) {
		if item.isString() {
			texts = append(texts, item.text())
			return
		}
		if text := item.field("text"); !text.empty() {
			texts = append(texts, text.text())
		}
		item.field("functionResponse").field("response").each(func(key string, v raw) {
			if (key == "output" || key == "error") && !v.empty() {
				texts = append(texts, v.text())
			}
		})
	})
	return strings.Join(texts, "\n")
}

// geminiTyped is what a person typed of a text: without the files that were read for it.
func geminiTyped(text string) string {
	text, _, _ = strings.Cut(text, "\n--- Content from referenced files ---")
	return text
}
