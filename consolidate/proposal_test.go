package consolidate

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"dream-mcp/consolidate/lock"
	"dream-mcp/consolidate/ops"
	"dream-mcp/consolidate/proposal"
	"dream-mcp/memory"
)

// change is a change that only the person may make.
func (w *world) change(file string, base memory.Sum, data []byte) proposal.Change {
	n, err := memory.ParseName(file)
	w.mustDo(err)
	w.setNow(w.now.Add(time.Second))
	return proposal.Change{ID: ops.NewID(w.now), Name: n, Base: base, Data: data, Reason: "only you"}
}

func (w *world) hold(p *Project, c proposal.Change) (kept bool) {
	w.mustDo(withFileLock(p, func(dir *memory.Dir) (err error) {
		kept, err = p.Proposals.queue.Hold(dir, c)
		return err
	}))
	return kept
}

// Only so many changes wait; a newer one of the same memory takes the place of the older.
func TestHeld(t *testing.T) {
	w := newWorld(t)
	p := w.open()
	for i := range proposal.Most {
		c := w.change(fmt.Sprintf("p%d.md", i), "1", nil)
		c.Dream = fmt.Sprint("dream ", i/30)
		if !w.hold(p, c) {
			t.Fatalf("%d was not kept", i)
		}
	}
	if w.hold(p, w.change("more.md", "1", nil)) {
		t.Error("one more was kept")
	}
	if !w.hold(p, w.change("p0.md", "2", nil)) {
		t.Error("in place of another it was not kept")
	}
	waiting, err := p.Proposals.Reviews(ctx)
	if err != nil || len(waiting) != 5 {
		t.Fatalf("%d wait, %v", len(waiting), err)
	}
	files := 0
	for _, r := range waiting {
		files += len(r.Held)
	}
	if r := waiting[0]; files != proposal.Most || r.Held["p0.md"] == "" || len(r.Conflicts) != 1 || r.Conflicts[0].Want != "2" {
		t.Errorf("%d files, %+v", files, r)
	}
}

// What waits is accepted in part: the rest goes on waiting, and both can be undone.
func TestAcceptInPart(t *testing.T) {
	w := newWorldFor(t, "agree")
	p := w.open()
	if _, err := p.Proposals.Accept(ctx, "", []string{"b.md"}); err == nil {
		t.Error("a file was accepted that the dream does not change")
	}
	before := w.files()
	for _, file := range []string{"e.md", "d.md"} {
		c := w.change(file, memory.SumOf([]byte(before[file])), nil)
		c.Dream = "a dream"
		w.hold(p, c)
	}
	res, err := p.Proposals.Accept(ctx, "", []string{"e.md"})
	if err != nil || len(res.Files.Deleted) != 1 {
		t.Fatalf("%+v, %v", res, err)
	}
	if files := w.files(); files["e.md"] != "" || files["d.md"] == "" || strings.Contains(files["MEMORY.md"], "e.md") || !strings.Contains(files["MEMORY.md"], "d.md") {
		t.Errorf("left are %q", files)
	}
	waiting, err := p.Proposals.Reviews(ctx)
	if err != nil || len(waiting) != 2 || len(waiting[0].Held) != 1 || waiting[0].Held["d.md"] == "" {
		t.Fatalf("%+v, %v", waiting, err)
	}
	if _, err := p.Proposals.Reject(ctx, waiting[0].ID); err != nil {
		t.Error(err)
	}
	if _, err := p.History.Undo(ctx, ""); err != nil || !same(w.files(), before) {
		t.Errorf("undone with %v:%s", err, differences(w.files(), before))
	}
}

// A part that could not land waits with the rest. A later change of the same dream takes the place of the one that it
// is of.
func TestHeldAfterPart(t *testing.T) {
	w := newWorld(t)
	p := w.open()
	hold := func(file string) {
		c := w.change(file, memory.SumOf([]byte(w.read(file))), nil)
		c.Dream = "a dream"
		w.hold(p, c)
	}
	hold("e.md")
	hold("d.md")
	w.put("e.md", "changed since")
	var conflict *ops.ConflictError
	if _, err := p.Proposals.Accept(ctx, "", []string{"e.md"}); !errors.As(err, &conflict) {
		t.Fatalf("the part ended with %v", err)
	}
	hold("e.md")
	waiting, err := p.Proposals.Reviews(ctx)
	if err != nil || len(waiting) != 1 || len(waiting[0].Held) != 2 {
		t.Errorf("%+v wait, %v", waiting, err)
	}
}

// The line of the index that a write asked for is proposed with it, shown, and lands with it.
func TestProposedIndexLine(t *testing.T) {
	w := newWorld(t)
	long := topic("e", "feedback") + "\nKeep pull requests under 300 lines, split by concern, and name the reviewer.\n"
	w.put("e.md", long)
	w.stampHost("", prior)
	o := w.options()
	o.Unattended = true
	p := Open(o)
	w.mustDo(p.Begin(ctx, false, false))
	short := topic("e", "feedback")
	var rule *RuleError
	if _, err := p.Write(ctx, WriteRequest{Path: "e.md", Content: &short, Base: sum(long), Index: &ops.IndexLine{Title: "E", Hook: "what is left of e"}}); !errors.As(err, &rule) {
		t.Fatalf("the write ended with %v", err)
	}
	p.Close("the dream ended")
	p = w.open()
	waiting, err := p.Proposals.Reviews(ctx)
	if err != nil || len(waiting) != 1 || !strings.Contains(waiting[0].Diff, "+- [E](e.md) — what is left of e") {
		t.Fatalf("%+v, %v", waiting, err)
	}
	if _, err := p.Proposals.Accept(ctx, waiting[0].ID, nil); err != nil {
		t.Fatal(err)
	}
	if index := w.files()["MEMORY.md"]; !strings.Contains(index, "- [E](e.md) — what is left of e\n") {
		t.Errorf("the index is\n%s", index)
	}
}

// A dream that waits for the person is kept for thirty days, and then like any that did not land.
func TestProposalIsKept(t *testing.T) {
	for _, row := range []struct {
		days  int
		waits bool
	}{{0, true}, {8, true}, {29, true}, {31, false}} {
		w := newWorldFor(t, "agree")
		w.setNow(w.now.Add(time.Duration(row.days) * 24 * time.Hour))
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

// Sessions between a proposal and the person's yes were reviewed by nobody: the time of the last consolidation is that
// of the proposal, or of a dream since.
func TestStampOfWhatWasAccepted(t *testing.T) {
	w := newWorldFor(t, "agree")
	w.setNow(w.now.Add(72 * time.Hour))
	if _, err := w.open().Proposals.Accept(ctx, "", nil); err != nil {
		t.Fatal(err)
	}
	if got := w.hostStamp(); !strings.Contains(got, start.Format(time.RFC3339Nano)) {
		t.Errorf("stamped %s, and it was proposed %s", got, start)
	}
	w = newWorldFor(t, "agree")
	later := start.Add(48 * time.Hour)
	w.stampHost("", later)
	w.setNow(w.now.Add(72 * time.Hour))
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

// Who is killed while he lands what was agreed to leaves it waiting, and the log says so: it alone says which dreams
// wait.
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
		entries, err := logOf(p)
		if err != nil {
			t.Fatal(err)
		}
		if last := entries[len(entries)-1]; last.Outcome != ops.Proposed {
			t.Errorf("killed at %q: the log ends with %s", at, last.Outcome)
		}
	}
}

// A version that divided a merge left the deletion of a memory without what it was merged into. That does not land.
func TestHalfAMerge(t *testing.T) {
	w := newWorld(t)
	p := w.open()
	info := p.Store.New(lock.KindWrite)
	info.Held, info.Request, info.Reviewed = map[string]string{"b.md": "only you"}, &ops.FinalizeRequest{Remove: []string{"d.md"}}, w.now
	w.mustDo(withFileLock(p, func(dir *memory.Dir) error {
		return p.Store.Hold(dir, info, func(s *ops.Stage) error {
			_, err := s.Replace(name(t, "b.md"), memory.SumOf([]byte(w.read("b.md"))), []byte(topic("b", "reference")+"More.\n"), time.Time{})
			if err == nil {
				_, err = s.Replace(name(t, "d.md"), memory.SumOf([]byte(w.read("d.md"))), nil, time.Time{})
			}
			return err
		})
	}))
	before := w.files()
	refused := func() {
		t.Helper()
		waiting, err := p.Proposals.Reviews(ctx)
		if err != nil || len(waiting) != 1 || !strings.Contains(waiting[0].Refused, "loss: d.md would be deleted") {
			t.Errorf("%+v wait, %v", waiting, err)
		}
		var rules *RuleError
		if _, err := p.Proposals.Accept(ctx, "", nil); !errors.As(err, &rules) || w.read("d.md") != before["d.md"] {
			t.Errorf("it ended with %v, and changed%s", err, differences(w.files(), before))
		}
	}
	refused()
	if _, err := p.Proposals.Accept(ctx, "", []string{"b.md"}); err != nil || !strings.Contains(w.read("b.md"), "More.") {
		t.Errorf("the other part: %v", err)
	}
	refused()
	if _, err := p.Proposals.Reject(ctx, ""); err != nil {
		t.Error(err)
	}
}
