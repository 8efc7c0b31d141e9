package consolidate

import (
	"context"
	"fmt"
	"time"

	"dream-mcp/consolidate/lock"
	"dream-mcp/consolidate/runs"
	"dream-mcp/consolidate/state"
	"dream-mcp/consolidate/transcript/sessions"
	"dream-mcp/memory/phrase"
)

// recent reports whether c was made in the last ten minutes, and no dream was consolidated since.
func recent(c state.Count, since lock.Stamp, now time.Time) bool {
	age := now.Sub(c.Time)
	return !c.Time.IsZero() && age >= 0 && age < throttleTime && c.Since.Same(since)
}

// throttle is the gate "throttle": how often hooks count the sessions. It is open for others.
func (g *Gates) throttle(since lock.Stamp, now time.Time, hook bool) (open bool, why string) {
	least := g.p.options.MinSessions
	last, _ := state.LastCount.Get(g.p.Store.Records.Look()) // if it cannot be read, there is no wait
	if !recent(last, since, now) || last.Found >= least {
		return true, "no wait"
	}
	return !hook, fmt.Sprintf("a hook counted %d of %d sessions %s, and counts again after %s",
		last.Found, least, phrase.Ago(now, last.Time), last.Time.Add(throttleTime).UTC().Format(time.RFC3339))
}

// count counts the sessions since the last consolidation, at most as many as are needed.
func (g *Gates) count(ctx context.Context, since lock.Stamp, now time.Time) (int, error) {
	n, err := g.p.Transcripts.Count(ctx, since.Time, g.p.options.MinSessions)
	if err != nil {
		return 0, err
	}
	g.counted = state.Count{Time: now, Since: since, Found: n}
	return n, nil
}

// found describes the result of a count.
func (g *Gates) found(n int, since lock.Stamp) string {
	least := g.p.options.MinSessions
	found := countText(n)
	if n < least {
		found = fmt.Sprintf("%d of %s", n, phrase.Plural(least, "session"))
	}
	if since.Exists {
		found += " since " + since.String()
	}
	if n < least {
		found += fmt.Sprintf("; %d more to go", least-n)
	} else {
		found += fmt.Sprintf("; %d needed", least)
	}
	if n == 0 && len(g.p.Sessions.Folders()) == 0 {
		found += "; no transcripts of this project were found, so a dream begins only if somebody asks for it"
	}
	return found
}

// countText describes how many sessions there are. Where many are enough, not all are counted.
func countText(n int) string {
	if n >= sessions.Exact {
		return "at least " + phrase.Plural(n, "session")
	}
	return phrase.Plural(n, "session")
}

// showCount adds the time of the count to the gate "sessions". If that gate was not checked, showCount counts the
// sessions, but at most once in ten minutes: there may be 10,000 files.
func (g *Gates) showCount(ctx context.Context, gate *Gate, since lock.Stamp, now time.Time) {
	if gate.Open == nil {
		if !recent(g.counted, since, now) {
			if _, err := g.count(ctx, since, now); err != nil {
				gate.Why += "; " + err.Error()
				return
			}
		}
		gate.Why = g.found(g.counted.Found, since)
	}
	if !g.counted.Time.IsZero() && now.Sub(g.counted.Time) >= time.Minute {
		gate.Why += "; counted " + phrase.Ago(now, g.counted.Time)
	}
}

// Soon reports whether a dream may be due, from a few files: the gates enabled, time and throttle are open, and hooks
// are not paused. With offer the caller would offer a dream, else start one. Soon does not recover from a crash; Due
// does.
func (g *Gates) Soon(offer bool) bool {
	defer g.p.Store.Lock()()
	if !g.enabled.On {
		return false
	}
	now := g.p.Store.Now()
	dir, err := g.p.Store.Disk()
	if err != nil {
		return false
	}
	defer dir.Close()
	since, err := g.p.Store.Since(dir)
	if err != nil {
		return true // Due returns the error
	}
	if open, _ := g.time(since, now, gateOptions{}); !open {
		return false
	}
	open, _ := g.throttle(since, now, true)
	return open && !g.p.Background.Paused(offer)
}

// Due checks the gates for a dream in the background. Without a new session none is due, even if min_sessions is 0,
// unless a person asked for it.
func (g *Gates) Due(ctx context.Context) (since, sessions string, err error) {
	defer g.p.Store.Lock()()
	asked := g.p.options.Asked
	q := gateOptions{hook: !asked, force: asked}
	a, err := g.ask(ctx, q)
	if err != nil {
		return "", "", err
	}
	if a.closed == nil && a.sessions == 0 && !asked {
		if n, err := g.p.Transcripts.Count(ctx, a.since.Time, 1); err != nil || n == 0 {
			no := false
			a.closed = &Gate{Name: "sessions", Open: &no, Why: "nothing is new since " + a.since.String()}
		}
	}
	return a.since.String(), countText(a.sessions), g.refusal(a, q)
}

// BeginRun begins the run of a background dream, if one is due. It is called without the mutex, which its steps take.
func (g *Gates) BeginRun(ctx context.Context) (*runs.Run, error) {
	return g.p.Background.Begin(ctx, g.p.options.Asked, func(ctx context.Context) error {
		_, _, err := g.Due(ctx)
		return err
	})
}
