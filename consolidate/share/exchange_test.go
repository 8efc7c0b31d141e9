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
	"testing"
	"time"

	"dream-mcp/memory"
)

// disk is a memory in a folder, without the rules of a dream.
type disk struct {
	dir        string
	id, commit string
	read       time.Time
}

func (d *disk) Read() (Files, error) {
	files := Files{}
	all, err := filepath.Glob(filepath.Join(d.dir, "*.md"))
	for _, p := range all {
		n, _ := memory.ParseName(filepath.Base(p))
		files[n], err = os.ReadFile(p)
	}
	return files, err
}

func (d *disk) Landed() (id, commit string, err error) { return d.id, d.commit, nil }

func (d *disk) Land(_ context.Context, commit, _ string, merge func(Files) (Files, error)) (string, error) {
	have, err := d.Read()
	if err != nil {
		return "", err
	}
	next, err := merge(have)
	if err != nil {
		return "", err
	}
	for n := range have {
		os.Remove(filepath.Join(d.dir, n.String()))
	}
	for n, data := range next {
		os.WriteFile(filepath.Join(d.dir, n.String()), data, 0o600)
	}
	d.id, d.commit = d.id+"x", commit
	return d.id, nil
}

func (d *disk) LastRead() (time.Time, error) { return d.read, nil }

func (d *disk) write(file, text string) {
	os.WriteFile(filepath.Join(d.dir, file), []byte(text), 0o600)
}

func (d *disk) text(file string) string {
	data, _ := os.ReadFile(filepath.Join(d.dir, file))
	return string(data)
}

// join makes a machine that shares by remote, with its clock off by skew.
func join(t *testing.T, remote, machine string, skew time.Duration) (*Share, *disk) {
	t.Helper()
	s, err := Begin(t.Context(), Options{StateDir: t.TempDir(), Now: func() time.Time { return time.Now().Add(skew) }}, remote, Identity{Name: "x"}, machine, false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	d := &disk{dir: t.TempDir()}
	if err := s.Exchange(t.Context(), d, false); err != nil {
		t.Fatal(err)
	}
	return s, d
}

func TestLease(t *testing.T) {
	remote := bare(t)
	a, _ := join(t, remote, "desk", 0)
	b, _ := join(t, remote, "laptop", -366*24*time.Hour)
	boot, clock := "one", time.Hour
	b.sinceBoot = func() (string, time.Duration) { return boot, clock }
	if err := a.Acquire(t.Context()); err != nil {
		t.Fatal(err)
	}
	held := func(left time.Duration) {
		t.Helper()
		var held *HeldError
		if err := b.Acquire(t.Context()); !errors.As(err, &held) || held.Name != "desk" || held.Left != left {
			t.Fatalf("%v, want %v left", err, left)
		}
	}
	held(leaseTerm)
	clock += 40 * time.Minute
	held(20 * time.Minute)
	if err := a.Acquire(t.Context()); err != nil { // renewed: the term begins again
		t.Fatal(err)
	}
	clock += 40 * time.Minute
	held(leaseTerm)
	boot, clock = "two", time.Minute // what was before a boot does not count
	held(leaseTerm)
	clock += leaseTerm
	if err := b.Acquire(t.Context()); err != nil {
		t.Fatal(err)
	}
	if holds, err := a.Holds(t.Context()); holds || err != nil {
		t.Errorf("the lease that was taken over is held: %v", err)
	}
	if err := a.Release(t.Context()); err != nil || a.Held != "" {
		t.Error(err)
	}
	if holds, err := b.Holds(t.Context()); !holds || err != nil {
		t.Errorf("releasing one that was taken over ended it: %v", err)
	}
	if err := b.Release(t.Context()); err != nil {
		t.Error(err)
	}
	if err := a.Acquire(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestLeaseRace has machines reach for one lease at once: in each round one gets it.
func TestLeaseRace(t *testing.T) {
	remote := bare(t)
	all := make([]*Share, 6)
	for i := range all {
		all[i], _ = join(t, remote, fmt.Sprint("m", i), 0)
	}
	for round := range 5 {
		var winners atomic.Int32
		var winner atomic.Pointer[Share]
		var wait sync.WaitGroup
		for _, s := range all {
			wait.Go(func() {
				if s.Acquire(t.Context()) == nil {
					winners.Add(1)
					winner.Store(s)
				}
			})
		}
		wait.Wait()
		if n := winners.Load(); n != 1 {
			t.Fatalf("round %d: %d hold the lease", round, n)
		}
		if err := winner.Load().Release(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

func TestExchange(t *testing.T) {
	remote := bare(t)
	a, atA := join(t, remote, "desk", 366*24*time.Hour)
	b, atB := join(t, remote, "laptop", -366*24*time.Hour)
	exchange := func(s *Share, d *disk) {
		t.Helper()
		if err := s.Exchange(t.Context(), d, false); err != nil {
			t.Fatal(err)
		}
	}
	atA.write("x.md", "one\ntwo\n")
	exchange(a, atA)
	exchange(b, atB)
	if got := atB.text("x.md"); got != "one\ntwo\n" {
		t.Fatalf("%q", got)
	}
	atA.read = time.Now().Add(366 * 24 * time.Hour)
	exchange(a, atA)
	exchange(b, atB)
	if b.DreamedBy != "desk" || b.Dreamed.After(time.Now().Add(-300*24*time.Hour)) {
		t.Errorf("a dream of %q was seen %v", b.DreamedBy, b.Dreamed)
	}
	// Who dies between landing and noting it merges nothing twice.
	atA.write("x.md", "one\ntwo\nthree\n")
	atA.write("y.md", "new\n")
	exchange(a, atA)
	was := b.State
	exchange(b, atB)
	os.Remove(filepath.Join(atB.dir, "y.md"))
	b.State = was
	exchange(b, atB)
	exchange(a, atA)
	if got := atA.text("y.md"); got != "" || atB.text("x.md") != "one\ntwo\nthree\n" {
		t.Errorf("%q, %q", got, atB.text("x.md"))
	}
	// A repository here that was lost is made again.
	if err := os.RemoveAll(b.git.dir); err != nil {
		t.Fatal(err)
	}
	var err error
	if b.git, err = openGit(t.Context(), b.git.dir); err != nil {
		t.Fatal(err)
	}
	exchange(b, atB)
	atB.write("x.md", "one\ntwo\nthree\nfour\n")
	exchange(b, atB)
	sh(t, b.git.dir, "git", "gc", "-q", "--prune=now")
	exchange(b, atB)
	// An empty memory is no order to delete, and neither is a remote without the ref.
	os.Remove(filepath.Join(atB.dir, "x.md"))
	stopped(t, b, atB, "is not sent as their deletion")
	sh(t, remote, "git", "update-ref", "-d", a.ref(memoryRef))
	stopped(t, a, atA, "no longer has the memory")
	if atA.text("x.md") == "" {
		t.Error("a deleted ref deleted a memory")
	}
}

func stopped(t *testing.T, s *Share, d *disk, why string) {
	t.Helper()
	var stop *StopError
	if err := s.Exchange(t.Context(), d, false); !errors.As(err, &stop) || !strings.Contains(err.Error(), why) || s.Stopped == "" {
		t.Errorf("%v, want %q", err, why)
	}
}

func TestHostileRemote(t *testing.T) {
	remote := bare(t)
	a, atA := join(t, remote, "desk", 0)
	atA.write("x.md", "one\n")
	if err := a.Exchange(t.Context(), atA, false); err != nil {
		t.Fatal(err)
	}
	good, ref := a.Base, a.ref(memoryRef)
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
		"one\npassword: hunter2-Gx81kQz0\n":        "x.md, line 2, holds a credential",
		"one\nhid\u200bden\n":                      "x.md, line 2, holds the invisible character",
		strings.Repeat("x", memory.MaxFileBytes+1): "more than a memory has",
	} {
		commit(text)
		stopped(t, a, atA, why)
		if atA.text("x.md") != "one\n" {
			t.Errorf("%q was taken over", atA.text("x.md"))
		}
	}
	// Another history.
	sh(t, work, "git", "checkout", "-q", "--orphan", "other")
	sh(t, work, "git", "commit", "-q", "-m", "x")
	sh(t, work, "git", "push", "-q", "-f", "origin", "HEAD:"+ref)
	stopped(t, a, atA, "history was replaced")
	if !strings.Contains(a.Stopped, good[:12]) || atA.text("x.md") != "one\n" {
		t.Error(a.Stopped)
	}
	// When the old one is back, all goes on.
	sh(t, work, "git", "push", "-q", "-f", "origin", good+":"+ref)
	atA.write("x.md", "one\ntwo\n")
	if err := a.Exchange(t.Context(), atA, false); err != nil || a.Stopped != "" {
		t.Error(err)
	}
}

// TestDaemon shares by git's own protocol.
func TestDaemon(t *testing.T) {
	remote := bare(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Skip("NOT TESTED: ", err)
	}
	port := listener.Addr().(*net.TCPAddr).Port
	listener.Close()
	daemon := exec.Command("git", "daemon", "--reuseaddr", "--listen=127.0.0.1", fmt.Sprint("--port=", port), "--export-all", "--enable=receive-pack", "--base-path="+filepath.Dir(remote))
	group(daemon)
	if err := daemon.Start(); err != nil {
		t.Skip("NOT TESTED: ", err)
	}
	defer daemon.Wait()
	defer kill(daemon)
	for range 100 {
		if c, err := net.Dial("tcp", fmt.Sprint("127.0.0.1:", port)); err == nil {
			c.Close()
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	address := fmt.Sprintf("git://127.0.0.1:%d/%s", port, filepath.Base(remote))
	a, atA := join(t, address, "desk", 0)
	atA.write("x.md", "one\n")
	if err := errors.Join(a.Exchange(t.Context(), atA, false), a.Acquire(t.Context())); err != nil {
		t.Fatal(err)
	}
	b, atB := join(t, address, "laptop", 0)
	var held *HeldError
	if err := b.Acquire(t.Context()); !errors.As(err, &held) || atB.text("x.md") != "one\n" {
		t.Errorf("%v, %q", err, atB.text("x.md"))
	}
}

// TestBranches shares by a server that takes branches and no other refs.
func TestBranches(t *testing.T) {
	remote := bare(t)
	hook := filepath.Join(remote, "hooks", "update")
	os.MkdirAll(filepath.Dir(hook), 0o700)
	os.WriteFile(hook, []byte("#!/bin/sh\ncase $1 in refs/heads/*) exit 0;; esac\nexit 1\n"), 0o700)
	a, atA := join(t, remote, "desk", 0)
	atA.write("x.md", "one\n")
	if err := a.Exchange(t.Context(), atA, false); err != nil || a.Refs != branchRefs {
		t.Fatal(err, a.Refs)
	}
	if err := a.Acquire(t.Context()); err != nil {
		t.Fatal(err)
	}
	b, atB := join(t, remote, "laptop", 0)
	if atB.text("x.md") != "one\n" || b.Refs != branchRefs {
		t.Error(atB.text("x.md"), b.Refs)
	}
}

func TestTeam(t *testing.T) {
	s := &Share{State: State{Team: true}}
	topic := func(kind, more string) []byte {
		return []byte("---\nname: x\nmetadata:\n  type: " + kind + "\n" + more + "---\nbody\n")
	}
	local := Files{
		name(t, "p.md"): topic("project", "  sources: [s:1]\n"), name(t, "u.md"): topic("user", ""), name(t, "f.md"): topic("feedback", ""),
		name(t, "MEMORY.md"): []byte("# About Jo\n- [P](p.md) — p\n- [U](u.md) — u\nprivate words\n"),
	}
	got := s.view(local)
	if len(got) != 2 || string(got[name(t, "p.md")]) != string(topic("project", "")) || string(got[indexName]) != "- [P](p.md) — p\n" {
		t.Errorf("%s", got)
	}
	// What the others changed comes in, and what is private stays and stays here.
	theirs := Files{name(t, "p.md"): append(topic("project", ""), "more\n"...), name(t, "q.md"): topic("reference", ""), indexName: []byte("- [P](p.md) — p\n- [Q](q.md) — q\n")}
	merged, _, err := s.merge(got, local, theirs)
	if err != nil || string(merged[name(t, "p.md")]) != string(topic("project", "  sources: [s:1]\n"))+"more\n" || merged[name(t, "u.md")] == nil ||
		string(merged[indexName]) != "# About Jo\n- [P](p.md) — p\n- [Q](q.md) — q\n- [U](u.md) — u\nprivate words\n" && string(merged[indexName]) != "# About Jo\n- [P](p.md) — p\n- [U](u.md) — u\n- [Q](q.md) — q\nprivate words\n" {
		t.Errorf("%s %v", merged, err)
	}
	for _, hostile := range []Files{{name(t, "u.md"): topic("project", "")}, {name(t, "z.md"): topic("feedback", "")}} {
		if _, _, err := s.merge(Files{}, local, hostile); err == nil {
			t.Errorf("%s was taken over", hostile)
		}
	}
}
