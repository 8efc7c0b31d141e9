package listing

import (
	"context"
	"dream-mcp/consolidate/transcript/search"
	"dream-mcp/consolidate/transcript/sessions"
	"slices"
)

// maxOriginals bounds the sessions outside a list that are read for originals of what resumed sessions copied.
const maxOriginals = 64

// copies knows in which session of a list an utterance that several of them hold is listed: in the one untouched
// longest, as searches show it.
type copies struct {
	seen map[uint64]int    // by key: the session where it is listed; -1: a list before had it
	keys []map[Mark]uint64 // of each session, those that have one
}

// note records the utterances of a session, which is at an index of the list, or not in it (-1). Sessions come the
// oldest first, and the first wins.
func (c *copies) note(session int, said []utterance, after Mark) {
	keys := map[Mark]uint64{}
	for i := range said {
		u := &said[i]
		if u.Key == 0 {
			continue
		}
		m := Mark{u.Line, u.Place}
		switch {
		case !after.Before(m):
			c.seen[u.Key] = -1 // it was listed before, wherever else it is
		case session >= 0:
			keys[m] = u.Key
			if _, known := c.seen[u.Key]; !known {
				c.seen[u.Key] = session
			}
		}
	}
	if session >= 0 {
		c.keys = append(c.keys, keys)
	}
}

// drop takes copies out of the sessions of a list.
func (c *copies) drop(ctx context.Context, store *search.Store, l *List) error {
	if err := c.outside(ctx, store, l); err != nil {
		return err
	}
	for n := range l.sessions {
		s := &l.sessions[n]
		s.kept = slices.DeleteFunc(s.kept, func(k kept) bool {
			key, known := c.keys[n][k.Mark]
			return known && c.seen[key] != n
		})
	}
	return nil
}

// outside looks for originals in sessions that were listed before and are not in the list.
func (c *copies) outside(ctx context.Context, store *search.Store, l *List) error {
	q := &l.query
	if len(q.After) == 0 || q.Modified.IsZero() || !slices.ContainsFunc(l.sessions, func(s session) bool {
		return s.after == Mark{} && s.kept[0].time.Before(q.Modified)
	}) {
		return nil
	}
	all, _, err := store.Sessions(ctx, q.Modified.AddDate(0, -6, 0))
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(one sessions.Session) bool {
		_, listed := q.After[one.ID]
		return !listed || slices.ContainsFunc(l.sessions, func(s session) bool { return s.ID == one.ID })
	})
	all = all[:min(len(all), maxOriginals)]
	read, err := read(ctx, store, &l.query, all)
	for i, r := range read {
		c.note(-1, r.said, q.After[all[i].ID])
	}
	return err
}
