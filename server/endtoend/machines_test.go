package endtoend

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

var (
	machines     = flag.Int("machines", 3, "how many machines share a memory in TestMachines")
	machineSteps = flag.Int("steps", 12, "what each of them does")
	machineSeed  = flag.Uint64("seed", 1, "by which they choose")
)

// gitShim is called in place of git. It counts the calls of one run of the program, and at one of them kills the
// program, before git runs or after, or has git fail, be slow, or fail after it has done its work.
const gitShim = `#!/bin/sh
n=0
if [ -n "$SHIM_COUNT" ]; then
	read n <"$SHIM_COUNT"
	n=$((n + 1))
	echo $n >"$SHIM_COUNT"
fi
if [ "$n" = "${SHIM_AT:-none}" ]; then
	case "$SHIM_DOES" in
	kill) kill -9 $PPID; exit 1 ;;
	kill-later) "$REAL_GIT" "$@"; kill -9 $PPID; exit 1 ;;
	fail) echo "fatal: the remote end hung up unexpectedly" >&2; exit 128 ;;
	lose) "$REAL_GIT" "$@" >/dev/null 2>&1; echo "fatal: the remote end hung up unexpectedly" >&2; exit 128 ;;
	slow) sleep 1 ;;
	esac
fi
exec "$REAL_GIT" "$@"
`

// fleet is some machines, with a home and a checkout each, that share one memory.
type fleet struct {
	t       *testing.T
	dir     string
	remote  string
	realGit string

	mu      sync.Mutex
	trace   map[string][]string
	made    map[string]string // in which memory each was added
	lines   map[string]string // that somebody added: "added", "removed" or "unsure"
	dreams  []span
	unnamed map[string]bool // memories whose line an undo has removed
	landed  int             // of dreams
	renamed int
	faults  int
	kills   int
	refused map[string]int
}

// span is a dream during which its machine held the lease.
type span struct {
	machine  int
	from, to time.Time
}

// a machine of the fleet.
type machine struct {
	*fleet
	n      int
	clock  string // how far it is off
	home   string
	dir    string
	memory string
	r      *rand.Rand
	serial int
}

func (f *fleet) git(args ...string) string {
	f.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_AUTHOR_NAME=x", "GIT_AUTHOR_EMAIL=x@y", "GIT_COMMITTER_NAME=x", "GIT_COMMITTER_EMAIL=x@y")
	out, err := cmd.CombinedOutput()
	if err != nil {
		f.t.Fatalf("%v: %v: %s", args, err, out)
	}
	return string(out)
}

// run runs the program on m with what the shim is to do, and returns what it printed and whether it was killed.
func (m *machine) run(fault []string, args ...string) (out string, err error) {
	cmd := m.command(fault, args...)
	var b bytes.Buffer
	cmd.Stdout, cmd.Stderr = &b, &b
	err = cmd.Run()
	return b.String(), err
}

func (m *machine) command(fault []string, args ...string) *exec.Cmd {
	cmd := exec.Command(binary(), args...)
	cmd.Dir = m.dir
	cmd.Env = append(slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "CLAUDE") || strings.HasPrefix(v, "XDG") }),
		"HOME="+m.home, clockVariable+"="+m.clock, "REAL_GIT="+m.realGit, "GIT_CONFIG_GLOBAL=/dev/null", "PATH="+filepath.Join(m.fleet.dir,
			"shim")+string(filepath.ListSeparator)+os.Getenv("PATH"))
	cmd.Env = append(cmd.Env, fault...)
	return cmd
}

// fault chooses what goes wrong in the next run: nothing as a rule.
func (m *machine) fault() []string {
	if m.r.IntN(3) > 0 {
		return nil
	}
	count := filepath.Join(m.home, "count")
	os.WriteFile(count, []byte("0\n"), 0o600)
	does := []string{"kill", "kill-later", "fail", "lose", "slow"}[m.r.IntN(5)]
	m.mu.Lock()
	m.faults++
	m.mu.Unlock()
	return []string{"SHIM_COUNT=" + count, fmt.Sprintf("SHIM_AT=%d", 3+m.r.IntN(14)), "SHIM_DOES=" + does}
}

func (m *machine) topics() []string {
	all, _ := filepath.Glob(filepath.Join(m.memory, "*.md"))
	return slices.DeleteFunc(all, func(p string) bool { return filepath.Base(p) == "MEMORY.md" })
}

// marked are the lines that the test made, each unique.
var marked = regexp.MustCompile(`(?m)^fact-\d+-\d+ .*$`)

func (m *machine) fact() string {
	m.serial++
	return fmt.Sprintf("fact-%d-%d of this machine", m.n, m.serial)
}

// read returns the lines that m has, and in which memory.
func (m *machine) read() map[string]string {
	found := make(map[string]string)
	for _, p := range m.topics() {
		data, _ := os.ReadFile(p)
		for _, line := range marked.FindAllString(string(data), -1) {
			found[line] = p
		}
	}
	return found
}

func (f *fleet) noteBy(by int, state string, lines ...string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, line := range lines {
		f.trace[line] = append(f.trace[line], fmt.Sprintf("%s %s by machine %d", time.Now().Format("15:04:05.000"), state, by))
		if have := f.lines[line]; have != unsure && !(have == "removed" && state == "added") {
			f.lines[line] = state
		}
	}
}

// add notes a line that is new in the memory p.
func (m *machine) add(p, line string) {
	m.mu.Lock()
	m.made[line] = filepath.Base(p)
	m.mu.Unlock()
	m.note("added", line)
}

// deleted notes that a whole memory was deleted. Where another machine edits it at that time it stays as that one has
// it, with lines that others had removed meanwhile.
func (m *machine) deleted(p string) {
	m.mu.Lock()
	var lines []string
	for line, where := range m.made {
		if where == filepath.Base(p) {
			lines = append(lines, line)
		}
	}
	m.mu.Unlock()
	m.note(unsure, lines...)
}

func (m *machine) note(state string, lines ...string) { m.noteBy(m.n, state, lines...) }

// changed notes what an undo did here. What an undo brings back another machine may remove, or have removed.
func (m *machine) changed(before map[string]string) {
	now := m.read()
	for line, p := range before {
		if _, err := os.Stat(p); now[line] == "" && err != nil {
			m.deleted(p)
		} else if now[line] == "" {
			m.note("removed", line)
		}
	}
	for line := range now {
		if before[line] == "" {
			m.note(unsure, line)
		}
	}
}

// unsure is the state of a line that may be there in the end or not. It stays.
const unsure = "unsure"

func (m *machine) write(p, text string) {
	temp := p + ".new"
	if err := errors.Join(os.WriteFile(temp, []byte(text), 0o600), os.Rename(temp, p)); err != nil {
		m.t.Error(err)
	}
}

func (m *machine) step() {
	all := m.topics()
	pick := func() string { return all[m.r.IntN(len(all))] }
	switch k := m.r.IntN(20); {
	case k < 4 && len(all) > 0: // a line more
		p, fact := pick(), m.fact()
		data, _ := os.ReadFile(p)
		lines := strings.SplitAfter(string(data), "\n")
		at := len(lines) - 1
		if m.r.IntN(2) == 0 && at > 7 {
			at = 7 + m.r.IntN(at-7)
		}
		m.write(p, strings.Join(slices.Insert(lines, at, fact+"\n"), ""))
		m.add(p, fact)
	case k < 6 && len(all) > 0: // a line less
		p := pick()
		data, _ := os.ReadFile(p)
		if facts := marked.FindAllString(string(data), -1); len(facts) > 0 {
			gone := facts[m.r.IntN(len(facts))]
			m.write(p, strings.Replace(string(data), "\n"+gone+"\n", "\n", 1))
			m.note("removed", gone)
		}
	case k < 7 && len(all) > 2: // a memory less
		p := pick()
		os.Remove(p)
		m.deleted(p)
	case k < 9: // a memory more
		m.create(filepath.Join(m.memory, fmt.Sprintf("topic-%d-%d.md", m.n, m.serial)))
	case k < 10: // the same name on several machines
		p := filepath.Join(m.memory, fmt.Sprintf("shared-%d.md", m.r.IntN(3)))
		if _, err := os.Stat(p); err != nil {
			m.create(p)
		}
	case k < 11 && len(all) > 0: // a credential, for a while
		p := pick()
		data, _ := os.ReadFile(p)
		m.write(p, string(data)+"password: "+planted+"\n")
		if out, err := m.run(nil, "share", "--now"); err == nil {
			m.t.Errorf("a credential was sent: %s", out)
		}
		now, _ := os.ReadFile(p)
		m.write(p, strings.ReplaceAll(string(now), "password: "+planted+"\n", ""))
	case k < 12:
		before, named := m.read(), m.named()
		m.run(nil, "undo")
		m.changed(before)
		now := m.named()
		maps.DeleteFunc(named, func(file string, _ bool) bool { return now[file] })
		m.mu.Lock()
		maps.Copy(m.unnamed, named)
		m.mu.Unlock()
	case k < 13 && len(all) > 0:
		m.rename(pick())
	case k < 15:
		m.dream()
	default:
		out, err := m.run(m.fault(), "share", "--now")
		m.outcome(out, err)
	}
}

// inIndex matches the links of an index.
var inIndex = regexp.MustCompile(`\]\(([^)]*\.md)\)`)

// named returns the memories to which the index of m links.
func (m *machine) named() map[string]bool {
	index, _ := os.ReadFile(filepath.Join(m.memory, "MEMORY.md"))
	return linked(string(index))
}

func linked(index string) map[string]bool {
	named := make(map[string]bool)
	for _, link := range inIndex.FindAllStringSubmatch(index, -1) {
		named[link[1]] = true
	}
	return named
}

const planted = "Zx81-hunter2-Qk7vLp"

func (m *machine) create(p string) {
	fact := m.fact()
	m.write(p, "---\nname: topic\ndescription: what machine "+fmt.Sprint(m.n)+" knows\nmetadata:\n  type: project\n---\n\n"+fact+"\n")
	m.add(p, fact)
}

// outcome counts how a run ended. A fault of the remote or a kill is not an error; a fault of the program is.
func (m *machine) outcome(out string, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case err == nil:
	case strings.Contains(err.Error(), "killed"):
		m.kills++
	default:
		why, _, _ := strings.Cut(out[max(strings.Index(out, "error: "), 0):], "\n")
		m.refused[why[:min(len(why), 90)]]++
	}
}

// serve starts a server. tool calls a tool, and returns "" once the server has ended.
func (m *machine) serve(fault []string) (tool func(name string, arguments map[string]any) string, end func()) {
	cmd := m.command(fault, "serve")
	in, _ := cmd.StdinPipe()
	out, _ := cmd.StdoutPipe()
	if err := cmd.Start(); err != nil {
		m.t.Error(err)
	}
	answers := bufio.NewReaderSize(out, 1<<20)
	id := 0
	call := func(method string, params any) string {
		id++
		data, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params})
		if _, err := in.Write(append(data, '\n')); err != nil {
			return ""
		}
		for {
			line, err := answers.ReadString('\n')
			if err != nil {
				return ""
			}
			if strings.Contains(line, fmt.Sprintf(`"id":%d`, id)) && strings.Contains(line, `"jsonrpc"`) {
				return line
			}
		}
	}
	call("initialize", map[string]any{"protocolVersion": "2025-11-25", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "x", "version": "1"}})
	return func(name string, arguments map[string]any) string {
		return call("tools/call", map[string]any{"name": name, "arguments": arguments})
	}, func() { in.Close(); cmd.Wait() }
}

// rename gives a memory another name, as a model does, and sometimes a title that names the old one.
func (m *machine) rename(p string) {
	m.serial++
	old, to := filepath.Base(p), fmt.Sprintf("project_renamed-%d-%d.md", m.n, m.serial)
	data, err := os.ReadFile(p)
	if err != nil {
		return
	}
	hash := sha256.Sum256(data)
	arguments := map[string]any{"path": to, "replaces": []map[string]any{{"path": old, "base": hex.EncodeToString(hash[:])[:12]}}}
	if m.r.IntN(2) == 0 {
		arguments["index"] = map[string]any{"title": "was " + old, "text": "renamed"}
	}
	tool, end := m.serve(nil)
	answer := tool("write_memory", arguments)
	end()
	if strings.Contains(answer, `"isError":true`) {
		m.outcome("error: rename: "+answer, errors.New("refused"))
		return
	}
	m.mu.Lock()
	m.renamed++
	m.mu.Unlock()
	m.deleted(p)
}

// dream adds a memory by a dream, if the gates and the lease allow one.
func (m *machine) dream() {
	fault := m.fault()
	if m.r.IntN(4) > 0 && strings.Contains(strings.Join(fault, " "), "kill") {
		fault = nil // the lease of a dream that was killed keeps the others from dreaming for an hour
	}
	tool, end := m.serve(fault)
	began := tool("dream_orient", map[string]any{"force": true})
	if began == "" || strings.Contains(began, `"isError":true`) {
		end()
		m.expire(fault)
		m.outcome("error: dream: "+regexp.MustCompile(`refused[^"]*`).FindString(began), errors.New("refused"))
		return
	}
	s := span{machine: m.n, from: time.Now()}
	fact := m.fact()
	name := fmt.Sprintf("found-%d-%d.md", m.n, m.serial)
	text := "---\nname: " + fact + "\ndescription: what a dream of machine " + fmt.Sprint(m.n, "-", m.serial) +
		" found\nmetadata:\n  type: project\n---\n\n" + fact + "\n"
	written := tool("write_memory", map[string]any{"path": name, "content": text, "waive": []map[string]any{{"rule": "near-duplicate", "why": "a test"}}})
	if strings.Contains(written, `"isError":true`) {
		m.mu.Lock()
		m.refused["write: "+written[:min(len(written), 300)]]++
		m.mu.Unlock()
	}
	m.mu.Lock()
	m.made[fact] = name
	m.mu.Unlock()
	time.Sleep(time.Duration(m.r.IntN(600)) * time.Millisecond) // so that others find it open
	s.to = time.Now()
	if m.r.IntN(5) == 0 {
		tool("abort_dream", map[string]any{"reason": "a test"})
	} else {
		tool("finalize_index", map[string]any{"adopt": true})
	}
	end()
	m.run(nil, "status") // recovers what a kill left
	m.expire(fault)
	if m.read()[fact] != "" {
		m.add(name, fact)
		m.mu.Lock()
		m.landed++
		m.mu.Unlock()
	}
	if fault == nil {
		m.mu.Lock()
		m.dreams = append(m.dreams, s)
		m.mu.Unlock()
	}
}

// expire ends the lease of a process that was killed, which otherwise keeps the others from dreaming for an hour.
func (m *machine) expire(fault []string) {
	if !strings.Contains(strings.Join(fault, " "), "kill") {
		return
	}
	for line := range strings.Lines(m.git("-C", m.remote, "for-each-ref", "--format=%(refname) %(objectname) %(authoremail)")) {
		if f := strings.Fields(line); strings.HasSuffix(f[0], "/lease") && strings.Contains(f[2], m.id()) {
			exec.Command("git", "-C", m.remote, "update-ref", "-d", f[0], f[1]).Run() // somebody else may have released it
		}
	}
}

// id is what m is called in commits.
func (m *machine) id() string {
	out, _ := m.run(nil, "share", "--status", "--json")
	found := regexp.MustCompile(`"machine": *"([^"]*)"`).FindStringSubmatch(out)
	if found == nil {
		m.t.Error(out)
		return "none"
	}
	return found[1]
}

func newFleet(t *testing.T, n int, seed uint64) (*fleet, []*machine) {
	if runtime.GOOS == "windows" {
		t.Skip("NOT TESTED: the shim before git is a shell script")
	}
	real, err := exec.LookPath("git")
	if err != nil {
		t.Skip("NOT TESTED: git is missing")
	}
	f := &fleet{t: t, dir: t.TempDir(), realGit: real, lines: map[string]string{}, trace: map[string][]string{},
		made: map[string]string{}, refused: map[string]int{}, unnamed: map[string]bool{}}
	f.remote = filepath.Join(f.dir, "remote.git")
	os.Mkdir(filepath.Join(f.dir, "shim"), 0o700)
	if err := os.WriteFile(filepath.Join(f.dir, "shim", "git"), []byte(gitShim), 0o700); err != nil {
		t.Fatal(err)
	}
	f.git("init", "-q", "--bare", f.remote)
	origin := filepath.Join(f.dir, "origin")
	f.git("init", "-q", origin)
	f.git("-C", origin, "commit", "-q", "--allow-empty", "-m", "first")
	all, clocks := make([]*machine, n), []string{"0s", "8760h", "-8760h"} // right, a year ahead, a year late
	for i := range all {
		m := &machine{fleet: f, n: i, clock: clocks[i%len(clocks)], home: filepath.Join(f.dir, fmt.Sprint("home", i)),
			dir: filepath.Join(f.dir, fmt.Sprint("checkout", i)), r: rand.New(rand.NewPCG(seed, uint64(i)))}
		os.Mkdir(m.home, 0o700)
		f.git("clone", "-q", origin, m.dir)
		f.git("-C", m.dir, "remote", "set-url", "origin", "https://example.com/team/project.git")
		status, err := m.run(nil, "status", "--json")
		found := regexp.MustCompile(`"memory_dir": *"([^"]*)"`).FindStringSubmatch(status)
		if found == nil {
			t.Fatal(status, err)
		}
		m.memory = found[1]
		os.MkdirAll(m.memory, 0o700)
		if i < 2 { // each of the first has a memory of its own
			m.create(filepath.Join(m.memory, "shared-0.md"))
			m.create(filepath.Join(m.memory, fmt.Sprintf("own-%d.md", i)))
			m.write(filepath.Join(m.memory, "MEMORY.md"), fmt.Sprintf("- [Shared](shared-0.md) — a hook of %d\n- [Own](own-%d.md) — mine\n", i, i))
		}
		began := time.Now()
		if out, err := m.run(nil, "share", f.remote, "--yes"); err != nil {
			t.Fatal(out)
		}
		if i == n-1 {
			t.Logf("the last machine joined in %v", time.Since(began).Round(time.Millisecond))
		}
		all[i] = m
	}
	return f, all
}

// TestMachines has machines edit, dream and undo over one shared memory, with a remote that fails and processes that
// are killed at their calls of git. In the end all have the same memory, with every line that nobody removed, and none
// that somebody did.
func TestMachines(t *testing.T) {
	t.Parallel()
	dependOnSources(t)
	f, all := newFleet(t, *machines, *machineSeed)
	var wait sync.WaitGroup
	for _, m := range all {
		wait.Go(func() {
			for range *machineSteps {
				m.step()
			}
		})
	}
	wait.Wait()
	for i := 0; f.landed == 0; i++ { // where the others were in its way, or all were interrupted
		if i == 10 {
			t.Fatal("no dream has landed")
		}
		all[0].dream()
	}
	f.settle(all)
	f.check(all)
}

// settle syncs all machines until nothing moves.
func (f *fleet) settle(all []*machine) {
	time.Sleep(2 * time.Second) // what killed processes had started may still push
	last := ""
	for range 10 {
		for _, m := range all {
			if out, err := m.run(nil, "share", "--now"); err != nil {
				f.t.Errorf("machine %d: %s", m.n, out)
			}
		}
		now := f.git("-C", f.remote, "for-each-ref", "--format=%(objectname) %(refname)")
		if now == last {
			return
		}
		last = now
	}
	f.t.Error("the machines do not stop syncing")
}

// story returns what became of a line, once.
func (f *fleet) story(line string) string {
	said := f.trace[line]
	delete(f.trace, line)
	if said == nil {
		return ""
	}
	ref := strings.Fields(f.git("-C", f.remote, "for-each-ref", "--format=%(refname)", "refs/dream-mcp/*/memory"))[0]
	return "\n" + strings.Join(said, "\n") + "\n" + f.git("-C", f.remote, "log", "--reverse", "--format=%cd %ce %s", "-p", "-G", line, ref)
}

func (f *fleet) check(all []*machine) {
	var lost, back, markers int
	for _, m := range all {
		have := m.read()
		for line, state := range f.lines {
			if state == "added" && have[line] == "" {
				lost++
				f.t.Errorf("machine %d: %q is lost%s", m.n, line, f.story(line))
			}
			if state == "removed" && have[line] != "" {
				back++
				f.t.Errorf("machine %d: %q is back%s", m.n, line, f.story(line))
			}
		}
		if !maps.Equal(sharedFiles(m.memory), sharedFiles(all[0].memory)) {
			f.t.Errorf("machine %d has not the memory of machine 0:\n%v\n%v", m.n, sharedFiles(m.memory), sharedFiles(all[0].memory))
		}
		for p, sum := range sharedFiles(m.memory) {
			if data, _ := os.ReadFile(filepath.Join(m.memory, p)); bytes.Contains(data, []byte("<<<<<<<")) || bytes.Contains(data, []byte(">>>>>>>")) {
				markers++
				f.t.Errorf("%s (%s) has conflict markers", p, sum)
			}
		}
		if out, err := m.run(nil, "doctor"); err != nil && !strings.Contains(out, "hosts") {
			f.t.Errorf("machine %d: %s", m.n, out)
		}
	}
	objects := f.git("-C", f.remote, "cat-file", "--batch-all-objects", "--batch")
	secrets := strings.Count(objects, planted)
	if secrets > 0 {
		f.t.Errorf("%d credentials were pushed", secrets)
	}
	double := 0
	slices.SortFunc(f.dreams, func(a, b span) int { return a.from.Compare(b.from) })
	for i, a := range f.dreams {
		for _, b := range f.dreams[i+1:] {
			if b.from.Before(a.to) {
				double++
				f.t.Errorf("machines %d and %d had a dream open at once", a.machine, b.machine)
			}
		}
	}
	// A memory that once had a line keeps one, unless an undo took it. Those of several machines may have been made
	// again by hand.
	once, now, bare := linked(f.git("-C", f.remote, "log", "-p", "--format=", "--glob=refs/dream-mcp/*/memory", "--", "memory/MEMORY.md")), all[0].named(), 0
	for p := range sharedFiles(all[0].memory) {
		if once[p] && !now[p] && !f.unnamed[p] && !strings.HasPrefix(p, "shared-") {
			bare++
			f.t.Errorf("no line of the index links to %s, which had one", p)
		}
	}
	unsureLines := 0
	for _, state := range f.lines {
		if state == unsure {
			unsureLines++
		}
	}
	f.t.Logf("%d machines: %d lines made (%d that may be there or not), %d dreams, %d landed, %d renamed, %d faults, %d kills; lost %d, resurrected %d, without a line %d, markers %d, double dreams %d, credentials %d",
		len(all), len(f.lines), unsureLines, len(f.dreams), f.landed, f.renamed, f.faults, f.kills, lost, back, bare, markers, double, secrets)
	for why, n := range f.refused {
		f.t.Logf("%d times %s", n, why)
	}
}

// sharedFiles returns the sums of the files that are shared.
func sharedFiles(dir string) map[string]string {
	sums := make(map[string]string)
	filepath.WalkDir(dir, func(p string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(p, ".md") {
			return err
		}
		file, err := os.Open(p)
		if err != nil {
			return err
		}
		defer file.Close()
		hash := sha256.New()
		io.Copy(hash, file)
		rel, _ := filepath.Rel(dir, p)
		sums[rel] = hex.EncodeToString(hash.Sum(nil)[:6])
		return nil
	})
	return sums
}

// TestKilledSync has one call of git after the other go wrong while both machines have something to sync: of few
// machines every tenth.
func TestKilledSync(t *testing.T) {
	t.Parallel()
	dependOnSources(t)
	f, all := newFleet(t, 2, *machineSeed)
	a, b := all[0], all[1]
	count := filepath.Join(f.dir, "count")
	stride := 10
	if *machines > 3 {
		stride = 1
	}
	for i, does := range []string{"kill", "kill-later", "fail", "lose"} {
		for at, calls := 1+i%stride, 99; at <= calls; at += stride {
			for _, m := range all {
				m.create(filepath.Join(m.memory, fmt.Sprintf("topic-%d-%d.md", m.n, m.serial)))
			}
			b.run(nil, "share", "--now")
			os.WriteFile(count, []byte("0\n"), 0o600)
			a.run([]string{"SHIM_COUNT=" + count, fmt.Sprint("SHIM_AT=", at), "SHIM_DOES=" + does}, "share", "--now")
			made, _ := os.ReadFile(count)
			fmt.Sscan(string(made), &calls)
			if calls >= at { // it went wrong
				calls = 99
			}
		}
	}
	f.settle(all)
	f.check(all)
}
