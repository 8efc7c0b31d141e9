package consolidate

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// A process is killed at every step of every operation. Whoever comes next finds the memory as it was
// before or as it is after, the time of the last consolidation to match, and nothing left over.
func TestKillAtEveryStep(t *testing.T) {
	prior := start.Add(-48 * time.Hour)
	for name := range maps.Keys(script) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for step := 0; ; step++ {
				w := newWorld(t)
				w.stampNative("", prior)
				if name == "undo" {
					if err := script["commit"](w.open()); err != nil {
						t.Fatal(err)
					}
					w.stampNative("", prior)
				}
				before := w.files()
				at := w.runToDeath(name, step)
				after := w.files()
				if at == "" {
					if step < 3 {
						t.Fatalf("only %d steps", step)
					}
					t.Logf("%d steps", step)
					return
				}
				w.checkRecovered(name, fmt.Sprintf("%s, killed at step %d (%s)", name, step, at), before, after, prior)
			}
		})
	}
}

// checkRecovered lets a new process come and looks at what it finds.
func (w *world) checkRecovered(name, what string, before, crashed map[string]string, prior time.Time) {
	t := w.t
	w.now = w.now.Add(time.Minute)
	p := w.open()
	if err := p.Recover(ctx); err != nil {
		t.Errorf("%s: recovery: %v", what, err)
		return
	}
	got := w.files()
	landed := !same(got, before)
	if landed {
		// What a whole run makes of the same beginning.
		whole := newWorld(t)
		whole.stampNative("", prior)
		if name == "undo" {
			if err := script["commit"](whole.open()); err != nil {
				t.Fatal(err)
			}
		}
		whole.now = start
		if err := script[name](whole.open()); err != nil {
			t.Fatal(err)
		}
		if want := whole.files(); !same(got, want) {
			t.Errorf("%s: the memory is neither as before nor as after:\n%q\nbefore\n%q\nafter\n%q", what, got, before, want)
		}
	}
	want := fmt.Sprintf("%q %s", "", prior.Format(time.RFC3339Nano))
	if landed && name == "commit" {
		want = fmt.Sprintf("%q %s", "", start.Format(time.RFC3339Nano))
	}
	if got := w.nativeNow(); got != want {
		t.Errorf("%s: %s is %s, want %s", what, nativeFile, got, want)
	}
	if n := w.lockRecordSize(); n != 0 {
		t.Errorf("%s: the lock file still has %d bytes", what, n)
	}
	// And the memory is in working order.
	if _, err := p.Write(ctx, WriteRequest{Path: "later.md", Content: text(topic("later", "user"))}); err != nil {
		t.Errorf("%s: a later write: %v", what, err)
	}
}

// A commit that was cut off, and whose plan is gone, stops every write until a person has looked.
func TestLostPlan(t *testing.T) {
	w := newWorld(t)
	var at string
	for step := 0; at != "updated a.md"; step++ {
		w = newWorld(t)
		if at = w.runToDeath("commit", step); at == "" {
			t.Fatal("it never got there")
		}
	}
	if err := os.RemoveAll(w.state); err != nil {
		t.Fatal(err)
	}
	p := w.open()
	_, err := p.Write(ctx, WriteRequest{Path: "x.md", Content: text(topic("x", "user"))})
	if _, ok := err.(interface{ Unwrap() []error }); ok || err == nil {
		t.Logf("refused with %v", err)
	}
	if err == nil {
		t.Error("a write was let through over a half-landed commit")
	}
	if err := p.Begin(ctx, true, false); err == nil {
		t.Error("a dream was let through over a half-landed commit")
	}
	// The person accepts the memory as it stands.
	if err := os.Truncate(filepath.Join(w.memory, lockFile), 0); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Write(ctx, WriteRequest{Path: "x.md", Content: text(topic("x", "user"))}); err != nil {
		t.Error(err)
	}
}

// A record torn by a power cut: what was landing, by its manifest, lands.
func TestTornRecord(t *testing.T) {
	for step := 0; ; step++ {
		w := newWorld(t)
		at := w.runToDeath("commit", step)
		if at == "" {
			t.Fatal("it never got there")
		}
		if at != "updated a.md" {
			continue
		}
		w.put(lockFile, "\x00{\"dream\": \"2026")
		if err := w.open().Recover(ctx); err != nil {
			t.Fatal(err)
		}
		if got := w.files(); got["deep/new.md"] == "" || got["b.md"] != "" {
			t.Errorf("recovered to %q", got)
		}
		return
	}
}
