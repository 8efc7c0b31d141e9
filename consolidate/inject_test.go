//go:build linux

package consolidate

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
)

var (
	injectAll = flag.Bool("inject", false, "TestInject tries every death and every fault, which takes long, not a sample")
	seed      = flag.Uint64("seed", 1, "of the sample of TestInject")
)

const sampleSize = 30

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

// A process dies, or is told of an error by the system, at each system call of each operation. Whoever
// comes next finds what TestKillAtEveryStep asks for; and the process, if it lived, told the truth.
//
// One alone, by its name: go test ./consolidate -inject -run 'TestInject/commit/^fsync$/^3$/KILL'.
func TestInject(t *testing.T) {
	skip := t.Skipf
	if *injectAll {
		skip = t.Fatalf // who asks for all is not told that all is well
	}
	strace, err := exec.LookPath("strace")
	if err != nil {
		skip("there is no strace: %v", err)
	}
	if out, err := exec.Command(strace, "-o", os.DevNull, os.Args[0], "-test.run=^$").CombinedOutput(); err != nil {
		skip("strace can't trace here: %v: %s", err, out)
	}
	spans, all := map[string]span{}, []injection{}
	for name := range script {
		spans[name] = runWhole(t, name)
		all = append(all, injections(t, strace, name)...)
	}
	slices.SortFunc(all, func(a, b injection) int { return strings.Compare(a.String(), b.String()) })
	tried := all
	if !*injectAll {
		tried = nil
		random := rand.New(rand.NewPCG(*seed, 0))
		for _, i := range random.Perm(len(all))[:sampleSize] {
			tried = append(tried, all[i])
		}
	}
	var deaths, faults atomic.Int64
	t.Cleanup(func() {
		fmt.Printf("TestInject tried %d deaths and %d faults of %d (seed %d)\n", deaths.Load(), faults.Load(), len(all), *seed)
	})
	for _, i := range tried {
		t.Run(i.String(), func(t *testing.T) {
			t.Parallel()
			w := newWorldFor(t, i.operation)
			said, log := w.trace(strace, i.operation, i.call, "-e", fmt.Sprintf("inject=%s:%s:when=%d", i.call, i.fault, i.n))
			whole := spans[i.operation]
			switch {
			case strings.Contains(log, "killed by SIGKILL"):
				deaths.Add(1)
			case strings.Contains(log, "INJECTED"):
				faults.Add(1)
				if i.call == "unlinkat" {
					// A folder that the system does not let go stays, empty: that is no reason to call
					// what has landed half done.
					os.Remove(filepath.Join(w.memory, "deep"))
				}
				w.checkTold(said, whole)
			default:
				return // that run made fewer calls
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

// checkTold compares what a process said at its end with what it left: an error is no change, unless
// it is told of as half done, and success is the whole change.
func (w *world) checkTold(said string, whole span) {
	w.t.Helper()
	if strings.Contains(said, "panic: ") {
		w.t.Error(said)
	}
	result, ended := strings.CutPrefix(said, "ended with ")
	got := w.files()
	switch {
	case !ended || strings.Contains(result, "has begun and could not be ended"):
	case result == "<nil>" && !same(got, whole.after):
		w.t.Errorf("told of success, and yet:%s", differences(got, whole.after))
	case result != "<nil>" && !same(got, whole.before):
		w.t.Errorf("told %s, and yet:%s", result, differences(got, whole.before))
	}
}
