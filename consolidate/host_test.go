package consolidate

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"dream-mcp/consolidate/lock"
	"dream-mcp/consolidate/ops"
)

// hostProcess is a real second process that takes Claude Code's lock as often as it is asked to, in one format.
type hostProcess struct {
	t    *testing.T
	pid  string
	ask  func()
	read *bufio.Reader
}

// startHost starts a process that writes its PID into the lock file for each line that it reads, reads it back, and
// says so. In the newer format it writes a second line with the present time of the world.
func (w *world) startHost(newer bool) *hostProcess {
	w.t.Helper()
	if _, err := exec.LookPath("sh"); err != nil {
		w.t.Skip("NOT TESTED: sh is missing")
	}
	second := ""
	if newer {
		second = fmt.Sprintf(`\n%d`, w.now.UnixMilli())
	}
	cmd := exec.Command("sh", "-c", `echo $$; while read line; do printf "$$`+second+`" >"$0"; cat "$0" | head -n 1; echo; done`, filepath.Join(w.memory, lock.HostFile))
	in, _ := cmd.StdinPipe()
	out, _ := cmd.StdoutPipe()
	if err := cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { in.Close(); cmd.Wait() })
	n := &hostProcess{t: w.t, pid: strconv.Itoa(cmd.Process.Pid), read: bufio.NewReader(out)}
	n.next()
	n.ask = func() {
		fmt.Fprintln(in)
		if line := n.next(); line != n.pid {
			w.t.Errorf("the other process reads back %q, want %s", line, n.pid)
		}
	}
	return n
}

func (n *hostProcess) next() string {
	for {
		line, err := n.read.ReadString('\n')
		if err != nil {
			n.t.Fatal(err)
		}
		if line != "\n" {
			return line[:len(line)-1]
		}
	}
}

// The process that dreamed last has left its PID in the lock, still runs, and dreams again in the moment in which ours
// begins: its PID is the one that we saw, and it keeps its lock.
func TestHostDreamsAgainInTheSameMoment(t *testing.T) {
	for _, newer := range []bool{false, true} {
		for _, at := range []string{"record", "host"} {
			w := newWorld(t)
			other := w.startHost(newer)
			body, long := other.pid, start.Add(-25*time.Hour)
			if newer {
				body += fmt.Sprintf("\n%d", long.UnixMilli())
			}
			w.stampHost(body, long)
			o := w.options()
			o.Step = func(step string) {
				if step == at {
					other.ask()
					os.Chtimes(filepath.Join(w.memory, lock.HostFile), start, start) // on the clock of this world
				}
			}
			p := Open(o)
			var busy *lock.BusyError
			if err := p.Begin(ctx, true, false); !errors.As(err, &busy) || !busy.Host {
				t.Errorf("newer %v, at %s: begun with %v", newer, at, err)
			}
			want := fmt.Sprintf("%q %s", other.pid, start.Format(time.RFC3339Nano))
			if newer {
				want = fmt.Sprintf("%q %s", fmt.Sprintf("%s\n%d", other.pid, start.UnixMilli()), start.Format(time.RFC3339Nano))
			}
			if got := w.hostStamp(); got != want {
				t.Errorf("newer %v, at %s: the lock is %s, want %s", newer, at, got, want)
			}
			p.Close("the test ended")
		}
	}
}

// Claude Code takes its lock while our dream lands, after our last call has looked at it: nothing lands, and it keeps
// its lock.
func TestHostTakesLockBeforeLanding(t *testing.T) {
	w := newWorld(t)
	other := w.startHost(false)
	o := w.options()
	o.Step = func(step string) {
		if step == "plan" {
			other.ask()
		}
	}
	p := Open(o)
	defer p.Close("the test ended")
	w.mustDo(p.Begin(ctx, true, false))
	w.must(p.Write(ctx, WriteRequest{Path: "x.md", Content: new(topic("x", "user"))}))
	before := w.files()
	if _, err := p.Finalize(ctx, ops.FinalizeRequest{Adopt: true}); !errors.Is(err, ErrLost) {
		t.Errorf("the dream landed with %v", err)
	}
	if !same(w.files(), before) || !strings.HasPrefix(w.hostStamp(), strconv.Quote(other.pid)) {
		t.Errorf("memory %v, lock %s", w.files(), w.hostStamp())
	}
}

// Where the lock has the newer format, its second line is the time of the last consolidation, for the gates and for
// whether a running process still dreams; and what we write has that format too, with a modification time that says the
// same.
func TestHostSecondLine(t *testing.T) {
	hours := func(n time.Duration) time.Time { return start.Add(-n * time.Hour) }
	lines := func(pid string, at time.Time) string { return fmt.Sprintf("%s\n%d", pid, at.UnixMilli()) }
	now := func(w *world) string { // what the file holds when it is as it was last stamped
		return fmt.Sprintf("%q %s", lines("", w.now), w.now.Format(time.RFC3339Nano))
	}

	// A rollback of Claude Code's: 48 hours ago, and the modification time is now.
	w := newWorld(t)
	w.stampHost(lines("", hours(48)), start)
	p := w.open()
	if s, err := p.Status(ctx); err != nil || s.Gates[1].Why != "last consolidation 2 days ago; 24 hours needed" {
		t.Fatalf("%+v, %v", s.Gates, err)
	}
	if err := p.Begin(ctx, false, false); err != nil {
		t.Fatal(err)
	}
	w.setNow(w.now.Add(50 * time.Minute))
	if _, err := p.Read(ctx, []string{"a.md"}); err != nil { // renews it
		t.Fatal(err)
	}
	if got, want := w.hostStamp(), fmt.Sprintf("%q %s", lines(strconv.Itoa(os.Getpid()), w.now), w.now.Format(time.RFC3339Nano)); got != want {
		t.Errorf("renewed to %s, want %s", got, want)
	}
	if _, _, err := p.Abort(ctx, ""); err != nil {
		t.Fatal(err)
	}
	if got, want := w.hostStamp(), fmt.Sprintf("%q %s", lines("", hours(48)), hours(48).Format(time.RFC3339Nano)); got != want {
		t.Errorf("rolled back to %s, want %s", got, want)
	}
	w.do("commit")
	if got := w.hostStamp(); got != now(w) {
		t.Errorf("stamped %s, want %s", got, now(w))
	}

	// A process that runs and took the lock two hours ago does not hold it, whenever the file was touched; one that
	// took it half an hour ago holds it.
	alive := w.startHost(true).pid
	w.stampHost(lines(alive, w.now.Add(-2*time.Hour)), w.now)
	if err := p.Begin(ctx, true, false); err != nil {
		t.Errorf("over a stale lock: %v", err)
	}
	p.Abort(ctx, "")
	w.stampHost(lines(alive, w.now.Add(-30*time.Minute)), w.now.Add(-48*time.Hour))
	var busy *lock.BusyError
	if err := p.Begin(ctx, true, false); !errors.As(err, &busy) || !busy.Host {
		t.Errorf("over a young lock: %v", err)
	}

	// Claude Code takes the lock over in a dream of ours: what it wrote stays.
	w.stampHost(lines("", hours(48)), start)
	if err := p.Begin(ctx, true, false); err != nil {
		t.Fatal(err)
	}
	theirs := lines(alive, w.now)
	w.stampHost(theirs, w.now)
	if _, err := p.Read(ctx, []string{"a.md"}); !errors.Is(err, ErrLost) {
		t.Errorf("a call of a dream whose lock is lost: %v", err)
	}
	if got, want := w.hostStamp(), fmt.Sprintf("%q %s", theirs, w.now.Format(time.RFC3339Nano)); got != want {
		t.Errorf("the lock is %s, want %s", got, want)
	}

	// A time that a clock was wrong about, fixed by doctor in both places.
	w.stampHost(lines("", w.now.Add(100*time.Hour)), w.now)
	if _, err := p.Doctor.Examine(ctx, true, false); err != nil {
		t.Fatal(err)
	}
	if got := w.hostStamp(); got != now(w) {
		t.Errorf("mended to %s, want %s", got, now(w))
	}
}

// A process that dies at any step of a dream leaves a lock of the newer format that recovery makes right, in that
// format.
func TestHostSecondLineAfterDeath(t *testing.T) {
	for i, name := range []string{"commit", "abort", "expire"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for step := i % every(3); ; step += every(3) {
				w := newWorld(t)
				w.putDatabase()
				w.stampHost(fmt.Sprintf("\n%d", prior.UnixMilli()), start)
				before := w.files()
				died := w.runToDeath(name, step)
				p := w.open()
				if err := p.Recover(ctx); err != nil {
					t.Fatalf("step %d (%s): %v", step, died, err)
				}
				at := prior
				if !same(w.files(), before) {
					at = start
				}
				text, mtime := fmt.Sprintf("\n%d", at.UnixMilli()), at
				if got := w.hostStamp(); got != fmt.Sprintf("%q %s", text, mtime.Format(time.RFC3339Nano)) &&
					got != fmt.Sprintf("%q %s", text, start.Format(time.RFC3339Nano)) { // it died before it was touched
					t.Errorf("step %d (%s): the lock is %s, want %q", step, died, got, text)
				}
				if died == "" {
					return
				}
			}
		})
	}
}
