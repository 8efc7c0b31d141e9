package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"dream-mcp/consolidate/transcript"
)

// A step is done once in the life of a process, or of its digests.
type step struct {
	name string
	do   func() error
}

// once prints what such steps take: medians of runs, each by stores of its own. ripgrep looks for one rare word
// before each of them, and their ratio is the median of the pairs': a machine that others share is faster and
// slower by the minute. Each run leaves its digests, and the last are searched from then on: behind a thousand
// files that were just deleted some file systems take twenty times as long to make one, which is nobody's first.
func (b *bench) once(ctx context.Context) error {
	if err := b.warm(ctx); err != nil {
		return err
	}
	folder := b.digests
	var names []string
	times, ratios := map[string][]time.Duration{}, map[string][]float64{}
	for n := range b.runs {
		b.digests = filepath.Join(folder, strconv.Itoa(n))
		raw, digested := store(b.projects, "", false), store(b.projects, b.digests, true)
		fresh := [2]*transcript.Store{store(b.projects, "", false), store(b.projects, "", false)}
		var err error
		for _, s := range []*transcript.Store{digested, fresh[0], fresh[1]} { // their heads, so that the rest is measured alone
			if err == nil {
				_, err = s.Count(ctx, time.Time{}, 0)
			}
		}
		names = names[:0]
		for _, s := range steps(ctx, raw, digested, fresh) {
			var rg, took time.Duration
			if err == nil {
				rg, err = b.rareWord(ctx)
			}
			if start := time.Now(); err == nil {
				err = s.do()
				took = time.Since(start)
			}
			names = append(names, s.name)
			times[s.name] = append(times[s.name], took)
			ratios[s.name] = append(ratios[s.name], float64(took)/float64(rg))
		}
		for _, s := range []*transcript.Store{raw, digested, fresh[0], fresh[1]} {
			s.Close()
		}
		if err != nil {
			return err
		}
	}
	fmt.Fprintln(b.out, "| once | ms | ratio to rg, one rare word |\n|---|---|---|")
	for _, name := range names {
		ratio := "–"
		if slices.Contains(b.tools, "rg") {
			ratio = fmt.Sprintf("%.2f", median(ratios[name]))
		}
		fmt.Fprintf(b.out, "| %s | %s | %s |\n", name, ms(median(times[name])), ratio)
	}
	fmt.Fprintln(b.out)
	return nil
}

// steps are those of stores that know nothing yet, but for the heads of all but raw.
func steps(ctx context.Context, raw, digested *transcript.Store, fresh [2]*transcript.Store) []step {
	rare, medium := classes()[1], classes()[2]
	count := func() error { _, err := raw.Count(ctx, time.Time{}, 0); return err }
	search := func(s *transcript.Store, c class, w way) func() error {
		return func() error { s.Counting = w.counting; _, err := s.Search(ctx, c.query(w)); return err }
	}
	return []step{
		{"counting the sessions, in a new process", count},
		{"counting them again", count},
		{"the first search of what was said, raw, one rare word", search(raw, rare, ways[1])},
		{"the first search of what tools said, one rare word", search(raw, rare, ways[3])},
		{"the first search of what was said, raw, a medium word", search(fresh[0], medium, ways[1])},
		{"the first search of what tools said, a medium word", search(fresh[1], medium, ways[3])},
		{"building all digests", func() error { _, err := digested.Digest(ctx); return err }},
		{"a search in words, `" + question + "`, with digests", func() error {
			_, _, err := digested.Ranked(ctx, question, transcript.Query{})
			return err
		}},
	}
}

// rareWord is what ripgrep takes for one rare word; 0 where there is none.
func (b *bench) rareWord(ctx context.Context) (time.Duration, error) {
	if !slices.Contains(b.tools, "rg") {
		return 0, nil
	}
	return b.pipe(ctx, "rg", classes()[1])
}
