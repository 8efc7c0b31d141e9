//go:build unix

package endtoend

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// hangingSSH runs the command of git on this machine. While the file hang exists it hangs, and leaves its process ID in
// the file hung.
const hangingSSH = `#!/bin/sh
if [ -e WORK/hang ]; then
	echo $$ >WORK/hung.new && mv WORK/hung.new WORK/hung
	exec sleep 600
fi
for command; do :; done
exec sh -c "$command"
`

// slowRemote is a machine whose shared memory has a remote that can hang.
type slowRemote struct {
	*machine
	t *testing.T
}

func (s *slowRemote) path(name string) string { return filepath.Join(s.fleet.dir, name) }

func (s *slowRemote) hang(on bool) {
	os.Remove(s.path("hung"))
	if os.Remove(s.path("hang")); on {
		os.WriteFile(s.path("hang"), nil, 0o600)
	}
}

func (s *slowRemote) exists(name string) bool {
	_, err := os.Stat(s.path(name))
	return !errors.Is(err, fs.ErrNotExist)
}

// until waits for what must become true.
func (s *slowRemote) until(what string, is func() bool) {
	s.t.Helper()
	for range 1000 {
		if is() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	s.t.Fatal("waited in vain until ", what)
}

// hung returns the process ID of the ssh that hangs.
func (s *slowRemote) hung() (pid int) {
	s.t.Helper()
	s.until("ssh hangs", func() bool { return s.exists("hung") })
	data, _ := os.ReadFile(s.path("hung"))
	fmt.Sscan(string(data), &pid)
	return pid
}

func (s *slowRemote) gone(pid int) {
	s.t.Helper()
	s.until("ssh has ended", func() bool { return syscall.Kill(pid, 0) != nil })
}

// dialogue is with a server of s.
type dialogue struct {
	*slowRemote
	in  io.WriteCloser
	out *bufio.Scanner
}

func (d *dialogue) send(line string) {
	if _, err := io.WriteString(d.in, line+"\n"); err != nil {
		d.t.Fatal(err)
	}
}

func (d *dialogue) tool(id int, name, arguments string) {
	d.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, id, name, arguments))
}

// next returns the next answer, which must be to one of ids.
func (d *dialogue) next(ids ...int) string {
	d.t.Helper()
	for d.out.Scan() {
		var m struct{ ID *int }
		if json.Unmarshal(d.out.Bytes(), &m); m.ID == nil {
			continue // a notification
		}
		for _, id := range ids {
			if *m.ID == id {
				return d.out.Text()
			}
		}
		d.t.Fatalf("want an answer to one of %v, got %.300s", ids, d.out.Text())
	}
	d.t.Fatalf("no answer: %v", d.out.Err())
	return ""
}

// serve starts a server.
func (s *slowRemote) serve(env []string) (*dialogue, *exec.Cmd) {
	s.t.Helper()
	cmd := s.command(env, "serve")
	in, _ := cmd.StdinPipe()
	out, _ := cmd.StdoutPipe()
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { in.Close(); cmd.Wait() })
	time.AfterFunc(2*time.Minute, func() { cmd.Process.Kill() })
	d := &dialogue{s, in, bufio.NewScanner(out)}
	d.out.Buffer(nil, 1<<20)
	d.send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`)
	d.next(1)
	return d, cmd
}

// TestHangingGit has the program git hang, on a file system that is gone for instance: at the first run, which reads
// the configuration, and at one that reads the repository. The status is answered without what git says, and reads do
// not wait for it.
func TestHangingGit(t *testing.T) {
	t.Parallel()
	f, all := newFleet(t, 1, 1)
	s := &slowRemote{all[0], t}
	bin := s.path("bin")
	script := strings.NewReplacer("WORK", f.dir, `exec sh -c "$command"`, `exec "$REAL_GIT" "$@"`).Replace(hangingSSH)
	if err := errors.Join(os.Mkdir(bin, 0o700), os.WriteFile(filepath.Join(bin, "git"), []byte(script), 0o700)); err != nil {
		t.Fatal(err)
	}
	s.hang(true)
	d, _ := s.serve([]string{"PATH=" + bin + ":" + os.Getenv("PATH")})
	for id, hangs := range []bool{true, false, true} {
		id = 10 * (id + 1)
		s.hang(hangs)
		d.tool(id, "dream_status", `{}`)
		if hangs {
			s.hung()
		}
		d.tool(id+1, "read_memory", `{"paths":["own-0.md"]}`)
		if a := d.next(id, id+1) + d.next(id, id+1); !strings.Contains(a, "last sync") || !strings.Contains(a, "fact-0") {
			t.Errorf("got %s", a)
		}
	}
}

// TestHangingRemote has the remote of a shared memory hang: reads and the status are answered meanwhile, what waits can
// be cancelled, a closed gate is found without the remote, and one process syncs while others leave.
func TestHangingRemote(t *testing.T) {
	t.Parallel()
	f, all := newFleet(t, 1, 1)
	s := &slowRemote{all[0], t}
	ssh := s.path("ssh")
	if err := os.WriteFile(ssh, []byte(strings.ReplaceAll(hangingSSH, "WORK", f.dir)), 0o700); err != nil {
		t.Fatal(err)
	}
	env := []string{"GIT_SSH_COMMAND=" + ssh, "GIT_SSH_VARIANT=ssh"}
	for _, args := range [][]string{{"share", "--stop"}, {"share", "jo@h:" + f.remote, "--yes"}} {
		if out, err := s.run(env, args...); err != nil {
			t.Fatal(out)
		}
	}
	d, cmd := s.serve(env)

	// A gate that is closed here needs no remote.
	s.hang(true)
	d.tool(2, "dream_orient", `{}`)
	if a := d.next(2); !strings.Contains(a, "gate is closed") || s.exists("hung") {
		t.Errorf("the remote was asked: %.300s", a)
	}
	// Reads are answered before the call that waits, and that can be cancelled.
	reads := func(id int) {
		t.Helper()
		d.tool(id, "dream_status", `{}`)
		d.tool(id+1, "read_memory", `{"paths":["own-0.md"]}`)
		if a := d.next(id, id+1) + d.next(id, id+1); !strings.Contains(a, "memory_dir") || !strings.Contains(a, "fact-0") {
			t.Errorf("got %s", a)
		}
	}
	d.tool(10, "dream_orient", `{"force":true}`)
	pid := s.hung()
	reads(11)
	d.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":10}}`)
	s.gone(pid)
	s.hang(false)
	d.tool(13, "dream_orient", `{"force":true}`)
	if a := d.next(13); !strings.Contains(a, " is open.") {
		t.Fatalf("no dream: %.300s", a)
	}
	s.hang(true)
	d.tool(14, "finalize_index", `{"adopt":true}`)
	pid = s.hung()
	reads(15)
	d.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":14}}`)
	s.gone(pid)
	s.hang(false)
	d.tool(17, "finalize_index", `{"adopt":true}`)
	if a := d.next(17); !strings.Contains(a, `"outcome":"committed"`) && !strings.Contains(a, `"outcome":"unchanged"`) {
		t.Errorf("got %.300s", a)
	}
	if refs := f.git("-C", f.remote, "for-each-ref"); strings.Contains(refs, "lease") {
		t.Error("the lease was not released: ", refs)
	}
	// A dream goes on without a remote that does not answer.
	s.hang(true)
	d.tool(30, "dream_orient", `{"force":true}`)
	if a := d.next(30); !strings.Contains(a, " is open. Today is ") || !s.exists("hung") {
		t.Errorf("no dream without the remote: %.300s", a)
	}
	d.tool(31, "finalize_index", `{"adopt":true}`)
	if a := d.next(31); !strings.Contains(a, `"outcome":`) {
		t.Errorf("got %.300s", a)
	}
	// One process syncs; hooks start none, and others leave.
	s.hang(true)
	first := s.command(env, "share", "--now")
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	pid = s.hung()
	if out, err := s.run(env, "share", "--now"); err == nil || !strings.Contains(out, "another process is syncing") {
		t.Errorf("%v: %s", err, out)
	}
	event := exec.Command(binary(), "hook")
	event.Env, event.Dir = s.command(env).Env, s.dir
	event.Stdin = strings.NewReader(`{"hook_event_name":"SessionEnd","session_id":"s","cwd":"` + s.dir + `"}`)
	if out, err := event.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("the hook: %v: %s", err, out)
	}
	reads(20)
	if syscall.Kill(pid, 0) != nil {
		t.Error("the remote answered meanwhile")
	}
	s.hang(false) // else a sync that a hook has begun could hang now
	first.Process.Signal(syscall.SIGTERM)
	first.Wait()
	s.gone(pid)
	// The hook's own sync outlives it, and would write into a folder that is being removed.
	s.until("the sync of the hook has ended", func() bool {
		all, _ := filepath.Glob("/proc/[0-9]*/cwd")
		for _, link := range all {
			dir, _ := os.Readlink(link)
			if strings.HasPrefix(dir, f.dir) && link != fmt.Sprintf("/proc/%d/cwd", cmd.Process.Pid) {
				return false
			}
		}
		return true
	})
}
