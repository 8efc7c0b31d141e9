package host

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"dream-mcp/consolidate/transcript/said"
)

// Cursor, its editor and its command line, writes a file for each session into a folder for each directory, whose name
// does not say which of its dashes were in the path. What a person typed is in an element, the time in another; results
// of tools are not kept.
var cursor = Host{
	ID: "cursor", Name: "Cursor", Program: "cursor",
	Variables: Variables{Hook: []string{"CURSOR_VERSION"}},
	Settings: &Settings{
		Place: Place{Home: ".cursor"}, Files: []string{"mcp.json"}, Project: ".cursor/mcp.json", List: "mcpServers", Entry: PlainEntry,
	},
	Hooks: &Hooks{
		Events: []string{"sessionStart"}, Prompt: "beforeSubmitPrompt", Tool: "preToolUse", Timeout: 5, Named: true, File: "hooks.json", Flat: true,
		Silent: true, NoGuard: true, Answer: cursorAnswer,
	},
	Sessions: []Sessions{{
		Format: said.Format{
			Host: "cursor",
			Folders: []said.Folder{{
				Path: "projects/*/agent-transcripts", Why: "Cursor's, by the name of the directory", Trust: said.ByFolder, Files: []string{"*.jsonl", "*/*.jsonl"},
			}},
			Ours: cursorOurs, ID: fileID, Line: cursorLine,
		},
		Place: Place{Variable: "CURSOR_CONFIG_DIR", Home: ".cursor"},
	}},
}

var _ = add(&cursor)

func cursorAnswer(event, model, _ string) any {
	answer := map[string]any{"additional_context": model}
	if event == "beforeSubmitPrompt" {
		answer["continue"] = true
	}
	return answer
}

// cursorOurs returns a filter for the folders of the project's directories. One below a root is its only if such a
// directory exists, and none beside the root has the same name: "-lamp-oil" may be of /lamp/oil and of /lamp-oil.
func cursorOurs(_ string, roots []string) func(string) bool {
	return func(transcripts string) bool {
		has := strings.ToLower(dashed(filepath.Base(filepath.Dir(transcripts))))
		for _, root := range roots {
			name := strings.ToLower(strings.TrimLeft(dashed(root), "-"))
			rest, ok := strings.CutPrefix(has, name+"-")
			if has == name || ok && below(root, rest) && !below(filepath.Dir(root), strings.ToLower(dashed(filepath.Base(root)))+"-"+rest, root) {
				return true
			}
		}
		return false
	}
}

// below reports whether a directory below dir, other than except and what is below that, has such a name.
func below(dir, name string, except ...string) bool {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		at := filepath.Join(dir, e.Name())
		own := strings.ToLower(dashed(e.Name()))
		if rest, ok := strings.CutPrefix(name, own+"-"); e.IsDir() && (len(except) == 0 || at != except[0]) && (name == own || ok && below(at, rest)) {
			return true
		}
	}
	return false
}

func cursorLine(line said.Raw, r *said.Record, _ *said.HostState) {
	content := line.Field("message").Field("content")
	switch role := line.Field("role"); {
	case role.Is("user"):
		r.Type = said.MetaType
		for _, b := range content.Texts("text") {
			text := b.Text.Text()
			if at, ok := element(text, "timestamp"); ok {
				r.Timestamp = cursorTime(at)
			}
			if typed, ok := element(text, "user_query"); ok {
				r.TypedBlocks(typedText(strings.TrimSpace(typed)), nil, asTyped)
			}
		}
	case role.Is("assistant"):
		r.Said(content)
	}
}

// cursorTime reads "Tuesday, Jul 28, 2026, 12:06 PM (UTC+2)"; nil for another text.
func cursorTime(text string) said.Raw {
	clock, zone, _ := strings.Cut(strings.TrimSuffix(strings.TrimSpace(text), ")"), " (UTC")
	at, err := time.Parse("Monday, Jan 2, 2006, 3:04 PM", clock)
	if err != nil {
		return nil
	}
	hours, minutes, _ := strings.Cut(zone, ":")
	h, _ := strconv.Atoi(hours)
	m, _ := strconv.Atoi(minutes)
	if strings.HasPrefix(zone, "-") {
		m = -m
	}
	return stamp(at.Add(-time.Duration(h)*time.Hour - time.Duration(m)*time.Minute))
}
