package consolidate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"dream-mcp/consolidate/lock"
	"dream-mcp/memory"
	"dream-mcp/memory/landing"
)

// Gate is one of the five conditions of a dream. Open is nil where it was not checked.
type Gate struct {
	Name string `json:"gate"`
	Open *bool  `json:"open"`
	Why  string `json:"why"`
}

// Notes in our state folder about what a count of the sessions found.
const (
	throttleFile = "throttle.json" // the last scan of a hook that found too few
	dueFile      = "due.json"      // the last count, whoever asked for it, that found enough: for a status bar
)

// scan is what a count of the sessions found.
type scan struct {
	Time  time.Time  `json:"time"`
	Since lock.Stamp `json:"since"`
	Found int        `json:"found"`
}

// gateAnswers is what the gates said, asked in order, the cheapest first, up to the first that is closed.
type gateAnswers struct {
	gates    []Gate
	closed   *Gate
	since    lock.Stamp // the time of the last consolidation
	sessions int        // touched since, as far as they were counted
}

// refusal is the error of a closed gate, nil where all are open.
func (w *gateAnswers) refusal() error {
	if w.closed == nil {
		return nil
	}
	return &ClosedError{Gate: *w.closed}
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

// question says who asks the gates, and for what. To ask changes no gate, unless a hook asks.
type question struct {
	force bool         // a person's wish opens what only time would
	hook  bool         // a hook asks: its scan that finds too few sessions is the last for ten minutes
	count bool         // the sessions are counted even after a closed gate
	free  func() error // nil where the lock can be had; no free: the lock is waited for later
}

// askGates asks the gates. dir is nil where there is no memory directory yet.
func (p *Project) askGates(ctx context.Context, dir *memory.Dir, now time.Time, q question) gateAnswers {
	var w gateAnswers
	since, sinceErr := p.lastConsolidation(dir)
	w.since = since
	w.ask("enabled", func() (bool, string) {
		e := p.o.Enabled
		if q.force && p.asked && !e.On && !e.MemoryOff {
			return true, e.Why + "; opened because the person asked"
		}
		return e.On, e.Why
	})
	w.ask("time", func() (bool, string) {
		if sinceErr != nil {
			return false, sinceErr.Error()
		}
		return p.timeGate(since, now, q.force)
	})
	w.ask("throttle", func() (bool, string) { return p.throttleGate(since, now, q.hook) })
	w.ask("sessions", func() (bool, string) {
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
			p.writeScan(throttleFile, scan{Time: now, Since: since, Found: n})
		}
		return false, fmt.Sprintf("%s; %d more to go", why, p.o.MinSessions-n)
	})
	if q.count {
		p.showCount(ctx, &w, now)
	}
	w.ask("lock", func() (bool, string) {
		if p.o.Unattended && p.dream == nil {
			if waiting, err := p.waiting(); err != nil {
				return false, err.Error()
			} else if len(waiting) > 0 {
				return false, waiting[0].label() + " waits for the person: dream-mcp review"
			}
		}
		if q.free != nil {
			if err := q.free(); err != nil {
				return false, err.Error()
			}
		}
		return true, "free"
	})
	return w
}

func (p *Project) timeGate(since lock.Stamp, now time.Time, force bool) (open bool, why string) {
	if why := p.dreamtElsewhere(now); why != "" {
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

// throttleGate holds back the scans of hooks, and nobody else.
func (p *Project) throttleGate(since lock.Stamp, now time.Time, hook bool) (open bool, why string) {
	last, ok := p.readScan(throttleFile)
	age := now.Sub(last.Time)
	if !ok || age < 0 || age >= throttleSpan || last.Found >= p.o.MinSessions || !last.Since.Same(since) {
		return true, "no scan by the hook in the last 10 minutes found too few"
	}
	why = fmt.Sprintf("the hook's scan %.0f min ago found %d of %d sessions; its next is due %s",
		age.Minutes(), last.Found, p.o.MinSessions, last.Time.Add(throttleSpan).UTC().Format(time.RFC3339))
	if !hook {
		why += "; only the hook waits for that"
	}
	return !hook, why
}

// countSessions counts the sessions since the last consolidation, up to as many as are needed.
func (p *Project) countSessions(ctx context.Context, since lock.Stamp, now time.Time) (int, error) {
	n, err := p.o.Transcripts.Count(ctx, since.Time, p.o.MinSessions)
	if err != nil {
		return 0, err
	}
	p.counted = scan{Time: now, Since: since, Found: n}
	if last, ok := p.readScan(dueFile); n >= p.o.MinSessions && (!ok || last.Found < n || !last.Since.Same(since)) {
		p.writeScan(dueFile, p.counted)
	}
	return n, nil
}

// foundSessions says what a count found.
func (p *Project) foundSessions(n int, since lock.Stamp) string {
	found := fmt.Sprintf("%d of %d", n, p.o.MinSessions)
	if since.Exists {
		found += " since " + since.String()
	}
	if n == 0 && len(p.TranscriptFolders()) == 0 {
		found += "; no transcripts of this project are known, so a dream begins only when somebody asks for it"
	}
	return found
}

// showCount adds to the answer of the gate "sessions", the last that was asked, when they were counted. Where it was not
// checked, they are counted all the same, but not more than once in ten minutes: there may be 10,000 files to look at.
func (p *Project) showCount(ctx context.Context, w *gateAnswers, now time.Time) {
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
		g.Why += ", counted " + second(p.counted.Time).Format(time.RFC3339)
	}
}

// consolidated is lastConsolidation of the memory directory.
func (p *Project) consolidated() (lock.Stamp, error) {
	dir, err := p.openDir()
	if err != nil {
		return lock.Stamp{}, err
	}
	if dir != nil {
		defer dir.Close()
	}
	return p.lastConsolidation(dir)
}

// lastConsolidation returns the time of the last consolidation. While one of our dreams is open, the
// lock file's own time is that of its last call, and the prior one stands in the record.
func (p *Project) lastConsolidation(dir *memory.Dir) (lock.Stamp, error) {
	if p.dream != nil {
		return p.dream.record.Prior, nil
	}
	if dir == nil {
		return lock.Stamp{}, nil
	}
	n, err := lock.ReadHost(dir.Root())
	if err != nil {
		return lock.Stamp{}, err
	}
	cut, err := p.cutOff(dir)
	if err != nil {
		return lock.Stamp{}, err
	}
	if cut != nil {
		return cut.stamp(n), cut.archive.Close()
	}
	// A file with a PID: a process dreams, has finished, or has crashed. If it is ours, the record has the time before.
	if r, err := lock.Read(dir.Root()); err == nil && n.PID != 0 && r.Kind == lock.KindDream && r.PID == n.PID {
		return r.Prior, nil
	}
	return n.Stamp, nil
}

// free returns nil where a dream could begin now, as far as can be seen without beginning one.
func (p *Project) free(dir *memory.Dir, now time.Time) error {
	if err := lockSeen(dir, now); err != nil {
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
	return p.stateWritable()
}

// indexReadable fails with a *RequestError where the index is no file that a dream could read and replace.
func indexReadable(dir *memory.Dir) error {
	if dir == nil {
		return nil
	}
	_, err := dir.Read(indexName)
	switch {
	case err == nil, errors.Is(err, fs.ErrNotExist):
		return nil
	case errors.Is(err, memory.ErrTooLarge):
		return &RequestError{fmt.Sprintf("the index cannot be read: %v", err), "no dream can change it: a person must shorten MEMORY.md, of which hosts load 25 KB at most; nothing was started"}
	}
	return &RequestError{fmt.Sprintf("the index cannot be read: %v", err), "no dream can change it: a person must make MEMORY.md a plain file again; nothing was started"}
}

// stateProbe is as much as a small dream writes to our state folder.
const stateProbe = 64 << 10

// stateWritable fails where our state folder is read-only or full.
func (p *Project) stateWritable() error {
	if p.o.LookOnly {
		return nil
	}
	state, err := p.openState()
	if err == nil {
		err = landing.Probe(state, dreamFolder, stateProbe)
	}
	if err != nil {
		return fmt.Errorf("the state folder %q cannot be written: %w", p.StateDir(), err)
	}
	return nil
}

// lockSeen returns nil where the lock could be had now, as far as can be seen without taking it.
func lockSeen(dir *memory.Dir, now time.Time) error {
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

func (p *Project) readScan(file string) (s scan, ok bool) {
	state, err := p.openState()
	if err != nil {
		return s, false
	}
	ok = readNote(state, file, &s)
	return s, ok
}

// writeScan notes a scan; a note that can't be written costs one more scan.
func (p *Project) writeScan(file string, s scan) {
	if p.o.LookOnly {
		return
	}
	if state, err := p.openState(); err == nil {
		if data, err := json.Marshal(s); err == nil {
			landing.Replace(state, file, data, time.Time{})
		}
	}
}
