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
	role    Raw // or what it is called since 2.0
	created int64
	seq     int64 // since 2.0: its place
	data    Raw
	parts   []openCodePart
}

type openCodePart struct {
	id   string
	data Raw
}

// openCodeLines returns a session in lines. Its messages are in their order, and so are their parts; bad ones could not be
// read.
func openCodeLines(s openCodeSession, messages []openCodeMessage, bad int) []byte {
	head := Record{Type: MetaType, CWD: Quoted(s.Directory)}
	lines := head.AppendLine(nil)
	for i := range messages {
		said, answers := messages[i].records()
		if said.CWD.Empty() {
			said.CWD = head.CWD
		}
		lines = AppendMessage(lines, &said, &answers)
	}
	return AppendBad(lines, bad)
}

// records are what was said and asked in a message, and what tools answered.
func (m *openCodeMessage) records() (said, answers Record) {
	if m.created > 0 {
		said.Timestamp = Quoted(openCodeTime(m.created).UTC().Format("2006-01-02T15:04:05.000Z07:00"))
	}
	answers.Timestamp = said.Timestamp
	said.CWD = m.data.Field("path").Field("cwd")
	text := Block{Type: TextType, Text: m.data.Field("text")}
	add := func(b Block) {
		if !b.Text.Empty() {
			said.Message.Blocks = append(said.Message.Blocks, b)
		}
	}
	switch opens := OpensDream(text.Text.Text()); {
	case m.role.Is("user"), opens && (m.role.Is("synthetic") || m.role.Is("skill")):
		said.Type = UserType
		add(text)
		for _, p := range m.parts {
			b := Block{Type: TextType, Text: p.data.Field("text")}
			if !p.data.Field("synthetic").IsTrue() && !p.data.Field("ignored").IsTrue() || OpensDream(b.Text.Text()) {
				add(b)
			}
		}
	case m.role.Is("shell"):
		id := Quoted(m.id)
		said.Used(id, Quoted("shell"), Object("command", m.data.Field("command")))
		if output := m.data.Field("output").Field("output").Text(); output != "" {
			answers.Answered(id, output)
		}
	case m.role.Is("assistant") && !m.data.Field("summary").IsTrue(): // a summary is of what was said before
		said.Type = AssistantType
		m.data.Field("content").Items(func(item Raw) { m.parts = append(m.parts, openCodePart{data: item}) })
		for _, p := range m.parts {
			switch kind := p.data.Field("type"); {
			case kind.Is("text") && !p.data.Field("synthetic").IsTrue():
				add(Block{Type: TextType, Text: p.data.Field("text")})
			case kind.Is("tool"):
				p.use(&said, &answers)
			}
		}
	}
	if len(said.Message.Blocks) > 0 { // copies in a fork have this in common
		first := said.Message.Blocks[0]
		sum := strconv.FormatUint(Sum(said.Type.Text(), said.Timestamp.Text(), first.Text.Text(), first.ID.Text()), 16)
		said.UUID, answers.UUID = Quoted(sum), Quoted(sum+"/answers")
	}
	return said, answers
}

// use adds what a tool was asked, once that is whole, and what it answered.
func (p openCodePart) use(said, answers *Record) {
	either := func(older, newer string) Raw {
		if v := p.data.Field(older); !v.Empty() {
			return v
		}
		return p.data.Field(newer)
	}
	id, state := either("callID", "id"), p.data.Field("state")
	input := state.Field("input")
	if len(input) == 0 || input[0] != '{' {
		input = nil
	}
	said.Used(id, either("tool", "name"), input)
	failure := state.Field("error") // a text, since 2.0 an object with a message
	texts := slices.Concat(state.Field("output").Texts(), state.Field("content").Texts("text"), failure.Texts(), failure.Field("message").Texts())
	if len(texts) > 0 {
		answers.Answered(id, Joined(texts))
	}
}
