package host

import (
	_ "embed"
	"slices"
	"strconv"

	"dream-mcp/consolidate/transcript/said"
)

// opencode keeps the sessions of all projects in one database: sessions, messages, and the parts of messages (text,
// calls of tools, thoughts, files). Since 2.0 a message is one row of another table, with its parts. Versions before
// 1.2 kept small files, which the first start of a later one imports: they are not read. What the host puts in a
// person's place is marked (synthetic), except the text of a command, which cannot be distinguished from what is typed.
// What a person typed that the model does not get (ignored) is a plug-in's notice. A sub-agent's session names its
// parent. A fork copies messages under other IDs, with their times.
var openCode = Host{
	ID: "opencode", Name: "opencode", Program: "opencode", Tried: "1.18.33", Ask: "/dream:dream",
	Variables: Variables{Started: []string{"OPENCODE"}}, // it passes no session ID
	Settings: &Settings{
		Place: Place{Variable: "XDG_CONFIG_HOME", Home: ".config"}, Files: []string{"opencode/opencode.json", "opencode/opencode.jsonc"},
		Project: "opencode.json", List: "mcp",
		Entry: localEntry,
	},
	Hooks: &Hooks{File: "plugins/dream-mcp.js", Plugin: openCodePlugin, Silent: true},
	Sessions: []Sessions{{
		Format: said.Format{
			Host:    "opencode",
			Folders: []said.Folder{{Path: "opencode.db", Why: openCodeWhy}, {Path: "opencode-*.db", Why: openCodeWhy}}, // one a release channel
			Collect: openCodeTables.collect,
		},
		Place: Place{Variable: "XDG_DATA_HOME", Below: "opencode", Home: ".local/share/opencode"}, File: "OPENCODE_DB", // on any system
	}},
	Reads:  []string{"read", "grep", "list", "todoread", "todowrite", "question"},
	Shells: []string{"bash"},
}

var _ = add(&openCode)

// openCodeWhy is why a database is read.
const openCodeWhy = "opencode's database, of all projects: those that ran here"

// openCodePlugin calls our hook: opencode has no hooks in its settings.
//
//go:embed opencode.js
var openCodePlugin string

// An openCodeMessage is one of a session, of whichever version.
type openCodeMessage struct {
	id      string
	role    said.Raw // or what it is called since 2.0
	created int64
	seq     int64 // since 2.0: its place
	data    said.Raw
	parts   []openCodePart
}

type openCodePart struct {
	id   string
	data said.Raw
}

// openCodeLines returns a session in records. Its messages are in their order, and so are their parts; bad ones could
// not be read.
func openCodeLines(s session, messages []openCodeMessage, bad int) []said.Record {
	head := said.Record{Type: said.MetaType, CWD: said.Quoted(s.Directory)}
	lines := []said.Record{head}
	for i := range messages {
		words, answers := messages[i].records()
		if words.CWD.Empty() {
			words.CWD = head.CWD
		}
		lines = said.AppendMessage(lines, words, answers)
	}
	return said.AppendBad(lines, bad)
}

// records are what was said and asked in a message, and what tools answered.
func (m *openCodeMessage) records() (words, answers said.Record) {
	if m.created > 0 {
		words.Timestamp = stamp(dateOf(m.created))
	}
	answers.Timestamp = words.Timestamp
	words.CWD = m.data.Field("path").Field("cwd")
	text := said.Block{Type: said.TextType, Text: m.data.Field("text")}
	add := func(b said.Block) {
		if !b.Text.Empty() {
			words.Message.Blocks = append(words.Message.Blocks, b)
		}
	}
	switch opens := said.OpensDream(text.Text.Text()); {
	case m.role.Is("user"), opens && (m.role.Is("synthetic") || m.role.Is("skill")):
		words.Type = said.UserType
		add(text)
		for _, p := range m.parts {
			b := said.Block{Type: said.TextType, Text: p.data.Field("text")}
			if !p.data.Field("synthetic").IsTrue() && !p.data.Field("ignored").IsTrue() || said.OpensDream(b.Text.Text()) {
				add(b)
			}
		}
	case m.role.Is("shell"):
		id := said.Quoted(m.id)
		words.Used(id, said.Quoted("shell"), said.Object("command", m.data.Field("command")))
		if output := m.data.Field("output").Field("output").Text(); output != "" {
			answers.Answered(id, output)
		}
	case m.role.Is("assistant") && !m.data.Field("summary").IsTrue(): // a summary is of what was said before
		words.Type = said.AssistantType
		m.data.Field("content").Items(func(item said.Raw) { m.parts = append(m.parts, openCodePart{data: item}) })
		for _, p := range m.parts {
			switch kind := p.data.Field("type"); {
			case kind.Is("text") && !p.data.Field("synthetic").IsTrue():
				add(said.Block{Type: said.TextType, Text: p.data.Field("text")})
			case kind.Is("tool"):
				p.use(&words, &answers)
			}
		}
	}
	if len(words.Message.Blocks) > 0 { // copies in a fork have this in common
		first := words.Message.Blocks[0]
		sum := strconv.FormatUint(said.Sum(words.Type.Text(), words.Timestamp.Text(), first.Text.Text(), first.ID.Text()), 16)
		words.UUID, answers.UUID = said.Quoted(sum), said.Quoted(sum+"/answers")
	}
	return words, answers
}

// use adds what a tool was asked, once that is whole, and what it answered.
func (p openCodePart) use(words, answers *said.Record) {
	either := func(older, newer string) said.Raw {
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
	words.Used(id, either("tool", "name"), input)
	failure := state.Field("error") // a text, since 2.0 an object with a message
	texts := slices.Concat(state.Field("output").Texts(), state.Field("content").Texts("text"), failure.Texts(), failure.Field("message").Texts())
	if len(texts) > 0 {
		answers.Answered(id, said.Joined(texts))
	}
}
