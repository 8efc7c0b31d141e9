package listed

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"dream-mcp/consolidate/transcript/listing"
	"dream-mcp/consolidate/transcript/sessions"
)

// A session that could not be read is to be listed again.
func TestUnreadIsNotReviewed(t *testing.T) {
	var l Record
	l.Open(&listing.List{Failed: []listing.Failure{{Session: sessions.Session{ID: "s"}}}})
	if shown, of := l.Count(); shown != 0 || of != 1 {
		t.Errorf("reviewed %d of %d", shown, of)
	}
}

// FuzzMarks: whatever dreams landed, listed in part, or were undone, nothing counts as listed that no dream which is
// kept showed, and what all of them showed together counts.
func FuzzMarks(f *testing.F) {
	for seed := range uint64(50) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		rng := rand.New(rand.NewPCG(seed, 9))
		day := func(n int) time.Time { return time.Date(2026, 11, 1+n, 0, 0, 0, 0, time.UTC) }
		var all []Marks
		undone := map[string]bool{}
		said := 0
		shown := map[string][2]int{} // by dream: after which utterance, and up to which
		now := func() Progress {
			if len(all) == 0 {
				return Progress{Since: day(0)}
			}
			return Joined(all, undone)
		}
		for n := range 2 + rng.IntN(12) {
			said += rng.IntN(4)
			m := now()
			after := m.Last()["s"].Line
			l := Record{From: m.Since, Taken: day(n + 1), Ends: map[string]listing.Mark{}}
			if after < said {
				l.Ends["s"] = listing.Mark{Line: said, Place: 1}
				if to := after + 1 + rng.IntN(said-after); rng.IntN(4) > 0 {
					l.Shown = map[string]Stretch{"s": {listing.Mark{Line: after, Place: min(after, 1)}, listing.Mark{Line: to, Place: 1}}}
				}
			}
			dream := fmt.Sprint("dream ", n)
			one := Marks{Dream: dream, From: l.From, Shown: l.Shown}
			if got, of := l.Count(); got == of {
				one.Taken = l.Taken
			}
			all = append(all, one)
			s := l.Shown["s"]
			shown[dream] = [2]int{s.After.Line, s.Last.Line}
			if rng.IntN(4) == 0 {
				if one := all[rng.IntN(len(all))]; one.Dream != "" { // what was joined cannot be undone any more
					undone[one.Dream] = true
				}
			}
			if len(all) > 4 {
				older := merged(all[:2], undone)
				for i := range 2 {
					if undone[all[i].Dream] {
						delete(shown, all[i].Dream)
					}
				}
				all = append([]Marks{older}, all[2:]...)
			}
		}
		seen := make([]bool, said+1)
		for dream, s := range shown {
			for i := s[0] + 1; i <= s[1] && !undone[dream]; i++ {
				seen[i] = true
			}
		}
		m := now()
		for i := 1; i <= said; i++ {
			if listed := i <= m.Last()["s"].Line; listed && !seen[i] {
				t.Errorf("%d counts as listed; shown %v, undone %v", i, shown, undone)
			}
		}
		if len(undone) == 0 {
			to := 0
			for to < said && seen[to+1] {
				to++
			}
			if got := m.Last()["s"].Line; got != to {
				t.Errorf("listed up to %d, want %d", got, to)
			}
		}
	})
}
