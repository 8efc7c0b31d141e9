package hook

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var now = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func put(t *testing.T, path, text string, age time.Duration) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, now.Add(-age), now.Add(-age)); err != nil {
		t.Fatal(err)
	}
}

func TestQuiet(t *testing.T) {
	turn, start := Event{Moment: Turn}, Event{Moment: Start}
	stamp := func(age time.Duration, body string) func(*testing.T, Known) {
		return func(t *testing.T, k Known) { put(t, filepath.Join(k.MemoryDir, ".consolidate-lock"), body, age) }
	}
	note := func(name, format string, args ...any) func(*testing.T, Known) {
		return func(t *testing.T, k Known) { put(t, filepath.Join(k.StateDir, name), fmt.Sprintf(format, args...), 0) }
	}
	at := func(d time.Duration) string { return now.Add(d).Format(time.RFC3339Nano) }
	scan := func(ago time.Duration, found int) func(*testing.T, Known) {
		return note(Throttle, `{"time":%q,"since":{"exists":true,"time":%q},"found":%d}`, at(-ago), at(-25*time.Hour), found)
	}
	for _, row := range []struct {
		name  string
		off   bool
		offer bool
		e     Event
		files []func(*testing.T, Known)
		want  bool
	}{
		{name: "nothing is known", e: turn, want: false},
		{name: "off", off: true, e: turn, want: true},
		{name: "off, though something is untold", off: true, e: start, files: []func(*testing.T, Known){note(Untold, "[]")}, want: true},
		{name: "offers come at a start", offer: true, e: turn, want: true},
		{name: "an offer may be due", offer: true, e: start, want: false},
		{name: "the time gate", e: turn, files: []func(*testing.T, Known){stamp(23*time.Hour, "")}, want: true},
		{name: "the time has come", e: turn, files: []func(*testing.T, Known){stamp(25*time.Hour, "")}, want: false},
		{name: "Claude Code's dream succeeded and left its PID", e: turn, files: []func(*testing.T, Known){stamp(time.Hour, "4711")}, want: true},
		{name: "a dream of ours may have crashed", e: turn, files: []func(*testing.T, Known){stamp(time.Minute, "4711"),
			func(t *testing.T, k Known) { put(t, filepath.Join(k.MemoryDir, ".dream.lock"), " {}", 0) }}, want: false},
		{name: "the second line says that the time has come", e: turn, files: []func(*testing.T, Known){stamp(time.Minute, fmt.Sprintf("\n%d", now.Add(-25*time.Hour).UnixMilli()))}, want: false},
		{name: "the second line says that it has not", e: turn, files: []func(*testing.T, Known){stamp(25*time.Hour, fmt.Sprintf("4711\n%d", now.Add(-23*time.Hour).UnixMilli()))}, want: true},
		{name: "a lock file that is too long", e: turn, files: []func(*testing.T, Known){stamp(time.Minute, strings.Repeat("x", 10_000))}, want: false},
		{name: "a stamp of the future", e: turn, files: []func(*testing.T, Known){stamp(-time.Hour, "")}, want: false},
		{name: "throttled", e: turn, files: []func(*testing.T, Known){stamp(25*time.Hour, ""), scan(9*time.Minute, 4)}, want: true},
		{name: "throttled no more", e: turn, files: []func(*testing.T, Known){stamp(25*time.Hour, ""), scan(11*time.Minute, 4)}, want: false},
		{name: "a scan found enough", e: turn, files: []func(*testing.T, Known){stamp(25*time.Hour, ""), scan(time.Minute, 5)}, want: false},
		{name: "a scan before the last dream", e: turn, files: []func(*testing.T, Known){stamp(26*time.Hour, ""), scan(time.Minute, 4)}, want: false},
		{name: "a failure is waited out", e: turn, files: []func(*testing.T, Known){note(Launch, `{"after":%q}`, at(time.Minute))}, want: true},
		{name: "waited out", e: turn, files: []func(*testing.T, Known){note(Launch, `{"after":%q}`, at(-time.Minute))}, want: false},
		{name: "said by a clock that was wrong", e: turn, files: []func(*testing.T, Known){note(Launch, `{"after":%q}`, at(1000*time.Hour))}, want: false},
		{name: "an offer was made today", offer: true, e: start, files: []func(*testing.T, Known){note(Offer, `{"after":%q}`, at(time.Hour))}, want: true},
		{name: "an offer is no failure", e: start, files: []func(*testing.T, Known){note(Offer, `{"after":%q}`, at(time.Hour))}, want: false},
		{name: "something is untold, and it is no time for a dream", e: start, files: []func(*testing.T, Known){stamp(time.Hour, ""), note(Untold, "[]")}, want: false},
		{name: "a session has ended that can be heard", offer: true, e: Event{Moment: End, Path: "/t"}, files: []func(*testing.T, Known){stamp(time.Hour, "")}, want: false},
		{name: "a session has ended, who knows which", offer: true, e: Event{Moment: End}, want: true},
		{name: "what a session's end taught is untold", offer: true, e: start, files: []func(*testing.T, Known){stamp(time.Hour, ""), note(Ended, "{}")}, want: false},
		{name: "a note that is damaged", e: turn, files: []func(*testing.T, Known){note(Launch, "{"), note(Throttle, "\x00")}, want: false},
	} {
		t.Run(row.name, func(t *testing.T) {
			k := Known{MemoryDir: t.TempDir(), StateDir: t.TempDir(), Enabled: !row.off, Suggest: row.offer, MinHours: 24, MinSessions: 5}
			for _, make := range row.files {
				make(t, k)
			}
			if got := k.Quiet(row.e, now); got != row.want {
				t.Errorf("quiet: %v", got)
			}
		})
	}
}

// What is known holds as long as everything is as it was, and not a moment longer.
func TestRecall(t *testing.T) {
	dir := t.TempDir()
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"HOME", "XDG_CACHE_HOME", "LocalAppData"} {
		t.Setenv(name, dir)
	}
	t.Setenv("DREAM_MODE", "auto")
	file, folder, link := filepath.Join(dir, "settings.json"), filepath.Join(dir, "d"), filepath.Join(dir, "link")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	put(t, file, "{}", time.Hour)
	if err := os.Symlink(folder, link); err != nil {
		t.Skip(err)
	}
	e, args := Event{Dir: dir, Moment: Turn}, []string{"--min-hours", "3"}
	k := Known{Args: args, Dir: dir, Env: map[string]string{"DREAM_MODE": "auto", "UNSET": ""}, Seen: []Seen{
		See(file, "file"), See(filepath.Join(dir, "absent"), "file"), See(folder, "listing"), See(link, "link"),
	}}
	path, err := CacheFile(args, dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	data, _ := json.Marshal(k)
	put(t, path, string(data), 0)
	holds := func(args ...string) bool {
		_, ok := Recall(args, e)
		return ok
	}
	if !holds(args...) || !holds(append(args, `{"type":"x"}`)...) {
		t.Fatal("nothing has changed, and it does not hold")
	}
	if holds() || holds("--min-hours", "4") {
		t.Error("it holds for another command line")
	}
	other := e
	other.Dir = folder
	if _, ok := Recall(args, other); ok {
		t.Error("it holds for another directory")
	}
	for _, row := range []struct {
		name     string
		do, undo func()
	}{
		{"a variable", func() { os.Setenv("DREAM_MODE", "off") }, func() { os.Setenv("DREAM_MODE", "auto") }},
		{"a variable that was not set", func() { os.Setenv("UNSET", "1") }, func() { os.Unsetenv("UNSET") }},
		{"a file's content", func() { put(t, file, "{ }", time.Hour) }, func() { put(t, file, "{}", time.Hour) }},
		{"a file's time", func() { put(t, file, "{}", time.Minute) }, func() { put(t, file, "{}", time.Hour) }},
		{"a file that was absent", func() { put(t, filepath.Join(dir, "absent"), "", 0) }, func() { os.Remove(filepath.Join(dir, "absent")) }},
		{"where a link leads", func() { os.Remove(link); os.Symlink(dir, link) }, func() { os.Remove(link); os.Symlink(folder, link) }},
		{"a listing", func() { put(t, filepath.Join(folder, "new"), "", 0) }, nil},
	} {
		row.do()
		if holds(args...) {
			t.Errorf("it holds though %s has changed", row.name)
		}
		if row.undo != nil {
			row.undo()
			if !holds(args...) {
				t.Fatalf("%s is as it was, and it does not hold", row.name)
			}
		}
	}
}
