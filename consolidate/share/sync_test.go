package share

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"dream-mcp/consolidate/lock"
	"dream-mcp/consolidate/ops"
	"dream-mcp/memory"
	"dream-mcp/memory/phrase"
)

// machine is a memory of its own that is shared.
type machine struct {
	*Share
	t    *testing.T
	dir  string
	read time.Time                      // up to when it has read its transcripts
	boot func() (string, time.Duration) // its time since boot; nil: the system's
	full bool                           // the end of a transaction cannot be noted
}

// join makes a machine that shares by remote, with its clock off by skew.
func join(t *testing.T, remote, name string, skew time.Duration) *machine {
	t.Helper()
	m := newMachine(t, skew)
	err := m.Join(t.Context(), JoinRequest{Remote: remote, Name: "x"}, func(Preview) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	m.change(func(s *State) { s.MachineName = name })
	return m
}

func newMachine(t *testing.T, skew time.Duration) *machine {
	m := &machine{t: t, dir: filepath.Join(t.TempDir(), "memory")}
	m.Share = &Share{LastRead: func(context.Context) (time.Time, error) { return m.read, nil }, MayWrite: func() error { return nil }}
	m.Store = ops.Open(ops.Options{MemoryDir: m.dir, StateHome: t.TempDir(), Now: func() time.Time { return time.Now().Add(skew) },
		Ended: func(i ops.Op) error {
			if m.full {
				return syscall.ENOSPC
			}
			return m.Ended(i)
		}})
	t.Cleanup(func() { m.Store.Records.Close() })
	os.Mkdir(m.dir, 0o700)
	return m
}

func (m *machine) state() State {
	m.t.Helper()
	s, err := m.State()
	if err != nil {
		m.t.Fatal(err)
	}
	return s
}

func (m *machine) change(change func(*State)) {
	m.t.Helper()
	if _, err := saved.Change(m.Store.Records.DB(), func(s *State) bool { change(s); return true }); err != nil {
		m.t.Fatal(err)
	}
}

func (m *machine) with(do func(context.Context, *link) error) error {
	return m.open(m.t.Context(), time.Minute, true, nil, func(ctx context.Context, l *link) error {
		if m.boot != nil {
			l.clock = m.boot
		}
		return do(ctx, l)
	})
}

func (m *machine) lost() bool {
	lost, _ := m.LeaseLost(m.t.Context())
	return lost
}

func (m *machine) acquire() error {
	return m.with(func(ctx context.Context, l *link) error { return l.acquire(ctx) })
}

func (m *machine) release() error {
	return m.with(func(ctx context.Context, l *link) error { return l.release(ctx) })
}

func (m *machine) sync() {
	m.t.Helper()
	if err := m.Sync(m.t.Context(), false); err != nil {
		m.t.Fatal(err)
	}
}

func (m *machine) stopped(why string) {
	m.t.Helper()
	var stop *StopError
	if err := m.Sync(m.t.Context(), false); !errors.As(err, &stop) || !strings.Contains(err.Error(), why) || m.state().Stopped == "" {
		m.t.Errorf("%v, want %q", err, why)
	}
}

func (m *machine) write(file, text string) {
	os.WriteFile(filepath.Join(m.dir, file), []byte(text), 0o600)
}

func (m *machine) text(file string) string {
	data, _ := os.ReadFile(filepath.Join(m.dir, file))
	return string(data)
}

func TestLease(t *testing.T) {
	remote := bare(t)
	a, b := join(t, remote, "desk", 0), join(t, remote, "laptop", -366*24*time.Hour)
	boot, clock := "one", time.Hour
	b.boot = func() (string, time.Duration) { return boot, clock }
	if err := a.acquire(); err != nil {
		t.Fatal(err)
	}
	held := func(left time.Duration) {
		t.Helper()
		var held *HeldError
		if err := b.acquire(); !errors.As(err, &held) || held.Name != "desk" || held.Left != left {
			t.Fatalf("%v, want %v left", err, left)
		}
	}
	held(leaseTerm)
	clock += 40 * time.Minute
	held(20 * time.Minute)
	if err := a.acquire(); err != nil { // renewed: the term begins again
		t.Fatal(err)
	}
	clock += 40 * time.Minute
	held(leaseTerm)
	boot, clock = "two", time.Minute // what was before a boot does not count
	held(leaseTerm)
	clock += leaseTerm
	if err := b.acquire(); err != nil {
		t.Fatal(err)
	}
	if !a.lost() {
		t.Error("the lease that was taken over is held")
	}
	if err := a.release(); err != nil || a.state().Held != "" {
		t.Error(err)
	}
	if b.lost() {
		t.Error("releasing a lease that was taken over ended it")
	}
	if err := b.release(); err != nil {
		t.Error(err)
	}
	if err := a.acquire(); err != nil {
		t.Error(err)
	}
}

// A dream ends while another process syncs. That its lease can be released is known afterwards, and what the sync noted
// too.
func TestDreamEndsBesideASync(t *testing.T) {
	a := join(t, bare(t), "desk", 0)
	if err := a.acquire(); err != nil {
		t.Fatal(err)
	}
	if err := a.with(func(_ context.Context, l *link) error {
		if err := a.Ended(ops.Op{Header: ops.Header{Kind: lock.KindDream}}); err != nil {
			return err
		}
		l.Pending = "the remote does not answer"
		return l.save()
	}); err != nil {
		t.Fatal(err)
	}
	if s := a.state(); !s.Finished || s.Pending == "" {
		t.Errorf("%+v", s)
	}
}

// TestLeaseRace has machines take one lease at once: in each round one gets it.
func TestLeaseRace(t *testing.T) {
	t.Parallel()
	remote := bare(t)
	all := make([]*machine, 4)
	for i := range all {
		all[i] = join(t, remote, fmt.Sprint("m", i), 0)
	}
	for round := range 4 {
		var winners atomic.Int32
		var winner atomic.Pointer[machine]
		var wait sync.WaitGroup
		for _, m := range all {
			wait.Go(func() {
				if m.acquire() == nil {
					winners.Add(1)
					winner.Store(m)
				}
			})
		}
		wait.Wait()
		if n := winners.Load(); n != 1 {
			t.Fatalf("round %d: %d hold the lease", round, n)
		}
		if err := winner.Load().release(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestSync(t *testing.T) {
	t.Parallel()
	remote := bare(t)
	a, b := join(t, remote, "desk", 366*24*time.Hour), join(t, remote, "laptop", -366*24*time.Hour)
	a.write("x.md", "one\ntwo\n")
	a.sync()
	b.sync()
	if got := b.text("x.md"); got != "one\ntwo\n" {
		t.Fatalf("%q", got)
	}
	a.read = time.Now().Add(366 * 24 * time.Hour)
	a.sync()
	b.sync()
	if s := b.state(); s.OtherName != "desk" || s.OtherDream.After(time.Now().Add(-300*24*time.Hour)) {
		t.Errorf("a dream of %q was seen %v", s.OtherName, s.OtherDream)
	}
	// A repository here that was lost is made again.
	if err := os.RemoveAll(filepath.Join(b.Store.Records.StateDir(), repo)); err != nil {
		t.Fatal(err)
	}
	b.sync()
	b.write("x.md", "one\ntwo\nfour\n")
	b.sync()
	sh(t, filepath.Join(b.Store.Records.StateDir(), repo), "git", "gc", "-q", "--prune=now")
	b.sync()
	// What is withheld is not sent; when it was undone, all continues.
	b.change(func(s *State) { s.Withheld = true })
	was := b.text("x.md")
	b.write("x.md", was+"five\n")
	b.stopped("these changes are here alone: x.md")
	b.write("x.md", was)
	b.sync()
	// An empty memory is not a deletion of all, and neither is a remote without the ref.
	os.Remove(filepath.Join(b.dir, "x.md"))
	b.stopped("is not sent as their deletion")
	sh(t, remote, "git", "update-ref", "-d", customRefs+Identity{Name: "x"}.id()+memoryRef)
	a.stopped("no longer has this memory")
	if a.text("x.md") == "" {
		t.Error("a deleted ref deleted a memory")
	}
}

// TestClocks has machines with clocks that are off send and pull in turn: what counts is which commit continues which.
func TestClocks(t *testing.T) {
	t.Parallel()
	for _, skew := range []time.Duration{-time.Minute, 366 * 24 * time.Hour} {
		remote := bare(t)
		a := join(t, remote, "desk", skew)
		a.write("x.md", "line 7\n")
		a.sync()
		b := join(t, remote, "laptop", 0)
		for i := range 8 {
			b.write("y.md", fmt.Sprint("line ", i, "\n"))
			b.sync()
		}
		if a.sync(); a.text("y.md") != "line 7\n" || b.text("x.md") != "line 7\n" {
			t.Errorf("clocks off by %v: %q, %q", skew, a.text("y.md"), b.text("x.md"))
		}
	}
}

// TestEmptied has the memory of the remote, or of one machine, lose all memories but for the index: a person decides.
func TestEmptied(t *testing.T) {
	t.Parallel()
	remote := bare(t)
	a := join(t, remote, "desk", 0)
	a.write("x.md", "one\n")
	a.write("MEMORY.md", "- [X](x.md)\n")
	a.sync()
	b := join(t, remote, "laptop", 0)
	os.Remove(filepath.Join(a.dir, "x.md"))
	a.stopped("the memory here is empty, and the remote has 1 memory")
	if err := a.Sync(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	b.stopped("the memory of the remote was emptied: it had 1 memory")
	if b.text("x.md") != "one\n" {
		t.Error("it was pulled")
	}
	if err := b.Sync(t.Context(), true); err != nil || b.text("x.md") != "" {
		t.Errorf("%v, %q", err, b.text("x.md"))
	}
}

// TestJoin has machines of one host name join: each has a name of its own, and keeps it. What looks like the same
// project is named.
func TestJoin(t *testing.T) {
	t.Parallel()
	remote := bare(t)
	var alike []string
	join := func(m *machine, name string) string {
		t.Helper()
		err := m.Join(t.Context(), JoinRequest{Remote: remote, Name: name}, func(p Preview) error { alike = p.Alike; return nil })
		if err != nil {
			t.Fatal(err)
		}
		return m.state().MachineName
	}
	a, b, c := newMachine(t, 0), newMachine(t, 0), newMachine(t, 0)
	first, second, third := join(a, "shop"), join(b, "shop"), join(c, "shop")
	if second != first+"-2" || third != first+"-3" || alike != nil {
		t.Errorf("%q, %q, %q, %v", first, second, third, alike)
	}
	if err := b.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	if again := join(b, "shop"); again != second {
		t.Errorf("%q, once %q", again, second)
	}
	id := a.state().Identity.id()
	d := newMachine(t, 0)
	if join(d, "Shop"); len(alike) != 1 || alike[0] != id {
		t.Errorf("alike are %v, want %s", alike, id)
	}
	if e := newMachine(t, 0); join(e, id) != first+"-4" {
		t.Error("it is not the memory of that ID: ", e.state())
	}
}

// TestNamesThatStay has memories that some system could not have: they stay, with their lines of the index, and that is
// said.
func TestNamesThatStay(t *testing.T) {
	t.Parallel()
	remote := bare(t)
	a := join(t, remote, "desk", 0)
	index := "- [A](a.md) — a\n- [Notes](<my notes (old).md>) — n\n- [B](b.md) — b\n- [Deep](x/y/z.md) — z\n- [Quote](a%20b'c.md)\n- [gone](gone.md)\n"
	a.write("MEMORY.md", index)
	os.MkdirAll(filepath.Join(a.dir, "x", "y"), 0o700)
	for _, file := range []string{"a.md", "b.md", "my notes (old).md", "a b'c.md", "x/y/z.md"} {
		a.write(file, file+"\n")
	}
	a.sync()
	b := join(t, remote, "laptop", 0)
	if want := "- [A](a.md) — a\n- [B](b.md) — b\n- [gone](gone.md)\n"; b.text("MEMORY.md") != want {
		t.Errorf("%q", b.text("MEMORY.md"))
	}
	b.write("a.md", "more\n")
	b.sync()
	a.sync()
	if a.text("MEMORY.md") != index || a.text("a.md") != "more\n" {
		t.Errorf("%q", a.text("MEMORY.md"))
	}
	traffic, err := a.Traffic(t.Context())
	if err != nil || phrase.Few(traffic.Staying, MaxNamed) != "a b'c.md, my notes (old).md, x/y/z.md" || traffic.Waiting != nil || !strings.HasPrefix(traffic.From, "laptop") ||
		phrase.Few(traffic.Pulled, MaxNamed) != "a.md" {
		t.Errorf("%+v, %v", traffic, err)
	}
	defer a.Store.Lock()()
	dir, err := a.Store.Dir(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	if said := strings.Join(a.Warnings(dir), "\n"); !strings.Contains(said, "never sent") || !strings.Contains(said, "my notes (old).md") {
		t.Error(said)
	}
}

// TestCrashAfterMerge fails after a merge has landed and before that is noted, as a crash does: nothing is merged
// twice, so that what is deleted then stays deleted.
func TestCrashAfterMerge(t *testing.T) {
	remote := bare(t)
	a, b := join(t, remote, "desk", 0), join(t, remote, "laptop", 0)
	a.write("x.md", "one\n")
	a.write("y.md", "new\n")
	a.sync()
	b.full = true
	if err := b.Sync(t.Context(), false); err == nil {
		t.Fatal("it did not fail")
	}
	b.full = false
	if b.text("y.md") == "" {
		t.Fatal("it had not landed")
	}
	os.Remove(filepath.Join(b.dir, "y.md"))
	b.sync()
	a.sync()
	if a.text("y.md") != "" || a.text("x.md") != "one\n" {
		t.Errorf("%q, %q", a.text("y.md"), a.text("x.md"))
	}
}

func TestHostileRemote(t *testing.T) {
	remote := bare(t)
	a := join(t, remote, "desk", 0)
	a.write("x.md", "one\n")
	a.sync()
	good, ref := a.state().Base, customRefs+Identity{Name: "x"}.id()+memoryRef
	work := filepath.Join(t.TempDir(), "work")
	sh(t, t.TempDir(), "git", "clone", "-q", "--no-checkout", remote, work)
	sh(t, work, "git", "fetch", "-q", "origin", ref)
	commit := func(text string) {
		t.Helper()
		sh(t, work, "git", "checkout", "-q", "-f", good)
		os.WriteFile(filepath.Join(work, "memory", "x.md"), []byte(text), 0o600)
		sh(t, work, "git", "commit", "-q", "-a", "-m", "x")
		sh(t, work, "git", "push", "-q", "-f", "origin", "HEAD:"+ref)
	}
	for text, why := range map[string]string{
		"one\npassword: hunter2-Gx81kQz0\n":        "x.md, line 2: this line holds a credential",
		"one\nhid\u200bden\n":                      "x.md, line 2: characters that nobody sees",
		strings.Repeat("x", memory.MaxReadBytes+1): "more than a memory has",
	} {
		commit(text)
		a.stopped(why)
		if a.text("x.md") != "one\n" {
			t.Errorf("%q was taken over", a.text("x.md"))
		}
	}
	// Another history.
	sh(t, work, "git", "checkout", "-q", "--orphan", "other")
	sh(t, work, "git", "commit", "-q", "-m", "x")
	sh(t, work, "git", "push", "-q", "-f", "origin", "HEAD:"+ref)
	a.stopped("history was replaced")
	if !strings.Contains(a.state().Stopped, good[:12]) || a.text("x.md") != "one\n" {
		t.Error(a.state().Stopped)
	}
	// When the old one is back, all continues.
	sh(t, work, "git", "push", "-q", "-f", "origin", good+":"+ref)
	a.write("x.md", "one\ntwo\n")
	if a.sync(); a.state().Stopped != "" {
		t.Error(a.state().Stopped)
	}
}

// TestDaemon shares by git's own protocol.
func TestDaemon(t *testing.T) {
	t.Parallel()
	remote := bare(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Skip("NOT TESTED: ", err)
	}
	port := listener.Addr().(*net.TCPAddr).Port
	listener.Close()
	daemon := exec.Command(filepath.Join(sh(t, remote, "git", "--exec-path"), "git-daemon"), "--reuseaddr", "--listen=127.0.0.1", fmt.Sprint("--port=", port), "--export-all", "--enable=receive-pack", "--base-path="+filepath.Dir(remote))
	if err := daemon.Start(); err != nil {
		t.Skip("NOT TESTED: ", err)
	}
	defer daemon.Wait()
	defer daemon.Process.Kill()
	for range 100 {
		if c, err := net.Dial("tcp", fmt.Sprint("127.0.0.1:", port)); err == nil {
			c.Close()
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	story(t, fmt.Sprintf("git://127.0.0.1:%d/%s", port, filepath.Base(remote)))
}

// story has two machines share by an address.
func story(t *testing.T, address string) {
	t.Helper()
	a := join(t, address, "desk", 0)
	a.write("x.md", "one\n")
	a.sync()
	if err := a.acquire(); err != nil {
		t.Fatal(err)
	}
	b := join(t, address, "laptop", 0)
	var held *HeldError
	if err := b.acquire(); !errors.As(err, &held) || b.text("x.md") != "one\n" {
		t.Errorf("%v, %q", err, b.text("x.md"))
	}
}

// TestBranches shares by a server that accepts branches only.
func TestBranches(t *testing.T) {
	remote := bare(t)
	hook := filepath.Join(remote, "hooks", "update")
	os.MkdirAll(filepath.Dir(hook), 0o700)
	os.WriteFile(hook, []byte("#!/bin/sh\ncase $1 in refs/heads/*) exit 0;; esac\nexit 1\n"), 0o700)
	story(t, remote)
	if refs := sh(t, remote, "git", "for-each-ref", "--format=%(refname)"); !strings.HasPrefix(refs, branchRefs) {
		t.Error(refs)
	}
}

func TestTeam(t *testing.T) {
	s := &link{Share: newMachine(t, 0).Share, State: State{Team: true}}
	topic := func(kind, more string) []byte {
		return []byte("---\nname: x\nmetadata:\n  type: " + kind + "\n" + more + "---\nbody\n")
	}
	local := Files{
		name(t, "p.md"): topic("project", "  sources: [s:1]\n"), name(t, "u.md"): topic("user", ""), name(t, "f.md"): topic("feedback", ""),
		name(t, "two.md"):    []byte("---\nname: x\ntype: project\nmetadata:\n  type: user\n---\nbody\n"),
		name(t, "owt.md"):    []byte("---\nname: x\ntype: user\nmetadata:\n  type: project\n---\nbody\n"),
		name(t, "twice.md"):  []byte("---\nname: x\nmetadata: {type: project}\nType: user\n---\nbody\n"),
		name(t, "MEMORY.md"): []byte("# About Jo\n- [P](p.md) — p\n- [U](u.md) — u\nprivate words\n"),
	}
	got := view(local, true)
	if len(got) != 2 || string(got[name(t, "p.md")]) != string(topic("project", "")) || string(got[memory.IndexName]) != "- [P](p.md) — p\n" {
		t.Errorf("%s", got)
	}
	// What the others changed comes in, and what is private stays and stays here.
	theirs := Files{name(t, "p.md"): append(topic("project", ""), "more\n"...), name(t, "q.md"): topic("reference", ""), memory.IndexName: []byte("- [P](p.md) — p\n- [Q](q.md) — q\n")}
	merged, _, err := s.merge(got, local, theirs)
	if err != nil || string(merged[name(t, "p.md")]) != string(topic("project", "  sources: [s:1]\n"))+"more\n" || merged[name(t, "u.md")] == nil ||
		string(merged[memory.IndexName]) != "# About Jo\n- [P](p.md) — p\n- [Q](q.md) — q\n- [U](u.md) — u\nprivate words\n" && string(merged[memory.IndexName]) != "# About Jo\n- [P](p.md) — p\n- [U](u.md) — u\n- [Q](q.md) — q\nprivate words\n" {
		t.Errorf("%s %v", merged, err)
	}
	for _, hostile := range []Files{{name(t, "u.md"): topic("project", "")}, {name(t, "z.md"): topic("feedback", "")}} {
		if _, _, err := s.merge(Files{}, local, hostile); err == nil {
			t.Errorf("%s was taken over", hostile)
		}
	}
}

// A dream does not wait long for a sync of another process, which may hang.
func TestSyncOfAnotherProcessHangs(t *testing.T) {
	t.Parallel()
	a := join(t, bare(t), "a", 0)
	other := ops.Open(ops.Options{MemoryDir: a.dir, StateHome: a.Store.StateHome})
	defer other.Records.Close()
	unlock, err := other.Records.LockFile(t.Context(), lockFile, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	ctx, cancel := context.WithTimeout(t.Context(), (dreamWait+answerWait)/2) // less than it may take with a remote that answers slowly
	defer cancel()
	if err := a.Prepare(ctx); err != nil {
		t.Errorf("the beginning of a dream: %v", err)
	}
	if _, reached := a.LeaseLost(ctx); reached || ctx.Err() != nil {
		t.Errorf("the end of a dream: reached %v, %v", reached, ctx.Err())
	}
}
