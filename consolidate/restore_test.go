package consolidate

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dream-mcp/memory"
)

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
		w.now = w.now.Add(time.Minute)
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

// A content that the archive has lost or that was damaged in it does not come back as something else.
func TestRestoreFromADamagedArchive(t *testing.T) {
	w := newWorld(t)
	p := w.open()
	before := w.files()["a.md"]
	w.write(p, "a.md", "The body", "A body")
	now := w.files()["a.md"]
	blob := w.dreamPath(filepath.Join("blobs", string(memory.SumOf([]byte(before)))))
	if err := os.WriteFile(blob, []byte("something else"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := p.History.Restore(ctx, "a.md", ""); err == nil || w.files()["a.md"] != now {
		t.Errorf("restored to %q with %v", w.files()["a.md"], err)
	}
	os.Remove(blob)
	if _, err := p.History.Restore(ctx, "a.md", ""); err == nil || w.files()["a.md"] != now {
		t.Errorf("restored to %q with %v", w.files()["a.md"], err)
	}
	if versions, err := p.History.Versions("a.md"); err != nil || len(versions) != 2 || versions[1].Bytes != -1 {
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
