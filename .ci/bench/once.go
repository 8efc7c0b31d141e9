package main

import (
	"context"
	"dream-mcp/consolidate/transcript/search"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"time"
)

// A life is what one store does that knows nothing when it begins, or only the heads of its sessions.
type life struct {
	heads bool // then it knows the heads
	steps []step
}

// A step is done once in a life.
type step struct {
	name string
	rg   class // what ripgrep is asked beside it
	do   func(*search.Store) error
}

// once prints what such steps take: medians of runs. ripgrep searches before each of them, the same word or one rare
// word, and their ratio is the median of the pairs': a machine that others share is faster and slower by the minute.
// Each run leaves its database, and the last is searched from then on: after a thousand files that were just deleted
// some file systems take twenty times as long to make one, which is nobody's first.
func (b *bench) once(ctx context.Context) error {
	if err := b.warm(ctx); err != nil {
		return err
	}
	folder := b.state
	times, ratios := map[string][]time.Duration{}, map[string][]float64{}
	measure := func(l life) error {
		s := store(b.projects, b.state)
		defer s.Close()
		if l.heads {
			if _, err := s.Count(ctx, time.Time{}, 0); err != nil {
				return err
			}
		}
		for _, step := range l.steps {
			rg, err := b.ripgrep(ctx, step.rg)
			if err != nil {
				return err
			}
			start := b.now()
			if err := step.do(s); err != nil {
				return err
			}
			took := b.now() - start
			times[step.name] = append(times[step.name], took)
			ratios[step.name] = append(ratios[step.name], float64(took)/float64(rg))
		}
		return nil
	}
	all := lives(ctx)
	for _, l := range all {
		for n := range b.runs {
			b.state = filepath.Join(folder, strconv.Itoa(n))
			flush()
			if err := measure(l); err != nil {
				return err
			}
		}
	}
	flush()
	fmt.Fprintln(b.out, "| once | ms | ratio to rg |\n|---|---|---|")
	for _, l := range all {
		for _, step := range l.steps {
			ratio := "–"
			if slices.Contains(b.tools, "rg") {
				ratio = fmt.Sprintf("%.2f", median(ratios[step.name]))
			}
			fmt.Fprintf(b.out, "| %s | %s | %s |\n", step.name, ms(median(times[step.name])), ratio)
		}
	}
	fmt.Fprintln(b.out)
	return nil
}

func lives(ctx context.Context) []life {
	rare, medium := classes()[1], classes()[2]
	count := func(s *search.Store) error { _, err := s.Count(ctx, time.Time{}, 0); return err }
	return []life{
		{steps: []step{{"counting the sessions, in a new process", rare, count}, {"counting them again", rare, count}}},
		{heads: true, steps: []step{
			{"reading all sessions", rare, func(s *search.Store) error { _, err := s.Read(ctx); return err }},
			{"a search in words, `" + question + "`", rare, func(s *search.Store) error {
				_, _, err := s.Ranked(ctx, question, search.Query{})
				return err
			}},
			{"the first search of what tools said, a medium word", medium, func(s *search.Store) error {
				_, err := s.Search(ctx, medium.query(byTools))
				return err
			}},
		}},
	}
}

// ripgrep is what it takes to find the same; 0 where there is none.
func (b *bench) ripgrep(ctx context.Context, c class) (time.Duration, error) {
	if !slices.Contains(b.tools, "rg") {
		return 0, nil
	}
	return b.pipe(ctx, "rg", c)
}
