//go:build linux

package consolidate

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// sample chooses what is tried of all.
func sample[T fmt.Stringer](all []T) []T {
	slices.SortFunc(all, func(a, b T) int { return strings.Compare(a.String(), b.String()) })
	if *inject == 0 || *inject >= len(all) {
		return all
	}
	chosen := make([]T, *inject)
	for i, n := range rand.New(rand.NewPCG(*seed, 0)).Perm(len(all))[:*inject] {
		chosen[i] = all[n]
	}
	return chosen
}

// tally counts what a test tries, reports it as it goes, and at its end.
type tally struct {
	mu                sync.Mutex
	tried, of         int
	counts            map[string]int
	red               []string
	reported, started time.Time
}

// newTally is that of a test that tries some things of all.
func newTally(t *testing.T, some, all int) *tally {
	c := &tally{of: some, counts: map[string]int{}, started: time.Now(), reported: time.Now()}
	t.Cleanup(func() {
		fmt.Printf("%s tried %d of %d (seed %d) in %s: %v, %d red\n", t.Name(), c.tried, all, *seed, time.Since(c.started).Round(time.Second), c.counts, len(c.red))
		for _, name := range c.red {
			fmt.Println(again(name))
		}
	})
	return c
}

// again is the command that tries a red test again.
func again(name string) string {
	return fmt.Sprintf("red: go test ./consolidate -count=1 -inject 0 -run '^%s$'", strings.ReplaceAll(name, "/", "$/^"))
}

// add counts what t tried as being of a kind, when t has ended.
func (c *tally) add(t *testing.T, kind string) {
	t.Cleanup(func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.tried++
		c.counts[kind]++
		if t.Failed() {
			c.red = append(c.red, t.Name())
			fmt.Println(again(t.Name())) // the test itself is reported at the end of all
		}
		if time.Since(c.reported) > 30*time.Second {
			c.reported = time.Now()
			fmt.Printf("%d of %d, %d red, after %s\n", c.tried, c.of, len(c.red), time.Since(c.started).Round(time.Second))
		}
	})
}

// A child keeps to one thread, so that its n-th call of a kind is the same in every run.
func init() {
	if os.Getenv(childVariable) != "" {
		runtime.LockOSThread()
	}
}

// The system calls that are injected into. A death before a call that only reads is one before the
// next that changes something; a disk that can't be written can still be read.
var (
	changing = []string{
		"openat", "write", "pwrite64", "ftruncate", "fsync", "close", "flock", "utimensat", "fchmod", "fchmodat",
		"mkdirat", "linkat", "unlinkat", "renameat", "renameat2",
	}
	reading      = []string{"read", "pread64", "fstat", "newfstatat", "getdents64", "readlinkat"}
	changeFaults = []string{"signal=KILL", "error=ENOSPC", "error=EIO", "error=EROFS", "error=EACCES"}
	readFaults   = []string{"error=EIO", "error=EACCES"}
)

// injection is a fault (or a death) at the n-th system call of a kind of an operation.
type injection struct {
	operation, call, fault string
	n                      int
}

func (i injection) String() string {
	_, what, _ := strings.Cut(i.fault, "=")
	return fmt.Sprintf("%s/%s/%d/%s", i.operation, i.call, i.n, what)
}

// straceHere returns the path of strace, or why it cannot trace.
var straceHere = sync.OnceValues(func() (string, error) {
	strace, err := exec.LookPath("strace")
	if err != nil {
		return "", err
	}
	if out, err := exec.Command(strace, "-o", os.DevNull, "true").CombinedOutput(); err != nil {
		return "", fmt.Errorf("strace cannot trace here: %w: %s", err, out)
	}
	return strace, nil
})

// A process dies, or gets an error from the system, at each system call of each operation. Whoever
// comes next finds what TestKillAtEveryStep asks for; and the process, if it lived, said the truth.
//
// One alone, by its name: go test ./consolidate -inject 0 -run 'TestInject/commit/^fsync$/^3$/KILL'.
func TestInject(t *testing.T) {
	strace, err := straceHere()
	switch {
	case err != nil && *inject == 0:
		t.Fatal(err) // who asks for all must not get fewer
	case err != nil:
		t.Skip(err)
	}
	spans, all := map[string]span{}, []injection{}
	for _, name := range operations() {
		spans[name] = runWhole(t, name)
		all = append(all, injections(t, strace, name)...)
	}
	tried := sample(all)
	tally := newTally(t, len(tried), len(all))
	for _, i := range tried {
		t.Run(i.String(), func(t *testing.T) {
			t.Parallel()
			w := newWorldFor(t, i.operation)
			said, log := w.trace(strace, i.operation, i.call, "-e", fmt.Sprintf("inject=%s:%s:when=%d", i.call, i.fault, i.n))
			whole := spans[i.operation]
			switch {
			case strings.Contains(log, "killed by SIGKILL"):
				tally.add(t, "deaths")
			case strings.Contains(log, "INJECTED"):
				tally.add(t, "faults")
				if i.call == "unlinkat" {
					// A folder that the system does not let go stays, empty: which does not make
					// what has landed half done.
					os.Remove(filepath.Join(w.memory, "deep"))
					w.swept = true
				}
				w.checkSaid(said, whole)
			default:
				tally.add(t, "calls that were not made that time")
				return
			}
			w.checkRecovered(i.operation, i.String()+", which said "+said, whole)
		})
	}
}

// injections lists all that can be injected into an operation.
func injections(t *testing.T, strace, name string) (all []injection) {
	w := newWorldFor(t, name)
	said, log := w.trace(strace, name, "?"+strings.Join(append(slices.Clone(changing), reading...), ",?"))
	if said != "ended with <nil>" {
		t.Fatalf("%s, traced: %s", name, said)
	}
	add := func(calls, faults []string) {
		for _, call := range calls {
			for n := range strings.Count("\n"+log, "\n"+call+"(") {
				for _, fault := range faults {
					all = append(all, injection{name, call, fault, n + 1})
				}
			}
		}
	}
	add(changing, changeFaults)
	add(reading, readFaults)
	if len(all) < 500 {
		t.Fatalf("%s has only %d: its calls were not seen", name, len(all))
	}
	return all
}

// trace runs an operation in a child process under strace, and returns what the child said last and
// the log of its calls.
func (w *world) trace(strace, name, calls string, options ...string) (said, log string) {
	w.t.Helper()
	file := filepath.Join(w.t.TempDir(), "log")
	args := append([]string{"-o", file, "-e", "signal=KILL", "-e", "trace=" + calls}, options...)
	cmd := exec.Command(strace, append(args, os.Args[0])...)
	cmd.Env = append(w.environment(child{Script: name, Die: -1}), "GOMAXPROCS=1")
	out, _ := cmd.CombinedOutput()
	data, err := os.ReadFile(file)
	if err != nil {
		w.t.Fatal(err)
	}
	return strings.TrimSpace(string(out)), string(data)
}

// checkSaid compares what a process said at its end with what it left: an error means no change, unless
// it says that it is half done, and success is the whole change.
func (w *world) checkSaid(said string, whole span) {
	w.t.Helper()
	if strings.Contains(said, "panic: ") {
		w.t.Error(said)
	}
	result, ended := strings.CutPrefix(said, "ended with ")
	got := w.files()
	switch {
	case !ended || strings.Contains(result, "has begun and could not be completed"):
	case result == "<nil>" && !same(got, whole.after):
		w.t.Errorf("told of success, and yet:%s", differences(got, whole.after))
	case result != "<nil>" && !same(got, whole.before) && !whole.others: // the next exchange does the rest
		w.t.Errorf("told %s, and yet:%s", result, differences(got, whole.before))
	}
}
