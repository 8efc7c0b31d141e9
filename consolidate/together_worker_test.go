//go:build linux

package consolidate

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"dream-mcp/consolidate/lock"
	"dream-mcp/consolidate/ops"
	"dream-mcp/memory"
)

// worker is what a process of TestTogether is to do.
type worker struct {
	Role, Memory, State, History string
	Slot                         int
	Seed                         uint64
	Until                        time.Time

	random  *rand.Rand
	history *os.File
	op      int
	tokens  int
	bases   map[string][]string // of the open dream: what its writes of each file were based on
}

const workerVariable = "DREAM_TEST_WORKER"

// sharedFiles are written by everybody; a foreign editor exchanges them, so that it knows what it
// displaced. looseFiles are those that a foreign editor replaces as editors do: each has one editor.
var (
	sharedFiles = []string{"f0.md", "f1.md", "f2.md", "f3.md", "f4.md", "f5.md", "f6.md", "f7.md"}
	looseFiles  = []string{"g0.md", "g1.md", "g2.md"}
)

const indexFile = memory.IndexFile

// tokenTopic is a content that no other write has.
func tokenTopic(file, token string) string {
	name := strings.TrimSuffix(file, ".md")
	return fmt.Sprintf("---\nname: %s\ndescription: what is known of %s\nmetadata:\n  type: project\n---\n\nThe word of the day is %s.\n", name, name, token)
}

// event is a line of a history. Times are CLOCK_MONOTONIC, which all processes share, in ns.
type event struct {
	At     int64               `json:"at"`
	Since  int64               `json:"since,omitempty"` // when what is reported began
	Op     int                 `json:"op"`
	What   string              `json:"what"`
	Path   string              `json:"path,omitempty"`
	From   string              `json:"from,omitempty"`
	To     string              `json:"to,omitempty"`
	ID     string              `json:"id,omitempty"`
	Left   []string            `json:"left,omitempty"`
	Staged map[string]string   `json:"staged,omitempty"` // by path, of a dream: the sum that it should have
	Bases  map[string][]string `json:"bases,omitempty"`  // by path, of a dream: the sums that its writes were based on
}

func monotonic() int64 {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts); err != nil {
		panic(err)
	}
	return ts.Nano()
}

// A worker does its work before the tests of the binary would begin.
func init() {
	order := os.Getenv(workerVariable)
	if order == "" {
		return
	}
	var k worker
	if err := json.Unmarshal([]byte(order), &k); err != nil {
		panic(err)
	}
	var err error
	if k.history, err = os.OpenFile(k.History, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600); err != nil {
		panic(err)
	}
	k.random = rand.New(rand.NewPCG(k.Seed, 2))
	work := map[string]func(*Project){"dreamer": k.dream, "writer": k.write, "undoer": k.undo, "host": k.host, "foreign": k.foreign, "meddler": k.meddle}[k.Role]
	o := (&world{memory: k.Memory, state: k.State}).options()
	o.Now, o.Step = nil, k.step
	p := Open(o)
	for time.Now().Before(k.Until) {
		k.op++
		work(p)
		time.Sleep(time.Duration(k.random.IntN(20)) * time.Millisecond)
	}
	os.Exit(0)
}

// hints is a pipe by which processes of ours tell the meddlers which file they are about to replace.
var hints = os.NewFile(3, "hints")

// meddle edits a file in the moment in which somebody lands a change of it.
func (k *worker) meddle(*Project) {
	path, err := bufio.NewReaderSize(hints, 16).ReadString('\n')
	if err != nil {
		os.Exit(0) // all others have ended
	}
	for range 1 + k.random.IntN(6) {
		k.exchange(strings.TrimSpace(path))
	}
}

// step notes a step of an operation, and dawdles or dies there now and then.
func (k *worker) step(name string) {
	k.note(event{What: "step " + name})
	if action, path, lands := strings.Cut(name, " "); lands && action != "created" && !slices.Contains(looseFiles, path) && k.random.IntN(4) == 0 {
		hints.WriteString(path + "\n")
		for until := monotonic() + int64(k.random.IntN(150_000)); monotonic() < until; {
		}
		return
	}
	switch n := k.random.IntN(150); {
	case n == 0:
		unix.Kill(os.Getpid(), unix.SIGKILL)
		select {}
	case n < 30:
		k.pause(4)
	}
}

// note appends to the history in one write, which a death leaves whole.
func (k *worker) note(e event) {
	if e.At == 0 {
		e.At = monotonic()
	}
	e.Op = k.op
	line, _ := json.Marshal(e)
	if _, err := k.history.Write(append(line, '\n')); err != nil {
		panic(err)
	}
}

// end notes how a call ended: what it was acknowledged as, or why not.
func (k *worker) end(what string, err error, e event) {
	var (
		busy     *lock.BusyError
		base     *ops.BaseError
		conflict *ops.ConflictError
	)
	switch {
	case err == nil:
		e.What = "acknowledged " + what
	case errors.As(err, &base), errors.As(err, &conflict):
		e.What = "conflict"
	case errors.As(err, &busy), errors.Is(err, ErrLost):
		e.What = "busy"
	default:
		e.What = "refused " + err.Error()
	}
	k.note(e)
}

func (k *worker) token() string {
	k.tokens++
	return fmt.Sprintf("w%dx%dx%d", k.Slot, k.Seed&0xffff, k.tokens)
}

func (k *worker) pick(lists ...[]string) string {
	var all []string
	for _, l := range lists {
		all = append(all, l...)
	}
	return all[k.random.IntN(len(all))]
}

func (k *worker) pause(ms int) { time.Sleep(time.Duration(k.random.IntN(1+ms)) * time.Millisecond) }

// change reads a memory, as a model does, thinks, and writes over what it has read.
func (k *worker) change(p *Project, e *event) (path string, err error) {
	path = k.pick(sharedFiles, looseFiles)
	found, err := p.Read(ctx, []string{path})
	if err != nil {
		return path, err
	}
	k.pause(5)
	r := WriteRequest{Path: path, Base: found[0].Sum.Short(), Waive: []ops.Waiver{{Rule: "near-duplicate", Why: "they are alike"}}}
	if found[0].Sum != "" && k.random.IntN(4) == 0 {
		r.Delete = true
	} else {
		r.Content = new(tokenTopic(path, k.token()))
	}
	res, err := p.Write(ctx, r)
	e.Path, e.From, e.To = path, r.Base, res.Sum
	e.ID = strings.TrimPrefix(res.Undo, "dream-mcp undo ")
	for _, f := range res.Findings {
		if f.Rule == "conflict" {
			e.Left = append(e.Left, f.File)
		}
	}
	return path, err
}

func (k *worker) write(p *Project) {
	var e event
	k.note(event{What: "call"})
	_, err := k.change(p, &e)
	p.Reported(err)
	k.end("write", err, e)
}

func (k *worker) dream(p *Project) {
	k.note(event{What: "call"})
	resume := k.random.IntN(4) == 0
	k.bases = map[string][]string{}
	if err := p.Begin(ctx, true, resume); err != nil {
		k.end("dream", err, event{})
		return
	}
	k.note(event{What: "held"})
	staged := map[string]string{}
	for range k.random.IntN(5) {
		var e event
		path, err := k.change(p, &e)
		switch {
		case err == nil:
			staged[path] = e.To
			k.bases[path] = append(k.bases[path], e.From)
		case errors.Is(err, ErrLost):
			k.end("dream", err, event{})
			return
		}
		k.note(event{What: "held"})
	}
	if k.random.IntN(4) == 0 {
		_, _, err := p.Abort(ctx, "on second thoughts")
		k.end("abort", err, event{})
		return
	}
	accept := map[string]string{}
	for _, file := range append(sharedFiles, looseFiles...) {
		accept[file] = "it is a test"
	}
	res, err := p.Finalize(ctx, ops.FinalizeRequest{Adopt: true, AcceptLoss: accept})
	if resume {
		k.bases = nil // what was staged before had bases of its own
	}
	e := event{Staged: staged, Bases: k.bases, ID: strings.TrimPrefix(res.Undo, "dream-mcp undo ")}
	for _, f := range res.Findings {
		if f.Rule == "conflict" {
			e.Left = append(e.Left, f.File)
		}
	}
	if err != nil {
		p.Abort(ctx, "it could not be finalized") // where it is still open
	}
	k.end("dream", err, e)
}

func (k *worker) undo(p *Project) {
	k.pause(100)
	k.note(event{What: "call"})
	id := ""
	if entries, err := logOf(p); err == nil && len(entries) > 0 && k.random.IntN(2) == 0 {
		id = entries[k.random.IntN(len(entries))].ID
	}
	res, err := p.History.Undo(ctx, id)
	k.end("undo", err, event{ID: res.ID})
}

// host is Claude Code's dream, by the protocol of its lock in one of its two formats. It holds the lock
// by nothing else. Where it succeeds it leaves its PID there, and ends.
func (k *worker) host(*Project) {
	k.pause(900)
	file := filepath.Join(k.Memory, lock.HostFile)
	since := monotonic()
	newer := k.random.IntN(2) == 0
	var prior time.Time
	if info, err := os.Stat(file); err == nil {
		body, _ := os.ReadFile(file)
		first, second, _ := strings.Cut(string(body), "\n")
		pid, _ := strconv.Atoi(first)
		prior = info.ModTime()
		if ms, err := strconv.ParseFloat(second, 64); err == nil && newer {
			prior = time.UnixMicro(int64(ms * 1000))
		}
		if pid != 0 && pid != os.Getpid() && time.Since(prior) < time.Hour && syscall.Kill(pid, 0) == nil {
			return
		}
	}
	k.note(event{What: "free", Since: since})
	me := []byte(strconv.Itoa(os.Getpid()))
	if newer {
		me = fmt.Appendf(me, "\n%d", time.Now().UnixMilli())
	}
	if os.WriteFile(file, me, 0o600) != nil {
		return
	}
	if body, _ := os.ReadFile(file); !bytes.Equal(body, me) {
		k.note(event{What: "outrun"})
		return
	}
	k.note(event{What: "verified"})
	for range k.random.IntN(4) {
		k.exchange(k.pick(sharedFiles, []string{indexFile}))
		k.pause(20)
	}
	k.note(event{What: "released"})
	switch {
	case k.random.IntN(2) == 0:
		os.Exit(0)
	case prior.IsZero():
		os.Remove(file)
	case newer:
		os.WriteFile(file, fmt.Appendf(nil, "\n%f", float64(prior.UnixMicro())/1000), 0o600)
	default:
		os.WriteFile(file, nil, 0o600)
		os.Chtimes(file, prior, prior)
	}
	k.note(event{What: "gone"})
}

// foreign edits memories and the index without any lock.
func (k *worker) foreign(*Project) {
	k.pause(12)
	if k.random.IntN(3) == 0 {
		k.replace(looseFiles[k.Slot%len(looseFiles)])
	} else {
		k.exchange(k.pick(sharedFiles, []string{indexFile}))
	}
}

// edited is what a foreign edit makes of a file.
func (k *worker) edited(path string, old []byte) []byte {
	if path != indexFile {
		return []byte(tokenTopic(path, k.token()))
	}
	kept, _, _ := strings.Cut(string(old), "\n<!-- ")
	return []byte(strings.TrimRight(kept, "\n") + "\n\n<!-- " + k.token() + " -->\n")
}

// exchange edits a file in one step that returns what it displaced.
func (k *worker) exchange(path string) {
	target, temp := filepath.Join(k.Memory, path), k.History+".temp"
	old, _ := os.ReadFile(target)
	data := k.edited(path, old)
	os.Remove(temp) // which may still be a name of what was put there before
	if err := os.WriteFile(temp, data, 0o600); err != nil {
		panic(err)
	}
	since := monotonic()
	e := event{What: "edited", Since: since, Path: path, To: string(memory.SumOf(data))}
	if err := unix.Renameat2(unix.AT_FDCWD, temp, unix.AT_FDCWD, target, unix.RENAME_EXCHANGE); err == nil {
		displaced, err := os.ReadFile(temp)
		if err != nil {
			panic(err)
		}
		e.From = string(memory.SumOf(displaced))
	} else if err := os.Link(temp, target); err != nil {
		return // it went, or came, in this moment
	}
	k.note(e)
}

// replace edits a loose file as an editor does: by a rename, or in place.
func (k *worker) replace(path string) {
	target, temp := filepath.Join(k.Memory, path), k.History+".temp"
	seen := ""
	if old, err := os.ReadFile(target); err == nil {
		seen = string(memory.SumOf(old))
	} else if !errors.Is(err, fs.ErrNotExist) {
		panic(err)
	}
	data := k.edited(path, nil)
	e := event{What: "replaced", Since: monotonic(), Path: path, From: seen, To: string(memory.SumOf(data))}
	if k.random.IntN(2) == 0 {
		os.Remove(temp)
		if err := os.WriteFile(temp, data, 0o600); err != nil {
			panic(err)
		}
		if err := os.Rename(temp, target); err != nil {
			panic(err)
		}
	} else {
		e.What = "rewritten"
		if err := os.WriteFile(target, data, 0o600); err != nil {
			panic(err)
		}
	}
	k.note(e)
}
