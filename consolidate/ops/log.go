package ops

import (
	"encoding/json"
	"fmt"
	"iter"
	"strings"
	"time"

	"dream-mcp/consolidate/lock"
	"dream-mcp/consolidate/state"
	"dream-mcp/memory/phrase"
	"dream-mcp/memory/secret"
)

// Outcome is how an operation ended. Fired marks the beginning of a dream in the log.
type Outcome string

const (
	Fired     Outcome = "fired"
	Committed Outcome = state.Committed
	Aborted   Outcome = "aborted"
	Expired   Outcome = "expired"
	Crashed   Outcome = "crashed"
	Proposed  Outcome = "proposed" // waits for the person
	Rejected  Outcome = "rejected" // the person said no
	Failed    Outcome = "failed"   // of a background dream
)

// Interrupted begins the reason of an operation whose client or process ended.
const Interrupted = "interrupted"

// LogEntry is a line of the log.
type LogEntry struct {
	Time    time.Time `json:"time"`
	Outcome Outcome   `json:"outcome"`
	Header
	HoursSince    *float64 `json:"hours_since,omitempty"` // nil for the first dream
	SessionsSince int      `json:"sessions_since,omitempty"`
	Files         []string `json:"files,omitempty"`
	Changes       Counts   `json:"changes,omitzero"`
	Dream         string   `json:"dream,omitempty"` // of a background run: the ID of its dream
	Cost

	Undone bool `json:"-"` // by a later operation that is not undone itself
}

// Cost is what a background run took, as its host reports it.
type Cost struct {
	Turns   int     `json:"turns,omitempty"`
	Tokens  Tokens  `json:"tokens,omitzero"`
	CostUSD float64 `json:"cost_usd,omitempty"` // as the host calculates it
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
	return phrase.Plural(int(t.Sum()), "token") + " (" + strings.Join(parts, ", ") + ")"
}

// Waiver is a rule that a model waived for one write, and why.
type Waiver struct {
	Rule string `json:"rule"`
	Why  string `json:"why"`
	File string `json:"file,omitempty"`
}

// row returns e as the database keeps it, with credentials masked; nil for nil.
func (e *LogEntry) row(allowed secret.Allowed) (*state.LogRow, error) {
	if e == nil {
		return nil, nil
	}
	line, err := json.Marshal(e)
	return &state.LogRow{
		Operation: e.ID, Kind: string(e.Kind), Outcome: string(e.Outcome), Undoes: e.Undoes, Files: e.Files,
		Text: allowed.ShowJSON(line, nil),
	}, err
}

// Append adds e to the log, with credentials masked.
func (s *Records) Append(e LogEntry) error {
	row, err := e.row(s.AllowSecrets)
	if err != nil {
		return err
	}
	return s.DB().Log().Add(*row)
}

// Newest returns the entries of the log, the newest first, as far as the caller reads them. It skips entries that are
// damaged.
func (s *Records) Newest(q state.LogQuery) iter.Seq2[LogEntry, error] {
	return func(yield func(LogEntry, error) bool) {
		err := s.Look().Log().Entries(q, func(row state.LogRow) bool {
			e := LogEntry{Undone: row.Undone}
			return json.Unmarshal(row.Text, &e) != nil || yield(e, nil)
		})
		if err != nil {
			yield(LogEntry{}, err)
		}
	}
}

// Undone returns which of some operations are undone. An undo that was itself undone does not count.
func (s *Records) Undone(ids ...string) (map[string]bool, error) {
	return s.Look().Log().Undone(ids...)
}

// Entry returns the line of i for the log.
func (i Op) Entry(outcome Outcome, at time.Time) LogEntry {
	e := LogEntry{Time: at, Outcome: outcome, Header: i.Header, SessionsSince: i.Sessions, Changes: countsOf(i.Changes, i.Renamed)}
	if i.Kind == lock.KindDream && i.Since.Exists {
		hours := i.Started.Sub(i.Since.Time).Hours()
		e.HoursSince = &hours
	}
	for _, c := range i.Changes {
		e.Files = append(e.Files, c.Name.String())
	}
	return e
}
