package consolidate

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"dream-mcp/consolidate/background"
	"dream-mcp/consolidate/lock"
	"dream-mcp/consolidate/proposal"
	"dream-mcp/consolidate/store"
	"dream-mcp/memory"
)

// Gate is one of the five conditions of a dream. Open is nil if it was not checked.
type Gate struct {
	Name string `json:"gate"`
	Open *bool  `json:"open"`
	Why  string `json:"why"`
}

// Notes in our state folder about counts of the sessions.
const (
	throttleFile = "throttle.json" // the last count by a hook that found too few
	dueFile      = "due.json"      // the last count that found enough, for a status bar
)

// scan is the result of a count of the sessions.
type scan struct {
	Time  time.Time  `json:"time"`
	Since lock.Stamp `json:"since"`
	Found int        `json:"found"`
}

// gateAnswers is the state of the gates. They are checked in order, the cheapest first, up to the first closed one.
type gateAnswers struct {
	gates    []Gate
	closed   *Gate
	since    lock.Stamp // the time of the last consolidation
	sessions int        // sessions since then, as far as they were counted
}

// refusal returns the error of the closed gate, or nil.
func (w *gateAnswers) refusal() error {
	if w.closed == nil {
		return nil
	}
	return &ClosedError{Gate: *w.closed}
}

func (w *gateAnswers) check(name string, check func() (open bool, why string)) {
	g := Gate{Name: name, Why: "not checked"}
	if w.closed == nil {
		open, why := check()
		g.Open, g.Why = &open, why
		if !open {
			w.closed = &g
		}
	}
	w.gates = append(w.gates, g)
}

// gateOptions configure a check of the gates. Only a check by a hook changes a gate.
type gateOptions struct {
	force bool         // a person asked: open the gates time and sessions
	hook  bool         // a hook asks: if it finds too few sessions, the gate throttle closes for ten minutes
	count bool         // count the sessions even after a closed gate
	lock  func() error // checks the lock; nil: the caller waits for it later
}

// gates decide whether a dream may begin.
type gates struct {
	*base
	asked   bool // the person asked for dreams on this connection
	counted scan // the last count by this process
}

// checkGates checks the gates. dir is nil if there is no memory directory yet.
func (p *gates) checkGates(ctx context.Context, dir *memory.Dir, now time.Time, q gateOptions) gateAnswers {
	var w gateAnswers
	since, sinceErr := p.Since(dir)
	w.since = since
	w.check("enabled", func() (bool, string) {
		e := p.o.Enabled
		if q.force && p.asked && !e.On && !e.MemoryOff {
			return true, e.Why + "; opened because the person asked"
		}
		return e.On, e.Why
	})
	w.check("time", func() (bool, string) {
		if sinceErr != nil {
			return false, sinceErr.Error()
		}
		return p.timeGate(since, now, q.force)
	})
	w.check("throttle", func() (bool, string) { return p.throttleGate(since, now, q.hook) })
	w.check("sessions", func() (bool, string) {
		n, err := p.countSessions(ctx, since, now)
		if err != nil {
			return false, err.Error()
		}
		w.sessions = n
		why := p.foundSessions(n, since)
		switch {
		case n >= p.o.MinSessions:
			return true, why
		case q.force:
			return true, why + "; opened by force"
		case q.hook:
			p.SetNote(throttleFile, scan{Time: now, Since: since, Found: n})
		}
		return false, fmt.Sprintf("%s; %d more to go", why, p.o.MinSessions-n)
	})
	if q.count {
		p.showCount(ctx, &w, now)
	}
	w.check("lock", func() (bool, string) {
		if p.Unattended && p.Current() == nil {
			waiting, err := p.Proposals.Waiting()
			if err != nil {
				return false, err.Error()
			}
			if i := slices.IndexFunc(waiting, func(w store.Info) bool { return w.Kind == lock.KindDream }); i >= 0 {
				return false, proposal.Label(waiting[i]) + " waits for the person: dream-mcp review"
			}
		}
		if q.lock != nil {
			if err := q.lock(); err != nil {
				return false, err.Error()
			}
		}
		return true, "free"
	})
	return w
}

func (p *gates) timeGate(since lock.Stamp, now time.Time, force bool) (open bool, why string) {
	if why := p.Share.DreamElsewhere(p.o.MinHours); why != "" {
		if force {
			return true, why + "; opened by force"
		}
		return false, why
	}
	if !since.Exists {
		return true, "no dream yet"
	}
	if since.Time.Sub(now) > clockSlack {
		why := fmt.Sprintf("the last consolidation is stamped %s, in the future: is the clock right? dream-mcp doctor --fix stamps it now", since)
		if force {
			return true, why + "; opened by force"
		}
		return false, why
	}
	hours := max(0, now.Sub(since.Time).Hours())
	why = fmt.Sprintf("%.0fh of %gh", hours, p.o.MinHours)
	if hours >= p.o.MinHours {
		return true, why
	}
	if force {
		return true, why + "; opened by force"
	}
	opens := since.Time.Add(time.Duration(p.o.MinHours * float64(time.Hour)))
	return false, why + "; opens " + opens.UTC().Format(time.RFC3339)
}

// throttleGate limits how often hooks count the sessions. It is open for others.
func (p *gates) throttleGate(since lock.Stamp, now time.Time, hook bool) (open bool, why string) {
	var last scan
	ok := p.Note(throttleFile, &last)
	age := now.Sub(last.Time)
	if !ok || age < 0 || age >= throttleSpan || last.Found >= p.o.MinSessions || !last.Since.Same(since) {
		return true, "the hook counted no sessions in the last 10 minutes, or enough"
	}
	why = fmt.Sprintf("the hook's count %.0f min ago found %d of %d sessions; its next is due %s",
		age.Minutes(), last.Found, p.o.MinSessions, last.Time.Add(throttleSpan).UTC().Format(time.RFC3339))
	if !hook {
		why += "; only the hook waits for that"
	}
	return !hook, why
}

// countSessions counts the sessions since the last consolidation, at most as many as are needed.
func (p *gates) countSessions(ctx context.Context, since lock.Stamp, now time.Time) (int, error) {
	n, err := p.o.Transcripts.Count(ctx, since.Time, p.o.MinSessions)
	if err != nil {
		return 0, err
	}
	p.counted = scan{Time: now, Since: since, Found: n}
	var last scan
	if known := p.Note(dueFile, &last); n >= p.o.MinSessions && (!known || last.Found < n || !last.Since.Same(since)) {
		p.SetNote(dueFile, p.counted)
	}
	return n, nil
}

// foundSessions describes the result of a count.
func (p *gates) foundSessions(n int, since lock.Stamp) string {
	found := fmt.Sprintf("%d of %d", n, p.o.MinSessions)
	if since.Exists {
		found += " since " + since.String()
	}
	if n == 0 && len(p.TranscriptFolders()) == 0 {
		found += "; no transcripts of this project were found, so a dream begins only if somebody asks for it"
	}
	return found
}

// showCount adds the time of the count to the gate "sessions", the last in w. If that gate was not checked, showCount counts
// the sessions, but at most once in ten minutes: there may be 10,000 files.
func (p *gates) showCount(ctx context.Context, w *gateAnswers, now time.Time) {
	g := &w.gates[len(w.gates)-1]
	if g.Open == nil {
		age := now.Sub(p.counted.Time)
		if p.counted.Time.IsZero() || age < 0 || age >= throttleSpan || !p.counted.Since.Same(w.since) {
			if _, err := p.countSessions(ctx, w.since, now); err != nil {
				g.Why += "; " + err.Error()
				return
			}
		}
		g.Why = p.foundSessions(p.counted.Found, w.since)
	}
	if !p.counted.Time.IsZero() {
		g.Why += ", counted " + store.Second(p.counted.Time).Format(time.RFC3339)
	}
}

// canBegin fails if a dream could not begin now, as far as that can be checked without beginning one.
func (p *gates) canBegin(dir *memory.Dir, now time.Time) error {
	if err := lockFree(dir, now); err != nil {
		return err
	}
	if err := indexReadable(dir); err != nil {
		return err
	}
	if dir != nil {
		if err := dir.Writable(); err != nil {
			return err
		}
	}
	return p.Writable()
}

// indexReadable fails with a *RequestError if a dream could not read and replace the index.
func indexReadable(dir *memory.Dir) error {
	if dir == nil {
		return nil
	}
	_, err := dir.Read(store.IndexName)
	switch {
	case err == nil, errors.Is(err, fs.ErrNotExist):
		return nil
	case errors.Is(err, memory.ErrTooLarge):
		return store.Refuse(fmt.Sprintf("the index cannot be read: %v", err), "no dream can change it: a person must shorten MEMORY.md (hosts load at most 25 KB); nothing was started")
	}
	return store.Refuse(fmt.Sprintf("the index cannot be read: %v", err), "no dream can change it: a person must make MEMORY.md a plain file again; nothing was started")
}

// lockFree fails if the lock is held, as far as that can be checked without taking it.
func lockFree(dir *memory.Dir, now time.Time) error {
	if dir == nil {
		return nil
	}
	if r, err := lock.Read(dir.Root()); err != nil {
		return err
	} else if r.Dream != "" && !r.Dead() {
		return r.Busy()
	}
	return lock.HostFree(dir.Root(), now)
}

// Soon reports whether a dream may be due, from a few files: the gates enabled, time and throttle are open, and hooks are
// not paused. With offer the caller would offer a dream, else start one. Soon does not recover from a crash; Due does.
func (p *gates) Soon(offer bool) bool {
	p.Lock()
	defer p.Unlock()
	now := p.Now()
	dir, err := p.Disk()
	if err != nil || !p.o.Enabled.On {
		return false
	}
	if dir != nil {
		defer dir.Close()
	}
	since, err := p.Since(dir)
	if err != nil {
		return true // Due returns the error
	}
	if open, _ := p.timeGate(since, now, false); !open {
		return false
	}
	open, _ := p.throttleGate(since, now, true)
	return open && !p.Background.Paused(offer)
}

// Due checks the gates for a dream that nobody asked for. Without a new session no dream is due, even if min_sessions is 0.
func (p *gates) Due(ctx context.Context) (since string, sessions int, err error) {
	p.Lock()
	defer p.Unlock()
	p.asked = p.asked || p.o.Asked
	now := p.Now()
	dir, err := p.Disk()
	if err != nil {
		return "", 0, err
	}
	if dir != nil {
		defer dir.Close()
		if err := p.RecoverIn(ctx, dir); err != nil {
			return "", 0, err
		}
	}
	g := p.checkGates(ctx, dir, now, gateOptions{hook: !p.o.Asked, force: p.o.Asked, lock: func() error { return p.canBegin(dir, now) }})
	if g.closed == nil && g.sessions == 0 && !p.o.Asked {
		if n, err := p.o.Transcripts.Count(ctx, g.since.Time, 1); err != nil || n == 0 {
			no := false
			g.closed = &Gate{Name: "sessions", Open: &no, Why: "nothing is new since " + g.since.String()}
		}
	}
	return g.since.String(), g.sessions, g.refusal()
}

// BeginRun begins the run of a background dream, if one is due.
func (p *gates) BeginRun(ctx context.Context) (*background.Run, error) {
	return p.Background.Begin(ctx, p.o.Asked, func(ctx context.Context) error {
		_, _, err := p.Due(ctx)
		return err
	})
}
