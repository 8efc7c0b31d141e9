package search

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"time"

	"dream-mcp/consolidate/transcript/said"
	"dream-mcp/testdata/fixture"
)

// TestAlike: texts are alike when they differ in nothing but case, digits and white space.
func TestAlikeTexts(t *testing.T) {
	sum := alike(said.User, "Run test 12 of É")
	for text, want := range map[string]bool{
		"run TEST 7  of\n\té ": true, "run test of é": false, "run test 1 2 of é": false, "run tests 12 of é": false, "": false,
	} {
		if got := alike(said.User, text) == sum; got != want {
			t.Errorf("%q: alike %v", text, got)
		}
	}
	if alike(said.Assistant, "Run test 12 of É") == sum || alike(said.User, strings.Repeat("x", maxAlike+1)) != 0 {
		t.Error("of another speaker, or too long")
	}
}

// likelyAlike are texts of which some are alike, and some have the same hint.
func likelyAlike(rng *rand.Rand) string {
	begins := []string{"a lamp", "A LAMP  ", "a\tlamp", "\x1b[31ma lamp", "a lamp\\", "the lamp at 10:31",
		"the lamp at 9:05", "\u212a lamp", "k lamp", "é lamp", "É lamp",
		"\u0130 lamp", "lamp <b>", "lamp /", strings.Repeat("lamp ", 8) + "x", strings.Repeat("lamp ", 8) + "y"}
	text := begins[rng.IntN(len(begins))]
	switch rng.IntN(8) {
	case 0:
		text += strings.Repeat(" on and on", maxAlike/2)
	case 1:
		text += "\n1234"
	case 2:
		text += strings.Repeat("\x1b[0m", maxAlike/8) // is written with more bytes than may be compared
	}
	return text
}

// TestFoldingIsExact: of texts that are alike the pages show the newest, and how many more there are.
func TestFoldingIsExact(t *testing.T) {
	early := 0
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 3))
		var all []*fixture.Transcript
		for n := range 3 + rng.IntN(8) {
			f := fixture.Talk(n + 1)
			for k := range 1 + rng.IntN(8) {
				text := likelyAlike(rng)
				kind, content := "user", any(text)
				if rng.IntN(4) > 0 {
					content = []any{fixture.Result("t", text)}
				}
				f.Add(kind, fixture.Fields{
					"message":   fixture.Fields{"role": "user", "content": content},
					"timestamp": fixture.Start.Add(time.Duration(n)*time.Hour + time.Duration(k)*time.Minute),
				})
				if rng.IntN(8) == 0 && n > 0 {
					older := all[rng.IntN(n)].Lines
					f.Raw(older[rng.IntN(len(older))])
				}
			}
			all = append(all, f)
		}
		s := store(t, all...)
		q := Query{Pattern: []string{"lamp", "on", "la?mp"}[rng.IntN(3)], Fold: true, Limit: 1 + rng.IntN(4),
			Speakers: []said.Speaker{said.User, said.Assistant, said.Tool}[2*rng.IntN(2):]}
		q.Regex = q.Pattern == "la?mp"
		full := q
		if err := full.complete(); err != nil {
			t.Fatal(err)
		}
		found := oracle(t, s, full)
		amount, want := map[uint64]int{}, []string(nil)
		expr := regexp.MustCompile("(?i)" + q.Pattern)
		sumOf := func(u *said.Entry) uint64 {
			if at := expr.FindStringIndex(u.Text); u.Speaker == said.Tool { // of a log, its line
				return alike(u.Speaker, lineOf(u.Text, at[0], at[1]))
			}
			return alike(u.Speaker, u.Text)
		}
		for _, u := range found {
			amount[sumOf(u)]++
		}
		for _, u := range found {
			sum := sumOf(u)
			if n := amount[sum]; sum == 0 {
				want = append(want, u.ID+"+0")
			} else if n > 0 {
				want = append(want, fmt.Sprintf("%s+%d", u.ID, n-1))
				amount[sum] = 0
			}
		}
		var got []string
		for {
			r := search(t, s, q)
			if r.Matches != len(found) {
				t.Fatalf("seed %d: %d matches, want %d", seed, r.Matches, len(found))
			}
			for _, h := range r.Hits {
				got = append(got, fmt.Sprintf("%s+%d", h.ID, h.Alike))
			}
			if q.Cursor = r.Next; r.Next == "" {
				break
			}
			early++
		}
		if fixture.Equal(t, fmt.Sprintf("seed %d", seed), got, want); t.Failed() {
			return
		}
	}
	if early == 0 {
		t.Error("no search had more than a page")
	}
}
