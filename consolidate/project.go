package consolidate

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"dream-mcp/consolidate/lock"
	"dream-mcp/consolidate/transcript"
	"dream-mcp/consolidate/transcript/listing"
	"dream-mcp/memory"
	"dream-mcp/memory/rule/drift"
	"dream-mcp/memory/secret"
)

// Limits and defaults of DESIGN.
const (
	DefaultMinHours    = 24
	DefaultMinSessions = 5
	DefaultLease       = time.Hour
	momentWait         = 2 * time.Second    // how long a lock held for a moment is waited for
	throttleSpan       = 10 * time.Minute   // between two scans that find too few sessions
	stageKept          = 7 * 24 * time.Hour // how long the stage of a dream that did not land is kept
)

// Switch is the gate "enabled" as the host's settings have it.
type Switch struct {
	On        bool
	MemoryOff bool // memory itself is switched off: nothing opens the gate, and single writes are refused too
	Why       string
}

// Options say which memory, whose transcripts, and when. Only MemoryDir, StateHome and Transcripts
// are required.
type Options struct {
	MemoryDir    string // need not exist
	ProjectDir   string // the checkout that the memory speaks of; "": what it says of files is not checked
	StateHome    string // our state folder of all projects
	Transcripts  *transcript.Store
	Enabled      Switch
	Reread       func() (s Switch, ok bool) // Enabled as it is now, asked at each call that it decides; nil: it does not change
	MinHours     float64
	MinSessions  int
	Host         string         // the program that started us
	Session      string         // the caller's session
	Warnings     []string       // what a person should know of the settings
	AllowSecrets secret.Allowed // values that are masked nowhere, and no finding
	MaxArchive   int64          // bytes; see retention
	Unattended   bool           // nobody watches: the stricter law of losses, and no writes outside a dream
	CleanupDays  int            // after which the host sweeps a transcript that was not touched; 0: never
	LookOnly     bool           // for who watches: makes no folder, and notes no scan
	Propose      bool           // what an unattended dream would land waits for the person
	Lease        time.Duration
	Now          func() time.Time
	Step         func(string)     // told each step of a commit, if not nil
	Changed      func(uri string) // told each resource that changed, if not nil
}

// Project is the memory of one project and the dreams over it. It is safe for concurrent use: one
// operation runs at a time.
type Project struct {
	o     Options
	key   string // names our folder of this memory
	mu    sync.Mutex
	state *os.Root // nil until it is needed
	dream *dream   // the open dream of this process
	over  error    // why a dream ended between two calls, until the next call is told

	folder  *os.Root // of o.ProjectDir, nil until it is needed
	subject *drift.Project

	seen *Watch // at the last Poll

	asked    bool // the person asked for dreams on this connection
	prompted bool // the prompt dream was read on this connection

	counted scan // the sessions, at the last count of this process
	lists   listing.Book

	pruned bool // the archive was, by this process
}

// Open returns the project of o. It touches no file.
func Open(o Options) *Project {
	if o.Now == nil {
		// Without its monotonic part: a lease runs on while the machine sleeps.
		o.Now = func() time.Time { return time.Now().Round(0) }
	}
	if o.Lease == 0 {
		o.Lease = DefaultLease
	}
	if o.MaxArchive == 0 {
		o.MaxArchive = DefaultMaxArchive
	}
	if o.Changed == nil {
		o.Changed = func(string) {}
	}
	o.MemoryDir = realPath(o.MemoryDir)
	return &Project{o: o, key: stateKey(o.MemoryDir)}
}

// reread asks again what the person has switched off.
func (p *Project) reread() {
	if p.o.Reread == nil {
		return
	}
	if s, ok := p.o.Reread(); ok {
		p.o.Enabled = s
	}
}

// refuseOff fails where memory is switched off.
func (p *Project) refuseOff() error {
	if !p.o.Enabled.MemoryOff {
		return nil
	}
	return &RequestError{"memory is switched off: " + p.o.Enabled.Why, "nothing is written while it is; only the person switches it on, where that says"}
}

// Close ends what is open: a dream is rolled back, its stage kept.
func (p *Project) Close(reason string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	var err error
	if p.dream != nil {
		err = p.end(Aborted, reason)
	}
	p.o.Transcripts.Close()
	err = errors.Join(err, p.closeState())
	if p.folder != nil {
		err = errors.Join(err, p.folder.Close())
		p.folder, p.subject = nil, nil
	}
	return err
}

func (p *Project) closeState() error {
	if p.state == nil {
		return nil
	}
	err := p.state.Close()
	p.state = nil
	return err
}

// CalledIn says in which session of the host the calls that follow are made, where that was not known when the project was opened.
func (p *Project) CalledIn(session string) {
	if !p.o.Transcripts.SetCurrent(session) {
		return // as with every call but the first: no operation is waited for
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.o.Session = session
}

// MemoryDir returns the real path of the memory directory.
func (p *Project) MemoryDir() string { return p.o.MemoryDir }

// Allowed returns what the person has declared to be no secret. All else that looks like one is masked
// before it leaves, at the latest by whoever renders it.
func (p *Project) Allowed() secret.Allowed { return p.o.AllowSecrets }

// StateDir returns the folder with our journal, stages and archive of this memory.
func (p *Project) StateDir() string { return filepath.Join(p.o.StateHome, p.key) }

// ReadSessions begins to read in the background what was said in the sessions, so that the first search does not wait for it.
// Close ends it.
func (p *Project) ReadSessions() { p.o.Transcripts.DigestLater() }

// digestFolder holds the digests of transcripts, which are swept where they are made.
const digestFolder = "digests"

// DigestDir returns the folder for the digests of the transcripts that belong to a memory.
func DigestDir(stateHome, memoryDir string) string {
	return filepath.Join(stateHome, stateKey(realPath(memoryDir)), "said")
}

// OtherHost names the host of a session where it is not the one that asks; "" where it is. A program that is not known asks as
// Claude Code, whose memory it is.
func (p *Project) OtherHost(h transcript.Host) string {
	if h == cmp.Or(transcript.Host(p.o.Host), transcript.ClaudeCode) {
		return ""
	}
	return string(h)
}

// Now returns the present time as the project sees it.
func (p *Project) Now() time.Time { return p.o.Now() }

// realPath resolves the links of as much of path as exists, so that a directory has one key before
// and after it is made.
func realPath(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	rest := ""
	for p := path; ; p = filepath.Dir(p) {
		if real, err := filepath.EvalSymlinks(p); err == nil {
			return filepath.Join(real, rest)
		}
		if p == filepath.Dir(p) {
			return path
		}
		rest = filepath.Join(filepath.Base(p), rest)
	}
}

// stateKey names a memory directory: a readable part, and a hash that no other directory has.
func stateKey(dir string) string {
	name := filepath.Base(dir)
	if name == "memory" {
		name = filepath.Base(filepath.Dir(dir))
	}
	name = strings.Map(func(r rune) rune {
		if r < 0x80 && (r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_') {
			return r
		}
		return '-'
	}, name)
	name = strings.Trim(name[max(0, len(name)-40):], "-")
	sum := sha256.Sum256([]byte(dir))
	return name + "-" + hex.EncodeToString(sum[:6])
}

// openState opens our folder of this memory, making it where there is none.
func (p *Project) openState() (*os.Root, error) {
	if p.state != nil {
		ours, err := p.state.Stat(dreamFolder)
		if there, thereErr := os.Stat(filepath.Join(p.StateDir(), dreamFolder)); err == nil && thereErr == nil && os.SameFile(ours, there) {
			return p.state, nil
		}
		p.state.Close() // it was removed or replaced
		p.state = nil
	}
	if p.o.LookOnly {
		root, err := memory.OpenRoot(p.StateDir())
		p.state = root
		return root, err
	}
	if err := os.MkdirAll(p.StateDir(), 0o700); err != nil {
		return nil, err
	}
	root, err := memory.OpenRoot(p.StateDir())
	if err != nil {
		return nil, err
	}
	err = root.MkdirAll(dreamFolder, 0o700)
	if errors.Is(err, fs.ErrExist) {
		err = fmt.Errorf("%q: %w", filepath.Join(p.StateDir(), dreamFolder), syscall.ENOTDIR)
	}
	if err != nil {
		return nil, errors.Join(err, root.Close())
	}
	p.state = root
	return root, nil
}

// openDir opens the memory directory to be read: where a commit was cut off, it is read as recovery will
// leave it. It returns nil where there is none.
func (p *Project) openDir() (*memory.Dir, error) {
	dir, err := p.openDisk()
	if err != nil || dir == nil || p.dream != nil {
		return dir, err
	}
	cut, err := p.cutOff(dir)
	if err != nil || cut == nil {
		return dir, err
	}
	return dir.Through(cut.archive), nil
}

// openDisk opens the memory directory as it lies on disk, to be locked, recovered or changed; nil where
// there is none.
func (p *Project) openDisk() (*memory.Dir, error) {
	dir, err := memory.Open(p.o.MemoryDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil {
		dir.AllowSecrets = p.o.AllowSecrets
	}
	return dir, err
}

// makeDir opens the memory directory, making it where there is none.
func (p *Project) makeDir() (*memory.Dir, error) {
	dir, err := memory.Create(p.o.MemoryDir)
	if err == nil {
		dir.AllowSecrets = p.o.AllowSecrets
	}
	return dir, err
}

// openSubject returns the folder that the memory speaks of; nil where there is none that can be read: the
// rules that compare with it then rest.
func (p *Project) openSubject() *drift.Project {
	if p.folder == nil && p.o.ProjectDir != "" {
		root, err := memory.OpenRoot(p.o.ProjectDir)
		if err != nil {
			return nil
		}
		p.folder, p.subject = root, drift.New(root)
	}
	return p.subject
}

// idTime is the time that an ID begins with, in which it sorts.
const idTime = "20060102-150405"

func newID(now time.Time) string {
	var b [3]byte
	rand.Read(b[:])
	return now.UTC().Format(idTime) + "-" + hex.EncodeToString(b[:])
}

// beginning is when the operation id began.
func beginning(id string) (time.Time, bool) {
	t, err := time.Parse(idTime, id[:min(len(id), len(idTime))])
	return t, err == nil
}

// lockWait is takeLock for an operation that ends what a crash left before it begins.
func (p *Project) lockWait(ctx context.Context, dir *memory.Dir, wait time.Duration) (*lock.Lock, error) {
	l, err := lock.Take(ctx, dir, wait)
	if errors.Is(err, lock.ErrHeld) {
		r, _ := lock.Read(dir.Root())
		return nil, r.Busy()
	}
	if err != nil {
		return nil, err
	}
	if err := p.recover(l, dir); err != nil {
		return nil, errors.Join(err, l.Release())
	}
	return l, nil
}

// TranscriptFolders returns the folders that hold the project's transcripts, and what is wrong with those that can't be read.
func (p *Project) TranscriptFolders() []transcript.Folder {
	folders, _ := p.o.Transcripts.Folders() // what can't be listed is told by Status
	return folders
}

// TranscriptDirs returns their paths.
func (p *Project) TranscriptDirs() []string {
	folders := p.TranscriptFolders()
	dirs := make([]string, len(folders))
	for i, f := range folders {
		dirs[i] = f.Path
	}
	return dirs
}
