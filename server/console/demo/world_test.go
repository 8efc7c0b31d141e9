package demo

import (
	"dream-mcp/consolidate/transcript/search"
	"dream-mcp/consolidate/transcript/sessions"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The world must be what the story needs, at any time of day: six sessions since the last dream, and
// nothing in the future.
func TestWorld(t *testing.T) {
	t.Parallel()
	for _, now := range []time.Time{
		time.Date(2026, 3, 1, 0, 0, 1, 0, time.UTC), time.Date(2027, 1, 1, 23, 59, 59, 0, time.FixedZone("", 14*3600)),
	} {
		w, err := build(t.TempDir(), now)
		if err != nil {
			t.Fatal(err)
		}
		store := search.Open(sessions.Options{Projects: filepath.Join(w.home, ".claude", "projects"), Roots: []string{w.project}})
		lock, err := os.Stat(filepath.Join(w.memory, ".consolidate-lock"))
		if err != nil {
			t.Fatal(err)
		}
		if n, err := store.Count(t.Context(), lock.ModTime(), 5); n != 6 || err != nil {
			t.Errorf("%d sessions since the last dream (%v), want 6", n, err)
		}
		err = filepath.WalkDir(w.home, func(name string, e os.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			info, err := e.Info()
			if err == nil && info.ModTime().After(now) {
				t.Errorf("%s is of %v, after %v", name, info.ModTime(), now)
			}
			data, _ := os.ReadFile(name)
			if strings.Contains(string(data), "{{") {
				t.Errorf("%s still has something to be filled in", name)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		image, err := w.image()
		if err != nil || len(image) != 9 {
			t.Errorf("%d memories with the index (%v), want 9", len(image), err)
		}
	}
}

func TestEnvironment(t *testing.T) {
	for _, name := range []string{"CLAUDE_PROJECT_DIR", "CLAUDECODE", "DREAM_MODE", "XDG_STATE_HOME", "CODEX_HOME", "GEMINI_CLI"} {
		t.Setenv(name, "leaks")
	}
	t.Setenv("HOME", "leaks")
	w := world{home: filepath.Join(t.TempDir(), "home")}
	last := map[string]string{} // of equal names the last counts
	for _, v := range w.environment() {
		name, value, _ := strings.Cut(v, "=")
		last[name] = value
	}
	for name, value := range last {
		if value == "leaks" {
			t.Errorf("%s leaks into the demo", name)
		}
	}
	if last["HOME"] != w.home {
		t.Errorf("HOME is %q", last["HOME"])
	}
}
