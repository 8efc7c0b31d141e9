package consolidate

import (
	"context"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"dream-mcp/consolidate/history"
	"dream-mcp/consolidate/lock"
	"dream-mcp/consolidate/ops"
	"dream-mcp/consolidate/state"
	"dream-mcp/consolidate/transcript/search"
	"dream-mcp/consolidate/transcript/sessions"
	"dream-mcp/memory"
)

var (
	inject = flag.Int("inject", 10, "how many deaths, faults and false failures TestInject, TestFalseFailures and their like try; 0: every one; from 1000 on other tests take no samples either")
	seed   = flag.Uint64("seed", 1, "of what they try")
)

// every is how far apart the steps are that a test tries: n, or 1 where -inject asks for more than samples.
func every(n int) int {
	if *inject == 0 || *inject >= 1000 {
		return 1
	}
	return n
}

// operations are those that a test tries whose preparation takes long.
func operations() []string {
	if every(2) > 1 {
		return []string{"commit", "undo", "write"}
	}
	return slices.Sorted(maps.Keys(script))
}

// Names in the state folder, as every version of the program has them.
const (
	stageKept  = history.StageKept
	keptNewest = 20
)

// world is a memory directory with one project over it, on a clock of its own.
type world struct {
	t        *testing.T
	memory   string
	state    string
	mu       sync.Mutex // protects now
	now      time.Time
	swept    bool // a temporary may stay until the next change
	replaced bool // a file or folder of ours was replaced meanwhile: what was noted in it is lost
}

var start = time.Date(2026, 11, 18, 9, 0, 0, 0, time.UTC)

const topicText = "---\nname: %s\ndescription: about %s\nmetadata:\n  type: %s\n---\n\nThe body of %s.\n"

func topic(name, kind string) string { return fmt.Sprintf(topicText, name, name, kind, name) }

func newWorld(t *testing.T) *world {
	return newWorldIn(t, filepath.Join(t.TempDir(), "memory"), t.TempDir())
}

func newWorldIn(t *testing.T, memory, state string) *world {
	w := &world{t: t, memory: memory, state: state, now: start}
	os.MkdirAll(w.memory, 0o700)
	w.put("a.md", topic("a", "project"))
	w.put("b.md", topic("b", "reference"))
	w.put("c.md", topic("c", "project"))
	w.put("d.md", topic("d", "project"))
	w.put("e.md", topic("e", "feedback"))
	w.say("said", "no, the better body of a")
	w.put("MEMORY.md", "- [a](a.md) — about a\n- [b](b.md) — about b\n- [c](c.md) — about c\n- [d](d.md) — about d\n- [e](e.md) — about e\n")
	return w
}

// emptyDatabase is a new database, created once: that takes longer than most operations.
var emptyDatabase = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	db, err := state.Open(dir, state.Options{})
	if err != nil {
		return nil, err
	}
	if err := db.Close(); err != nil {
		return nil, err
	}
	return os.ReadFile(filepath.Join(dir, state.File))
})

// putDatabase gives the memory an empty database, as if nothing had been done with it yet.
func (w *world) putDatabase() {
	w.t.Helper()
	data, err := emptyDatabase()
	folder := ops.FolderOf(w.state, w.memory, "")
	w.mustDo(errors.Join(err, os.MkdirAll(folder, 0o700), os.WriteFile(filepath.Join(folder, state.File), data, 0o600)))
}

func (w *world) put(name, content string) {
	if err := os.WriteFile(filepath.Join(w.memory, name), []byte(content), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

// say writes a transcript in which the person said one thing.
func (w *world) say(session, words string) {
	line := fmt.Sprintf(`{"type":"user","sessionId":%q,"cwd":"/p","timestamp":"2026-11-17T09:00:00.000Z","uuid":%q,"message":{"role":"user","content":%q}}`+"\n", session, session+"/1", words)
	os.MkdirAll(w.transcripts(), 0o700)
	if err := os.WriteFile(filepath.Join(w.transcripts(), session+".jsonl"), []byte(line), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

// transcripts is the folder of what was said, where a child process finds it too.
func (w *world) transcripts() string { return filepath.Join(w.state, "transcripts") }

// stampHost sets Claude Code's lock file.
func (w *world) stampHost(body string, at time.Time) {
	w.put(lock.HostFile, body)
	os.Chtimes(filepath.Join(w.memory, lock.HostFile), at, at)
}

func (w *world) hostStamp() string {
	info, err := os.Stat(filepath.Join(w.memory, lock.HostFile))
	if err != nil {
		return "absent"
	}
	body, _ := os.ReadFile(filepath.Join(w.memory, lock.HostFile))
	return fmt.Sprintf("%q %s", body, info.ModTime().UTC().Format(time.RFC3339Nano))
}

// clock returns the time of the world. A dream asks for it in another goroutine.
func (w *world) clock() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

func (w *world) setNow(now time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = now
}

func (w *world) options() Options {
	return Options{
		Options:     ops.Options{MemoryDir: w.memory, StateHome: w.state, Now: w.clock},
		Transcripts: search.Open(sessions.Options{Folders: []string{w.transcripts()}}),
		Enabled:     Switch{On: true, Why: "on"}, MinHours: 24, MinSessions: 0,
	}
}

func (w *world) open() *Project {
	p := Open(w.options())
	w.t.Cleanup(func() { p.Close("the test ended") })
	return p
}

// complete completes an interrupted landing.
func complete(p *Project) error {
	defer p.Store.Lock()()
	return p.Store.Complete(ctx)
}

// dirOf opens the memory directory.
func dirOf(p *Project) (*memory.Dir, error) {
	defer p.Store.Lock()()
	return p.Store.Dir(ctx)
}

// withFileLock calls do under the file lock.
func withFileLock(p *Project, do func(*memory.Dir) error) error {
	defer p.Store.Lock()()
	return p.Store.WithFileLock(ctx, do)
}

// logOf returns the log, the oldest entry first, after it has completed an interrupted landing.
func logOf(p *Project) (entries []ops.LogEntry, err error) {
	if err := complete(p); err != nil {
		return nil, err
	}
	for e, err := range p.Store.Records.Newest(state.LogQuery{}) {
		if err != nil {
			return nil, err
		}
		entries = append(entries, e)
	}
	slices.Reverse(entries)
	return entries, nil
}

func (w *world) database(p *Project) *state.DB {
	db := p.Store.Records.DB()
	if err := db.Err(); err != nil {
		w.t.Fatal(err)
	}
	return db
}

// aside is what a test adds to the name of what it replaces.
const aside = ".aside"

// files returns what lies in the memory directory, without the two locks. Folders end in "/".
func (w *world) files() map[string]string {
	files := map[string]string{}
	filepath.WalkDir(w.memory, func(p string, e fs.DirEntry, err error) error {
		if err != nil || p == w.memory {
			return err
		}
		if name := strings.TrimSuffix(e.Name(), aside); name == lock.File || name == lock.HostFile {
			if e.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		rel, _ := filepath.Rel(w.memory, p)
		if w.swept && isTemp(e.Name()) {
			return nil
		}
		if e.IsDir() {
			files[filepath.ToSlash(rel)+"/"] = ""
			return nil
		}
		data, err := os.ReadFile(p)
		files[filepath.ToSlash(rel)] = string(data)
		return err
	})
	return files
}

func isTemp(name string) bool {
	return strings.HasPrefix(name, ".dream-") && strings.HasSuffix(name, ".tmp")
}

func (w *world) lockRecordSize() int64 {
	info, err := os.Stat(filepath.Join(w.memory, lock.File))
	if err != nil {
		return 0
	}
	return info.Size()
}

func sum(content string) string { return memory.SumOf([]byte(content)).Short() }

var ctx = context.Background()

func same(a, b map[string]string) bool { return maps.Equal(a, b) }

// differences says which files of two memories differ, and how.
func differences(got, want map[string]string) string {
	var b strings.Builder
	for _, file := range slices.Sorted(maps.Keys(got)) {
		if _, wanted := want[file]; !wanted {
			fmt.Fprintf(&b, "\n%s is there", file)
		} else if got[file] != want[file] {
			fmt.Fprintf(&b, "\n%s is %q, want %q", file, got[file], want[file])
		}
	}
	for _, file := range slices.Sorted(maps.Keys(want)) {
		if _, there := got[file]; !there {
			fmt.Fprintf(&b, "\n%s is missing", file)
		}
	}
	return b.String()
}

func (w *world) read(name string) string {
	data, err := os.ReadFile(filepath.Join(w.memory, name))
	if err != nil {
		return ""
	}
	return string(data)
}

func name(t *testing.T, path string) memory.Name {
	t.Helper()
	n, err := memory.ParseName(path)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func (w *world) mustDo(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) must(_ WriteResult, err error) { w.t.Helper(); w.mustDo(err) }

// query runs a statement on the database, and returns the first column of what it finds; nil if there is no database.
func (w *world) query(statement string, args ...any) (found []string) {
	w.t.Helper()
	paths, _ := filepath.Glob(filepath.Join(w.state, "*", state.File))
	if len(paths) != 1 {
		return nil
	}
	db, err := sql.Open("sqlite", paths[0]+"?_pragma=busy_timeout(5000)")
	w.mustDo(err)
	defer db.Close()
	rows, err := db.Query(statement, args...)
	w.mustDo(err)
	defer rows.Close()
	columns, err := rows.Columns()
	w.mustDo(err)
	for rows.Next() {
		var s string
		into := make([]any, len(columns))
		for i := range into {
			into[i] = new(any)
		}
		into[0] = &s
		w.mustDo(rows.Scan(into...))
		found = append(found, s)
	}
	w.mustDo(rows.Err())
	return found
}

// breakTable makes every insertion into a table fail until the function it returns is called.
func (w *world) breakTable(table string) (repair func()) {
	if err := w.open().Store.Records.DB().Err(); err != nil { // creates it
		w.t.Fatal(err)
	}
	w.query("CREATE TRIGGER broken BEFORE INSERT ON " + table + " BEGIN SELECT RAISE(FAIL, 'broken by the test'); END")
	return func() { w.query("DROP TRIGGER broken") }
}
