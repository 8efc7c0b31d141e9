package consolidate

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// An undo that was itself undone does not count: the write that stands again can be undone again, and
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
		res, err := p.Undo(ctx, id)
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
	res, err := w.open().Undo(ctx, "")
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
	earlier, _, err := p.Diff("")
	if err != nil {
		t.Fatal(err)
	}
	w.now = w.now.Add(time.Minute)
	if err := writeNew(p, "y.md"); err != nil {
		t.Fatal(err)
	}
	res, err := p.Undo(ctx, earlier)
	if err != nil || len(res.Conflicts) > 0 {
		t.Errorf("undone with conflicts %v, %v", res.Conflicts, err)
	}
	if index := w.files()["MEMORY.md"]; strings.Contains(index, "x.md") || !strings.Contains(index, "y.md") {
		t.Errorf("the index is\n%s", index)
	}
}
