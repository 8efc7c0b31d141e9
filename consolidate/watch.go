package consolidate

import (
	"context"
	"errors"
	"io/fs"
	"reflect"
	"strings"
	"time"

	"dream-mcp/consolidate/indexing"
	"dream-mcp/consolidate/lock"
	"dream-mcp/consolidate/ops"
	"dream-mcp/consolidate/state"
	"dream-mcp/consolidate/transcript/said"
	"dream-mcp/memory"
	"dream-mcp/memory/lazy"
	"dream-mcp/memory/visible"
)

// Limits of a snapshot.
const (
	maxEvents      = 500       // the newest
	maxWatchDiff   = 256 << 10 // bytes
	maxWatchLog    = 4 << 20   // bytes of the log of a background dream, which is always smaller
	maxLatestWords = 600       // characters
)

// gatesFresh is the maximum age of the gates in a snapshot: there may be 10,000 sessions to count.
const gatesFresh = 30 * time.Second

// Snapshot is the state of a memory at one time: its open dream, of any process, or the gates that are closed.
// Credentials in its texts are masked; control and invisible characters are not.
type Snapshot struct {
	Time time.Time `json:"time"`
	State
	Host     string           `json:"host,omitempty"`          // the program in which the dream runs
	Dead     bool             `json:"dead,omitempty"`          // the process of the dream has died; the next command ends the dream
	Stopping bool             `json:"stopping,omitempty"`      // the dream was asked to stop, and has not made its next call
	Reviewed []state.Reviewed `json:"sessions"`                // the first of the sessions to review
	Events   []state.Event    `json:"events"`                  // of the open dream, or of the last one that was watched; at most 500
	Before   int              `json:"events_before,omitempty"` // how many events came before those
	Words    string           `json:"words,omitempty"`         // what the model said last, where it is known
	Diff     string           `json:"diff,omitempty"`          // what would land now; at most 256 KiB
}

// Watch observes a project. It takes no lock but to complete an interrupted landing. With Options.LookOnly it creates
// only caches.
type Watch struct {
	p     *Project
	log   string
	dream string    // the last open dream
	words string    // the file with the words of its model, or ""
	asked time.Time // when the gates were checked
	last  Snapshot
}

// Watch returns a new Watch. log is the name of the log of background dreams in the state folder, which has the words
// of a model whose session has no transcript, or "". It needs no mutex.
func (p *Project) Watch(log string) *Watch { return &Watch{p: p, log: log} }

// Look returns the present snapshot, and whether anything in it but the time has changed.
func (w *Watch) Look(ctx context.Context) (Snapshot, bool, error) {
	p := w.p
	defer p.Store.Lock()()
	now := p.Store.Now()
	next := Snapshot{Time: now, State: State{MemoryDir: p.Store.MemoryDir, Gates: []Gate{}, Warnings: []string{}}, Reviewed: []state.Reviewed{}, Events: []state.Event{}}
	dir, err := p.Store.Dir(ctx)
	if err != nil {
		return next, true, err
	}
	defer dir.Close()
	w.lookAtDream(&next, dir)
	if next.Dream == nil {
		if dir != nil {
			next.HeldBy = lock.HostHolder(dir.Root(), now)
		}
		if age := now.Sub(w.asked); w.last.Dream == nil && 0 <= age && age < gatesFresh {
			next.Gates, next.Due, next.ClosedGate, next.Waits = w.last.Gates, w.last.Due, w.last.ClosedGate, w.last.Waits
		} else {
			w.asked = now
			next.setGates(p, p.Gates.check(ctx, dir, now, gateOptions{}))
		}
	}
	next.Last, err = p.lastDream(func(ops.LogEntry) bool { return true })
	if !errors.Is(err, fs.ErrNotExist) {
		next.warn(err)
	}
	w.last.Time = now
	changed := !reflect.DeepEqual(next, w.last)
	w.last = next
	return next, changed, nil
}

// lookAtDream sets the open dream, or the events of the one that was open at the last look.
func (w *Watch) lookAtDream(next *Snapshot, dir *memory.Dir) {
	p := w.p
	var r lock.Record
	if dir != nil {
		var err error
		r, err = lock.Read(dir.Root())
		next.warn(err)
	}
	open := r.Kind == lock.KindDream && ops.ValidID(r.ID)
	if open {
		if r.ID != w.dream {
			w.dream, w.words = r.ID, ""
		}
		next.Dream, next.Dead = dreamOf(p, r), r.Dead()
	}
	if w.dream == "" {
		return
	}
	db := p.Store.Records.Look()
	events, _ := db.Events(w.dream).All()
	next.Before = max(0, len(events)-maxEvents)
	next.Events = append(next.Events, events[next.Before:]...)
	for _, e := range events {
		if e.Kind == state.EventMap {
			next.Reviewed = e.Reviewed
		}
	}
	if !open {
		return
	}
	info, err := p.Store.Records.Op(w.dream)
	if err != nil {
		return
	}
	next.Host = info.Host
	_, next.Stopping = db.Operations().StopAsked(w.dream)
	if w.words == "" {
		w.words = p.Transcripts.PathOf(info.Session)
	}
	if w.words != "" {
		next.Words = said.Latest(w.words)
	} else if info.Unattended && w.log != "" {
		next.Words = latestLogged(p.Store.Records.StateDir(), w.log, info.Started)
	}
	next.Words = visible.Short(said.Visible(p.Store.AllowSecrets.Mask(next.Words)), maxLatestWords)
	if t, err := p.Store.Look(dir, info); err == nil {
		if diff, err := indexing.Diff(t, nil); err == nil {
			next.Diff = cutDiff(string(diff))
		}
	}
}

// spoken matches what a model said in the log of a background dream: a line with the time and the kind of the event,
// and indented lines.
var spoken = lazy.New(`(?m)^\S+ assistant: (.*(?:\n {9}.*)*)`)

// latestLogged returns what the model said last in such a log, if the log was written after since.
func latestLogged(dir, log string, since time.Time) string {
	folder, err := memory.OpenRoot(dir)
	if err != nil {
		return ""
	}
	defer folder.Close()
	if info, err := folder.Stat(log); err != nil || info.ModTime().Before(since) {
		return ""
	}
	data, _ := memory.ReadBounded(folder, log, maxWatchLog)
	all := spoken.FindAllSubmatch(data, -1)
	if all == nil {
		return ""
	}
	return strings.ReplaceAll(string(all[len(all)-1][1]), "\n         ", "\n")
}

// cutDiff cuts a long diff after a line, and says so.
func cutDiff(diff string) string {
	if len(diff) <= maxWatchDiff {
		return diff
	}
	diff = diff[:maxWatchDiff]
	return diff[:strings.LastIndexByte(diff, '\n')+1] + "… the rest of the diff is not shown\n"
}
