package host

import (
	"path/filepath"
	"strings"

	"dream-mcp/consolidate/transcript/database"
	"dream-mcp/consolidate/transcript/said"
)

// Crush keeps a database in each project, and a list of the projects in its own folder. A sub-agent's session names its
// parent. Rows are changed while an answer is written.
var crush = Host{
	ID: "crush", Name: "Crush", Program: "crush", Tried: "0.90.0",
	Settings: &Settings{
		Place: Place{Variable: "XDG_CONFIG_HOME", Home: ".config"}, Files: []string{"crush/crush.json"}, Project: "crush.json", List: "mcp", Entry: typedEntry,
	},
	Sessions: []Sessions{{
		Format: said.Format{
			Host: "crush", Folders: []said.Folder{{Why: "Crush's database, of this project", Trust: said.ByFolder}}, Paths: crushPaths,
			Collect: crushTables.collect,
		},
		Place: Place{Variable: "XDG_DATA_HOME", Below: "crush", Home: ".local/share/crush"},
	}},
}

var _ = add(&crush)

// crushPaths returns the databases in the directories of the project, and those that the list has for them.
func crushPaths(home string, roots []string) (paths []string) {
	for _, root := range roots {
		paths = append(paths, filepath.Join(root, ".crush", "crush.db"))
	}
	jsonIn(filepath.Join(home, "projects.json"), maxProjects).Field("projects").Items(func(p said.Raw) {
		for _, root := range roots {
			if dir := p.Field("data_dir").Text(); dir != "" && said.Within(root, p.Field("path").Text()) {
				paths = append(paths, filepath.Join(dir, "crush.db"))
			}
		}
	})
	return paths
}

var crushTables = twoTables("Crush", []string{"id", "parent_session_id", "updated_at"}, func(row database.Row) session {
	s := session{ID: row.Text(0), Here: true, Status: said.Status{ModTime: dateOf(row.Int(2) * 1000)}}
	if row.Text(1) != "" {
		s.ID, s.Reason = strings.ReplaceAll(s.ID, "$$", "."), said.Subagent
	}
	return s
}, []string{"id", "role", "parts", "created_at", "is_summary_message"}, func(row database.Row, b *budget, words, answers *said.Record) error {
	parts, err := b.value([]byte(row.Text(2)), row.TooLong(2))
	words.UUID, words.Timestamp = said.Quoted(row.Text(0)), stamp(dateOf(row.Int(3)*1000))
	if row.Int(4) == 0 { // a summary is of what was said before
		parts.Items(func(part said.Raw) { crushPart(part, row.Text(1), words, answers) })
	}
	return err
})

// crushPart adds a part of a message.
func crushPart(part said.Raw, role string, words, answers *said.Record) {
	data := part.Field("data")
	switch kind := part.Field("type"); {
	case kind.Is("text") && role == "user":
		words.TypedBlocks(data.Field("text").Texts(), nil, asTyped)
	case kind.Is("text") && role == "assistant":
		words.Type = said.AssistantType
		words.Message.Blocks = append(words.Message.Blocks, data.Field("text").Texts()...)
	case kind.Is("tool_call"):
		words.Used(data.Field("id"), data.Field("name"), inText(data.Field("input")))
	case kind.Is("tool_result"):
		answers.Answered(data.Field("tool_call_id"), data.Field("content").Text())
	}
}
