package search

import (
	"fmt"
	"strings"
	"testing"

	"dream-mcp/consolidate/transcript/said"
	"dream-mcp/testdata/fixture"
)

// BenchmarkSearch searches some 60 MB of transcripts with the proportions of real ones: a little of it
// said, most of it results and their duplicates.
func BenchmarkSearch(b *testing.B) {
	const sessions, turns = 12, 300
	output := strings.Repeat("ok  \tlighthouse/gallery\t0.021s\tcoverage: 71.4% of statements\n", 80)
	var all []*fixture.Transcript
	size := 0
	for n := range sessions {
		f := fixture.Talk(n + 1)
		for i := range turns {
			f.User(fmt.Sprintf("please look at step %d of the stairs", i))
			f.Reply(fmt.Sprintf("I look at step %d, then at the lantern.", i))
			f.Says(fmt.Sprint("t", i), fixture.Use(fmt.Sprint("u", i), "Bash", fixture.Fields{"command": "go test ./..."}))
			f.Add("user", fixture.Fields{
				"message":       fixture.Fields{"content": []any{fixture.Result(fmt.Sprint("u", i), output)}},
				"toolUseResult": fixture.Fields{"stdout": output, "stderr": ""},
			})
		}
		f.User("a Fresnel lens, at last")
		size += len(f.Text())
		all = append(all, f)
	}
	s := store(b, all...)
	for _, q := range []Query{
		{Pattern: "Fresnel"},
		{Pattern: "fresnel"},
		{Pattern: "lantern"},
		{Pattern: "coverage", Speakers: []said.Speaker{said.User, said.Assistant, said.Tool}},
		{Pattern: `f\w+el lens`, Regex: true},
		{Pattern: `[a-z]+ \d+ of`, Regex: true},
	} {
		b.Run(q.Pattern, func(b *testing.B) {
			b.SetBytes(int64(size))
			for b.Loop() {
				if r := search(b, s, q); r.Matches == 0 && q.Speakers == nil {
					b.Fatal("nothing found")
				}
			}
		})
	}
}

// BenchmarkCount is what an idle check of the gate costs beyond its first.
func BenchmarkCount(b *testing.B) {
	var all []*fixture.Transcript
	for n := range 200 {
		all = append(all, fixture.Talk(n+1).User("x").Reply("y"))
	}
	s := store(b, all...)
	for b.Loop() {
		if n, err := s.Count(b.Context(), fixture.Start, 0); n != 200 || err != nil {
			b.Fatal(n, err)
		}
	}
}
