package listing

import (
	"context"

	"dream-mcp/consolidate/transcript/cache"
	"dream-mcp/consolidate/transcript/parallel"
	"dream-mcp/consolidate/transcript/said"
	"dream-mcp/consolidate/transcript/search"
	"dream-mcp/consolidate/transcript/sessions"
)

// A reading is what a session said, or why it could not be read.
type reading struct {
	said []utterance
	err  error
}

// An utterance is what was said, without its text.
type utterance struct {
	cache.Said
	words uint64 // of a user
}

// read reads sessions by several threads.
func read(ctx context.Context, store *search.Store, q *Query, sessions []sessions.Session) ([]reading, error) {
	all := make([]reading, len(sessions))
	return all, parallel.Do(ctx, len(sessions), func(i int) error {
		texts, err := store.Said(ctx, sessions[i])
		before := "" // what the model said last
		for _, u := range texts {
			if u.Speaker == said.Memory && q.Known != nil && q.Known(u.Text) {
				continue
			}
			one := utterance{Said: u}
			if q.Said != nil && q.isNew(&u, sessions[i].ID) {
				q.Said(u.Text)
			}
			switch one.Text = ""; u.Speaker {
			case said.User, said.Others, said.Memory:
				one.words = wordsOf(&u, before, q.Zone)
			default:
				before = u.Text
			}
			all[i].said = append(all[i].said, one)
		}
		all[i].err = err
		return ctx.Err()
	})
}

// add adds a session.
func (l *List) add(one sessions.Session, r reading, c *copies) {
	if r.err != nil {
		l.Failed = append(l.Failed, Failure{one, r.err})
		return
	}
	s := session{Session: one, after: l.query.After[one.ID]}
	for i := range r.said {
		u := &r.said[i]
		if l.query.isNew(&u.Said, one.ID) {
			s.kept = append(s.kept, kept{Mark: Mark{u.Line, u.Place}, time: u.Time, words: u.words})
		}
	}
	if len(s.kept) > 0 {
		c.note(len(l.sessions), r.said, s.after)
		l.sessions = append(l.sessions, s)
		return
	}
	c.note(-1, r.said, s.after)
	if (s.after == Mark{}) && !one.File.Memory() { // else it was listed to its end before
		l.Silent++
	}
}

// isNew reports whether an utterance of a session is one that the query asks for, after what was listed before.
func (q *Query) isNew(u *cache.Said, session string) bool {
	return q.lists(u) && q.After[session].Before(Mark{u.Line, u.Place})
}

// lists reports whether an utterance is one that the query asks for.
func (q *Query) lists(u *cache.Said) bool {
	return u.Speaker.In(q.Speakers) && !u.Time.Before(q.Since) && (q.Until.IsZero() || u.Time.Before(q.Until))
}
