package host

import (
	"errors"
	"strings"
	"time"

	"dream-mcp/consolidate/transcript/database"
	"dream-mcp/consolidate/transcript/said"
)

// Zed keeps the threads of all projects in one database, each as a document that is rewritten and may be compressed.
// Its folders are in a column, or in the document. What a person mentioned is apart from what they typed. Messages have
// no times. A thread that was imported is another person's. Agents of other makers in Zed keep sessions of their own.
var zed = Host{
	ID: "zed", Name: "Zed", Program: "zed",
	Sessions: []Sessions{
		{Format: zedFormat(), Place: Place{Variable: "XDG_DATA_HOME", Below: "zed", Home: ".local/share/zed"}},
		{Format: zedFormat(), Place: Place{Variable: "LocalAppData", Below: "Zed", Home: "Library/Application Support/Zed"}},
	},
}

var _ = add(&zed)

func zedFormat() said.Format {
	return said.Format{
		Host: "zed", Collect: tables{zedSessions, zedLines}.collect,
		Folders: []said.Folder{{Path: "threads/threads.db", Why: "Zed's database, of all projects: those that ran here"}},
	}
}

func zedSessions(v database.View, wanted func(*session) bool) (all []session, err error) {
	if has, err := v.Has("threads"); !has || err != nil {
		return nil, errors.Join(err, errors.New("it has no table of threads: an unknown version of Zed"))
	}
	var found []session
	err = v.Rows("threads", "", "", []string{"id", "updated_at", "parent_id", "folder_paths"}, func(row database.Row) error {
		at, _ := time.Parse(time.RFC3339, row.Text(1))
		s := session{ID: row.Text(0), Directory: row.Text(3), Status: said.Status{Size: 1, ModTime: at}}
		if row.Text(2) != "" {
			s.Reason = said.Subagent
		}
		found = append(found, s)
		return nil
	})
	for _, s := range found {
		if s.Directory == "" {
			thread, _ := zedThread(v, s.ID)
			trees := thread.Field("initial_project_snapshot").Field("worktree_snapshots")
			trees.Items(func(tree said.Raw) { s.Directory += tree.Field("worktree_path").Text() + "\n" })
			s.Directory = strings.TrimSuffix(s.Directory, "\n")
		}
		if wanted(&s) {
			all = append(all, s)
		}
	}
	return all, err
}

// zedThread returns the document of a thread.
func zedThread(v database.View, id string) (thread said.Raw, err error) {
	err = v.Rows("threads", "id", id, []string{"data_type", "data"}, func(row database.Row) (err error) {
		data, _ := row[1].([]byte)
		if row.Text(0) == "zstd" {
			data, err = unpacked(data)
		}
		thread = trimmed(data)
		return err
	})
	switch {
	case err == nil && !thread.IsWhole():
		err = errors.New("it is damaged, or too large")
	case err == nil && !thread.Field("version").Is("0.3.0"):
		err = errors.New("another version of Zed wrote it")
	}
	return thread, err
}

func zedLines(v database.View, s session) ([]said.Record, error) {
	dir, _, _ := strings.Cut(s.Directory, "\n")
	head := said.Record{Type: said.MetaType, CWD: said.Quoted(dir)}
	lines := []said.Record{head}
	thread, err := zedThread(v, s.ID)
	thread.Field("messages").Items(func(m said.Raw) {
		user, agent := m.Field("User"), m.Field("Agent")
		words, answers := said.Record{UUID: user.Field("id"), CWD: head.CWD}, said.Record{CWD: head.CWD}
		user.Field("content").Items(func(part said.Raw) {
			words.TypedBlocks(part.Field("Text").Texts(), nil, asTyped)
		})
		if thread.Field("imported").IsTrue() && words.Type.Is("user") {
			words.Type = said.OtherType
		}
		agent.Field("content").Items(func(part said.Raw) {
			if call := part.Field("ToolUse"); call != nil {
				words.Used(call.Field("id"), call.Field("name"), call.Field("input"))
			} else if text := part.Field("Text").Texts(); text != nil {
				words.Type, words.Message.Blocks = said.AssistantType, append(words.Message.Blocks, text...)
			}
		})
		agent.Field("tool_results").Each(func(id string, result said.Raw) {
			var texts []said.Block
			result.Field("content").Items(func(part said.Raw) { texts = append(texts, part.Field("Text").Texts()...) })
			answers.Answered(said.Quoted(id), said.Joined(texts))
		})
		lines = said.AppendMessage(lines, words, answers)
	})
	return lines, err
}
