package host

import (
	"strings"

	"dream-mcp/consolidate/transcript/database"
	"dream-mcp/consolidate/transcript/said"
)

// Hermes keeps the sessions of all projects in one database, or in one a profile. Where one came through a chat
// platform, anybody may have typed. Its memory is about the person and the machine.
var hermes = Host{
	ID: "hermes", Name: "Hermes", Program: "hermes",
	Sessions: []Sessions{{
		Format: said.Format{
			Host: "hermes",
			Folders: []said.Folder{
				{Path: "state.db", Why: "Hermes' database, of all projects: those that ran here"},
				{Path: "profiles/*/state.db", Why: "Hermes' database of a profile, of all projects: those that ran here"},
			},
			Collect: hermesTables.collect,
		},
		Place: hermesPlace,
	}, memories("hermes", hermesPlace, []string{"memories/*.md", "profiles/*/memories/*.md"}, nil, hermesEntries)},
}

var _ = add(&hermes)

var hermesPlace = Place{Variable: "HERMES_HOME", Home: ".hermes"}

var hermesTables = twoTables("Hermes", []string{"id", "source", "cwd", "started_at", "ended_at"}, func(row database.Row) session {
	at := max(seconds(row[3]), seconds(row[4]))
	return session{ID: row.Text(0), Directory: row.Text(2), Others: row.Text(1) != "cli", Status: said.Status{ModTime: dateOf(at)}}
}, []string{"role", "content", "tool_calls", "tool_call_id", "timestamp", "active"}, func(row database.Row, b *budget, words, answers *said.Record) error {
	words.Timestamp = stamp(dateOf(seconds(row[4])))
	if active, ok := row[5].(int64); ok && active == 0 { // it was taken back
		return nil
	}
	content := said.Quoted(row.Text(1))
	if parts, ok := strings.CutPrefix(row.Text(1), "\x00json:"); ok && said.Raw(parts).IsWhole() {
		content = said.Raw(parts)
	}
	b.size += len(content)
	switch row.Text(0) {
	case "user":
		words.TypedBlocks(content.Texts(), []string{"[SYSTEM"}, asTyped)
	case "assistant":
		words.Type, words.Message.Blocks = said.AssistantType, content.Texts()
		if row.Text(2) == "" && !row.TooLong(2) {
			return nil
		}
		calls, err := b.value([]byte(row.Text(2)), row.TooLong(2))
		calls.Items(func(call said.Raw) { usedFunction(words, call) })
		return err
	case "tool":
		answers.Answered(said.Quoted(row.Text(3)), said.Joined(content.Texts()))
	}
	return nil
})

// seconds returns a number of seconds in milliseconds.
func seconds(v any) int64 {
	switch v := v.(type) {
	case int64:
		return v * 1000
	case float64:
		return int64(v * 1000)
	}
	return 0
}

// hermesEntries are the entries of Hermes' memory, without those that it blocked.
func hermesEntries(_, text string) (all []remembered) {
	line := 1
	for one := range strings.SplitSeq(text, "\n§\n") {
		if words := strings.TrimSpace(one); words != "" && !strings.HasPrefix(words, "[BLOCKED:") {
			all = append(all, remembered{line: line, text: words, about: ofPerson})
		}
		line += strings.Count(one, "\n") + 2
	}
	return all
}
