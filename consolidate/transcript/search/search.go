package search

import (
	"context"
	"fmt"
	"time"

	"dream-mcp/consolidate/transcript/said"
	"dream-mcp/consolidate/transcript/sessions"
)

// The bounds of a page of hits.
const (
	defaultLimit   = 8 // 57 % fewer bytes than 20, for 4 points of evidence
	maxLimit       = 200
	DefaultContext = 160
	maxContext     = 2000
)

// A Query asks what was said: Pattern or Patterns is required.
type Query struct {
	Pattern       string         // a literal text; at most 1,000 bytes
	Patterns      []string       // in its place: any of them; a word matches whole words. At most MaxPatterns
	Regex         bool           // the patterns are RE2 expressions, with (?m)
	CaseSensitive *bool          // nil: if the pattern has an upper-case letter
	Speakers      []said.Speaker // none: User and Assistant
	Since         time.Time      // inclusive; zero: ever
	Until         time.Time      // exclusive; zero: now and later
	Session       string         // an id, or the beginning of one; empty: all
	Limit         int            // hits on a page, at least one of each pattern; 0: the cursor's, or defaultLimit; at most maxLimit
	Context       int            // runes on each side of the match; 0: DefaultContext, at most maxContext
	Fold          bool           // of hits that are alike, only the newest is shown; see Hit.Alike
	Cursor        string         // Next of the page before
}

// MaxPatterns bounds the patterns that one query looks for.
const MaxPatterns = 64

// A Hit is an utterance that matches, cut around its first match. Its three texts, joined, are made visible; "…" is
// where the utterance goes on.
type Hit struct {
	said.Utterance // without its Text

	Before string
	Match  string
	After  string
	More   int      // further matches in the same utterance, up to 1,000
	Alike  int      // older matches not shown, their texts being equal but for case, digits and white space
	In     []string // the sessions of these, as IDs name them, but for its own

	Pattern int // of Query.Patterns
}

// A Result is one page of hits, the newest first, and what the search had to do for it.
type Result struct {
	Hits     []Hit
	Matches  int          // utterances that match, on all pages, those that are folded among them
	Sessions int          // sessions searched, with those that could not be read
	Bytes    int64        // bytes that were searched
	Skipped  said.Skipped // lines that could not be read, and files that are not sessions
	Next     string       // the cursor of the next page; empty on the last, and where there are several patterns
	Patterns []Found      // what each of Query.Patterns found
	Limit    int

	query Query
	shown []position
}

// Found says how often a pattern was found.
type Found struct {
	Matches int // utterances, or passages of memories
	Within  int // others that have the word as a part of longer ones only
}

// After returns the cursor of a page that begins after the first so many hits of this one.
func (r *Result) After(n int) string {
	if n == 0 || r.Next == "" {
		return ""
	}
	return r.query.cursor(r.shown[n-1])
}

// Search finds what was said, in all sessions. What a resumed session copied counts once, where the older file has it.
// A *QueryError says what is wrong with the query.
func (s *Store) Search(ctx context.Context, q Query) (result Result, err error) {
	err = s.Pages(ctx, q, func(page Result) bool {
		result = page
		return false
	})
	return result, err
}

// Pages is Search, page after page until each returns false. The sessions are searched once.
func (s *Store) Pages(ctx context.Context, q Query, each func(Result) bool) error {
	after, err := q.parseCursor()
	if err != nil {
		return err
	}
	if err := q.complete(); err != nil {
		return err
	}
	patterns, err := q.compiled()
	if err != nil {
		return err
	}
	w, err := s.walk(ctx, q)
	if err != nil {
		return err
	}
	scan := newScan(w, patterns, after)
	if err := scan.run(ctx); err != nil {
		return err
	}
	all := scan.distinct()
	for {
		result := w.result()
		result.Matches = len(all)
		if err := scan.fill(ctx, &result, all); err != nil || !each(result) || result.Next == "" {
			return err
		}
		scan.after = &result.shown[len(result.shown)-1]
	}
}

// compiled returns the query's patterns.
func (q Query) compiled() (all []*pattern, err error) {
	texts := q.Patterns
	if len(texts) == 0 {
		texts = []string{q.Pattern}
	}
	if len(texts) > MaxPatterns {
		return nil, &QueryError{"patterns", fmt.Sprintf("at most %d, not %d", MaxPatterns, len(texts))}
	}
	for _, text := range texts {
		p, err := compile(q, text)
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return all, nil
}

// Matchers returns for each of the query's patterns what reports whether a text has it, and whether it is there at all
// where it is to be a whole word. Its errors are those of Search.
func (q Query) Matchers() (all []func(text string) (is, within bool), err error) {
	patterns, err := q.compiled()
	for _, p := range patterns {
		all = append(all, p.matches)
	}
	return all, err
}

// speakers are those whose words are looked for.
func (q Query) speakers() []said.Speaker {
	if len(q.Speakers) == 0 {
		return []said.Speaker{said.User, said.Assistant}
	}
	return q.Speakers
}

// complete puts defaults where the query says nothing, and refuses what is out of bounds.
func (q *Query) complete() error {
	refuse := func(field, format string, args ...any) error {
		return &QueryError{Field: field, Message: fmt.Sprintf(format, args...)}
	}
	if q.Limit == 0 {
		q.Limit = defaultLimit
	}
	if q.Context == 0 {
		q.Context = DefaultContext
	}
	q.Speakers = q.speakers()
	for _, speaker := range q.Speakers {
		if speaker != said.User && speaker != said.Assistant && speaker != said.Tool {
			return refuse("speakers", "%q is none of user, assistant, tool", speaker)
		}
	}
	switch {
	case q.Limit < 0 || q.Limit > maxLimit:
		return refuse("limit", "%d is not between 1 and %d", q.Limit, maxLimit)
	case q.Context < 0 || q.Context > maxContext:
		return refuse("context", "%d is not between 1 and %d", q.Context, maxContext)
	case !q.Since.IsZero() && !q.Until.IsZero() && !q.Since.Before(q.Until):
		return refuse("until", "it is not later than since")
	}
	return nil
}

// chosen returns the sessions that the query is limited to.
func (q Query) chosen(all []said.File) ([]said.File, error) {
	if q.Session == "" {
		return all, nil
	}
	switch chosen := said.Meant(all, q.Session, true); len(chosen) {
	case 0:
		return nil, &QueryError{Field: "session", Message: fmt.Sprintf("no session in that time is named %q", q.Session)}
	case 1:
		return chosen, nil
	default:
		return nil, &QueryError{Field: "session", Message: fmt.Sprintf("%q fits %d sessions: %s", q.Session, len(chosen), sessions.Keys(chosen))}
	}
}

// wants reports whether the query asks for what someone said at some time.
func (q *Query) wants(speaker said.Speaker, at time.Time) bool {
	return speaker.In(q.Speakers) && !at.Before(q.Since) && (q.Until.IsZero() || at.Before(q.Until))
}
