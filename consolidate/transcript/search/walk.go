package search

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"dream-mcp/consolidate/transcript/digest"
	"dream-mcp/consolidate/transcript/parallel"
	"dream-mcp/consolidate/transcript/said"
)

// clockSlack is how much later than its file was touched a record may have been made, on the coarsest file system.
const clockSlack = 2 * time.Second

// errEnough ends a walk before all sessions were searched.
var errEnough = errors.New("enough is found")

// A walk goes through the sessions that a query is about, by several threads.
type walk struct {
	store    *Store
	query    Query
	sessions []said.File // as the project lists them: the newest first
	unjudged bool        // there was no time to list all of them
	read     atomic.Int64

	mu       sync.Mutex
	skipped  said.Skipped
	searched int   // sessions begun
	finished int   // sessions searched to their end
	lacking  []int // sessions without a digest
}

// walk lists the sessions that a query is about.
func (s *Store) walk(ctx context.Context, q Query) (*walk, error) {
	since := q.Since
	if !since.IsZero() {
		since = since.Add(-clockSlack)
	}
	all, skipped, err := s.AcceptedWithin(ctx, since, s.Budget)
	if err != nil && (ctx.Err() != nil || !errors.Is(err, context.DeadlineExceeded)) {
		return nil, err
	}
	w := &walk{store: s, query: q, skipped: skipped, unjudged: err != nil}
	w.sessions, err = q.chosen(all)
	return w, err
}

// run calls search with the place of each session in an order, as long as the Store's budget lasts, and reports whether it
// stopped before the end. What was listed is searched, however long that took: the budget is its own.
func (w *walk) run(ctx context.Context, order []int, search func(ctx context.Context, worker, k int) error) (stopped bool) {
	ctx, cancel := context.WithTimeout(ctx, w.store.Budget)
	defer cancel()
	err := parallel.Workers(ctx, len(order), func(worker, k int) error {
		err := search(ctx, worker, k)
		w.mu.Lock()
		defer w.mu.Unlock()
		w.searched++
		if err == errEnough || err != nil && ctx.Err() != nil {
			return err
		}
		if err != nil {
			w.skipped[said.Unreadable]++
		}
		w.finished++
		return nil
	})
	w.store.digests().Later(w.undigested())
	return err != nil
}

// parts calls do with each part of the digest of a session, and how many rows are in those before it.
func (w *walk) parts(ctx context.Context, i int, do func(part *digest.Digest, first int) error) (*digest.Digest, error) {
	d, err := w.store.parts(ctx, w.sessions[i], &w.read, do)
	if err != nil && err != errEnough {
		w.mu.Lock()
		w.lacking = append(w.lacking, i)
		w.mu.Unlock()
	}
	return d, err
}

// result is what a walk did.
func (w *walk) result(stopped bool) Result {
	r := Result{AtLeast: stopped || w.unjudged, Sessions: w.searched, Bytes: w.read.Load(), Skipped: w.skipped}
	if r.AtLeast {
		r.Notes = append(r.Notes, fmt.Sprintf("stopped early: %d of %d sessions searched to the end", w.finished, len(w.sessions)))
	}
	return r
}

// order returns the sessions by the latest time that they can hold, the newest first, and that time of each: of its
// digest, where a fresh one is in memory, or else when the file was last written.
func (w *walk) order() (order []int, latest []int64) {
	order, latest = make([]int, len(w.sessions)), make([]int64, len(w.sessions))
	bounds := make([]int64, len(w.sessions))
	for i, f := range w.sessions {
		last := f.ModTime.Add(clockSlack)
		if d := w.store.digests().Peek(f); d != nil && !d.Untimed() {
			last = d.Head.Latest
		}
		order[i], bounds[i] = i, digest.Nanoseconds(last)
		if last.Year() > digest.LastYear { // it may hold any time
			bounds[i] = math.MaxInt64
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(bounds[b], bounds[a]) })
	for k, i := range order {
		latest[k] = bounds[i]
	}
	return order, latest
}

// undigested are the sessions whose digests are to be built, the newest first.
func (w *walk) undigested() []said.File {
	slices.Sort(w.lacking)
	files := make([]said.File, 0, len(w.lacking))
	for _, i := range w.lacking {
		files = append(files, w.sessions[i])
	}
	return files
}
