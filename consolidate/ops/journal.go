package ops

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"dream-mcp/consolidate/lock"
	"dream-mcp/memory"
	"dream-mcp/memory/atomicfile"
)

// Outcome is how an operation ended. Fired marks the beginning of a dream in the journal.
type Outcome string

const (
	Fired     Outcome = "fired"
	Committed Outcome = "committed"
	Aborted   Outcome = "aborted"
	Expired   Outcome = "expired"
	Crashed   Outcome = "crashed"
	Proposed  Outcome = "proposed" // waits for the person
	Rejected  Outcome = "rejected" // the person said no
	Failed    Outcome = "failed"   // of a background dream
)

// Interrupted begins the reason of an operation whose client or process ended.
const Interrupted = "interrupted"

// LogEntry is a line of the journal.
type LogEntry struct {
	Time    time.Time `json:"time"`
	Outcome Outcome   `json:"outcome"`
	Header
	HoursSince    *float64 `json:"hours_since,omitempty"` // nil for the first dream
	SessionsSince int      `json:"sessions_since,omitempty"`
	Files         []string `json:"files,omitempty"`
	Changes       Counts   `json:"changes,omitzero"`
	Dream         string   `json:"dream,omitempty"` // of a background run: the ID of its dream
	Turns         int      `json:"turns,omitempty"`
	Tokens        Tokens   `json:"tokens,omitzero"`
	CostUSD       float64  `json:"cost_usd,omitempty"` // as the host calculates it
}

// Tokens are the tokens of a host's model, as far as the host reports them. None is counted twice.
type Tokens struct {
	Input        int64 `json:"input"` // neither read from the cache nor written to it
	Output       int64 `json:"output"`
	CacheRead    int64 `json:"cache_read"`
	CacheCreated int64 `json:"cache_created"`
}

// Sum is the number of all tokens.
func (t Tokens) Sum() int64 { return t.Input + t.Output + t.CacheRead + t.CacheCreated }

// Add returns the sum of t and u, kind by kind.
func (t Tokens) Add(u Tokens) Tokens {
	return Tokens{t.Input + u.Input, t.Output + u.Output, t.CacheRead + u.CacheRead, t.CacheCreated + u.CacheCreated}
}

// String is such as "91200 tokens (1200 input, 4000 output, 80000 from the cache, 6000 to the cache)".
func (t Tokens) String() string {
	var parts []string
	for _, kind := range []struct {
		n    int64
		name string
	}{{t.Input, "input"}, {t.Output, "output"}, {t.CacheRead, "from the cache"}, {t.CacheCreated, "to the cache"}} {
		if kind.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", kind.n, kind.name))
		}
	}
	if len(parts) == 0 {
		return "no tokens reported"
	}
	return Plural(int(t.Sum()), "token") + " (" + strings.Join(parts, ", ") + ")"
}

// Waiver is a rule that a model waived for one write, and why.
type Waiver struct {
	Rule string `json:"rule"`
	Why  string `json:"why"`
	File string `json:"file,omitempty"`
}

const (
	LogFile    = "log.jsonl"
	logOld     = "log.1.jsonl"
	appendLock = "append.lock" // of those that add lines, and of who replaces a file of lines
	maxJournal = 4 << 20       // then the journal is renamed, and the one before it removed
)

// Append adds e to the journal in one write, with credentials masked. It first ends an incomplete line that a crash left.
func (s *Records) Append(e LogEntry) error {
	state, err := s.Root()
	if err != nil {
		return err
	}
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	line = s.AllowSecrets.ShowJSON(line, nil)
	if unlock, err := s.LockNote(context.Background(), appendLock, Wait); err == nil { // else somebody holds it too long
		defer unlock()
	}
	const flag = os.O_RDWR | os.O_CREATE | os.O_APPEND
	f, err := memory.OpenRegular(state, LogFile, flag)
	if errors.Is(err, memory.ErrLinked) { // perhaps by a backup, whose copy must not change
		if err = atomicfile.Unlink(state, LogFile, 2*maxJournal); err == nil {
			f, err = memory.OpenRegular(state, LogFile, flag)
		}
	}
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err == nil && info.Size() > 0 {
		var last [1]byte
		if _, err = f.ReadAt(last[:], info.Size()-1); err == nil && last[0] != '\n' {
			line = append([]byte("\n"), line...)
		}
	}
	if err == nil {
		_, err = f.Write(append(line, '\n'))
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil && info.Size() > maxJournal {
		state.Rename(LogFile, logOld) // if it fails, the next entry tries again
	}
	return err
}

// Log is Entries for callers that do not hold the mutex.
func (s *Store) Log() ([]LogEntry, error) {
	s.Lock()
	defer s.Unlock()
	return s.Entries()
}

// Journal returns the journal, the oldest entry first, without entries that were written twice because of a crash.
func (s *Records) Journal() ([]LogEntry, error) {
	state, err := s.Root()
	if err != nil {
		return nil, err
	}
	entries, err := readLog(state)
	if err != nil {
		return nil, err
	}
	seen := make(map[string]bool)
	return slices.DeleteFunc(entries, func(e LogEntry) bool {
		key := e.ID + string(e.Outcome) + e.Started.String()
		double := e.Outcome == Committed && seen[key]
		seen[key] = true
		return double
	}), nil
}

// maxUnlogged bounds the records that Entries opens.
const maxUnlogged = 100

// Entries returns the entries of the records, after it has completed an interrupted landing.
func (s *Store) Entries() ([]LogEntry, error) {
	if err := s.Complete(); err != nil {
		return nil, err
	}
	return s.Records.entries()
}

// entries returns the log, and entries for operations that have landed according to their record but are not in the log, so
// that each can be undone.
func (s *Records) entries() ([]LogEntry, error) {
	entries, err := s.Journal()
	if err != nil {
		return nil, err
	}
	lost, err := s.IDs()
	if err != nil {
		return nil, err
	}
	known := make(map[string]bool)
	for _, e := range entries {
		known[e.ID] = known[e.ID] || e.Outcome == Committed
	}
	lost = slices.DeleteFunc(lost, func(id string) bool { return known[id] })
	for _, id := range lost[max(0, len(lost)-maxUnlogged):] {
		o, err := s.Op(id)
		if err != nil || o.State != Landed {
			continue // it cannot be undone either
		}
		entry := o.Entry(Committed, o.Landed)
		at := len(entries) // after all older entries; the others keep their order
		for at > 0 && entries[at-1].Time.After(entry.Time) {
			at--
		}
		entries = slices.Insert(entries, at, entry)
	}
	return entries, nil
}

// UndoneBy returns the operations that are undone. An undo that was itself undone does not count.
func UndoneBy(entries []LogEntry) map[string]bool {
	undone := make(map[string]bool)
	for _, e := range slices.Backward(entries) {
		if e.Outcome == Committed && e.Undoes != "" && !undone[e.ID] {
			undone[e.Undoes] = true
		}
	}
	return undone
}

// Undone is UndoneBy for entries.
func (s *Records) Undone() (map[string]bool, error) {
	entries, err := s.entries()
	return UndoneBy(entries), err
}

// readLog reads the journal, the oldest entry first. It skips invalid lines.
func readLog(state *os.Root) ([]LogEntry, error) {
	var entries []LogEntry
	for _, name := range []string{logOld, LogFile} {
		f, err := memory.OpenRegular(state, name, os.O_RDONLY)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		r := bufio.NewReader(io.LimitReader(f, 2*maxJournal))
		for {
			line, err := r.ReadBytes('\n')
			var e LogEntry
			if line = bytes.TrimSpace(line); len(line) > 0 && json.Unmarshal(line, &e) == nil && e.ID != "" {
				entries = append(entries, e)
			}
			if err != nil {
				break
			}
		}
		f.Close()
	}
	return entries, nil
}

// Entry returns the line of i for the log.
func (i Op) Entry(outcome Outcome, at time.Time) LogEntry {
	e := LogEntry{Time: at, Outcome: outcome, Header: i.Header, SessionsSince: i.Sessions, Changes: CountsOf(i.Changes)}
	if i.Kind == lock.KindDream && i.Since.Exists {
		hours := i.Started.Sub(i.Since.Time).Hours()
		e.HoursSince = &hours
	}
	for _, c := range i.Changes {
		e.Files = append(e.Files, c.Name.String())
	}
	return e
}
