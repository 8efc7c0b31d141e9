package consolidate

import (
	"fmt"
	"testing"
	"time"

	"dream-mcp/consolidate/lock"
)

// stampAt is how hostStamp shows a free lock of a time.
func stampAt(at time.Time) string { return fmt.Sprintf("%q %s", "", at.Format(time.RFC3339Nano)) }

// The undoing of the newest dream gives the time gate back, with the sessions that it reviewed, and keeps
// hooks from dreaming at once again. To undo that undo shuts the gate again.
func TestUndoGivesBack(t *testing.T) {
	w := newWorld(t)
	w.stampHost("", prior)
	w.do("commit")
	w.now = w.now.Add(time.Hour)
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
	for _, file := range []string{launchFile, offerFile} {
		var q struct{ After time.Time }
		p.Note(file, &q)
		if after := q.After; !after.Equal(w.now.Add(24 * time.Hour)) {
			t.Errorf("%s: hooks wait until %s", file, after)
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
	first, _, err := w.open().History.Diff("")
	if err != nil {
		t.Fatal(err)
	}
	w.now = w.now.Add(48 * time.Hour)
	p := w.open()
	w.mustDo(p.Begin(ctx, true, false))
	if _, err := p.Write(ctx, WriteRequest{Path: "later.md", Content: text(topic("later", "user"))}); err != nil {
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
	for step := 0; ; step++ {
		w := newWorld(t)
		w.stampHost("", prior)
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
