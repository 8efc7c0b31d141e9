package consolidate

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"dream-mcp/consolidate/lock"
	"dream-mcp/consolidate/ops"
	"dream-mcp/consolidate/state"
	"dream-mcp/memory"
)

// An undo that was itself undone does not count: the write that holds again can be undone again, and
// after it the one before.
func TestUndoWhatWasRedone(t *testing.T) {
	w := newWorld(t)
	p := w.open()
	tick := func() { w.setNow(w.now.Add(time.Minute)) }
	for _, path := range []string{"x.md", "y.md"} {
		if err := writeNew(p, path); err != nil {
			t.Fatal(err)
		}
		tick()
	}
	redo := ""
	for i, want := range []string{"y.md gone", "y.md back", "y.md gone", "x.md gone"} {
		id := ""
		if want == "y.md back" {
			id = redo
		}
		res, err := p.History.Undo(ctx, id)
		if err != nil {
			t.Fatalf("step %d: %v", i, err)
		}
		file, what, _ := strings.Cut(want, " ")
		if _, there := w.files()[file]; there != (what == "back") {
			t.Errorf("step %d: it took back %s, want %s", i, res.Undone, want)
		}
		redo = res.ID
		tick()
	}
}

// What a crash cut off is what was done last, and so what an undo takes back.
func TestUndoOfWhatWasCutOff(t *testing.T) {
	w := cutOff(t, "updated a.md")
	res, err := w.open().History.Undo(ctx, "")
	if err != nil || !slices.Contains(res.Files.Updated, "a.md") {
		t.Errorf("it took back %+v with %v", res, err)
	}
	if got, want := w.files(), runWhole(t, "commit").before; !same(got, want) {
		t.Error("taken back:", differences(got, want))
	}
}

// Of two writes beside each other in the index the earlier can be undone alone.
func TestUndoTheEarlier(t *testing.T) {
	w := newWorld(t)
	p := w.open()
	if err := writeNew(p, "x.md"); err != nil {
		t.Fatal(err)
	}
	earlier, _, err := p.History.Diff(ctx, "")
	if err != nil {
		t.Fatal(err)
	}
	w.setNow(w.now.Add(time.Minute))
	if err := writeNew(p, "y.md"); err != nil {
		t.Fatal(err)
	}
	res, err := p.History.Undo(ctx, earlier)
	if err != nil || len(res.Conflicts) > 0 {
		t.Errorf("undone with conflicts %v, %v", res.Conflicts, err)
	}
	if index := w.files()["MEMORY.md"]; strings.Contains(index, "x.md") || !strings.Contains(index, "y.md") {
		t.Errorf("the index is\n%s", index)
	}
}

// An older dream is undone under what was done since: each row says what somebody did to a memory that
// the dream had changed, and what the undo makes of it.
func TestUndoUnderLaterChanges(t *testing.T) {
	long := strings.Replace(topic("a", "project"), "The body of a.", "One.\n\nTwo.\n\nThree.", 1)
	for _, test := range []struct {
		name, file    string
		dream, later  func(w *world, p *Project)
		want          string // a part of the file; "" where it is gone
		wantNot       string
		conflict      bool
		index, noLine string // parts that the index has, and has not
	}{
		{
			name: "other lines", file: "a.md", want: "One.\n\nTwo.\n\nThe third.", wantNot: "The first", index: "(a.md)",
			dream: func(w *world, p *Project) { w.write(p, "a.md", "One.", "The first.") },
			later: func(w *world, p *Project) { w.write(p, "a.md", "Three.", "The third.") },
		},
		{
			name: "other lines, by hand", file: "a.md", want: "One.\n\nTwo.\n\nThree.\n\nFour.", wantNot: "The first",
			dream: func(w *world, p *Project) { w.write(p, "a.md", "One.", "The first.") },
			later: func(w *world, p *Project) { w.put("a.md", w.files()["a.md"]+"\nFour.\n") },
		},
		{
			name: "the same line", file: "a.md", want: "My first.", conflict: true,
			dream: func(w *world, p *Project) { w.write(p, "a.md", "One.", "The first.") },
			later: func(w *world, p *Project) { w.write(p, "a.md", "The first.", "My first.") },
		},
		{
			name: "made anew", file: "b.md", want: "anew", wantNot: "The body of b.", conflict: true, index: "(b.md)",
			dream: func(w *world, p *Project) { w.remove(p, "b.md") },
			later: func(w *world, p *Project) { w.put("b.md", "anew\n") },
		},
		{
			name: "what it made was changed", file: "x.md", want: "mine", conflict: true, index: "(x.md)",
			dream: func(w *world, p *Project) { writeNew(p, "x.md") },
			later: func(w *world, p *Project) { w.put("x.md", "mine\n") },
		},
		{
			name: "what it changed is gone", file: "a.md", conflict: true, noLine: "(a.md)",
			dream: func(w *world, p *Project) { w.write(p, "a.md", "One.", "The first.") },
			later: func(w *world, p *Project) { w.remove(p, "a.md") },
		},
		{
			name: "the index was rewritten", file: "b.md", want: "The body of b.", index: "(b.md)",
			dream: func(w *world, p *Project) { w.remove(p, "b.md") },
			later: func(w *world, p *Project) {
				w.put("MEMORY.md", "# Mine\n\n* [An a](a.md): the first\n* [A c](c.md): the third\n")
			},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t)
			w.put("a.md", long)
			p := w.open()
			test.dream(w, p)
			id, _, err := p.History.Diff(ctx, "")
			if err != nil {
				t.Fatal(err)
			}
			test.later(w, p)
			w.setNow(w.now.Add(time.Minute))
			changed := w.files()
			res, err := p.History.Undo(ctx, id)
			if err != nil {
				t.Fatal(err)
			}
			got, there := w.files()[test.file]
			if there != (test.want != "") || !strings.Contains(got, test.want) || test.wantNot != "" && strings.Contains(got, test.wantNot) {
				t.Errorf("the memory is %q", got)
			}
			kept := slices.ContainsFunc(res.Conflicts, func(c ops.Conflict) bool { return c.Name.String() == test.file })
			if kept != test.conflict || kept && got != changed[test.file] {
				t.Errorf("conflicts %v, and the memory is %q", res.Conflicts, got)
			}
			index := w.files()["MEMORY.md"]
			if !strings.Contains(index, test.index) || test.noLine != "" && strings.Contains(index, test.noLine) {
				t.Errorf("the index is\n%s", index)
			}
			if res.ID == "" {
				return
			}
			if _, err := p.History.Undo(ctx, res.ID); err != nil || !same(w.files(), changed) {
				t.Errorf("undone again with %v:%s", err, differences(w.files(), changed))
			}
		})
	}
}

// write changes a memory by a write of its own, a minute after what came before.
func (w *world) write(p *Project, path, old, new string) (id string) {
	w.t.Helper()
	w.setNow(w.now.Add(time.Minute))
	res, err := p.Write(ctx, WriteRequest{Path: path, Edits: []memory.Edit{{Old: old, New: new}}, Base: sum(w.files()[path])})
	if err != nil {
		w.t.Fatal(err)
	}
	w.setNow(w.now.Add(time.Minute))
	return strings.TrimPrefix(res.Undo, "dream-mcp undo ")
}

// remove deletes a memory by a write of its own.
func (w *world) remove(p *Project, path string) {
	w.t.Helper()
	w.setNow(w.now.Add(time.Minute))
	if _, err := p.Write(ctx, WriteRequest{Path: path, Delete: true, Base: sum(w.files()[path])}); err != nil {
		w.t.Fatal(err)
	}
}

// A memory that comes back has the mode that it had.
func TestUndoKeepsModes(t *testing.T) {
	w := newWorld(t)
	file := filepath.Join(w.memory, "b.md")
	if err := os.Chmod(file, 0o644); err != nil {
		t.Fatal(err)
	}
	was, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	p := w.open()
	w.mustDo(p.Begin(ctx, true, false))
	if _, err := p.Write(ctx, WriteRequest{Path: "b.md", Base: string(memory.SumOf([]byte(w.files()["b.md"]))), Delete: true, Why: "it is over"}); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Finalize(ctx, ops.FinalizeRequest{}); err != nil {
		t.Fatal(err)
	}
	if _, err := p.History.Undo(ctx, ""); err != nil {
		t.Fatal(err)
	}
	if is, err := os.Stat(file); err != nil || is.Mode() != was.Mode() {
		t.Errorf("got %v, %v; want %v", is, err, was.Mode())
	}
}

// stampAt is how hostStamp shows a free lock of a time.
func stampAt(at time.Time) string { return fmt.Sprintf("%q %s", "", at.Format(time.RFC3339Nano)) }

// The undoing of the newest dream gives the time gate back, with the sessions that it reviewed, and keeps
// hooks from dreaming at once again. To undo that undo shuts the gate again.
func TestUndoGivesBack(t *testing.T) {
	w := newWorld(t)
	w.stampHost("", prior)
	w.do("commit")
	w.setNow(w.now.Add(time.Hour))
	p := w.open()
	res, err := p.History.Undo(ctx, "")
	if err != nil {
		t.Fatal(err)
	}
	if got := w.hostStamp(); got != stampAt(prior) {
		t.Errorf("%s is %s, want %s", lock.HostFile, got, stampAt(prior))
	}
	if res.GivenBack == "" {
		t.Error("it does not say so")
	}
	if s, err := p.Status(ctx); err != nil || !s.Due {
		t.Errorf("due: %t, closed gate %q, %v", s.Due, s.ClosedGate, err)
	}
	for _, what := range []state.Note[state.Pause]{state.Launches, state.Offers} {
		if q, err := what.Get(w.database(p)); !q.After.Equal(w.now.Add(24 * time.Hour)) {
			t.Errorf("%s: hooks wait until %s, %v", what.Name, q.After, err)
		}
	}
	if _, err := p.History.Undo(ctx, res.ID); err != nil || w.hostStamp() != stampAt(start) {
		t.Errorf("undone again: %s is %s, want %s; %v", lock.HostFile, w.hostStamp(), stampAt(start), err)
	}
}

// The first dream of a memory leaves no time of a last one when it is undone, and an older dream none but
// its successor's.
func TestUndoGivesBackNothing(t *testing.T) {
	w := newWorld(t)
	w.do("commit")
	first, _, err := w.open().History.Diff(ctx, "")
	if err != nil {
		t.Fatal(err)
	}
	w.setNow(w.now.Add(48 * time.Hour))
	p := w.open()
	w.mustDo(p.Begin(ctx, true, false))
	if _, err := p.Write(ctx, WriteRequest{Path: "later.md", Content: new(topic("later", "user"))}); err != nil {
		t.Fatal(err)
	}
	w.mustDo(finalize(p))
	second := w.hostStamp()
	if res, err := p.History.Undo(ctx, first); err != nil || w.hostStamp() != second || res.GivenBack != "" {
		t.Errorf("the older: %s is %s, want %s; it says %q, %v", lock.HostFile, w.hostStamp(), second, res.GivenBack, err)
	}
	if _, err := p.History.Undo(ctx, ""); err != nil || w.hostStamp() != stampAt(start) {
		t.Errorf("the newer: %s is %s, want %s; %v", lock.HostFile, w.hostStamp(), stampAt(start), err)
	}
	w = newWorld(t)
	w.do("commit")
	if res, err := w.open().History.Undo(ctx, ""); err != nil || w.hostStamp() != "absent" || res.GivenBack == "" {
		t.Errorf("the first: %s is %s, it says %q, %v", lock.HostFile, w.hostStamp(), res.GivenBack, err)
	}
}

// The undoing of the newest dream is killed at each step. The time gate is given back where it has landed.
func TestUndoGivesBackAfterDeath(t *testing.T) {
	for step := 0; ; step += every(5) {
		w := newWorldFor(t, "commit")
		before := w.files()
		w.do("commit")
		at := w.runToDeath("undo", step)
		if err := w.open().Recover(ctx); err != nil {
			t.Fatal(err)
		}
		want := stampAt(start)
		if same(w.files(), before) {
			want = stampAt(prior)
		}
		if got := w.hostStamp(); got != want {
			t.Errorf("killed at step %d (%s): %s is %s, want %s", step, at, lock.HostFile, got, want)
		}
		if at == "" {
			return
		}
	}
}

// Every version that a memory had comes back by the ID of what changed it, byte for byte, with its time.
func TestRestoreEachVersion(t *testing.T) {
	w := newWorld(t)
	p := w.open()
	a := filepath.Join(w.memory, "a.md")
	var ids, contents []string
	var times []time.Time
	note := func() {
		info, err := os.Stat(a)
		if err != nil {
			t.Fatal(err)
		}
		contents, times = append(contents, w.files()["a.md"]), append(times, info.ModTime())
	}
	for i, text := range []string{"one", "two", "three"} {
		note()
		ids = append(ids, w.write(p, "a.md", []string{"The body of a.", "one", "two"}[i], text))
	}
	for i, id := range ids {
		w.setNow(w.now.Add(time.Minute))
		res, err := p.History.Restore(ctx, "a.md", id)
		if err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(a)
		if got := w.files()["a.md"]; err != nil || got != contents[i] || !info.ModTime().Equal(times[i]) {
			t.Errorf("version %d came back as %q of %v, want %q of %v", i, got, info.ModTime(), contents[i], times[i])
		}
		if _, err := p.History.Undo(ctx, res.ID); err != nil {
			t.Error(err)
		}
		if got := w.files()["a.md"]; !strings.Contains(got, "three") {
			t.Errorf("the restore of version %d was undone to %q", i, got)
		}
	}
}

// What somebody else wrote between two dreams is a version of its own: as it was before the later, and
// not as it was before the earlier.
func TestRestoreKnowsWhoWroteBetween(t *testing.T) {
	w := newWorld(t)
	p := w.open()
	first := w.write(p, "b.md", "The body", "A body")
	hand := strings.Replace(topic("a", "project"), "The body of a.", "By hand.", 1)
	w.put("a.md", hand)
	os.Chtimes(filepath.Join(w.memory, "a.md"), w.now, w.now)
	second := w.write(p, "a.md", "By hand.", "By a model.")
	if _, err := p.History.Restore(ctx, "a.md", first); err == nil {
		t.Error("a content was taken for what it was before it was written")
	}
	if _, err := p.History.Restore(ctx, "a.md", second); err != nil || w.files()["a.md"] != hand {
		t.Errorf("restored to %q with %v", w.files()["a.md"], err)
	}
}

// A memory that somebody deleted with its line comes back with that line, also if a later write left the index alone.
func TestRestoreLine(t *testing.T) {
	w := newWorld(t)
	p := w.open()
	line := &ops.IndexLine{Title: "The new one", Hook: "why it is here"}
	if _, err := p.Write(ctx, WriteRequest{Path: "new.md", Content: new(topic("new", "project")), Index: line}); err != nil {
		t.Fatal(err)
	}
	before := w.files()[memory.IndexFile]
	w.write(p, "new.md", "The body", "A body")
	os.Remove(filepath.Join(w.memory, "new.md"))
	w.put(memory.IndexFile, strings.Replace(before, "- [The new one](new.md) — why it is here\n", "", 1))
	if _, err := p.History.Restore(ctx, "new.md", ""); err != nil {
		t.Fatal(err)
	}
	if got := w.files()[memory.IndexFile]; !strings.Contains(got, "- [The new one](new.md) — why it is here\n") {
		t.Errorf("the index is %q", got)
	}
}

// A content that the archive has lost or that was damaged in it does not come back as something else.
func TestRestoreFromADamagedArchive(t *testing.T) {
	w := newWorld(t)
	p := w.open()
	before := w.files()["a.md"]
	w.write(p, "a.md", "The body", "A body")
	now := w.files()["a.md"]
	sum := string(memory.SumOf([]byte(before)))
	w.query("UPDATE texts SET text = CAST('something else' AS BLOB) WHERE sum = ?", sum)
	if _, err := p.History.Restore(ctx, "a.md", ""); err == nil || w.files()["a.md"] != now {
		t.Errorf("restored to %q with %v", w.files()["a.md"], err)
	}
	w.query("DELETE FROM texts WHERE sum = ?", sum)
	if _, err := p.History.Restore(ctx, "a.md", ""); err == nil || w.files()["a.md"] != now {
		t.Errorf("restored to %q with %v", w.files()["a.md"], err)
	}
	if versions, err := p.History.Versions(ctx, "a.md"); err != nil || len(versions) != 2 || versions[1].Bytes != -1 {
		t.Errorf("the versions are %+v, %v", versions, err)
	}
}

// A name that a host would take for another memory's is refused.
func TestRestoreBesideATwin(t *testing.T) {
	w := newWorld(t)
	p := w.open()
	if err := writeNew(p, "x.md"); err != nil {
		t.Fatal(err)
	}
	os.Remove(filepath.Join(w.memory, "x.md"))
	w.put("X.md", "another\n")
	var twin *memory.TwinError
	if _, err := p.History.Restore(ctx, "x.md", ""); !errors.As(err, &twin) {
		t.Errorf("restored beside its twin: %v", err)
	}
}
