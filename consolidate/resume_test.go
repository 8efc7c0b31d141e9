package consolidate

import (
	"errors"
	"testing"
	"time"

	"dream-mcp/consolidate/lock"
	"dream-mcp/consolidate/ops"
	"dream-mcp/memory"
)

// A person who stops a dream does not ask for the next: the call that meets the word is dream_orient
// as often as not, and must not begin another dream in the same breath.
func TestOrientAfterStop(t *testing.T) {
	w := newWorld(t)
	p := w.dreaming()
	if _, err := w.open().RequestStop(ctx, "enough"); err != nil {
		t.Fatal(err)
	}
	if err := p.Begin(ctx, false, false); !errors.Is(err, ErrStopped) || p.dream != nil {
		t.Errorf("begun with %v, a dream open: %v", err, p.dream != nil)
	}
}

// A stage that status still offers can be resumed: the week is not swept before it is looked at.
func TestResumeAfterItsWeek(t *testing.T) {
	w := newWorldFor(t, "resume")
	w.setNow(w.now.Add(stageKept + time.Hour))
	p := w.open()
	if s, err := p.Status(ctx); err != nil || len(s.Warnings) != 1 {
		t.Fatalf("status warns of %q with %v", s.Warnings, err)
	}
	if err := p.Begin(ctx, true, true); err != nil {
		t.Fatal(err)
	}
	if got := p.dream.Staged(); len(got) != 3 {
		t.Errorf("resumed with %q", got)
	}
}

// A dead dream may be ended by somebody who keeps his state elsewhere (another user, another home):
// he gives the stamp back, and can't say so in our folder. Its stage can be resumed all the same.
func TestResumeAfterAStranger(t *testing.T) {
	w := cutOff(t, "plan")
	o := w.options()
	o.StateHome = t.TempDir()
	stranger := Open(o)
	defer stranger.Close("the test ended")
	if err := stranger.Recover(ctx); err != nil {
		t.Fatal(err)
	}
	p := w.open()
	if err := p.Begin(ctx, true, true); err != nil {
		t.Fatal(err)
	}
	if got := p.dream.Staged(); len(got) != 3 {
		t.Errorf("resumed with %q", got)
	}
}

// After its week a stage goes, unless its folder is the only place of something: of a commit that was
// cut off and whose record a person emptied by hand, or of what somebody else had written.
func TestPrune(t *testing.T) {
	for _, test := range []struct {
		name  string
		world func(t *testing.T) *world
		kept  bool
	}{
		{"aborted", func(t *testing.T) *world { return newWorldFor(t, "resume") }, false},
		{"begun to land", func(t *testing.T) *world {
			w := cutOff(t, "deleted b.md")
			w.put(lock.File, "")
			return w
		}, true},
		{"displaced", func(t *testing.T) *world {
			w := newWorldFor(t, "resume")
			w.query("UPDATE operations SET only_copy = 1, record = json_set(record, '$.displaced', json_array(?))", string(memory.SumOf([]byte("theirs"))))
			return w
		}, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := test.world(t)
			w.setNow(w.now.Add(stageKept + time.Hour))
			p := w.open()
			for range 2 { // of which the second knows by the first that the week has passed
				if err := p.Begin(ctx, true, false); err != nil {
					t.Fatal(err)
				}
				if _, _, err := p.Abort(ctx, ""); err != nil {
					t.Fatal(err)
				}
				w.setNow(w.now.Add(25 * time.Hour))
			}
			ids, err := p.Store.Records.Look().Operations().IDs()
			if kept := len(ids) == 3; err != nil || kept != test.kept {
				t.Errorf("%q are left, %v", ids, err)
			}
		})
	}
}

// The dream that landed last is reported beside one that ended later and did not.
func TestLastLanded(t *testing.T) {
	w := newWorld(t)
	p := w.open()
	w.mustDo(p.Begin(ctx, true, false))
	w.mustDo(finalize(p))
	w.mustDo(p.Begin(ctx, true, false))
	if _, _, err := p.Abort(ctx, "enough"); err != nil {
		t.Fatal(err)
	}
	s, err := p.Status(ctx)
	if err != nil || s.Last.Outcome != ops.Aborted || s.LastLanded == nil || s.LastLanded.Outcome != ops.Committed {
		t.Errorf("%+v, %+v, %v", s.Last, s.LastLanded, err)
	}
}
