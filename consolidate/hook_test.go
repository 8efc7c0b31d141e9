package consolidate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"dream-mcp/consolidate/background"
	"dream-mcp/consolidate/lock"
	"dream-mcp/consolidate/store"
	"dream-mcp/consolidate/transcript"
	"dream-mcp/memory/landing"
)

// A pause that a hook wrote keeps the same kind of hook from trying again, unless a wrong clock wrote it. Off is off.
func TestSoon(t *testing.T) {
	now := time.Date(2026, 11, 18, 9, 0, 0, 0, time.UTC)
	for _, row := range []struct {
		name          string
		off           bool
		file          string
		ahead         time.Duration
		start, offers bool // want
	}{
		{name: "nothing is known", start: true, offers: true},
		{name: "off", off: true},
		{name: "a failure", file: launchFile, ahead: time.Minute, offers: true},
		{name: "a failure long ago", file: launchFile, ahead: -time.Minute, start: true, offers: true},
		{name: "a wrong clock", file: launchFile, ahead: 1000 * time.Hour, start: true, offers: true},
		{name: "an offer today", file: offerFile, ahead: time.Hour, start: true},
	} {
		dir := t.TempDir()
		p := Open(Options{
			Options:     store.Options{MemoryDir: filepath.Join(dir, "memory"), StateHome: filepath.Join(dir, "state"), Now: func() time.Time { return now }},
			Transcripts: transcript.Open(transcript.Options{}),
			Enabled:     Switch{On: !row.off}, MinHours: 24,
		})
		if row.file != "" {
			if err := p.SetNote(row.file, map[string]time.Time{"after": now.Add(row.ahead)}); err != nil {
				t.Fatal(err)
			}
		}
		if start, offers := p.Gates.Soon(false), p.Gates.Soon(true); start != row.start || offers != row.offers {
			t.Errorf("%s: %t, %t", row.name, start, offers)
		}
		p.Close("the test ended")
	}
}

// Reports that several processes queue and deliver at once are each delivered, and once; one whose delivery fails is delivered again.
func TestReports(t *testing.T) {
	dir := t.TempDir()
	open := func() *Project {
		p := Open(Options{Options: store.Options{MemoryDir: filepath.Join(dir, "memory"), StateHome: filepath.Join(dir, "state")}, Transcripts: transcript.Open(transcript.Options{})})
		t.Cleanup(func() { p.Close("the test ended") })
		return p
	}
	queue := func(p *Project, id string) {
		p.Background.Queue(store.Info{Operation: store.Operation{ID: id, Kind: lock.KindDream, Unattended: true}, Outcome: store.Committed}, make([]landing.Change, 1))
	}
	var mu sync.Mutex
	delivered := map[string]int{}
	deliver := func(p *Project, fails bool) {
		for { // a lock that is held is one more try here
			called := false
			err := p.Background.DeliverReports(context.Background(), "s", func(reports []background.DreamReport, _ string) error {
				called = true
				if fails {
					return errors.New("the output is closed")
				}
				mu.Lock()
				defer mu.Unlock()
				for _, r := range reports {
					delivered[r.ID]++
				}
				return nil
			})
			if !called {
				t.Error("deliver was not called")
			}
			if err == nil || fails {
				return
			}
		}
	}
	const rounds, each = 100, 4 // no more than maxReports at once
	var projects [2 * each]*Project
	for i := range projects {
		projects[i] = open()
		deliver(projects[i], false) // which opens its state
	}
	for round := range rounds {
		var all sync.WaitGroup
		begin := make(chan struct{})
		for i := range each {
			all.Go(func() {
				<-begin
				queue(projects[i], fmt.Sprintf("%d-%d", round, i))
			})
			all.Go(func() {
				<-begin
				deliver(projects[each+i], i%2 == 0)
			})
		}
		close(begin)
		all.Wait()
		deliver(projects[0], false)
	}
	for round := range rounds {
		for i := range each {
			if id := fmt.Sprintf("%d-%d", round, i); delivered[id] != 1 {
				t.Errorf("%s was delivered %d times", id, delivered[id])
			}
		}
	}
}

// A session that begins twice within seconds has two hooks of ours, and the person is warned. Turns do end so soon one after
// the other.
func TestSeenTwice(t *testing.T) {
	for _, test := range []struct {
		name     string
		frequent bool
		wait     time.Duration
		again    bool
		warned   bool
	}{
		{"a start", false, 0, true, true},
		{"a start much later", false, time.Minute, false, false},
		{"the end of a turn", true, 2 * time.Second, true, false},
	} {
		w := newWorld(t)
		p := w.open()
		if p.Background.SeenRecently(context.Background(), "s", "event", test.frequent) || p.Background.SeenRecently(context.Background(), "another", "event", test.frequent) {
			t.Errorf("%s: the first of a session was seen before", test.name)
		}
		w.now = w.now.Add(test.wait)
		if again := p.Background.SeenRecently(context.Background(), "s", "event", test.frequent); again != test.again {
			t.Errorf("%s: seen again: %v", test.name, again)
		}
		s, err := p.Status(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if warned := slices.ContainsFunc(s.Warnings, func(w string) bool { return strings.Contains(w, "twice") }); warned != test.warned {
			t.Errorf("%s: %q", test.name, s.Warnings)
		}
	}
}

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
		"nothing":                       {user("hello") + line("assistant", "hi"), "", false},
		"empty":                         {"", "", false},
		"a correction":                  {user("hello") + correct, "(s1) ended with 1 correction of the user, and no memory was saved.", false},
		"the model saved":               {correct + saved, "", true},
		"by our tool":                   {correct + use("mcp__dream__write_memory", map[string]any{"path": "a.md"}), "", true},
		"the model saved, then":         {correct + saved + prefer, "1 preference of the user after the last memory was saved.", true},
		"another file":                  {correct + use("Write", file(filepath.Join(dir, "bun.md"))), "1 correction", false},
		"a neighbour":                   {correct + use("Edit", file(memoryDir+"-2/bun.md")), "1 correction", false},
		"a climb":                       {correct + use("Edit", file(memoryDir+"/../bun.md")), "1 correction", false},
		"only read":                     {correct + use("Read", file(filepath.Join(memoryDir, "bun.md"))), "1 correction", false},
		"a dream looked":                {correct + user(transcript.DreamMarker+">") + use("x__write_memory", nil), "", false},
		"after a dream":                 {correct + user(transcript.DreamMarker+">") + prefer, "1 preference of the user, and no", false},
		"of a sub-agent":                {strings.Replace(correct, "{", `{"isSidechain":true,`, 1), "", false},
		"injected":                      {user("<system-reminder>no, that's wrong: use bun, not npm</system-reminder>"), "", false},
		"in the model's words":          {line("assistant", "no, that's wrong: use bun, not npm"), "", false},
		"only the last turns":           {correct + strings.Repeat(user("go")+user("on"), 10), "", false},
		"half a line, and none":         {"\x00{{\n" + correct + `{"type":"user","message":{"content":"remember th`, "1 correction", false},
		"beyond what is read":           {correct + user(strings.Repeat("x", 5<<20)), "", false},
		"after a line that is too long": {user(strings.Repeat("x", 5<<20)) + correct, "1 correction", false},
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
				t.Errorf("the session itself is shown %q", got)
			}
		}
	}
}

// After failures in a row the pause doubles, up to a day; what lands ends it.
func TestPauses(t *testing.T) {
	w := newWorld(t)
	o := w.options()
	o.Unattended = true
	p := Open(o)
	defer p.Close("the test ended")
	for _, want := range []time.Duration{10 * time.Minute, 20 * time.Minute, 40 * time.Minute, 80 * time.Minute, 160 * time.Minute, 320 * time.Minute, 640 * time.Minute, 1280 * time.Minute, 24 * time.Hour, 24 * time.Hour} {
		run, err := p.Gates.BeginRun(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if outcome, err := run.End(ctx, background.RunEnd{Failure: "it broke"}); outcome != store.Failed || err != nil {
			t.Fatal(outcome, err)
		}
		w.now = w.now.Add(want - time.Second)
		if run, err := p.Gates.BeginRun(ctx); err == nil {
			run.End(ctx, background.RunEnd{})
			t.Fatalf("tried again before %v had passed", want)
		}
		w.now = w.now.Add(time.Second)
	}
	run, err := p.Gates.BeginRun(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open(o).Gates.BeginRun(ctx); err != background.ErrRunning {
		t.Errorf("two at once: %v", err)
	}
	if err := script["commit"].run(p); err != nil {
		t.Fatal(err)
	}
	if outcome, err := run.End(ctx, background.RunEnd{}); outcome != store.Committed || err != nil {
		t.Fatal(outcome, err)
	}
	if why := p.Background.FailedRun(); why != "" {
		t.Error(why)
	}
}
