package search

import (
	"context"
	"sync"
	"sync/atomic"

	"dream-mcp/consolidate/transcript/parallel"
	"dream-mcp/consolidate/transcript/said"
	"dream-mcp/consolidate/transcript/sessions"
)

// A walk goes through the sessions that a query is about, by several threads.
type walk struct {
	store    *Store
	query    Query
	sessions []said.File  // as the project lists them: the newest first
	read     atomic.Int64 // bytes

	mu      sync.Mutex
	skipped said.Skipped
}

// walk lists the sessions that a query is about.
func (s *Store) walk(ctx context.Context, q Query) (*walk, error) {
	since := q.Since
	if !since.IsZero() {
		since = since.Add(-sessions.Slack)
	}
	all, skipped, err := s.Accepted(ctx, since)
	if err != nil {
		return nil, err
	}
	w := &walk{store: s, query: q, skipped: skipped}
	w.sessions, err = q.chosen(all)
	return w, err
}

// run calls search with the place of each session. A session that cannot be read is counted.
func (w *walk) run(ctx context.Context, search func(worker, i int) (said.Skipped, error)) error {
	return parallel.Workers(ctx, len(w.sessions), func(worker, i int) error {
		skipped, err := search(worker, i)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		if err != nil {
			w.skipped[said.Unreadable]++
		}
		w.skipped.Add(skipped)
		return nil
	})
}

// result is what a walk did.
func (w *walk) result() Result {
	return Result{Sessions: len(w.sessions), Bytes: w.read.Load(), Skipped: w.skipped}
}
