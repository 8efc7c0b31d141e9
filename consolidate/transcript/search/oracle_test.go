package search

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"testing"
	"time"

	"dream-mcp/consolidate/transcript/cache"
	"dream-mcp/consolidate/transcript/said"
	"dream-mcp/testdata/fixture"
)

// FuzzSearch: a search finds what a plain reading of every line finds, in the same order, with the
// same ids, page by page; and each id leads back to the words.
func FuzzSearch(f *testing.F) {
	for seed := range uint64(40) {
		f.Add(seed, "lamp", false)
	}
	for seed, pattern := range []string{"k", "É", "日本", "(?:lamp|bash)s?", "p$", `\bk`, "command=", "Bash: command",
		`"`, `.`, "ss", "s", `a\.?m`, "lamp.*é", "u006c", "(é|lam)p", "[kK]"} {
		f.Add(uint64(seed+100), pattern, true)
		f.Add(uint64(seed+200), pattern, false)
	}
	f.Fuzz(func(t *testing.T, seed uint64, text string, expression bool) {
		rng := rand.New(rand.NewPCG(seed, 1))
		first := fixture.RandomTalk(rng, 1, nil)
		second := fixture.RandomTalk(rng, 2, first.Lines)
		s := store(t, first, second)
		q := Query{Pattern: text, Regex: expression, Limit: 1 + rng.IntN(20)}
		if rng.IntN(2) == 0 {
			q.Speakers = []said.Speaker{said.User, said.Assistant, said.Tool}[rng.IntN(3):]
		}
		full := q
		if full.complete() != nil {
			return
		}
		if _, err := compile(full, full.Pattern); err != nil {
			return
		}
		want := namesOf(oracle(t, s, full))
		var got []string
		for {
			r := search(t, s, q)
			if r.Matches != len(want) {
				t.Fatalf("%d matches, want %d\n%s\n%s", r.Matches, len(want), first.Text(), second.Text())
			}
			for _, h := range r.Hits {
				got = append(got, fmt.Sprint(h.ID, " ", h.Time, " ", h.Speaker))
				if u, err := s.Lookup(t.Context(), h.ID); err != nil || fmt.Sprint(u.ID, " ", u.Time, " ", u.Speaker) != got[len(got)-1] {
					t.Errorf("Lookup(%q) = %+v, %v", h.ID, u, err)
				}
			}
			if q.Cursor = r.Next; r.Next == "" {
				break
			}
		}
		fixture.Equal(t, "hits", got, want)
	})
}

// oracle decodes every line of every session and matches with nothing but regexp.
func oracle(t *testing.T, s *Store, q Query) []*said.Entry {
	t.Helper()
	expression := q.Pattern
	if !q.Regex {
		expression = regexp.QuoteMeta(expression)
	}
	flags := "(?m)"
	if !hasUpper(q.Pattern, q.Regex) {
		flags = "(?mi)"
	}
	re := regexp.MustCompile(flags + expression)
	kept, _, err := s.Accepted(t.Context(), time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	var all []*said.Entry
	copied := map[string]bool{}
	for _, session := range slices.Backward(kept) { // the oldest first
		var found []*said.Entry
		source, err := said.OpenFile(session.Path)
		if err != nil {
			t.Fatal(err)
		}
		r := said.NewReader(session, said.NewLineReader(source, 64), func(u *said.Entry) error {
			found = append(found, u)
			return nil
		})
		r.Last, r.Tools = session.ModTime.UTC(), func([]byte) bool { return true }
		if err := r.Run(); err != nil {
			t.Fatal(err)
		}
		source.Close()
		slices.SortStableFunc(found, func(a, b *said.Entry) int { return a.Line - b.Line })
		for _, u := range found {
			key := fmt.Sprint(u.Time, u.Speaker, u.Slot, u.Text)
			if !u.Timed {
				key = fmt.Sprint(u.UUID, u.Speaker, u.Slot)
			}
			if !slices.Contains(q.Speakers, u.Speaker) || !re.MatchString(u.Text) || (u.Timed || u.UUID != "") && copied[key] {
				continue
			}
			copied[key] = true
			all = append(all, u)
		}
	}
	slices.SortFunc(all, func(a, b *said.Entry) int { return placeOf(a).compare(placeOf(b)) })
	return all
}

func namesOf(all []*said.Entry) (names []string) {
	for _, u := range all {
		names = append(names, fmt.Sprint(u.ID, " ", u.Time, " ", u.Speaker))
	}
	return names
}

// placeOf is the position of an utterance.
func placeOf(u *said.Entry) position {
	return position{Time: cache.Nanoseconds(u.Time), Session: said.ShortID(u.Session), Line: u.Line, Place: u.Place}
}
