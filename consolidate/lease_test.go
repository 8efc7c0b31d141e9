package consolidate

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"dream-mcp/consolidate/lock"
)

// Nothing lands under a lock file that was removed, be it just before the commit: whoever comes next takes another, and
// would find no record of what was cut off.
func TestLockFileRemoved(t *testing.T) {
	w := newWorld(t)
	p := w.dreaming()
	before := w.files()
	var removed error
	p.Store.Step = func(step string) {
		if step == "prepared" {
			removed = os.Remove(filepath.Join(w.memory, lock.File))
		}
	}
	err := finalize(p)
	if removed != nil {
		t.Skip(removed) // where what is open can't be removed, it isn't
	}
	if !errors.Is(err, lock.ErrGone) {
		t.Errorf("finalized with %v", err)
	}
	if got := w.files(); !same(got, before) {
		t.Errorf("the memory changed: %q", got)
	}
	if err := p.Begin(ctx, true, true); err != nil {
		t.Errorf("its stage can't be resumed: %v", err)
	}
}

// The lock file is made in the directory that was opened, whatever its path leads to by now.
func TestLockFileElsewhere(t *testing.T) {
	w := newWorld(t)
	dir, err := dirOf(w.open())
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	if err := os.Rename(w.memory, w.memory+".moved"); err != nil {
		t.Skip(err)
	}
	elsewhere := t.TempDir()
	if err := os.Symlink(elsewhere, w.memory); err != nil {
		t.Skip(err)
	}
	if l, err := lock.Take(ctx, dir, 0); err == nil {
		l.Release()
		t.Error("the lock of a directory that has moved was taken")
	}
	if entries, err := os.ReadDir(elsewhere); err != nil || len(entries) > 0 {
		t.Errorf("made elsewhere: %v, %v", entries, err)
	}
}

// heldAfter takes the lock as an operation does that lasts a moment, and leaves the lock file saying what
// it said before.
func heldAfter(t *testing.T, w *world) (p *Project, l *lock.Lock) {
	t.Helper()
	p = w.open()
	dir, err := dirOf(p)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dir.Close() })
	if l, err = lock.Take(ctx, dir, 0); err != nil {
		t.Fatal(err)
	}
	return p, l
}

// While a dead dream is recovered the record still speaks of a dream, yet it is a moment, and waited for.
func TestRecoveryIsWaitedFor(t *testing.T) {
	p, l := heldAfter(t, cutOff(t, "plan"))
	time.AfterFunc(100*time.Millisecond, func() { l.Release() })
	if err := p.Begin(ctx, true, false); err != nil {
		t.Error(err)
	}
}

// A holder who has not said yet who he is has no ID, no process, and no year 1.
func TestBusyWithoutARecord(t *testing.T) {
	p, l := heldAfter(t, newWorld(t))
	defer l.Release()
	var busy *lock.BusyError
	if _, err := p.RequestStop(ctx, "enough"); !errors.As(err, &busy) || !busy.Moment || strings.Contains(err.Error(), "0001") {
		t.Errorf("told %v", err)
	}
}

// A clock that is set back by a year does not keep alive a dream that nobody calls any more.
func TestExpiryWithTheClockSetBack(t *testing.T) {
	w := newWorld(t)
	o := w.options()
	o.Lease = 50 * time.Millisecond
	var back atomic.Bool
	o.Now = func() time.Time {
		if back.Load() {
			return start.AddDate(-1, 0, 0)
		}
		return start
	}
	p := Open(o)
	defer p.Close("the test ended")
	if err := p.Begin(ctx, true, false); err != nil {
		t.Fatal(err)
	}
	back.Store(true)
	for deadline := time.Now().Add(time.Minute); w.hostStamp() != "absent"; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("it never expired")
		}
	}
}

// Claude Code reads a lock of any length, and so do we: garbage that is long does not stop every write.
func TestLongHostLock(t *testing.T) {
	w := newWorld(t)
	w.stampHost(strings.Repeat("x", 2000), prior)
	if err := writeNew(w.open(), "x.md"); err != nil {
		t.Error(err)
	}
}

// A dream that ended between two calls, expired or stopped, is not taken for none: what the model meant to
// stage is refused until that was reported, and is not written at once.
func TestEndedBetweenCalls(t *testing.T) {
	for name, row := range map[string]struct {
		end  func(w *world, p *Project)
		want error
	}{
		"expired": {func(w *world, p *Project) { w.setNow(w.now.Add(2 * time.Hour)); p.dream.expire() }, ErrExpired},
		"stopped": {func(w *world, p *Project) {
			if _, err := w.open().RequestStop(ctx, "enough"); err != nil {
				t.Fatal(err)
			}
			p.dream.pollStop()
		}, ErrStopped},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.stampHost("", w.now.Add(-48*time.Hour))
			before, stamped := w.files(), w.hostStamp()
			p := w.dreaming()
			row.end(w, p)
			if p.dream != nil || w.hostStamp() != stamped {
				t.Fatalf("it is open still, or the stamp is %s", w.hostStamp())
			}
			err := writeNew(p, "late.md")
			for _, again := range []error{err, writeNew(p, "later.md")} { // both may be of one call
				if !errors.Is(again, row.want) {
					t.Errorf("the write was answered %v", again)
				}
			}
			p.Reported(err)
			if got := w.files(); !same(got, before) {
				t.Errorf("the memory changed: %s", differences(got, before))
			}
			if err := writeNew(p, "late.md"); err != nil {
				t.Errorf("told twice: %v", err)
			}
		})
	}
}
