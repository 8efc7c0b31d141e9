package said

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"
)

// opencode keeps the sessions of all projects in one database: sessions, messages, and the parts of messages (text, calls of
// tools, thoughts, files). Since 2.0 a message is one row of another table, its parts in it. Versions before 1.2 kept small
// files, which the first start of a later one takes over: they are not read. All that the host puts in a person's place says so (synthetic), but for a command's text,
// which can't be told from what is typed; what a person typed that the model does not get (ignored) is a plug-in's notice.
// A sub-agent's session names its parent. A fork copies messages under other ids, with their times.

// openCodeWhy is why a database is read.
const openCodeWhy = "opencode's database, of all projects: those that ran here"

// openCodeSession is a row of a table of sessions.
type openCodeSession struct {
	ID, Parent, Directory, Title string

	Status // its time, and how many messages and parts it has
}

// reason is why a session is not one of the project, or "".
func (s *openCodeSession) reason(ours func([]string) bool) Reason {
	switch {
	case !IsPlainName(s.ID):
		return NoSession
	case !ours([]string{s.Directory}):
		return OtherProject
	case s.Parent != "":
		return Subagent
	}
	return ""
}

// openCodeTime is a time in milliseconds since 1970; 1970 itself where that is none of a calendar, and could be written in no
// JSON of ours.
func openCodeTime(milliseconds int64) time.Time {
	if t := time.UnixMilli(milliseconds); t.UTC().Year() >= 1970 && t.UTC().Year() <= 9998 { // a zone may be a day ahead
		return t
	}
	return time.UnixMilli(0)
}

// An openCodeMessage is one of a session, of whichever version. What the table or the name of its file says is in ID.
type openCodeMessage struct {
	ID   string `json:"id"`
	Role string `json:"role"`
	Type string `json:"type"` // since 2.0 in place of Role
	Time struct {
		Created int64 `json:"created"` // milliseconds since 1970
	} `json:"time"`
	Summary json.RawMessage `json:"summary"` // true: the model's own, of what was said before
	Path    struct {
		CWD string `json:"cwd"`
	} `json:"path"`

	// Since 2.0: a person's words or the host's, the model's parts, and a command that a person ran, with what it put out.
	Text    string          `json:"text"`
	Content json.RawMessage `json:"content"`
	Command string          `json:"command"`
	Output  json.RawMessage `json:"output"`

	seq   int64 // since 2.0: its place
	parts []openCodePart
}

type openCodePart struct {
	ID        string `json:"id"`
	Type      string `json:"type"`
	Text      string `json:"text"`
	Synthetic bool   `json:"synthetic"`
	Ignored   bool   `json:"ignored"`
	Tool      string `json:"tool"`
	Call      string `json:"callID"`
	Name      string `json:"name"` // since 2.0 in place of Tool, as ID is in place of Call
	State     struct {
		Input   json.RawMessage `json:"input"`
		Output  string          `json:"output"`
		Content json.RawMessage `json:"content"` // since 2.0 in place of Output
		Error   json.RawMessage `json:"error"`   // a text, since 2.0 an object with a message
	} `json:"state"`
}

// openCodeLines tells a session. Its messages are in their order, and so are their parts; bad ones could not be read.
func openCodeLines(s openCodeSession, messages []openCodeMessage, bad int) []byte {
	t := newEncoder()
	head := claudeRecord{Type: "meta", CWD: s.Directory}
	if !strings.HasPrefix(s.Title, "New session - ") {
		head.Title = s.Title
	}
	t.encode(head)
	for i := range messages {
		said, answers := messages[i].encode()
		said.CWD = cmp.Or(said.CWD, s.Directory)
		t.encodeMessage(said, answers)
	}
	t.bad(bad)
	return t.Bytes()
}

// tell tells a message: what was said and asked, and what tools answered.
func (m *openCodeMessage) encode() (said, answers claudeRecord) {
	if m.Time.Created > 0 {
		said.Time = openCodeTime(m.Time.Created).UTC().Format("2006-01-02T15:04:05.000Z07:00")
	}
	said.CWD = m.Path.CWD
	answers.Type, answers.Time = "user", said.Time
	switch cmp.Or(m.Role, m.Type) {
	case "user":
		said.Type = "user"
		said.addText(m.Text)
		for _, p := range m.parts {
			if p.Type == "text" && (!p.Synthetic && !p.Ignored || opensDream(p.Text)) {
				said.addText(p.Text)
			}
		}
	case "synthetic", "skill":
		if opensDream(m.Text) {
			said.Type = "user"
			said.addText(m.Text)
		}
	case "shell":
		said.Type = "assistant"
		input, _ := json.Marshal(map[string]string{"command": m.Command})
		said.addUse(&answers, m.ID, "shell", input, raw(m.Output).field("output").text())
	case "assistant":
		said.Type = "assistant"
		if string(m.Summary) == "true" {
			break
		}
		raw(m.Content).items(func(item raw) {
			var p openCodePart
			if len(item) > 0 && item[0] == '{' && tolerate(json.Unmarshal(item, &p)) == nil {
				m.parts = append(m.parts, p)
			}
		})
		for _, p := range m.parts {
			switch {
			case p.Type == "text" && !p.Synthetic:
				said.addText(p.Text)
			case p.Type == "tool":
				said.addUse(&answers, cmp.Or(p.Call, p.ID), cmp.Or(p.Tool, p.Name), p.input(), p.output())
			}
		}
	}
	if len(said.Message.Content) > 0 { // copies in a fork have this in common
		first := said.Message.Content[0]
		said.UUID = strconv.FormatUint(Sum(said.Type, said.Time, first.Text, first.ID), 16)
		answers.UUID = said.UUID + "/answers"
	}
	return said, answers
}

// input is what a tool was asked, once that is whole.
func (p *openCodePart) input() json.RawMessage {
	if len(p.State.Input) > 0 && p.State.Input[0] == '{' {
		return p.State.Input
	}
	return nil
}

// output is what a tool answered.
func (p *openCodePart) output() string {
	texts := []string{p.State.Output}
	for _, block := range raw(p.State.Content).texts("text") {
		texts = append(texts, block.Text.text())
	}
	failure := raw(p.State.Error)
	if failure.isString() {
		texts = append(texts, failure.text())
	} else {
		texts = append(texts, failure.field("message").text())
	}
	return strings.Join(slices.DeleteFunc(texts, func(s string) bool { return s == "" }), "\n")
}
