package search

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"dream-mcp/consolidate/transcript/digest"
	"dream-mcp/consolidate/transcript/parallel"
	"dream-mcp/consolidate/transcript/said"
	"dream-mcp/consolidate/transcript/sessions"
)

// SignalCounts are the signals of one session, by the bit of each kind.
type SignalCounts struct {
	Counts [digest.SignalKinds]int
	Known  bool // false where the session could not be read in time
}

// Signals counts the signals of some sessions, in their order. Sessions without a digest are read, as long as the context
// lasts; the rest are not known. The only error is that of a context that was cancelled, not of one whose time is up.
func (s *Store) Signals(ctx context.Context, sessions []sessions.Session) ([]SignalCounts, error) {
	all := make([]SignalCounts, len(sessions))
	_ = parallel.Do(ctx, len(sessions), func(i int) error {
		f, counts := sessions[i].File, SignalCounts{Known: true}
		d, err := s.digests().Fresh(ctx, s.making(), f, new(atomic.Int64))
		if err == nil {
			err = s.digests().Each(f, d, func(part *digest.Digest, _ int) error {
				for n := range part.Rows {
					for kind := range digest.SignalKinds {
						counts.Counts[kind] += int(part.Rows[n].Signals >> kind & 1)
					}
				}
				return nil
			})
		}
		if err == nil {
			all[i] = counts
		}
		return nil
	})
	if errors.Is(ctx.Err(), context.Canceled) {
		return nil, ctx.Err()
	}
	return all, nil
}

// Digest builds the digests of the project's sessions that are missing, and waits for them. It returns how many sessions
// have a digest.
func (s *Store) Digest(ctx context.Context) (int, error) {
	sessions, _, err := s.Accepted(ctx, time.Time{})
	if err != nil {
		return 0, err
	}
	var n atomic.Int64
	err = parallel.Do(ctx, len(sessions), func(i int) error {
		_, err := s.digests().Fresh(ctx, s.making(), sessions[i], new(atomic.Int64))
		if err == nil {
			n.Add(1)
		} else if ctx.Err() != nil {
			return err
		}
		return nil
	})
	return int(n.Load()), err
}

// DigestLater builds the digests of the project's sessions that are missing in the background, the newest first, until
// the Store is closed.
func (s *Store) DigestLater() {
	s.digests().LaterOf(s.making(), func(ctx context.Context) ([]said.File, error) {
		sessions, _, err := s.Accepted(ctx, time.Time{})
		return sessions, err
	})
}

// A View is an utterance in a digest. It is valid during the visit; its Text may be kept, and keeps the texts of its
// session in memory.
type View struct {
	Session  string
	Position int // among the utterances of its session, from 0
	Speaker  said.Speaker
	Time     time.Time
	Text     string
	Signals  uint16
	Key      uint64 // the same for copies of one record in resumed sessions; 0: none are known

	digest *digest.Digest
	file   *said.File
	row    int
}

// Utterance is the utterance with all that is known of it.
func (v *View) Utterance() said.Utterance { return v.digest.Utterance(v.row, v.file) }

// Each visits what people and the model said in the sessions that a query is about: its Speakers, Since, Until and
// Session count, what it looks for does not. Each session is visited in its order by one of the workers, which are
// numbered from 0; several sessions are visited at the same time, the newest first. Copies of a record are visited too:
// see View.Key. The Result has no hits: Sessions, Bytes and Skipped, and AtLeast when the Store's Budget ended the visit
// early. Each returns the error of visit.
func (s *Store) Each(ctx context.Context, q Query, visit func(worker int, v *View) error) (Result, error) {
	if err := q.complete(); err != nil {
		return Result{}, err
	}
	sessions, skipped, unjudged, err := s.sought(ctx, q)
	if err != nil {
		return Result{}, err
	}
	result := Result{Skipped: skipped, AtLeast: unjudged}
	reading, cancel := context.WithTimeout(ctx, s.Budget)
	defer cancel()
	var read, visited, unreadable atomic.Int64
	var mu sync.Mutex
	var lacking []said.File
	err = parallel.Workers(reading, len(sessions), func(worker, i int) error {
		f := &sessions[i]
		d, err := s.digests().Fresh(reading, s.making(), *f, &read)
		if err != nil && reading.Err() != nil {
			mu.Lock()
			defer mu.Unlock()
			lacking = append(lacking, *f)
			return err
		}
		var visiting error
		if err == nil {
			err = s.digests().Each(*f, d, func(part *digest.Digest, first int) error {
				read.Add(int64(len(part.Text)))
				visiting = q.visit(part, f, first, worker, visit)
				return visiting
			})
		}
		switch {
		case visiting != nil:
			return visiting
		case err != nil:
			unreadable.Add(1)
		default:
			visited.Add(1)
		}
		return nil
	})
	s.digests().Later(s.making(), lacking)
	result.Sessions, result.Bytes = int(visited.Load()), read.Load()
	if n := unreadable.Load(); n > 0 {
		result.Skipped[said.Unreadable] += int(n)
	}
	if err != nil && ctx.Err() == nil && reading.Err() != nil && errors.Is(err, reading.Err()) {
		err, result.AtLeast = nil, true
		result.Notes = append(result.Notes, fmt.Sprintf("stopped early: %d of %d sessions visited", result.Sessions, len(sessions)))
	}
	return result, err
}

// visit visits one part of a digest.
func (q Query) visit(d *digest.Digest, f *said.File, first, worker int, visit func(worker int, v *View) error) error {
	user, assistant := slices.Contains(q.Speakers, said.User), slices.Contains(q.Speakers, said.Assistant)
	v := View{Session: f.ID, digest: d, file: f}
	for at, n := range d.Order() {
		r := &d.Rows[n]
		if r.User && !user || !r.User && !assistant {
			continue
		}
		if v.Time = r.Time(f.ModTime); !q.within(v.Time) {
			continue
		}
		v.Position, v.Speaker, v.Text, v.Signals, v.Key, v.row = first+at, r.Speaker(), d.Said(n), r.Signals, r.Key, n
		if err := visit(worker, &v); err != nil {
			return err
		}
	}
	return nil
}
