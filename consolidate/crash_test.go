package consolidate

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"dream-mcp/consolidate/listed"
	"dream-mcp/consolidate/lock"
	"dream-mcp/consolidate/ops"
	"dream-mcp/consolidate/state"
	"dream-mcp/memory"
)

// A process is killed at every step of every operation. Whoever comes next finds the memory as it was before or as it
// is after, the time of the last consolidation to match, and nothing left over. A sample takes every tenth step,
// beginning at another one in each operation.
func TestKillAtEveryStep(t *testing.T) {
	for i, name := range slices.Sorted(maps.Keys(script)) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			whole := runWhole(t, name)
			for step := i % every(10); ; step += every(10) {
				w := newWorldFor(t, name)
				at := w.runToDeath(name, step)
				if at == "" {
					if step < 3 {
						t.Fatalf("only %d steps", step)
					}
					t.Logf("%d steps", step)
					return
				}
				w.checkRecovered(name, fmt.Sprintf("%s, killed at step %d (%s)", name, step, at), whole)
			}
		})
	}
}

// A landing that was interrupted after many dreams is completed: the marks of the oldest are joined then, which reads
// the log.
func TestKillAfterManyDreams(t *testing.T) {
	t.Parallel()
	whole := runWhole(t, "commit")
	for step := 0; ; step += every(6) {
		w := newWorldFor(t, "commit")
		var all []listed.Marks
		for n := range 60 {
			all, _ = listed.Add(all, fmt.Sprint("20261101-000000-", n), prior, nil, func(...string) (map[string]bool, error) { return nil, nil })
		}
		w.mustDo(state.Listed.Set(w.database(w.open()), all))
		at := w.runToDeath("commit", step)
		if at == "" {
			return
		}
		w.checkRecovered("commit", fmt.Sprintf("killed at step %d (%s)", step, at), whole)
	}
}

// span is the memory before and after a whole run of an operation.
type span struct {
	before, after map[string]string
	others        bool // as of the operation
}

func runWhole(t *testing.T, name string) span {
	t.Helper()
	w := newWorldFor(t, name)
	s := span{before: w.files(), others: script[name].others}
	w.do(name)
	s.after = w.files()
	return s
}

// checkRecovered lets a new process come and looks at what it finds.
func (w *world) checkRecovered(name, what string, whole span) {
	t := w.t
	t.Helper()
	w.setNow(w.now.Add(time.Minute))
	p := Open(w.options())
	defer p.Close("the check ended")
	if err := p.Recover(ctx); err != nil {
		t.Errorf("%s: recovery: %v", what, err)
		return
	}
	got := w.files()
	landed := !same(got, whole.before)
	if landed && !same(got, whole.after) {
		t.Errorf("%s: the memory is neither as before:%s\nnor as after:%s", what, differences(got, whole.before), differences(got, whole.after))
	}
	want := fmt.Sprintf("%q %s", "", prior.Format(time.RFC3339Nano))
	if landed && script[name].stamps {
		want = fmt.Sprintf("%q %s", "", start.Format(time.RFC3339Nano))
	}
	if refused := fmt.Sprintf("%q %s", "", start.Format(time.RFC3339Nano)); name == "refuse" && w.hostStamp() == refused {
		want = refused // the person's no counts as a dream
	}
	if got := w.hostStamp(); got != want {
		t.Errorf("%s: %s is %s, want %s", what, lock.HostFile, got, want)
	}
	if n := w.lockRecordSize(); n != 0 {
		t.Errorf("%s: the lock file still has %d bytes", what, n)
	}
	w.checkWords(p, what)
	w.checkListed(p, name, what, landed)
	if landed {
		w.checkTakenBack(p, what, whole.before)
	} else if name == "resume" {
		// A stage that could be resumed before can be still.
		if err := p.Begin(ctx, true, true); err != nil {
			t.Errorf("%s: resuming: %v", what, err)
		} else if _, _, err := p.Abort(ctx, ""); err != nil {
			t.Errorf("%s: aborting what was resumed: %v", what, err)
		}
	}
	waits, err := p.Proposals.Reviews(ctx)
	before := map[string]bool{"agree": true, "accept": true}[name]
	after := map[string]bool{"leave": true, "propose": true}[name]
	if err != nil || len(waits) == 0 && !w.replaced && (before && !landed || after && landed && name == "propose") || len(waits) > 0 && before && landed {
		t.Errorf("%s: %d dreams wait for the person, %v", what, len(waits), err)
	}
	if name == "agree-part" {
		if len(waits) != 1 || slices.Contains(waits[0].Files.Updated, "a.md") == landed ||
			!slices.Contains(waits[0].Files.Created, "deep/new.md") {
			t.Errorf("%s: landed %v, and %+v wait", what, landed, waits)
		}
	}
	// And the memory is in working order.
	if err := writeNew(p, "later.md"); err != nil {
		t.Errorf("%s: a later write: %v", what, err)
	}
	w.swept = false
	for file := range w.files() {
		if isTemp(path.Base(file)) {
			t.Errorf("%s: %s is there after a later write", what, file)
		}
	}
}

// checkListed sees that what a dream listed is listed again unless the dream has landed, and that undoing it gives
// it back.
func (w *world) checkListed(p *Project, name, what string, landed bool) {
	w.t.Helper()
	again, checked := map[string]bool{"commit": !landed, "resume": !landed, "undo": landed, "abort": true, "expire": true}[name]
	if !checked {
		return
	}
	page, err := p.Sessions.List(ctx, ListRequest{SinceLast: true, PageBytes: 1_000})
	if w.replaced && page.Of > 0 {
		again = true // to list twice loses nothing
	}
	if err != nil || (page.Of > 0) != again {
		w.t.Errorf("%s: %d utterances are listed again, want some: %v; %v", what, page.Of, again, err)
	}
}

// checkWords sees that the words of whatever source a memory names are kept.
func (w *world) checkWords(p *Project, what string) {
	w.t.Helper()
	for name, content := range w.files() {
		for _, source := range memory.ParseTopic([]byte(content)).Sources() {
			if said, ok := p.Sources.Kept(source); !ok || !strings.Contains(said.Text, "better body") {
				w.t.Errorf("%s: %s names %s, of which is kept: %+v, %v", what, name, source, said, ok)
			}
		}
	}
}

// checkTakenBack sees that the archive of what landed last holds all that was there before.
func (w *world) checkTakenBack(p *Project, what string, before map[string]string) {
	w.t.Helper()
	entries, err := logOf(p)
	for _, e := range slices.Backward(entries) {
		if e.Outcome == ops.Committed && len(e.Files) > 0 { // an undo too
			_, err = p.History.Undo(ctx, e.ID)
			break
		}
	}
	if got := w.files(); err != nil || !same(got, before) {
		w.t.Errorf("%s: taken back with %v:%s", what, err, differences(got, before))
	}
}

// A commit that was cut off, and whose plan is gone, stops every write until a person has looked.
func TestLostPlan(t *testing.T) {
	w := cutOff(t, "updated a.md")
	if err := os.RemoveAll(w.state); err != nil {
		t.Fatal(err)
	}
	p := w.open()
	var broken *ops.BrokenError
	if err := writeNew(p, "x.md"); !errors.As(err, &broken) {
		t.Errorf("a write over a half-landed commit: %v", err)
	}
	if err := p.Begin(ctx, true, false); !errors.As(err, &broken) {
		t.Errorf("a dream over a half-landed commit: %v", err)
	}
	// The person accepts the memory as it is.
	if err := os.Truncate(filepath.Join(w.memory, lock.File), 0); err != nil {
		t.Fatal(err)
	}
	if err := writeNew(p, "x.md"); err != nil {
		t.Error(err)
	}
}

// A record torn by a power cut: what was landing, by its manifest, lands.
func TestTornRecord(t *testing.T) {
	w := cutOff(t, "updated a.md")
	w.put(lock.File, "\x00{\"dream\": \"2026")
	if err := w.open().Recover(ctx); err != nil {
		t.Fatal(err)
	}
	if got, want := w.files(), runWhole(t, "commit").after; !same(got, want) {
		t.Error("recovered:", differences(got, want))
	}
}
