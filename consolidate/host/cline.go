package host

import (
	"cmp"
	"path"
	"path/filepath"
	"strings"

	"dream-mcp/consolidate/transcript/said"
)

// Cline keeps a folder for each session, and in it a file of messages that is rewritten whole, and one of facts. What a
// person typed is in an element; the rest in the person's place is results of tools, and the prompts of sub-agents.
var cline = Host{
	ID: "cline", Name: "Cline CLI", Program: "cline", Tried: "3.0.65", Ask: "/dream",
	Settings: &Settings{
		Place: Place{Home: ".cline"}, Files: []string{"data/settings/cline_mcp_settings.json"}, List: "mcpServers", Entry: PlainEntry,
		Skill: "skills/dream/SKILL.md",
	},
	Sessions: []Sessions{{
		Format: said.Format{
			Host:    "cline",
			Folders: []said.Folder{{Path: "sessions", Why: "Cline's, of all projects: those that ran here", Files: []string{"*/*.messages.json"}}},
			ID:      clineID, Beside: clineBeside, Whole: clineWhole, Version: []string{"version"},
		},
		Place: Place{Variable: "CLINE_DATA_DIR", Home: ".cline/data"},
	}, tasks("cline", "saoudrizwan.claude-dev")},
}

var _ = add(&cline)

// clineID is the name of the folder, or of a sub-agent's file in it.
func clineID(file string) string { return strings.TrimSuffix(path.Base(file), ".messages.json") }

// clineBeside reads the facts of a session, or of the session of a sub-agent.
func clineBeside(file string) string {
	dir := filepath.Dir(file)
	facts := jsonIn(filepath.Join(dir, filepath.Base(dir)+".json"), maxProjects)
	return cmp.Or(facts.Field("cwd").Text(), facts.Field("workspace_root").Text())
}

func clineWhole(text []byte, cwd string) []said.Record {
	head := said.Record{Type: said.MetaType, CWD: said.Quoted(cwd)}
	whole := said.Raw(trimmed(text))
	if !whole.IsWhole() {
		return said.AppendBad([]said.Record{head}, 1)
	}
	if agent := whole.Field("agent"); !agent.Empty() && !agent.Is("lead") {
		head.Sidechain = said.True
	}
	lines := []said.Record{head}
	whole.Field("messages").Items(func(m said.Raw) {
		words := said.Record{UUID: m.Field("id"), Timestamp: timeOf(m.Field("ts")), CWD: head.CWD}
		answers := said.Record{Timestamp: words.Timestamp}
		content, shown := m.Field("content"), m.Field("metadata").Field("displayRole")
		switch role := m.Field("role"); {
		case role.Is("assistant") && !shown.Is("error"):
			words.Said(content)
		case role.Is("user") && !shown.Is("system"):
			for _, b := range content.Texts("text") {
				if typed, ok := element(b.Text.Text(), "user_input"); ok {
					words.TypedBlocks(typedText(typed), nil, asTyped)
				} else if typed, ok := element(b.Text.Text(), "user_command"); ok {
					words.TypedBlocks(typedText(typed), nil, asTyped)
				}
			}
			content.Items(func(b said.Raw) {
				if b.Field("type").Is("tool_result") {
					answers.Answered(b.Field("tool_use_id"), clineOutput(b.Field("content")))
				}
			})
		}
		lines = said.AppendMessage(lines, words, answers)
	})
	return lines
}

// clineOutput returns what a tool answered: a text, or the results of several queries.
func clineOutput(content said.Raw) string {
	texts := []string{said.Joined(content.Texts())}
	content.Items(func(item said.Raw) {
		if result := item.Field("result").Text(); result != "" {
			texts = append(texts, result)
		}
	})
	return strings.TrimSpace(strings.Join(texts, "\n"))
}
