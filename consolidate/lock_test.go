package consolidate

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"dream-mcp/consolidate/lock"
	"dream-mcp/consolidate/ops"
)

// While another process dreams, nothing of ours begins, and what it does is reported.
func TestSecondProcess(t *testing.T) {
	w := newWorld(t)
	cmd, in, out := w.start(child{Hold: true, Die: -1})
	if line, _ := out.ReadString('\n'); line != "holds <nil>\n" {
		t.Fatal(line)
	}
	p := w.open()
	var busy *lock.BusyError
	if err := p.Begin(ctx, true, false); !errors.As(err, &busy) || busy.Moment {
		t.Errorf("a second dream: %v", err)
	}
	if _, err := p.Write(ctx, WriteRequest{Path: "x.md", Content: new(topic("x", "user"))}); !errors.As(err, &busy) {
		t.Errorf("a write beside a dream: %v", err)
	}
	s, err := p.Status(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if s.Dream == nil || s.Dream.Mine || s.Due || s.Dream.Phase != Orienting {
		t.Errorf("status tells of %+v", s.Dream)
	}
	if body, _ := os.ReadFile(filepath.Join(w.memory, lock.HostFile)); string(body) != strconv.Itoa(cmd.Process.Pid) {
		t.Errorf("%s says %q, want %d", lock.HostFile, body, cmd.Process.Pid)
	}
	// It dies without a word; whoever comes next ends its dream and begins one.
	in.Write([]byte("\n"))
	cmd.Wait()
	if err := p.Begin(ctx, true, false); err != nil {
		t.Fatal(err)
	}
	entries, err := logOf(p)
	if err != nil {
		t.Fatal(err)
	}
	var outcomes []string
	for _, e := range entries {
		outcomes = append(outcomes, string(e.Outcome))
	}
	if got := strings.Join(outcomes, " "); got != "fired crashed fired" {
		t.Errorf("the log says %s", got)
	}
}

// A second process comes at every step of every operation of a first one, which is held there: it is
// not let in, and what the first one does is whole.
func TestSecondProcessAtEveryStep(t *testing.T) {
	t.Parallel()
	var all sync.WaitGroup
	room := make(chan bool, 40) // of processes; each waits most of its time
	for i, name := range slices.Sorted(maps.Keys(script)) {
		if script[name].others {
			continue
		}
		for step := range stepsOf(t, name) {
			if (i+step)%every(15) == 0 {
				room <- true
				all.Go(func() {
					trySecondProcess(t, name, step)
					<-room
				})
			}
		}
	}
	all.Wait()
}

// trySecondProcess lets a second process in while the first pauses at a step.
func trySecondProcess(t *testing.T, name string, step int) {
	w := newWorldFor(t, name)
	_, in, out := w.start(child{Script: name, Die: step, Pause: true})
	line, _ := out.ReadString('\n')
	at, paused := strings.CutPrefix(strings.TrimSpace(line), "paused at ")
	if !paused {
		t.Errorf("%s, step %d: %s", name, step, line)
		return
	}
	second := w.open()
	soon, cancel := context.WithTimeout(ctx, 100*time.Millisecond)
	if err := second.Begin(soon, true, false); err == nil {
		t.Errorf("%s, step %d (%s): a second dream began", name, step, at)
	}
	soon2, cancel2 := context.WithTimeout(ctx, 100*time.Millisecond)
	if _, err := second.Write(soon2, WriteRequest{Path: "second.md", Content: new(topic("second", "user"))}); err == nil {
		t.Errorf("%s, step %d (%s): a second write was let in", name, step, at)
	}
	if _, err := second.Status(ctx); err != nil { // takes no lock, and ends nothing of the living
		t.Errorf("%s, step %d (%s): status: %v", name, step, at, err)
	}
	cancel()
	cancel2()
	in.Write([]byte("\n"))
	if line, _ := out.ReadString('\n'); line != "ended with <nil>\n" {
		t.Errorf("%s, step %d (%s): the first %s", name, step, at, line)
	}
	if _, err := second.Write(ctx, WriteRequest{Path: "second.md", Content: new(topic("second", "user"))}); err != nil {
		t.Errorf("%s, step %d (%s): afterwards: %v", name, step, at, err)
	}
}

// A single write waits for the moment of another.
func TestMomentIsWaitedFor(t *testing.T) {
	w := newWorld(t)
	dir := w.open()
	d, err := dirOf(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	l, err := lock.Take(ctx, d, 0)
	if err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(100*time.Millisecond, func() { l.Release() })
	if _, err := dir.Write(ctx, WriteRequest{Path: "x.md", Content: new(topic("x", "user"))}); err != nil {
		t.Error(err)
	}
}

// Claude Code's own lock, by its own rules.
func TestHost(t *testing.T) {
	alive := exec.Command("sleep", "60")
	if err := alive.Start(); err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { alive.Process.Kill(); alive.Wait() })
	dead := exec.Command("true")
	if err := dead.Run(); err != nil {
		t.Skip(err)
	}
	young, old := start.Add(-59*time.Minute), start.Add(-61*time.Minute)
	for _, test := range []struct {
		name string
		body string
		at   time.Time
		busy bool
	}{
		{"living and young", strconv.Itoa(alive.Process.Pid), young, true},
		{"living and young, with a newline", strconv.Itoa(alive.Process.Pid) + "\n", young, true},
		{"living and young, with more behind the digits", strconv.Itoa(alive.Process.Pid) + " node", young, true},
		{"living and old", strconv.Itoa(alive.Process.Pid), old, false},
		{"dead and young", strconv.Itoa(dead.Process.Pid), young, false},
		{"empty", "", young, false},
		{"garbage", "not a pid", young, false},
		{"a number that no process has", "99999999999999999999", young, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t)
			w.stampHost(test.body, test.at)
			was := w.hostStamp()
			p := w.open()
			err := p.Begin(ctx, true, false)
			var busy *lock.BusyError
			if errors.As(err, &busy) != test.busy || !test.busy && err != nil {
				var closed *ClosedError
				if !(test.busy && errors.As(err, &closed) && closed.Gate.Name == "lock") {
					t.Fatalf("begun with %v", err)
				}
			}
			if test.busy {
				if got := w.hostStamp(); got != was {
					t.Errorf("it is %s, was %s", got, was)
				}
				return
			}
			if _, _, err := p.Abort(ctx, ""); err != nil {
				t.Fatal(err)
			}
			want := fmt.Sprintf("%q %s", "", test.at.Format(time.RFC3339Nano))
			if got := w.hostStamp(); got != want {
				t.Errorf("rolled back to %s, want %s", got, want)
			}
		})
	}
}

// Claude Code takes its lock in the moment between our look at it and our taking: it keeps it.
func TestHostTakenInTheSameMoment(t *testing.T) {
	alive := exec.Command("sleep", "60")
	if err := alive.Start(); err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { alive.Process.Kill(); alive.Wait() })
	theirs := strconv.Itoa(alive.Process.Pid)
	for _, at := range []string{"record", "host"} {
		for _, before := range []string{"absent", "", "1"} {
			w := newWorld(t)
			if before != "absent" {
				w.stampHost(before, start.Add(-61*time.Minute))
			}
			o := w.options()
			o.Step = func(step string) {
				if step == at {
					w.stampHost(theirs, start)
				}
			}
			p := Open(o)
			var busy *lock.BusyError
			if err := p.Begin(ctx, true, false); !errors.As(err, &busy) || !busy.Host {
				t.Errorf("at %s, over %q: begun with %v", at, before, err)
			}
			if got, want := w.hostStamp(), fmt.Sprintf("%q %s", theirs, start.Format(time.RFC3339Nano)); got != want {
				t.Errorf("at %s, over %q: the lock is %s, want %s", at, before, got, want)
			}
			if n := w.lockRecordSize(); n != 0 {
				t.Errorf("at %s, over %q: our lock has a record of %d bytes", at, before, n)
			}
			p.Close("the test ended")
		}
	}
}

func TestRollbackRemovesWhatWasNotThere(t *testing.T) {
	w := newWorld(t)
	w.do("abort")
	if got := w.hostStamp(); got != "absent" {
		t.Errorf("%s is %s", lock.HostFile, got)
	}
}

// Where Claude Code has taken its lock over, the dream lands nothing, stamps nothing, keeps its stage.
func TestTakenOver(t *testing.T) {
	for _, call := range []string{"write", "finalize"} {
		w := newWorld(t)
		p := w.open()
		if err := p.Begin(ctx, true, false); err != nil {
			t.Fatal(err)
		}
		if err := writeScript(p); err != nil {
			t.Fatal(err)
		}
		before := w.files()
		w.stampHost("1", start)
		was := w.hostStamp()
		var err error
		if call == "write" {
			_, err = p.Write(ctx, WriteRequest{Path: "x.md", Content: new(topic("x", "user"))})
		} else {
			_, err = p.Finalize(ctx, ops.FinalizeRequest{Adopt: true})
		}
		if !errors.Is(err, ErrLost) {
			t.Errorf("%s: %v", call, err)
		}
		if got := w.hostStamp(); got != was {
			t.Errorf("%s: the lock is %s, was %s", call, got, was)
		}
		if got := w.files(); !same(got, before) {
			t.Errorf("%s: the memory changed: %q", call, got)
		}
		w.stampHost("", start.Add(-25*time.Hour))
		if err := p.Begin(ctx, false, true); err != nil {
			t.Errorf("%s: resuming: %v", call, err)
		}
		if res, err := p.Finalize(ctx, ops.FinalizeRequest{Adopt: true}); err != nil || len(res.Files.Created) != 1 || len(res.Files.Deleted) != 1 {
			t.Errorf("%s: the resumed dream landed %+v with %v", call, res.Files, err)
		}
	}
}

func TestExpiry(t *testing.T) {
	w := newWorld(t)
	prior := start.Add(-30 * time.Hour)
	w.stampHost("", prior)
	p := w.open()
	if err := p.Begin(ctx, false, false); err != nil {
		t.Fatal(err)
	}
	if err := writeScript(p); err != nil {
		t.Fatal(err)
	}
	w.setNow(start.Add(59 * time.Minute))
	if _, err := p.Read(ctx, []string{"a.md"}); err != nil {
		t.Fatal(err) // a call renews the lease
	}
	if got, want := w.hostStamp(), fmt.Sprintf("%q %s", strconv.Itoa(os.Getpid()), w.now.Format(time.RFC3339Nano)); got != want {
		t.Errorf("the lock is %s, want %s", got, want)
	}
	w.setNow(w.now.Add(time.Hour))
	if _, err := p.Finalize(ctx, ops.FinalizeRequest{Adopt: true}); !errors.Is(err, ErrExpired) {
		t.Errorf("finalized with %v", err)
	}
	if got, want := w.hostStamp(), fmt.Sprintf("%q %s", "", prior.Format(time.RFC3339Nano)); got != want {
		t.Errorf("the lock is %s, want %s", got, want)
	}
	s, err := p.Status(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if s.Last == nil || s.Last.Outcome != ops.Expired || s.Dream != nil {
		t.Errorf("last %+v, dream %+v", s.Last, s.Dream)
	}
	if len(s.Warnings) != 1 || !strings.Contains(s.Warnings[0], "resume") {
		t.Errorf("warnings %q", s.Warnings)
	}
}

// A real timer ends a dream that nobody calls any more.
func TestExpiryWithoutACall(t *testing.T) {
	w := newWorld(t)
	o := w.options()
	o.Now, o.Lease = nil, 50*time.Millisecond
	p := Open(o)
	if err := p.Begin(ctx, true, false); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(20 * time.Second); w.hostStamp() != "absent"; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("it never expired")
		}
	}
	p.Close("the test ended")
}

func TestStop(t *testing.T) {
	w := newWorld(t)
	p, other := w.open(), w.open()
	if _, err := other.RequestStop(ctx, "enough"); !errors.Is(err, ops.ErrNoDream) {
		t.Errorf("stopping nothing: %v", err)
	}
	if err := p.Begin(ctx, true, false); err != nil {
		t.Fatal(err)
	}
	if err := writeScript(p); err != nil {
		t.Fatal(err)
	}
	if holder, err := other.RequestStop(ctx, "enough"); err != nil || !strings.Contains(holder, strconv.Itoa(os.Getpid())) {
		t.Errorf("stopped %q with %v", holder, err)
	}
	_, err := p.Read(ctx, []string{"a.md"})
	if !errors.Is(err, ErrStopped) {
		t.Errorf("the next call: %v", err)
	}
	p.Reported(err)
	if got := w.hostStamp(); got != "absent" {
		t.Errorf("%s is %s", lock.HostFile, got)
	}
	// Taken up, it is not stopped by the same word.
	if err := p.Begin(ctx, true, true); err != nil {
		t.Fatal(err)
	}
	if res, err := p.Finalize(ctx, ops.FinalizeRequest{Adopt: true}); err != nil || res.Outcome != "committed" {
		t.Errorf("finalized %+v with %v", res, err)
	}
}

// While another process is stopped in the middle of a landing, a call waits for it once, and no longer than its caller.
func TestStoppedLanding(t *testing.T) {
	t.Parallel()
	w := newWorldFor(t, "commit")
	steps := stepsOf(t, "commit")
	cmd, in, out := w.start(child{Script: "commit", Die: slices.Index(steps, "deleted b.md"), Pause: true})
	if line, _ := out.ReadString('\n'); line != "paused at deleted b.md\n" {
		t.Fatal(line)
	}
	waits := 0
	o := w.options()
	o.CleanupDays = 30 // so that the status looks for sessions since the last dream too
	o.Step = func(step string) {
		if step == "complete" {
			waits++
		}
	}
	p := Open(o)
	defer p.Close("the test ended")
	ended, cancel := context.WithCancel(ctx)
	cancel()
	for name, call := range map[string]func() error{
		"status": func() error {
			s, err := p.Status(ended)
			if len(s.Warnings) == 0 || !strings.Contains(s.Warnings[0], "a commit (dream") {
				t.Errorf("the status warns of %q", s.Warnings)
			}
			if s.Due || s.Dream == nil {
				t.Errorf("the status is %+v", s)
			}
			return err
		},
		"read":  func() error { _, err := p.Read(ended, []string{"a.md"}); return wants(err, context.Canceled) },
		"begin": func() error { return wants(p.Begin(ended, true, false), context.Canceled) },
		"undo":  func() error { _, err := p.History.Undo(ended, ""); return wants(err, context.Canceled) },
	} {
		waits = 0
		if err := call(); err != nil || waits != 1 {
			t.Errorf("%s: %v; it waits %d times", name, err, waits)
		}
	}
	in.Write([]byte("\n"))
	if line, _ := out.ReadString('\n'); line != "ended with <nil>\n" {
		t.Error(line)
	}
	cmd.Wait()
	if files, err := p.Read(ctx, []string{"a.md"}); err != nil || !strings.Contains(files[0].Text, "better") {
		t.Errorf("after the landing: %+v, %v", files, err)
	}
}

// wants returns nil if err is the error that is wanted.
func wants(err, wanted error) error {
	if errors.Is(err, wanted) {
		return nil
	}
	return fmt.Errorf("%w, want %w", err, wanted)
}
