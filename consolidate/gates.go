package consolidate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"dream-mcp/consolidate/indexing"
	"dream-mcp/consolidate/lock"
	"dream-mcp/consolidate/ops"
	"dream-mcp/consolidate/proposal"
	"dream-mcp/consolidate/state"
	"dream-mcp/memory"
	"dream-mcp/memory/phrase"
)

// Gate is one of the five conditions of a dream. Open is nil if it was not checked.
type Gate struct {
	Name string `json:"gate"`
	Open *bool  `json:"open"`
	Why  string `json:"why"`
}

// Gates decide whether a dream may begin.
type Gates struct {
	p       *Project
	enabled Switch
	asked   bool        // the person asked for dreams on this connection, or at a terminal
	counted state.Count // the last count by this process
}

// gateAnswers is the state of the gates. They are checked in order, the cheapest first, up to the first closed one.
type gateAnswers struct {
	gates    []Gate
	closed   *Gate
	since    lock.Stamp // the time of the last consolidation
	sessions int        // sessions since then, as far as they were counted
}

func (a *gateAnswers) check(name string, check func() (open bool, why string)) {
	g := Gate{Name: name, Why: "not checked"}
	if a.closed == nil {
		open, why := check()
		g.Open, g.Why = &open, why
		if !open {
			a.closed = &g
		}
	}
	a.gates = append(a.gates, g)
}

// gateOptions configure a check of the gates. Only a check by a hook changes a gate.
type gateOptions struct {
	force bool // a person asked: open the gates time and sessions
	hook  bool // a hook asks: if it finds too few sessions, the gate throttle closes for ten minutes
	count bool // count the sessions even after a closed gate
	waits bool // the caller waits for the lock later: do not check it
}

// forced returns the state of a gate that force opens. closed is added to why if it stays closed.
func (q gateOptions) forced(open bool, why, closed string) (bool, string) {
	switch {
	case open:
		return true, why
	case q.force:
		return true, why + "; opened by force"
	}
	return false, why + closed
}

// check checks the gates. dir is nil if there is no memory directory yet.
func (g *Gates) check(ctx context.Context, dir *memory.Dir, now time.Time, q gateOptions) gateAnswers {
	var a gateAnswers
	since, sinceErr := g.p.Store.Since(dir)
	a.since = since
	a.check("enabled", func() (bool, string) {
		if q.force && g.asked && !g.enabled.On && !g.enabled.MemoryOff {
			return true, g.enabled.Why + "; opened because the person asked"
		}
		return g.enabled.On, g.enabled.Why
	})
	a.check("time", func() (bool, string) {
		if sinceErr != nil {
			return false, sinceErr.Error()
		}
		return g.time(since, now, q)
	})
	a.check("throttle", func() (bool, string) { return g.throttle(since, now, q.hook) })
	a.check("sessions", func() (open bool, why string) {
		var err error
		if a.sessions, err = g.count(ctx, since, now); err != nil {
			return false, err.Error()
		}
		least := g.p.options.MinSessions
		open, why = q.forced(a.sessions >= least, g.found(a.sessions, since), "")
		if !open && q.hook {
			_ = state.LastCount.Set(g.p.Store.Records.DB(), g.counted)
		}
		return open, why
	})
	if q.count {
		g.showCount(ctx, &a.gates[len(a.gates)-1], since, now)
	}
	a.check("lock", func() (bool, string) {
		err := g.unanswered()
		if err == nil && !q.waits {
			err = g.canBegin(dir, now)
		}
		if err != nil {
			return false, err.Error()
		}
		return true, "free"
	})
	return a
}

// time is the gate "time".
func (g *Gates) time(since lock.Stamp, now time.Time, q gateOptions) (open bool, why string) {
	least := g.p.options.MinHours
	if why := g.p.Share.DreamElsewhere(least); why != "" {
		return q.forced(false, why, "")
	}
	if !since.Exists {
		return true, "no consolidation yet"
	}
	if since.Future(now) {
		return q.forced(false, fmt.Sprintf("the last consolidation is stamped %s, in the future: is the clock right? "+
			"dream-mcp doctor --fix stamps it now", since), "")
	}
	passed := max(0, now.Sub(since.Time))
	opens := since.Time.Add(time.Duration(least * float64(time.Hour)))
	return q.forced(passed.Hours() >= least, fmt.Sprintf("last consolidation %s; %g hours needed", phrase.Ago(now, now.Add(-passed)), least),
		"; opens "+opens.UTC().Format(time.RFC3339))
}

// unanswered fails if this dream is unattended and another waits for the person.
func (g *Gates) unanswered() error {
	if !g.p.Store.Unattended || g.p.dream != nil {
		return nil
	}
	label, err := g.waiting()
	if label != "" {
		return errors.New(label + " waits for the person: dream-mcp review")
	}
	return err
}

// waiting names the newest dream that waits for the person, or returns "".
func (g *Gates) waiting() (label string, err error) {
	waiting, err := g.p.Proposals.queue.Waiting()
	if i := slices.IndexFunc(waiting, func(w ops.Op) bool { return w.Kind == lock.KindDream }); i >= 0 {
		label = proposal.Label(waiting[i])
	}
	return label, err
}

// canBegin fails if a dream could not begin now. It checks what can be checked without beginning one.
func (g *Gates) canBegin(dir *memory.Dir, now time.Time) error {
	if dir == nil {
		return g.p.Store.Records.Writable()
	}
	if r, err := lock.Read(dir.Root()); err != nil {
		return err
	} else if r.ID != "" && !r.Dead() {
		return r.Busy()
	}
	if err := lock.HostFree(dir.Root(), now); err != nil {
		return err
	}
	if err := indexing.Readable(dir); err != nil {
		return err
	}
	if err := dir.Writable(); err != nil {
		return err
	}
	return g.p.Store.Records.Writable()
}

// ask recovers from a crash and checks the gates.
func (g *Gates) ask(ctx context.Context, q gateOptions) (gateAnswers, error) {
	dir, err := g.p.Store.Disk()
	if err != nil {
		return gateAnswers{}, err
	}
	if dir != nil {
		defer dir.Close()
		if err := g.p.Store.RecoverIn(ctx, dir); err != nil {
			return gateAnswers{}, err
		}
	}
	return g.check(ctx, dir, g.p.Store.Now(), q), nil
}

// AskedFor reports that the person asked for a dream on this connection. From now on force also opens the gate
// "enabled", unless memory itself is switched off.
func (g *Gates) AskedFor() {
	defer g.p.Store.Lock()()
	g.asked = true
}

// reread reads again what the person has switched off.
func (g *Gates) reread() {
	if g.p.options.Reread == nil {
		return
	}
	if s, ok := g.p.options.Reread(); ok {
		g.enabled = s
	}
}

// mayWrite fails if memory is switched off by now.
func (g *Gates) mayWrite() error {
	if g.reread(); !g.enabled.MemoryOff {
		return nil
	}
	return ops.Refuse("memory is switched off: "+g.enabled.Why, "nothing is written while it is; only the person can switch it on, in that setting")
}

// refusal returns the error of the closed gate, or nil. It is a *PersonError if the gate that the person closed refuses
// force.
func (g *Gates) refusal(a gateAnswers, q gateOptions) error {
	if a.closed == nil {
		return nil
	}
	closed := &ClosedError{Gate: *a.closed, MemoryOff: a.closed.Name == "enabled" && g.enabled.MemoryOff,
		Waits: a.closed.Name == "lock" && g.unanswered() != nil}
	if a.closed.Name != "enabled" || closed.MemoryOff || !q.force {
		return closed
	}
	return &PersonError{Err: closed, Question: "Dreams are switched off: " + closed.Gate.Why + ". Consolidate the memory anyway?", Terminal: "dream-mcp mode suggest"}
}
