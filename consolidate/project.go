package consolidate

import (
	"cmp"
	"context"
	"errors"
	"time"

	"dream-mcp/consolidate/doctor"
	"dream-mcp/consolidate/history"
	"dream-mcp/consolidate/left"
	"dream-mcp/consolidate/listed"
	"dream-mcp/consolidate/lock"
	"dream-mcp/consolidate/ops"
	"dream-mcp/consolidate/proposal"
	"dream-mcp/consolidate/provenance"
	"dream-mcp/consolidate/recall"
	"dream-mcp/consolidate/runs"
	"dream-mcp/consolidate/share"
	"dream-mcp/consolidate/state"
	"dream-mcp/consolidate/transcript/search"
	"dream-mcp/memory"
	"dream-mcp/memory/rule/drift"
)

// Defaults and limits.
const (
	defaultLease = time.Hour
	throttleTime = 10 * time.Minute // between two counts by hooks that find too few sessions
)

// Switch is the state of the gate "enabled" in the host's settings, and the variable or file that decided it.
type Switch struct {
	On        bool
	MemoryOff bool // memory itself is switched off: nothing opens the gate, and single writes are refused too
	Why       string
}

// Options configure a Project. Of those of its store only MemoryDir and StateHome are required.
type Options struct {
	ops.Options
	Transcripts *search.Store // required
	ProjectDir  string        // the checkout that the memory is about; "": files that memories name are not checked
	Enabled     Switch
	Reread      func() (s Switch, ok bool) // returns Enabled as it is now; nil: it does not change
	MinHours    float64
	MinSessions int
	Warnings    []string  // problems of the settings
	MaxArchive  int64     // bytes; see package history
	LoadsIndex  bool      // the host loads the index of this memory into each session, at its beginning
	Began       time.Time // when the session began
	Prompted    bool      // the host was started with the prompt dream
	Asked       bool      // a person asked for the dream at a terminal: the gates enabled, time and sessions are open
	CleanupDays int       // the host removes transcripts that were not modified for so many days; 0: never
	Propose     bool      // an unattended dream becomes a proposal
	Lease       time.Duration
	Waits       func(context.Context) // called before a call waits for a remote, if not nil
}

// Project is the memory of one project, and the dreams over it.
//
// It is safe for concurrent use. An exported method of Project or of its parts holds the mutex of the store from its
// beginning to its end, or its comment says that the caller holds it, or that it is not needed. Methods that read
// transcripts or wait for a remote hold it several times, and check again what may have changed meanwhile. Timers and
// the functions of a PersonError take it when they are called.
type Project struct {
	Store       *ops.Store
	Transcripts *search.Store
	Gates       *Gates              // when a dream may begin
	Sessions    *Sessions           // what was said
	Proposals   *Proposals          // what waits for the person
	History     *history.History    // what was done, and undoing it
	Sources     *provenance.Sources // where memories come from
	Background  *runs.Runs          // runs that a hook started
	Share       *share.Share        // the same memory on other machines
	Person      *share.Person       // memories of the person in all their projects
	Recall      *recall.Recall      // what prompts are shown
	Doctor      *doctor.Doctor      // examining and repairing

	options  Options
	dream    *dream // the open dream of this process, or nil
	over     error  // why the last dream ended, until a tool has said so
	prompted bool   // the prompt dream was read on this connection

	code *drift.Project // in options.ProjectDir; nil until first used
}

// Open returns the project of o. It touches no file.
func Open(o Options) *Project {
	if o.Now == nil {
		// Without the monotonic clock, which stops while the machine sleeps. A lease must not.
		o.Now = func() time.Time { return time.Now().Round(0) }
	}
	o.Lease = cmp.Or(o.Lease, defaultLease)
	p := &Project{options: o, Transcripts: o.Transcripts, prompted: o.Prompted}
	o.Ended, o.Landed = p.ended, func(ops.Op) { p.History.PruneAfter() }
	p.Store = ops.Open(o.Options)
	if p.Transcripts != nil && p.Transcripts.Options.Gone == nil { // else they are another project's
		p.Transcripts.Options.Gone = p.goneRoots
	}
	p.Gates = &Gates{p: p, enabled: o.Enabled, asked: o.Asked}
	p.Sessions = &Sessions{p: p}
	p.Proposals = &Proposals{queue: &proposal.Queue{Store: p.Store}, p: p}
	p.History = &history.History{Store: p.Store, MaxArchive: cmp.Or(o.MaxArchive, history.DefaultMaxArchive)}
	p.Background = &runs.Runs{Store: p.Store, MinHours: o.MinHours}
	p.Sources = &provenance.Sources{Store: p.Store, Transcripts: o.Transcripts}
	p.Share = &share.Share{Store: p.Store, LastRead: p.Sessions.lastRead, MayWrite: p.Gates.mayWrite, Waits: o.Waits}
	p.Person = share.NewPerson(p.Store, o.ProjectDir, p.Gates.mayWrite)
	p.Recall = &recall.Recall{Store: p.Store}
	p.Doctor = &doctor.Doctor{Store: p.Store, Share: p.Share, History: p.History, Background: p.Background, Sources: p.Sources}
	return p
}

// ended records the marks and reports of an operation that ended. Recovery calls it again, with the landing still open:
// it must not wait for that.
func (p *Project) ended(i ops.Op) error {
	if i.Kind == lock.KindDream && (i.Outcome == ops.Committed || i.Outcome == ops.Rejected) {
		db := p.Store.Records.DB()
		all, err := state.Listed.Get(db)
		if err == nil {
			all, err = listed.Add(all, i.ID, i.Since.Time, i.Listed, p.Store.Records.Undone)
		}
		if err == nil {
			err = state.Listed.Set(db, all)
		}
		if err != nil {
			return err
		}
	}
	if i.Kind == lock.KindDream && i.Outcome == ops.Committed {
		left.Keep(p.Store, p.Person.Project, i.ID)
	}
	if err := p.Share.Ended(i); err != nil {
		return err
	}
	p.Background.Queue(i, i.Changes)
	if i.Restamp.Earlier() {
		p.Background.WaitAfterUndo()
	}
	return nil
}

// Recover recovers from a crash, as ops.Store.Recover.
func (p *Project) Recover(ctx context.Context) error {
	defer p.Store.Lock()()
	return p.Store.Recover(ctx)
}

// Close aborts the open dream, whose stage is kept, and closes the project.
func (p *Project) Close(reason string) error {
	err := p.endDream(reason)
	p.Share.Wait()
	return errors.Join(err, p.closeFiles())
}

// endDream aborts the open dream, if there is one.
func (p *Project) endDream(reason string) error {
	defer p.Store.Lock()()
	if p.dream == nil {
		return nil
	}
	return p.dream.end(ops.Aborted, reason)
}

func (p *Project) closeFiles() error {
	defer p.Store.Lock()()
	_ = p.Person.Sync(context.Background()) // else at the next use
	p.Transcripts.Close()
	err := errors.Join(p.Person.Close(), p.Store.Records.Close(), p.code.Close())
	p.code = nil
	return err
}

// Shared returns how the memory is shared, and what was exchanged. It is called without the mutex, which its steps
// take.
func (p *Project) Shared(ctx context.Context) (s share.State, t share.Traffic, err error) {
	if s, err = p.Share.State(); err == nil {
		t, _ = p.Share.Traffic(ctx) // without it the state is shown
	}
	return s, t, err
}

// CalledIn sets the host's session of the following calls, if it was not known when the project was opened.
func (p *Project) CalledIn(session string) {
	if !p.Transcripts.SetCurrent(session) {
		return // all calls but the first return here, without waiting for the mutex
	}
	defer p.Store.Lock()()
	p.Store.Session = session
}

// openCode returns the checkout that the memory is about, or nil if it cannot be read. The rules that need it are then
// not checked. Only without the mutex is it used to ask git.
func (p *Project) openCode(ask bool) *drift.Project {
	if p.code == nil && p.options.ProjectDir != "" {
		p.code, _ = drift.Open(p.options.ProjectDir)
	}
	return p.code.WithGit(ask)
}

// askGit asks git what rules want to know of some texts, which it gets with the mutex. It is called without the mutex.
func (p *Project) askGit(texts func() []drift.Text) {
	unlock := p.Store.Lock()
	code, all := p.openCode(true), texts()
	unlock()
	code.Find(all, func(string) bool { return false })
}

// Topics returns the names of the memories on disk, sorted. It does not count as a call of an open dream.
func (p *Project) Topics(ctx context.Context) ([]memory.Name, error) {
	defer p.Store.Lock()()
	dir, err := p.Store.Dir(ctx)
	if err != nil || dir == nil {
		return nil, err
	}
	defer dir.Close()
	return dir.Topics()
}
