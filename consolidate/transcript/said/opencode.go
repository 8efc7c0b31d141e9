package said

import (
	"slices"
	"strconv"
	"time"
)

// opencode keeps the sessions of all projects in one database: sessions, messages, and the parts of messages (text, calls of
// tools, thoughts, files). Since 2.0 a message is one row of another table, with its parts. Versions before 1.2 kept small
// files, which the first start of a later one imports: they are not read. What the host puts in a person's place is marked
// (synthetic), except the text of a command, which cannot be distinguished from what is typed. What a person typed that the
// model does not get (ignored) is a plug-in's notice. A sub-agent's session names its parent. A fork copies messages under
// other IDs, with their times.

// openCodeWhy is why a database is read.
const openCodeWhy = "opencode's database, of all projects: those that ran here"

// openCodeSession is a row of a table of sessions.
type openCodeSession struct {
	ID, Parent, Directory string

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

// openCodeTime is a time in milliseconds since 1970; 1970 itself if no calendar has it: it could not be written as JSON.
func openCodeTime(milliseconds int64) time.Time {
	if t := time.UnixMilli(milliseconds); t.UTC().Year() >= 1970 && t.UTC().Year() <= 9998 { // a zone may be a day ahead
		return t
	}
	return time.UnixMilli(0)
}

// An openCodeMessage is one of a session, of whichever version.
type openCodeMessage struct {
	id      string
	role    raw // or what it is called since 2.0
	created int64
	seq     int64 // since 2.0: its place
	data    raw
	parts   []openCodePart
}

type openCodePart struct {
	id   string
	data raw
}

// openCodeLines returns a session in lines. Its messages are in their order, and so are their parts; bad ones could not be
// read.
func openCodeLines(s openCodeSession, messages []openCodeMessage, bad int) []byte {
	head := record{Type: metaType, CWD: quoted(s.Directory)}
	lines := head.appendLine(nil)
	for i := range messages {
		said, answers := messages[i].records()
		if said.CWD.empty() {
			said.CWD = head.CWD
		}
		lines = appendMessage(lines, &said, &answers)
	}
	return appendBad(lines, bad)
}

// records are what was said and asked in a message, and what tools answered.
func (m *openCodeMessage) records() (said, answers record) {
	if m.created > 0 {
		said.Timestamp = quoted(openCodeTime(m.created).UTC().Format("2006-01-02T15:04:05.000Z07:00"))
	}
	answers.Timestamp = said.Timestamp
	said.CWD = m.data.field("path").field("cwd")
	text := block{Type: textType, Text: m.data.field("text")}
	add := func(b block) {
		if !b.Text.empty() {
			said.Message.Blocks = append(said.Message.Blocks, b)
		}
	}
	switch opens := opensDream(text.Text.text()); {
	case m.role.is("user"), opens && (m.role.is("synthetic") || m.role.is("skill")):
		said.Type = userType
		add(text)
		for _, p := range m.parts {
			b := block{Type: textType, Text: p.data.field("text")}
			if !p.data.field("synthetic").isTrue() && !p.data.field("ignored").isTrue() || opensDream(b.Text.text()) {
				add(b)
			}
		}
	case m.role.is("shell"):
		id := quoted(m.id)
		said.used(id, quoted("shell"), appendObject(nil, field{"command", m.data.field("command")}))
		if output := m.data.field("output").field("output").text(); output != "" {
			answers.answered(id, output)
		}
	case m.role.is("assistant") && !m.data.field("summary").isTrue(): // a summary is of what was said before
		said.Type = assistantType
		m.data.field("content").items(func(item raw) { m.parts = append(m.parts, openCodePart{data: item}) })
		for _, p := range m.parts {
			switch kind := p.data.field("type"); {
			case kind.is("text") && !p.data.field("synthetic").isTrue():
				add(block{Type: textType, Text: p.data.field("text")})
			case kind.is("tool"):
				p.use(&said, &answers)
			}
		}
	}
	if len(said.Message.Blocks) > 0 { // copies in a fork have this in common
		first := said.Message.Blocks[0]
		sum := strconv.FormatUint(Sum(said.Type.text(), said.Timestamp.text(), first.Text.text(), first.ID.text()), 16)
		said.UUID, answers.UUID = quoted(sum), quoted(sum+"/answers")
	}
	return said, answers
}

// use adds what a tool was asked, once that is whole, and what it answered.
func (p openCodePart) use(said, answers *record) {
	either := func(older, newer string) raw {
		if v := p.data.field(older); !v.empty() {
			return v
		}
		return p.data.field(newer)
	}
	id, state := either("callID", "id"), p.data.field("state")
	input := state.field("input")
	if len(input) == 0 || input[0] != '{' {
		input = nil
	}
	said.used(id, either("tool", "name"), input)
	failure := state.field("error") // a text, since 2.0 an object with a message
	texts := slices.Concat(state.field("output").texts(), state.field("content").texts("text"), failure.texts(), failure.field("message").texts())
	if len(texts) > 0 {
		answers.answered(id, joined(texts))
	}
}
