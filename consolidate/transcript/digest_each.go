package transcript

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"
)

// SignalKinds is how many kinds of signals there may be: the bits of what Store.Classify returns.
const SignalKinds = 16

// SignalCounts are the signals of one session, by the bit of each kind.
type SignalCounts struct {
	Counts [SignalKinds]int
	Known  bool // false where there was no time to read the session, or it says too much to be digested
}

// Signals counts the signals of some sessions, in their order. Sessions without a digest are read, as
// long as the context lasts; the rest are not known. The only error is that of a context that was
// cancelled, not of one whose time is up.
func (s *Store) Signals(ctx context.Context, sessions []Session) ([]SignalCounts, error) {
	all := make([]SignalCounts, len(sessions))
	_ = parallel(ctx, len(sessions), func(i int) error {
		d, _ := s.digests().fresh(ctx, s.making(), sessions[i].file(), new(atomic.Int64), true)
		if d == nil {
			return nil // too big, gone, or out of time
		}
		counts := &all[i]
		counts.Known = true
		for n := range d.rows {
			for kind := range SignalKinds {
				counts.Counts[kind] += int(d.rows[n].signals >> kind & 1)
			}
		}
		return nil
	})
	if errors.Is(ctx.Err(), context.Canceled) {
		return nil, ctx.Err()
	}
	return all, nil
}

// Digest builds what digests of the project's sessions are lacking, and waits for them, where a search
// would have them built behind its answer. It returns how many sessions have a digest.
func (s *Store) Digest(ctx context.Context) (int, error) {
	sessions, _, err := s.accepted(ctx, time.Time{})
	if err != nil {
		return 0, err
	}
	var n atomic.Int64
	err = parallel(ctx, len(sessions), func(i int) error {
		d, err := s.digests().fresh(ctx, s.making(), sessions[i].file, new(atomic.Int64), true)
		if d != nil {
			n.Add(1)
		}
		if err != nil && ctx.Err() != nil {
			return err
		}
		return nil
	})
	return int(n.Load()), err
}

// A View is an utterance as it lies in a digest. It holds during the visit; its Text may be kept, and
// keeps the texts of its session in memory.
type View struct {
	Session  string
	Position int // among the utterances of its session, from 0
	Turns    int // how many those are
	Speaker  Speaker
	Time     time.Time
	Text     string
	Signals  uint16
	Key      uint64 // the same for copies of one record in resumed sessions; 0: none are known

	digest *digest
	file   *file
	row    int
}

// Utterance is the utterance with all that is known of it.
func (v *View) Utterance() Utterance { return v.digest.utterance(v.row, v.file) }

// Each visits what people and the model said in the sessions that a query is about: its Speakers,
// Since, Until and Session count, what it looks for does not. Each session is visited in its order by
// one of the workers, which are numbered from 0; several sessions are visited at the same time, the
// newest first. Copies of a record are visited too: see View.Key. Sessions without a digest are read;
// one that says too much to be digested is passed over. The Result has no hits: Sessions, Bytes and
// Skipped, and AtLeast when the Store's Budget ended the visit early. Each returns the error of visit.
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
	var read, visited, left atomic.Int64
	user, assistant := slices.Contains(q.Speakers, User), slices.Contains(q.Speakers, Assistant)
	err = parallelWorkers(reading, len(sessions), func(worker, i int) error {
		f := &sessions[i].file
		d, err := s.digests().fresh(reading, s.making(), *f, &read, true)
		if d == nil {
			if reading.Err() == nil {
				left.Add(1)
				return nil
			}
			return err
		}
		visited.Add(1)
		read.Add(int64(len(d.text)))
		v := View{Session: f.id, Turns: len(d.rows), digest: d, file: f}
		order := d.order()
		for at := range d.rows {
			n := at
			if order != nil {
				n = order[at]
			}
			r := &d.rows[n]
			if r.user && !user || !r.user && !assistant {
				continue
			}
			if v.Time = r.time(f.modTime); !q.within(v.Time) {
				continue
			}
			v.Position, v.Speaker, v.Text, v.Signals, v.Key, v.row = at, r.speaker(), d.said(n), r.signals, r.key, n
			if err := visit(worker, &v); err != nil {
				return err
			}
		}
		return nil
	})
	result.Sessions, result.Bytes = int(visited.Load()), read.Load()
	if n := left.Load(); n > 0 {
		result.Notes = append(result.Notes, fmt.Sprintf("%d sessions too long to be ranked, or unreadable", n))
	}
	if err != nil && ctx.Err() == nil && reading.Err() != nil && errors.Is(err, reading.Err()) {
		err, result.AtLeast = nil, true
		result.Notes = append(result.Notes, fmt.Sprintf("stopped early: %d of %d sessions visited", result.Sessions, len(sessions)))
	}
	return result, err
}
