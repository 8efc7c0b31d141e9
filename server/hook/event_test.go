package hook

import (
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestRead(t *testing.T) {
	for _, row := range []struct {
		json string
		want Event
	}{
		{`{"session_id":"s","transcript_path":"/t","cwd":"/p","hook_event_name":"Stop","stop_hook_active":false}`,
			Event{Name: "Stop", Moment: Turn, Session: "s", Dir: "/p"}},
		{`{"hook_event_name":"SessionEnd"}`, Event{Name: "SessionEnd", Moment: End}},
		{`{"session_id":"s","cwd":"/p","hook_event_name":"Stop","stop_hook_active":true}`, Event{Name: "Stop", Moment: Turn, Session: "s", Dir: "/p", Again: true}},
		{`{"session_id":"s","cwd":"/p","hook_event_name":"SessionStart","source":"resume"}`,
			Event{Name: "SessionStart", Moment: Start, Session: "s", Dir: "/p", Source: "resume"}},
		{`{"hook_event_name":"SessionEnd","reason":"clear","agent_id":null}`, Event{Name: "SessionEnd", Moment: End}},
		{`{"hook_event_name":"Stop","agent_id":"a1"}`, Event{Name: "Stop", Moment: Turn, Sub: true}},
		{`{"hook_event_name":"Stop","agent_type":"Explore"}`, Event{Name: "Stop", Moment: Turn, Sub: true}},
		{`{"hook_event_name":"PostToolUse"}`, Event{Name: "PostToolUse"}},
		{`{"hook_event_name":"UserPromptSubmit","session_id":"s","prompt":"deploy it"}`,
			Event{Name: "UserPromptSubmit", Moment: Prompt, Session: "s", Prompt: "deploy it"}},
		{`{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls","timeout":3}}`,
			Event{Name: "PreToolUse", Moment: Tool, Tool: "Bash", Command: "ls", Arguments: "command,timeout"}},
		{`{"hook_event_name":"PreToolUse","tool_name":"Edit","tool_input":{"file_path":"/p/a.go"}}`,
			Event{Name: "PreToolUse", Moment: Tool, Tool: "Edit", File: "/p/a.go", Arguments: "file_path"}},
		{`{"hook_event_name":"PreToolUse","tool_name":"edit","tool_input":{"filePath":"/p/a.go"}}`,
			Event{Name: "PreToolUse", Moment: Tool, Tool: "edit", File: "/p/a.go", Arguments: "filePath"}},
		{`{"hook_event_name":"PreToolUse","tool_name":"apply_patch","tool_input":{"command":"*** Begin Patch\n*** Add File: b.go\n+x"}}`,
			Event{Name: "PreToolUse", Moment: Tool, Tool: "apply_patch", File: "b.go", Arguments: "command"}},
		{`{"hook_event_name":"BeforeTool","tool_name":"run_shell_command","tool_input":["x"]}`, Event{Name: "BeforeTool", Moment: Tool, Tool: "run_shell_command"}},
		{`{"hook_event_name":"BeforeAgent","prompt":7}`, Event{Name: "BeforeAgent", Moment: Prompt}},
		{`{"hook_event_name":"SubagentStop"}`, Event{Name: "SubagentStop"}},
		// Codex notify, Gemini CLI, Cursor.
		{`{"type":"agent-turn-complete","thread-id":"t","turn-id":"1","cwd":"/p","last-assistant-message":"x"}`,
			Event{Name: "agent-turn-complete", Moment: Turn, Session: "t", Dir: "/p"}},
		{`{"hook_event_name":"AfterAgent","session_id":"g","cwd":"/p"}`, Event{Name: "AfterAgent", Moment: Turn, Session: "g", Dir: "/p"}},
		{`{"hook_event_name":"sessionStart","conversation_id":"c","workspace_roots":["/p","/q"]}`,
			Event{Name: "sessionStart", Moment: Start, Session: "c", Dir: "/p"}},
		{`{"hook_event_name":"beforeSubmitPrompt","conversation_id":"c","session_id":"s","prompt":"deploy it"}`,
			Event{Name: "beforeSubmitPrompt", Moment: Prompt, Session: "c", Prompt: "deploy it"}},
		// What is not understood is passed over.
		{`{"hook_event_name":"Stop","cwd":7,"session_id":"s","stop_hook_active":"no"}`, Event{Name: "Stop", Moment: Turn, Session: "s"}},
		{`{"hook_event_name":"Stop","cwd":"relative"}`, Event{Name: "Stop", Moment: Turn}},
		{`{"hook_event_name":"Stop","cwd":"/p\u0000q"}`, Event{Name: "Stop", Moment: Turn}},
	} {
		if row.want.Dir != "" && runtime.GOOS == "windows" {
			row.json, row.want.Dir = strings.ReplaceAll(row.json, `"/`, `"C:/`), "C:"+row.want.Dir
		}
		got, err := Read(nil, strings.NewReader(row.json))
		if err != nil || got != row.want {
			t.Errorf("%s: %+v, %v; want %+v", row.json, got, err, row.want)
		}
	}
	for _, bad := range []string{"", "{", "[1]", "7", "nonsense", `{"hook_event_name":"` + strings.Repeat("x", maxWord+1) +
		`"}`, `{"x":"` + strings.Repeat("x", maxEvent) + `"}`} {
		if e, err := Read(nil, strings.NewReader(bad)); err == nil {
			t.Errorf("%.40q is read as %+v", bad, e)
		}
	}
}

func TestIgnored(t *testing.T) {
	for _, row := range []struct {
		e    Event
		want bool
	}{
		{Event{}, true},
		{Event{Moment: Turn}, false},
		{Event{Moment: Turn, Sub: true}, true},
		{Event{Moment: Turn, Again: true}, true},
		{Event{Moment: Start, Source: "startup"}, false},
		{Event{Moment: Start}, false},
		{Event{Moment: Start, Source: "compact"}, true},
		{Event{Moment: Start, Source: "fork"}, true},
		{Event{Moment: Prompt}, true},
		{Event{Moment: Tool}, true},
		{Event{Moment: End}, false},
	} {
		if got := row.e.Ignored(); got != row.want {
			t.Errorf("%+v: %v", row.e, got)
		}
	}
}

// The fields of an event are bounded, its directory is complete or empty, and what follows its object is ignored.
func FuzzRead(f *testing.F) {
	f.Add(`{"hook_event_name":"Stop","cwd":"/p","session_id":"s"}`)
	f.Add(`{"type":"agent-turn-complete","thread-id":"t","workspace_roots":["/p"]}`)
	f.Add(`{"hook_event_name":7,"cwd":{}}`)
	f.Fuzz(func(t *testing.T, text string) {
		e, err := Read(nil, strings.NewReader(text))
		if err != nil {
			if e != (Event{}) {
				t.Errorf("an error, and %+v", e)
			}
			return
		}
		if e.Dir != "" && (!filepath.IsAbs(e.Dir) || strings.ContainsRune(e.Dir, 0)) ||
			len(e.Name)+len(e.Session)+len(e.Source)+len(e.Dir)+len(e.Tool) > 5*maxWord || len(e.Prompt) > maxText {
			t.Errorf("%+v", e)
		}
		if again, err := Read(nil, strings.NewReader(text+"\n}{ more")); err != nil || again != e {
			t.Errorf("%+v with more after it: %+v, %v", e, again, err)
		}
	})
}
