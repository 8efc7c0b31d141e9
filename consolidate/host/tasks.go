package host

import (
	"path/filepath"

	"dream-mcp/consolidate/transcript/said"
)

// tasks are the sessions of an extension of VS Code that is made from the older Cline: a folder for each task, and in
// it a file of what was shown, which is rewritten whole. What a person typed is the first text and each feedback. The
// directory is beside it, or in the list of all tasks.
func tasks(host said.HostID, extension string) Sessions {
	return Sessions{
		Format: said.Format{
			Host: host,
			Folders: []said.Folder{{
				Path: "*/User/globalStorage/" + extension + "/tasks", Why: "an extension's, of all projects: those that ran here", Files: []string{"*/ui_messages.json"},
			}},
			ID: folderID, Beside: tasksBeside, Whole: tasksWhole,
		},
		Place: Place{Applications: true},
	}
}

// maxTasks bounds what is read of the list of all tasks.
const maxTasks = 16 << 20

func tasksBeside(file string) string {
	dir := filepath.Dir(file)
	if own := jsonIn(filepath.Join(dir, "history_item.json"), maxProjects); own != nil {
		return own.Field("workspace").Text()
	}
	var cwd string
	jsonIn(filepath.Join(dir, "..", "..", "state", "taskHistory.json"), maxTasks).Items(func(task said.Raw) {
		if task.Field("id").Is(filepath.Base(dir)) {
			cwd = task.Field("cwdOnTaskInitialization").Text()
		}
	})
	return cwd
}

func tasksWhole(text []byte, cwd string) []said.Record {
	head := said.Record{Type: said.MetaType, CWD: said.Quoted(cwd)}
	lines := []said.Record{head}
	whole := said.Raw(trimmed(text))
	if !whole.IsWhole() {
		return said.AppendBad(lines, 1)
	}
	begun := false
	whole.Items(func(m said.Raw) {
		r := said.Record{Timestamp: timeOf(m.Field("ts")), CWD: head.CWD}
		say, texts := m.Field("say"), m.Field("text").Texts()
		switch {
		case m.Field("partial").IsTrue():
		case say.Is("user_feedback"), say.Is("task"), say.Is("text") && !begun:
			begun = true
			r.TypedBlocks(texts, nil, asTyped)
		case say.Is("text"), say.Is("completion_result"), m.Field("ask").Is("followup"):
			r.Type, r.Message.Blocks = said.AssistantType, texts
		case say.Is("command"), m.Field("ask").Is("command"):
			r.Used(m.Field("ts"), said.Quoted("command"), said.Object("command", m.Field("text")))
		case say.Is("command_output"):
			r.Answered(m.Field("ts"), said.Joined(texts))
		}
		lines = append(lines, r)
	})
	return lines
}
