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

// Limits and defaults of DESIGN.
const (
	DefaultMinHours    = 24
	DefaultMinSessions = 5
	DefaultLease       = time.Hour
	throttleSpan       = 10 * time.Minute // between two scans that find too few sessions
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
	ProjectDir   string // the checkout that the memory is about; "": what it says of files is not checked
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
	MaxArchive   int64          // bytes; see package history
	Unattended   bool           // nobody watches: stricter limits on losses, and no writes outside a dream
	Prompted     bool           // the host was started with the prompt dream
	Asked        bool           // a person asked for the dream at a terminal: time, sessions and what they switched off are open
	CleanupDays  int            // after which the host removes a transcript that was not touched; 0: never
	LookOnly     bool           // for who watches: makes no folder, and notes no scan
	Propose      bool           // what an unattended dream would land waits for the person
	Lease        time.Duration
	Now          func() time.Time
	Step         func(string)     // called with each step of a commit, if not nil
	Changed      func(uri string) // called with each resource that changed, if not nil
}

// Project is the memory of one project and the dreams over it. It is safe for concurrent use: one
// operation runs at a time.
//
// It is built in layers: each may use what is below it. On the base are the gates, on these the open dream, and on that what
// reads, what writes and what the person answers, and what looks on.
type Project struct {
	*dreams
	readings
	writings
	answers
	views
}

// base is what all layers share.
type base struct {
	*store.Store
	History    *history.History
	Sources    *provenance.Room
	Background *background.Room
	Proposals  *proposal.Room
	Share      *share.Room
	Recall     *recall.Room

	o Options

	folder  *os.Root // of o.ProjectDir, nil until it is needed
	subject *drift.Project
}

// Open returns the project of o. It touches no file.
func Open(o Options) *Project {
	if o.Now == nil {
		// Without its monotonic part: a lease runs on while the machine sleeps.
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

// ended keeps what an operation leaves beside the memory and the journal. A recovery does it again.
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

// Close ends what is open: a dream is rolled back, its stage kept.
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

// reread asks again what the person has switched off.
func (p *base) reread() {
	if p.o.Reread == nil {
		return
	}
	if s, ok := p.o.Reread(); ok {
		p.o.Enabled = s
	}
}

// refuseOff fails where memory is switched off.
func (p *base) refuseOff() error {
	if !p.o.Enabled.MemoryOff {
		return nil
	}
	return store.Refuse("memory is switched off: "+p.o.Enabled.Why, "nothing is written while it is; only the person switches it on, where that says")
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

// CalledIn says in which session of the host the calls that follow are made, where that was not known when the project was opened.
func (p *base) CalledIn(session string) {
	if !p.o.Transcripts.SetCurrent(session) {
		return // as with every call but the first: no operation is waited for
	}
	p.Lock()
	defer p.Unlock()
	p.Session = session
}

// Transcripts returns the store of what was said.
func (p *base) Transcripts() *transcript.Store { return p.o.Transcripts }

// DigestDir returns the folder for the digests of the transcripts that belong to a memory.
func DigestDir(stateHome, memoryDir string) string {
	return store.FolderOf(stateHome, memoryDir, "said")
}

// OtherHost names the host of a session where it is not the one that asks; "" where it is. A program that is not known asks as
// Claude Code, whose memory it is.
func (p *base) OtherHost(h transcript.Host) string {
	if h == cmp.Or(transcript.Host(p.o.Host), transcript.ClaudeCode) {
		return ""
	}
	return string(h)
}

// openSubject returns the folder that the memory is about; nil where there is none that can be read: the
// rules that compare with it are then not asked.
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

// TranscriptFolders returns the folders that hold the project's transcripts, and what is wrong with those that cannot be read.
func (p *base) TranscriptFolders() []transcript.Folder {
	folders, _ := p.o.Transcripts.Folders() // Status reports what cannot be listed
	return folders
}

// TranscriptDirs returns their paths.
func (p *base) TranscriptDirs() []string {
	folders := p.TranscriptFolders()
	dirs := make([]string, len(folders))
	for i, f := range folders {
		dirs[i] = f.Path
	}
	return dirs
}
