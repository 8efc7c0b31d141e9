package consolidate

import (
	"cmp"
	"errors"
	"os"
	"time"

	"dream-mcp/consolidate/background"
	"dream-mcp/consolidate/history"
	"dream-mcp/consolidate/listed"
	"dream-mcp/consolidate/lock"
	"dream-mcp/consolidate/proposal"
	"dream-mcp/consolidate/provenance"
	"dream-mcp/consolidate/recall"
	"dream-mcp/consolidate/share"
	"dream-mcp/consolidate/store"
	"dream-mcp/consolidate/transcript"
	"dream-mcp/memory"
	"dream-mcp/memory/landing"
	"dream-mcp/memory/rule/drift"
	"dream-mcp/memory/secret"
)

// Defaults and limits.
const (
	DefaultMinHours    = 24
	DefaultMinSessions = 5
	DefaultLease       = time.Hour
	throttleSpan       = 10 * time.Minute // between two counts by hooks that find too few sessions
)

// Switch is the state of the gate "enabled" in the host's settings.
type Switch struct {
	On        bool
	MemoryOff bool // memory itself is switched off: nothing opens the gate, and single writes are refused too
	Why       string
}

// Options configure a Project. Only MemoryDir, StateHome and Transcripts are required.
type Options struct {
	MemoryDir    string // need not exist
	ProjectDir   string // the checkout that the memory is about; "": files that memories name are not checked
	StateHome    string // our state folder for all projects
	Transcripts  *transcript.Store
	Enabled      Switch
	Reread       func() (s Switch, ok bool) // Enabled as it is now, asked at each call that it decides; nil: it does not change
	MinHours     float64
	MinSessions  int
	Host         string         // the program that started us
	Session      string         // the caller's session
	Warnings     []string       // problems of the settings
	AllowSecrets secret.Allowed // values that are not masked and not reported
	MaxArchive   int64          // bytes; see package history
	Unattended   bool           // nobody watches: stricter limits on losses, and no writes outside a dream
	Prompted     bool           // the host was started with the prompt dream
	Asked        bool           // a person asked for the dream at a terminal: the gates enabled, time and sessions are open
	CleanupDays  int            // the host removes transcripts that were not modified for so many days; 0: never
	LookOnly     bool           // for watchers: create no folder and record no count
	Propose      bool           // an unattended dream becomes a proposal
	Lease        time.Duration
	Now          func() time.Time
	Step         func(string)     // called with each step of a commit, if not nil
	Changed      func(uri string) // called with each resource that changed, if not nil
}

// Project is the memory of one project and the dreams over it. It is safe for concurrent use: one
// operation runs at a time.
//
// Its methods are in layers, each of which uses those below: the base, the gates, the open dream, and the operations that
// read, write, answer proposals and observe.
type Project struct {
	*dreams
	readings
	writings
	answers
	views
}

// base is shared by all layers.
type base struct {
	*store.Store
	History    *history.History
	Sources    *provenance.Room
	Background *background.Room
	Proposals  *proposal.Room
	Share      *share.Room
	Recall     *recall.Room

	o Options

	folder  *os.Root // of o.ProjectDir; nil until first used
	subject *drift.Project
}

// Open returns the project of o. It touches no file.
func Open(o Options) *Project {
	if o.Now == nil {
		// Without the monotonic clock, which stops while the machine sleeps. A lease must not.
		o.Now = func() time.Time { return time.Now().Round(0) }
	}
	o.Lease = cmp.Or(o.Lease, DefaultLease)
	p := &base{o: o}
	p.Store = store.Open(store.Options{
		MemoryDir: o.MemoryDir, StateHome: o.StateHome, Host: o.Host, Session: o.Session, AllowSecrets: o.AllowSecrets,
		Unattended: o.Unattended, LookOnly: o.LookOnly, Now: o.Now, Step: o.Step, Changed: o.Changed,
		Ended: p.ended, Landed: func(i store.Info) { p.History.PruneAfter(i) },
	})
	p.History = &history.History{Store: p.Store, MaxArchive: cmp.Or(o.MaxArchive, history.DefaultMaxArchive)}
	p.Background = &background.Room{Store: p.Store, MinHours: o.MinHours}
	p.Sources = &provenance.Room{Store: p.Store, Transcripts: o.Transcripts}
	p.Proposals = &proposal.Room{Store: p.Store}
	p.Share = &share.Room{Store: p.Store, LastRead: p.lastRead, MayWrite: p.mayWrite}
	p.Recall = &recall.Room{Store: p.Store}
	d := &dreams{gates: &gates{base: p}, prompted: o.Prompted}
	w := writings{d}
	return &Project{d, readings{dreams: d}, w, answers{w}, views{dreams: d}}
}

// ended records the marks and reports of an operation that ended. Recovery calls it again.
func (p *base) ended(i store.Info, m landing.Manifest) error {
	if i.Kind == lock.KindDream && (i.Outcome == store.Committed || i.Outcome == store.Rejected) {
		root, err := p.Root()
		if err == nil {
			err = listed.Keep(root, i.ID, i.Since.Time, i.Listed, p.Undone)
		}
		if err != nil {
			return err
		}
	}
	if err := p.Share.Ended(i, m); err != nil {
		return err
	}
	p.Background.Queue(i, m.Changes)
	if i.Restamp.Earlier() {
		return p.Background.WaitAfterUndo()
	}
	return nil
}

// Close aborts the open dream, whose stage is kept, and closes the project.
func (p *dreams) Close(reason string) error {
	p.Lock()
	defer p.Unlock()
	var err error
	if p.dream != nil {
		err = p.end(store.Aborted, reason)
	}
	p.o.Transcripts.Close()
	err = errors.Join(err, p.Store.Close())
	if p.folder != nil {
		err = errors.Join(err, p.folder.Close())
		p.folder, p.subject = nil, nil
	}
	return err
}

// reread reads again what the person has switched off.
func (p *base) reread() {
	if p.o.Reread == nil {
		return
	}
	if s, ok := p.o.Reread(); ok {
		p.o.Enabled = s
	}
}

// refuseOff fails if memory is switched off.
func (p *base) refuseOff() error {
	if !p.o.Enabled.MemoryOff {
		return nil
	}
	return store.Refuse("memory is switched off: "+p.o.Enabled.Why, "nothing is written while it is; only the person can switch it on, in that setting")
}

// mayWrite fails where memory is switched off by now.
func (p *base) mayWrite() error {
	p.reread()
	return p.refuseOff()
}

func (p *base) lastRead() (time.Time, error) {
	at, err := p.consolidated()
	return at.Time, err
}

// CalledIn sets the host's session of the following calls, if it was not known when the project was opened.
func (p *base) CalledIn(session string) {
	if !p.o.Transcripts.SetCurrent(session) {
		return // all calls but the first return here, without waiting for the mutex
	}
	p.Lock()
	defer p.Unlock()
	p.Session = session
}

// Transcripts returns the store of what was said.
func (p *base) Transcripts() *transcript.Store { return p.o.Transcripts }

// DigestDir returns the folder of the digests of the transcripts of a memory.
func DigestDir(stateHome, memoryDir string) string {
	return store.FolderOf(stateHome, memoryDir, "said")
}

// OtherHost returns the name of a session's host, or "" if it is the caller's. An unknown caller counts as Claude Code.
func (p *base) OtherHost(h transcript.Host) string {
	if h == cmp.Or(transcript.Host(p.o.Host), transcript.ClaudeCode) {
		return ""
	}
	return string(h)
}

// openSubject returns the project that the memory is about, or nil if it cannot be read. The rules that need it are then not
// checked.
func (p *base) openSubject() *drift.Project {
	if p.folder == nil && p.o.ProjectDir != "" {
		root, err := memory.OpenRoot(p.o.ProjectDir)
		if err != nil {
			return nil
		}
		p.folder, p.subject = root, drift.New(root)
	}
	return p.subject
}

// TranscriptFolders returns the folders of the project's transcripts, with the problem of those that cannot be read.
func (p *base) TranscriptFolders() []transcript.Folder {
	folders, _ := p.o.Transcripts.Folders() // Status reports the error
	return folders
}

// TranscriptDirs returns the paths of the TranscriptFolders.
func (p *base) TranscriptDirs() []string {
	folders := p.TranscriptFolders()
	dirs := make([]string, len(folders))
	for i, f := range folders {
		dirs[i] = f.Path
	}
	return dirs
}
