// Package share keeps one memory on several machines, through a ref of a git remote that the person names.
//
// It promises that git is started without a shell, a prompt, hooks, filters or the configuration of any checkout;
// that what a remote holds is bounded and checked before any of it is used; and that a ref of the remote is moved
// only from where it was last seen.
//
// A crash leaves unreferenced objects in our bare repository, which take space until git collects them. It is not
// promised that a remote forgets what was pushed to it.
package share

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"dream-mcp/consolidate/lock"
	"dream-mcp/consolidate/ops"
	"dream-mcp/consolidate/state"
	"dream-mcp/memory/merge"
	"dream-mcp/memory/phrase"
)

// Files in the state folder of a memory.
const (
	lockFile = "share.lock"
	repo     = "share/repo.git"

	maxNotes = 20
)

// How long a dream waits for the remote. What does not arrive in time waits for the next sync.
const (
	dreamWait   = 20 * time.Second
	answerWait  = 4 * time.Second // until the remote first answers, or another process has the share open no longer
	releaseWait = 4 * time.Second // less than a program's end may take
	syncWait    = 5 * time.Minute
)

// MaxNamed bounds the memories that are named in a text for a person.
const MaxNamed = 10

// LeaseRenewal is how often a dream renews its lease.
const LeaseRenewal = 15 * time.Minute

// State is what is known of a share between two runs.
type State struct {
	Identity    Identity      `json:"identity"`
	Remote      string        `json:"remote"`
	Refs        string        `json:"refs"` // customRefs or branchRefs
	Team        bool          `json:"team,omitempty"`
	Machine     string        `json:"machine"`
	MachineName string        `json:"machine_name"`
	Base        string        `json:"base,omitempty"`       // the remote's commit that the memory here holds; "": none yet
	Last        time.Time     `json:"last,omitzero"`        // of the last sync that succeeded
	Pending     string        `json:"pending,omitempty"`    // why what changed here has not been sent
	Stopped     string        `json:"stopped,omitempty"`    // why nothing is synced until a person decides
	Notes       []merge.Clash `json:"notes,omitempty"`      // of merges: what both sides changed
	OtherDream  time.Time     `json:"other_dream,omitzero"` // when this machine first saw another's newest dream, by its own clock
	OtherName   string        `json:"other_name,omitempty"` // of that machine
	Held        string        `json:"held,omitempty"`       // our lease
	Finished    bool          `json:"finished,omitempty"`   // the dream of that lease has ended: the next sync releases it
	Withheld    bool          `json:"withheld,omitempty"`   // what a dream landed here after it had lost its lease
	Sighting    sighting      `json:"sighting,omitzero"`
}

// saved is the state; without a remote the memory is not shared.
var saved = state.Known(state.Note[State]{Name: "share"})

// What prevents a sync.
var (
	ErrNotShared = ops.Refuse("this memory is not shared", "dream-mcp share REMOTE shares it")
	errBusy      = ops.Refuse("another process is syncing this memory", "try again in a moment")
)

// Share is the share of one memory. Methods that wait for a remote or for another process take the mutex of the store
// only to read the memory and to land, so that other operations do not wait for a remote.
type Share struct {
	Store    *ops.Store
	LastRead func(context.Context) (time.Time, error) // up to when the transcripts of this machine were read
	MayWrite func() error                             // fails where the memory is switched off
	Waits    func(context.Context)                    // called before a call waits for the remote; may be nil

	later  sync.WaitGroup // what Renew and Release began
	mu     sync.Mutex     // protects cancel
	cancel func()         // the last of it; nil if there was none
}

// State returns the state of the share, without git and without waiting. It fails with ErrNotShared. It needs no mutex.
func (r *Share) State() (s State, err error) {
	if s, err = saved.Get(r.Store.Records.Look()); err == nil && s.Remote == "" {
		err = ErrNotShared
	}
	return s, err
}

// open opens the share of this memory, or with begin a new one, and calls do. It takes at most limit. One process at a
// time has the share open. With wait, open waits for another process as long as for a remote that does not answer.
// After that, or without wait, it fails with errBusy.
func (r *Share) open(ctx context.Context, limit time.Duration, wait bool, begin *State, do func(context.Context, *link) error) error {
	if _, err := r.State(); err != nil && begin == nil {
		return err
	}
	if r.Waits != nil {
		r.Waits(ctx)
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	patience := time.Duration(0)
	if wait {
		patience = answerWait
	}
	unlock, err := r.Store.Records.LockFile(ctx, lockFile, patience)
	if errors.Is(err, lock.ErrHeld) {
		return errBusy
	}
	if err != nil {
		return err
	}
	l := &link{Share: r, clock: clock, answer: answerWait}
	if limit > dreamWait {
		l.answer = gitTime // nobody waits for it
	}
	release := r.Store.Lock()
	err = r.Store.Recover(ctx)
	if release(); err == nil { // of a merge that a crash cut off, it notes the base
		if begin != nil {
			l.State = *begin
		} else {
			l.State, err = r.State()
		}
	}
	if err == nil {
		l.git, err = openGit(ctx, filepath.Join(r.Store.Records.StateDir(), repo))
	}
	if err == nil {
		err = do(ctx, l)
	}
	return errors.Join(err, unlock())
}

// maySync fails while a dream of this process is open, and if the memory is switched off.
func (r *Share) maySync() error {
	defer r.Store.Lock()()
	if t := r.Store.Current(); t != nil {
		return t.Busy()
	}
	return r.MayWrite()
}

// Sync pulls the changes of other machines and pushes those of this one; with decided also those of a dream that lost
// its lease, and the deletion of all memories. It fails while another process syncs.
func (r *Share) Sync(ctx context.Context, decided bool) error {
	if err := r.maySync(); err != nil {
		return err
	}
	return r.open(ctx, syncWait, false, nil, func(ctx context.Context, l *link) error {
		l.Withheld, l.decided = l.Withheld && !decided, decided
		return l.sync(ctx, false)
	})
}

// Prepare syncs before a dream, and takes the lease. It fails only with a *HeldError if another machine holds the
// lease, and with the error of ctx: without the remote, the changes of the dream are merged later.
func (r *Share) Prepare(ctx context.Context) error {
	err := r.open(ctx, dreamWait, true, nil, func(ctx context.Context, l *link) error {
		_ = l.sync(ctx, false)
		return l.acquire(ctx)
	})
	if held, is := errors.AsType[*HeldError](err); is {
		return held
	}
	return ctx.Err()
}

// LeaseLost reports whether another machine has taken over the lease of our dream, and whether the remote answered.
func (r *Share) LeaseLost(ctx context.Context) (lost, reached bool) {
	err := r.open(ctx, dreamWait, true, nil, func(ctx context.Context, l *link) error {
		h, err := l.heads(ctx)
		if err != nil {
			l.Pending = err.Error()
			return errors.Join(err, l.save())
		}
		lost = l.Held != "" && h.lease != l.Held
		return nil
	})
	return lost, err == nil
}

// Send pushes what a dream has landed and releases its lease.
func (r *Share) Send(ctx context.Context) {
	r.cancelLast(nil)
	_ = r.open(ctx, dreamWait, true, nil, func(ctx context.Context, l *link) error { return l.sync(ctx, true) })
}

// Renew begins to renew the lease of a dream. The end of the dream checks whether it is still ours. It needs no mutex.
func (r *Share) Renew() {
	r.begin(dreamWait, func(ctx context.Context, l *link) error { return l.acquire(ctx) })
}

// Release begins to release the lease of a dream that did not land. It needs no mutex.
func (r *Share) Release() {
	r.begin(releaseWait, func(ctx context.Context, l *link) error { return l.release(ctx) })
}

// begin opens the share in the background, instead of what it began before.
func (r *Share) begin(limit time.Duration, do func(context.Context, *link) error) {
	ctx, cancel := context.WithCancel(context.Background())
	r.cancelLast(cancel)
	r.later.Go(func() {
		defer cancel()
		_ = r.open(ctx, limit, true, nil, do)
	})
}

// cancelLast cancels what begin began last. next cancels what is begun now.
func (r *Share) cancelLast(next func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.cancel != nil {
		r.cancel()
	}
	r.cancel = next
}

// Wait waits for what Renew or Release began. It is called without the mutex, which that takes.
func (r *Share) Wait() { r.later.Wait() }

// DreamElsewhere describes a dream of another machine over this memory that ended within so many hours; "" if there
// is none. It needs no mutex.
func (r *Share) DreamElsewhere(hours float64) string {
	s, err := r.State()
	age := r.Store.Now().Sub(s.OtherDream)
	if err != nil || s.OtherDream.IsZero() || age < 0 || age.Hours() >= hours {
		return ""
	}
	return fmt.Sprintf("a dream of the machine %q over this shared memory ended %s", s.OtherName, phrase.Ago(r.Store.Now(), s.OtherDream))
}

// IsTeams reports whether a memory is shared with a team. It needs no mutex.
func (r *Share) IsTeams(data []byte) bool {
	s, err := r.State()
	return err == nil && s.Team && isTeam(data)
}
