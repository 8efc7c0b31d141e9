package consolidate

import (
	"slices"
	"strings"
	"testing"
	"time"

	"dream-mcp/memory"
	"dream-mcp/memory/landing"
)

// An undo that was itself undone does not count: the write that holds again can be undone again, and
// after it the one before.
func TestUndoWhatWasRedone(t *testing.T) {
	w := newWorld(t)
	p := w.open()
	tick := func() { w.now = w.now.Add(time.Minute) }
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
	earlier, _, err := p.History.Diff("")
	if err != nil {
		t.Fatal(err)
	}
	w.now = w.now.Add(time.Minute)
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
			id, _, err := p.History.Diff("")
			if err != nil {
				t.Fatal(err)
			}
			test.later(w, p)
			w.now = w.now.Add(time.Minute)
			changed := w.files()
			res, err := p.History.Undo(ctx, id)
			if err != nil {
				t.Fatal(err)
			}
			got, there := w.files()[test.file]
			if there != (test.want != "") || !strings.Contains(got, test.want) || test.wantNot != "" && strings.Contains(got, test.wantNot) {
				t.Errorf("the memory is %q", got)
			}
			kept := slices.ContainsFunc(res.Conflicts, func(c landing.Conflict) bool { return c.Name.String() == test.file })
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
	w.now = w.now.Add(time.Minute)
	res, err := p.Write(ctx, WriteRequest{Path: path, Edits: []memory.Edit{{Old: old, New: new}}, Base: sum(w.files()[path])})
	if err != nil {
		w.t.Fatal(err)
	}
	w.now = w.now.Add(time.Minute)
	return strings.TrimPrefix(res.Undo, "dream-mcp undo ")
}

// remove deletes a memory by a write of its own.
func (w *world) remove(p *Project, path string) {
	w.t.Helper()
	w.now = w.now.Add(time.Minute)
	if _, err := p.Write(ctx, WriteRequest{Path: path, Delete: true, Base: sum(w.files()[path])}); err != nil {
		w.t.Fatal(err)
	}
}
