//go:build linux && amd64

package consolidate

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A falseFailure is a system call that is carried out and reported as failed: what a network file system does
// whose answer was lost, and whose second try finds the work done.
type falseFailure struct {
	operation, call string
	n               int
	reported        unix.Errno
}

func (l falseFailure) String() string {
	return fmt.Sprintf("%s/%s/%d/%s", l.operation, l.call, l.n, unix.ErrnoName(l.reported))
}

// changes are the calls that change directories, and what is reported of them: EIO, and what the second
// try finds.
var changes = map[uint64]struct {
	call   string
	second unix.Errno
}{
	unix.SYS_OPENAT:    {"openat", unix.EEXIST}, // where it creates
	unix.SYS_MKDIRAT:   {"mkdirat", unix.EEXIST},
	unix.SYS_LINKAT:    {"linkat", unix.EEXIST},
	unix.SYS_UNLINKAT:  {"unlinkat", unix.ENOENT},
	unix.SYS_RENAMEAT:  {"renameat", unix.ENOENT},
	unix.SYS_RENAMEAT2: {"renameat2", unix.ENOENT},
}

// Every call that changes a directory is carried out, and then reported as failed. What holds after
// a call that has really failed (TestInject) holds after these too.
//
// One alone, by its name: go test ./consolidate -inject 0 -run 'TestFalseFailures/commit/^renameat$/^3$/EIO'.
func TestFalseFailures(t *testing.T) {
	spans, all := map[string]span{}, []falseFailure{}
	for _, name := range operations() {
		spans[name] = runWhole(t, name)
		_, counts, err := newWorldFor(t, name).failFalsely(falseFailure{operation: name})
		if err != nil {
			t.Skip("no process can be traced here: ", err)
		}
		for _, l := range changes {
			for n := range counts[l.call] {
				all = append(all, falseFailure{name, l.call, n + 1, unix.EIO}, falseFailure{name, l.call, n + 1, l.second})
			}
		}
	}
	if len(all) < 20*len(spans) {
		t.Fatalf("only %d calls were seen", len(all))
	}
	tried := sample(all)
	for _, l := range all {
		// An exchange that is tried again takes back what it did: none is left out.
		if l.call == "renameat2" && !slices.Contains(tried, l) {
			tried = append(tried, l)
		}
	}
	tally := newTally(t, len(tried), len(all))
	for _, l := range tried {
		t.Run(l.String(), func(t *testing.T) {
			t.Parallel()
			w := newWorldFor(t, l.operation)
			said, counts, err := w.failFalsely(l)
			if err != nil {
				t.Fatal(err)
			}
			if counts[l.call] < l.n {
				tally.add(t, "calls that were not made that time")
				return
			}
			tally.add(t, "false failures")
			w.checkSaid(said, spans[l.operation])
			w.checkRecovered(l.operation, l.String()+", which said "+said, spans[l.operation])
		})
	}
}

// failFalsely runs an operation in a child process and reports the call that l names, if any, as failed. It returns
// what the child said last, and how many calls of each kind succeeded.
func (w *world) failFalsely(l falseFailure) (said string, counts map[string]int, err error) {
	file, err := os.Create(filepath.Join(w.t.TempDir(), "said"))
	if err != nil {
		return "", nil, err
	}
	defer file.Close()
	ended := make(chan error)
	go func() {
		runtime.LockOSThread() // the thread that traces is the one that started; it ends with this function
		counts, err = trace(append(w.environment(child{Script: l.operation, Die: -1}), "GOMAXPROCS=1", stopVariable+"=1"), file, l)
		ended <- err
	}()
	if err := <-ended; err != nil {
		return "", nil, err
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return "", nil, err
	}
	data, err := io.ReadAll(file)
	return strings.TrimSpace(string(data)), counts, err
}

// stopVariable is in the environment of a child that stops at each of the changes, for a tracer. It asks for that
// itself: a tracer that looks at every call takes most of the test's time.
const stopVariable = "DREAM_TEST_STOP"

// The filter holds for the thread that sets it, and for those that it starts: a locked thread starts none.
func init() {
	if os.Getenv(stopVariable) == "" {
		return
	}
	runtime.LockOSThread()
	filter := []unix.SockFilter{{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS}} // the number of the call
	for number := range changes {
		filter = append(filter,
			unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: uint32(number), Jf: 1},
			unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_TRACE})
	}
	filter = append(filter, unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW})
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
	if err == nil {
		err = unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&program)), 0, 0)
	}
	if err != nil {
		panic(err)
	}
}

// trace runs this program's first thread, which a child keeps to, under a tracer.
func trace(environment []string, output *os.File, l falseFailure) (map[string]int, error) {
	pid, err := syscall.ForkExec(os.Args[0], os.Args[:1], &syscall.ProcAttr{
		Env: environment, Files: []uintptr{0, output.Fd(), output.Fd()}, Sys: &syscall.SysProcAttr{Ptrace: true},
	})
	if err != nil {
		return nil, err
	}
	var status unix.WaitStatus
	wait := func() error {
		for {
			_, err := unix.Wait4(pid, &status, 0, nil)
			if err != unix.EINTR {
				return err
			}
		}
	}
	if err := wait(); err != nil {
		return nil, err
	}
	if err := unix.PtraceSetOptions(pid, unix.PTRACE_O_TRACESECCOMP|unix.PTRACE_O_TRACESYSGOOD|unix.PTRACE_O_EXITKILL); err != nil {
		unix.Kill(pid, unix.SIGKILL)
		return nil, err
	}
	counts := make(map[string]int)
	goOn, signal := unix.PtraceCont, 0
	for {
		if err := goOn(pid, signal); err != nil && err != unix.ESRCH {
			return nil, err
		}
		if err := wait(); err != nil {
			return nil, err
		}
		if !status.Stopped() {
			return counts, nil
		}
		goOn, signal = unix.PtraceCont, 0
		if status.TrapCause() == unix.PTRACE_EVENT_SECCOMP {
			goOn = unix.PtraceSyscall // to the end of this call
			continue
		}
		if status.StopSignal() != unix.SIGTRAP|0x80 {
			if status.StopSignal() != unix.SIGTRAP {
				signal = int(status.StopSignal())
			}
			continue
		}
		var r unix.PtraceRegs
		if err := unix.PtraceGetRegs(pid, &r); err != nil {
			return nil, err
		}
		of := changes[r.Orig_rax]
		if int64(r.Rax) < 0 || r.Orig_rax == unix.SYS_OPENAT && r.Rdx&unix.O_CREAT == 0 {
			continue
		}
		if counts[of.call]++; of.call == l.call && counts[of.call] == l.n {
			r.Rax = -uint64(l.reported)
			if err := unix.PtraceSetRegs(pid, &r); err != nil {
				return nil, err
			}
		}
	}
}
