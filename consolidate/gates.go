package consolidate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"dream-mcp/memory"
)

// Gate is one of the five conditions of a dream. Open is nil where it was not checked.
type Gate struct {
	Name string `json:"gate"`
	Open *bool  `json:"open"`
	Why  string `json:"why"`
}

const throttleFile = "throttle.json"

// scan is what was found by the last scan that found too few sessions, or the first that found enough.
type scan struct {
	Time  time.Time `json:"time"`
	Since stamp     `json:"since"`
	Found int       `json:"found"`
}

// gateAnswers is what the gates said, asked in order, the cheapest first, up to the first that is closed.
type gateAnswers struct {
	gates    []Gate
	closed   *Gate
	since    stamp // the time of the last consolidation
	sessions int   // touched since, as far as they were counted
}

// refusal is the error of a closed gate, nil where all are open.
func (w *gateAnswers) refusal() error {
	if w.closed == nil {
		return nil
	}
	return &ClosedError{*w.closed}
}

func (w *gateAnswers) ask(name string, check func() (open bool, why string)) {
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

// askGates asks the gates. dir is nil where there is no memory directory yet; free says whether the
// lock can be had. With force, what only a person's patience would open is open.
func (p *Project) askGates(ctx context.Context, dir *memory.Dir, now time.Time, force bool, free func() error) gateAnswers {
	var w gateAnswers
	since, sinceErr := p.lastConsolidation(dir)
	w.since = since
	w.ask("enabled", func() (bool, string) {
		e := p.o.Enabled
		if !e.On && e.Forceable && force {
			return true, e.Why + "; opened by force"
		}
		return e.On, e.Why
	})
	w.ask("time", func() (bool, string) {
		switch {
		case sinceErr != nil:
			return false, sinceErr.Error()
		case !since.Exists:
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
		why := fmt.Sprintf("%.0fh of %gh", hours, p.o.MinHours)
		if hours >= p.o.MinHours {
			return true, why
		}
		if force {
			return true, why + "; opened by force"
		}
		opens := since.Time.Add(time.Duration(p.o.MinHours * float64(time.Hour)))
		return false, why + "; opens " + opens.UTC().Format(time.RFC3339)
	})
	w.ask("throttle", func() (bool, string) {
		last, ok := p.readScan()
		age := now.Sub(last.Time)
		if !ok || age < 0 || age >= throttleSpan || last.Found >= p.o.MinSessions || !last.Since.same(since) {
			return true, "no scan in the last 10 minutes found too few"
		}
		why := fmt.Sprintf("a scan %.0f min ago found %d of %d sessions", age.Minutes(), last.Found, p.o.MinSessions)
		if force {
			return true, why + "; opened by force"
		}
		return false, fmt.Sprintf("%s; the next is due %s", why, last.Time.Add(throttleSpan).UTC().Format(time.RFC3339))
	})
	w.ask("sessions", func() (bool, string) {
		n, err := p.o.Transcripts.Count(ctx, since.Time, p.o.MinSessions)
		if err != nil {
			return false, err.Error()
		}
		w.sessions = n
		why := fmt.Sprintf("%d of %d since %s", n, p.o.MinSessions, since)
		if !since.Exists {
			why = fmt.Sprintf("%d of %d", n, p.o.MinSessions)
		}
		if n == 0 && len(p.TranscriptFolders()) == 0 {
			why += "; no transcripts of this project are known, so a dream begins only when somebody asks for it"
		}
		if n >= p.o.MinSessions {
			if last, ok := p.readScan(); !ok || last.Found < p.o.MinSessions || !last.Since.same(since) {
				p.writeScan(scan{Time: now, Since: since, Found: n}) // once, for a status bar; it shuts nothing
			}
			return true, why
		}
		if force {
			return true, why + "; opened by force"
		}
		p.writeScan(scan{Time: now, Since: since, Found: n})
		return false, fmt.Sprintf("%s; %d more to go", why, p.o.MinSessions-n)
	})
	w.ask("lock", func() (bool, string) {
		if p.o.Unattended && p.dream == nil {
			if waiting, err := p.waiting(); err != nil {
				return false, err.Error()
			} else if len(waiting) > 0 {
				return false, waiting[0].label() + " waits for the person: dream-mcp review"
			}
		}
		if err := free(); err != nil {
			return false, err.Error()
		}
		return true, "free"
	})
	return w
}

// lastConsolidation returns the time of the last consolidation. While one of our dreams is open, the
// lock file's own time is that of its last call, and the prior one stands in the record.
func (p *Project) lastConsolidation(dir *memory.Dir) (stamp, error) {
	if p.dream != nil {
		return p.dream.record.Prior, nil
	}
	if dir == nil {
		return stamp{}, nil
	}
	n, err := readNative(dir.Root())
	if err != nil || n.pid == 0 {
		return n.stamp, err
	}
	// A body with a PID: somebody dreams, has finished, or has crashed. Of ours, the record tells.
	if r, err := readLock(dir.Root()); err == nil && r.Kind == KindDream && r.PID == n.pid {
		return r.Prior, nil
	}
	return n.stamp, nil
}

// lockFree returns nil where the lock could be had now. It creates nothing.
func (p *Project) lockFree(ctx context.Context, dir *memory.Dir, now time.Time) error {
	if p.dream != nil {
		return &BusyError{Holder: p.dream.record.String()}
	}
	if dir == nil {
		return nil
	}
	if _, err := dir.Root().Lstat(lockFile); err == nil {
		l, err := takeLock(ctx, dir, 0)
		if errors.Is(err, errHeld) {
			r, _ := readLock(dir.Root())
			return &BusyError{Holder: r.String(), Moment: r.Kind != KindDream || r.dead()}
		}
		if err != nil {
			return err
		}
		if err := l.release(); err != nil {
			return err
		}
	}
	return nativeFree(dir.Root(), now)
}

func nativeFree(root *os.Root, now time.Time) error {
	n, err := readNative(root)
	if err != nil {
		return err
	}
	if n.held(now) {
		return &BusyError{Native: true, Holder: fmt.Sprintf("Claude Code's process %d dreams, or has finished within the hour (lock of %s)", n.pid, n.stamp)}
	}
	return nil
}

func (p *Project) readScan() (s scan, ok bool) {
	state, err := p.openState()
	if err != nil {
		return s, false
	}
	data, err := memory.ReadBounded(state, throttleFile, 1<<10)
	return s, err == nil && json.Unmarshal(data, &s) == nil
}

// writeScan notes a scan; a note that can't be written costs one more scan.
func (p *Project) writeScan(s scan) {
	if p.o.LookOnly {
		return
	}
	if state, err := p.openState(); err == nil {
		if data, err := json.Marshal(s); err == nil {
			memory.Replace(state, throttleFile, data, time.Time{})
		}
	}
}
