package search

import (
	"fmt"
	"strings"
	"testing"

	"dream-mcp/consolidate/transcript/bench/fixture"
	"dream-mcp/consolidate/transcript/digest"
	"dream-mcp/consolidate/transcript/literal"
)

// BenchmarkLiteral looks for a word in any case in 4 MB of what was said.
func BenchmarkLiteral(b *testing.B) {
	var text strings.Builder
	for i := range 40_000 {
		fmt.Fprintf(&text, "Then the test of step %d fails with an error, so I look at the lens of the lantern again and repair it.%s", i, digest.Gap)
	}
	said := text.String()
	for _, word := range []string{"zephyrquartz", "reconcileledger", "terror", "größe", "привет"} {
		l := literal.New(word, true)
		b.Run(word, func(b *testing.B) {
			b.SetBytes(int64(len(said)))
			for b.Loop() {
				if _, _, ok := l.Index(said); ok {
					b.Fatal("found")
				}
			}
		})
	}
}

// BenchmarkDigestSearch searches digests in memory: of 200 sessions, some 4 MB said.
func BenchmarkDigestSearch(b *testing.B) {
	var all []*fixture.Transcript
	for n := range 200 {
		f := fixture.Talk(n + 1)
		for i := range 200 {
			f.User(fmt.Sprintf("please look at step %d of the stairs, and tell me whether the lamp is in its place there", i))
		}
		all = append(all, f.User("a Fresnel lens, at last"))
	}
	s := withDigests(b, store(b, all...))
	if _, err := s.Digest(b.Context()); err != nil {
		b.Fatal(err)
	}
	for _, q := range []Query{
		{Pattern: "Fresnel"}, {Pattern: "fresnel"}, {Pattern: "stairs"}, {Pattern: `f\w+el lens`, Regex: true}, {Pattern: `[a-z]+ \d+ of`, Regex: true},
		{Patterns: []string{"Fresnel", "lens", "stares"}}, {Pattern: "stairs", Fold: true},
	} {
		b.Run(fmt.Sprint(q.Pattern, q.Patterns, q.Fold), func(b *testing.B) {
			for b.Loop() {
				if search(b, s, q).Matches == 0 {
					b.Fatal("nothing found")
				}
			}
		})
	}
}
