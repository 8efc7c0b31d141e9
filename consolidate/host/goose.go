package host

import (
	"cmp"
	"time"

	"dream-mcp/consolidate/transcript/database"
	"dream-mcp/consolidate/transcript/said"
)

// Goose keeps the sessions of all projects in one database. Its kind says who began one; what is not for the person's
// eyes was put in their place. The files of versions before 1.10 were copied into it.
var goose = Host{
	ID: "goose", Name: "Goose", Program: "goose",
	Sessions: []Sessions{{
		Format: said.Format{
			Host:    "goose",
			Folders: []said.Folder{{Path: "sessions/sessions.db", Why: "Goose's database, of all projects: those that ran here"}},
			Collect: gooseTables.collect,
		},
		Place: Place{Variable: "GOOSE_PATH_ROOT", Below: "data", Home: ".local/share/goose"},
	}},
}

var _ = add(&goose)

var gooseTables = twoTables("Goose", []string{"id", "session_type", "working_dir", "updated_at"}, func(row database.Row) session {
	at, _ := time.Parse(time.DateTime, row.Text(3))
	s := session{ID: row.Text(0), Directory: row.Text(2), Status: said.Status{ModTime: at}}
	switch row.Text(1) {
	case "sub_agent":
		s.Reason = said.Subagent
	case "scheduled", "hidden":
		s.Reason = said.Automated
	}
	return s
}, []string{"role", "content_json", "created_timestamp", "metadata_json", "message_id"}, func(row database.Row, b *budget, words, answers *said.Record) error {
	content, err := b.value([]byte(row.Text(1)), row.TooLong(1))
	words.UUID, words.Timestamp = said.Quoted(row.Text(4)), stamp(dateOf(row.Int(2)*1000))
	if meta := said.Raw(row.Text(3)); meta.IsWhole() && string(meta.Field("userVisible")) == "false" {
		return err
	}
	content.Items(func(part said.Raw) {
		switch kind := part.Field("type"); {
		case kind.Is("text") && row.Text(0) == "user":
			words.TypedBlocks(part.Field("text").Texts(), nil, asTyped)
		case kind.Is("text"):
			words.Type, words.Message.Blocks = said.AssistantType, append(words.Message.Blocks, part.Field("text").Texts()...)
		case kind.Is("toolRequest"):
			call := part.Field("toolCall")
			call = said.Raw(cmp.Or(string(call.Field("value")), string(call)))
			words.Used(part.Field("id"), call.Field("name"), call.Field("arguments"))
		case kind.Is("toolResponse"):
			result := part.Field("toolResult")
			result = said.Raw(cmp.Or(string(result.Field("value")), string(result)))
			if inner := result.Field("content"); inner != nil {
				result = inner
			}
			answers.Answered(part.Field("id"), said.Joined(result.Texts("text")))
		}
	})
	return err
})
