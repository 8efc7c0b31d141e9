package consolidate

import (
	"strings"
	"testing"
	"time"

	"dream-mcp/consolidate/background"
	"dream-mcp/consolidate/store"
)

// A dream that waits for the person is kept for thirty days, and then like any that did not land.
func TestProposalIsKept(t *testing.T) {
	for _, row := range []struct {
		days  int
		waits bool
	}{{0, true}, {8, true}, {29, true}, {31, false}} {
		w := newWorldFor(t, "agree")
		w.now = w.now.Add(time.Duration(row.days) * 24 * time.Hour)
		p := w.open()
		if err := writeNew(p, "other.md"); err != nil { // which prunes
			t.Fatal(err)
		}
		waiting, err := p.Proposals.Reviews(ctx)
		if err != nil || len(waiting) > 0 != row.waits {
			t.Fatalf("after %d days %d wait, %v", row.days, len(waiting), err)
		}
		if _, err := p.Proposals.Accept(ctx, "", nil); (err == nil) != row.waits {
			t.Errorf("after %d days it is accepted with %v", row.days, err)
		}
	}
}

// Sessions between a proposal and the person's yes were reviewed by nobody: the time of the last consolidation is that of the
// proposal, or of a dream since.
func TestStampOfWhatWasAccepted(t *testing.T) {
	w := newWorldFor(t, "agree")
	w.now = w.now.Add(72 * time.Hour)
	if _, err := w.open().Proposals.Accept(ctx, "", nil); err != nil {
		t.Fatal(err)
	}
	if got := w.hostStamp(); !strings.Contains(got, start.Format(time.RFC3339Nano)) {
		t.Errorf("stamped %s, and it was proposed %s", got, start)
	}
	w = newWorldFor(t, "agree")
	later := start.Add(48 * time.Hour)
	w.stampHost("", later)
	w.now = w.now.Add(72 * time.Hour)
	if _, err := w.open().Proposals.Accept(ctx, "", nil); err != nil {
		t.Fatal(err)
	}
	if got := w.hostStamp(); !strings.Contains(got, later.Format(time.RFC3339Nano)) {
		t.Errorf("stamped %s, and a dream ended %s", got, later)
	}
}

// Of two people (or two terminals) that answer at once, one does.
func TestAnsweredOnce(t *testing.T) {
	w := newWorldFor(t, "agree")
	errs := make(chan error, 2)
	for _, p := range []*Project{w.open(), w.open()} {
		go func() {
			_, err := p.Proposals.Accept(ctx, "", nil)
			errs <- err
		}()
	}
	first, second := <-errs, <-errs
	if (first == nil) == (second == nil) {
		t.Errorf("answered with %v and %v", first, second)
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

// Who is killed while he lands what was agreed to leaves it waiting, and the journal says so: it alone says which dreams wait.
func TestKilledAnswerWaits(t *testing.T) {
	w := newWorldFor(t, "agree")
	step := 0
	for at := ""; at != "plan"; step++ {
		if at = w.runToDeath("agree", step); at == "" {
			t.Fatal("it was never killed while it planned")
		}
		p := w.open()
		if err := p.Recover(ctx); err != nil {
			t.Fatal(err)
		}
		entries, err := p.Log()
		if err != nil {
			t.Fatal(err)
		}
		if last := entries[len(entries)-1]; last.Outcome != store.Proposed {
			t.Errorf("killed at %q: the journal ends with %s", at, last.Outcome)
		}
	}
}
