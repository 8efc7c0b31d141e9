package consolidate

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dream-mcp/consolidate/background"
	"dream-mcp/consolidate/store"
	"dream-mcp/consolidate/transcript"
)

func TestExtract(t *testing.T) {
	dir := t.TempDir()
	memoryDir := filepath.Join(dir, "memory")
	if err := os.Mkdir(memoryDir, 0o700); err != nil {
		t.Fatal(err)
	}
	p := Open(Options{Options: store.Options{MemoryDir: memoryDir, StateHome: filepath.Join(dir, "state")}, Transcripts: transcript.Open(transcript.Options{})})
	defer p.Close("")

	line := func(kind string, content any) string {
		data, err := json.Marshal(map[string]any{"type": kind, "message": map[string]any{"role": kind, "content": content}})
		if err != nil {
			t.Fatal(err)
		}
		return string(data) + "\n"
	}
	user := func(text string) string { return line("user", text) }
	use := func(tool string, input map[string]any) string {
		return line("assistant", []any{map[string]any{"type": "tool_use", "id": "t", "name": tool, "input": input}})
	}
	file := func(path string) map[string]any { return map[string]any{"content": "x", "file_path": path} }
	correct, prefer := user("no, that's wrong: use bun, not npm"), user("from now on always use tabs")
	saved := use("Write", file(filepath.Join(memoryDir, "bun.md")))
	for name, c := range map[string]struct {
		text, want string
		saved      bool
	}{
		"nothing":                        {user("hello") + line("assistant", "hi"), "", false},
		"empty":                          {"", "", false},
		"a correction":                   {user("hello") + correct, "(s1) ended with 1 correction of the user, and no memory was saved.", false},
		"the model saved":                {correct + saved, "", true},
		"by our tool":                    {correct + use("mcp__dream__write_memory", map[string]any{"path": "a.md"}), "", true},
		"the model saved, then":          {correct + saved + prefer, "1 preference of the user after the last memory was saved.", true},
		"another file":                   {correct + use("Write", file(filepath.Join(dir, "bun.md"))), "1 correction", false},
		"a neighbour":                    {correct + use("Edit", file(memoryDir+"-2/bun.md")), "1 correction", false},
		"a climb":                        {correct + use("Edit", file(memoryDir+"/../bun.md")), "1 correction", false},
		"only read":                      {correct + use("Read", file(filepath.Join(memoryDir, "bun.md"))), "1 correction", false},
		"a dream looked":                 {correct + user(transcript.DreamMarker+">") + use("x__write_memory", nil), "", false},
		"after a dream":                  {correct + user(transcript.DreamMarker+">") + prefer, "1 preference of the user, and no", false},
		"of a sub-agent":                 {strings.Replace(correct, "{", `{"isSidechain":true,`, 1), "", false},
		"injected":                       {user("<system-reminder>no, that's wrong: use bun, not npm</system-reminder>"), "", false},
		"in the model's words":           {line("assistant", "no, that's wrong: use bun, not npm"), "", false},
		"only the last turns":            {correct + strings.Repeat(user("go")+user("on"), 10), "", false},
		"half a line, and none":          {"\x00{{\n" + correct + `{"type":"user","message":{"content":"remember th`, "1 correction", false},
		"beyond what is read":            {correct + user(strings.Repeat("x", 5<<20)), "", false},
		"behind a line that is too long": {user(strings.Repeat("x", 5<<20)) + correct, "1 correction", false},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "s1.jsonl")
			if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
				t.Fatal(err)
			}
			x, err := p.Background.Extract(path)
			if err != nil || x.Saved != c.saved {
				t.Errorf("%+v, %v", x, err)
			}
			if got := x.Suggestion(); (got == "") != (c.want == "") || !strings.Contains(got, c.want) || len(got) > 1_000 {
				t.Errorf("suggests %q, want %q", got, c.want)
			}
		})
	}
	for _, path := range []string{filepath.Join(dir, "none.jsonl"), memoryDir} {
		if x, err := p.Background.Extract(path); err == nil {
			t.Errorf("%s: %+v", path, x)
		}
	}
	if got := (background.Extraction{Session: "a\" b", Signals: [8]int{1}}).Suggestion(); got != "" {
		t.Errorf("a session's name that is none: %q", got)
	}
}

// Gemini CLI's files are of another form, and its sessions have another name in its hooks than for a search.
func TestExtractGemini(t *testing.T) {
	dir := t.TempDir()
	p := Open(Options{Options: store.Options{MemoryDir: filepath.Join(dir, "memory"), StateHome: filepath.Join(dir, "state"), Now: time.Now}, Transcripts: transcript.Open(transcript.Options{})})
	defer p.Close("")
	const (
		head    = `"sessionId":"9f5659bb-1111-4000-8000-000000000000","kind":"main"`
		correct = `{"id":"u1","type":"user","content":"no, that's wrong: use bun, not npm"}`
		saved   = `{"id":"a1","type":"gemini","content":"","toolCalls":[{"id":"t1","name":"mcp_dream_write_memory","args":{"path":"a.md"}}]}`
		id      = "2026-11-18T09-14-9f5659bb"
	)
	for _, c := range []struct{ name, text, want string }{
		{"session-" + id + ".jsonl", "{" + head + "}\n" + correct + "\n", "The last session (" + id + ") ended with 1 correction of the user, and no"},
		{"session-" + id + ".json", "{" + head + `,"messages":[` + correct + "]}", "1 correction"},
		{"session-" + id + ".jsonl", "{" + head + "}\n" + correct + "\n" + saved + "\n", ""},
		{"session-" + id + ".json", "{" + head + `,"messages":[` + correct + "]}" + strings.Repeat(" ", 5<<20), ""}, // too long to be read in time
	} {
		path := filepath.Join(dir, c.name)
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, next := range []string{"another", "9f5659bb-1111-4000-8000-000000000000"} {
			if err := p.Background.SaveSuggestion(t.Context(), path); err != nil {
				t.Error(err)
			}
			got := ""
			if err := p.Background.DeliverReports(t.Context(), next, func(_ []background.DreamReport, ended string) error {
				got = ended
				return nil
			}); err != nil {
				t.Error(err)
			}
			if want := c.want; next == "another" && ((got == "") != (want == "") || !strings.Contains(got, want)) {
				t.Errorf("%s %.90s: suggests %q, want %q", c.name, c.text, got, want)
			} else if next != "another" && got != "" {
				t.Errorf("the session itself is told %q", got)
			}
		}
	}
}
