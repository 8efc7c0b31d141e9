package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"dream-mcp/consolidate/transcript"
	"dream-mcp/consolidate/transcript/signal"
)

// A bench is one run of the command.
type bench struct {
	options
	corpus  corpus
	digests string // the folder
	tools   []string
	out     io.Writer
}

func store(projects, digests string, digested bool) *transcript.Store {
	o := transcript.Options{Projects: projects, Roots: []string{root}}
	if digested {
		o.Digests = digests
	}
	s := transcript.Open(o)
	s.Budget, s.ByteBudget, s.TrustModTimes = time.Hour, math.MaxInt64, true
	s.Classifier, s.Classify = "signals", func(speaker transcript.Speaker, text string) uint16 { // as users have it
		return uint16(signal.Of(string(speaker), text))
	}
	if !digested {
		s.DigestMemory = 0
	}
	return s
}

// patience is how long one class is repeated: the slow ones need it least.
const patience = 30 * time.Second

func (b *bench) run(ctx context.Context) error {
	raw, digested := store(b.projects, "", false), store(b.projects, b.digests, true)
	defer raw.Close()
	defer digested.Close()
	if err := b.once(ctx, raw, digested); err != nil {
		return err
	}
	b.head()
	differ := 0
	for _, c := range classes() {
		if !strings.Contains(c.name, b.only) {
			continue
		}
		times := map[string][]time.Duration{}
		matches := map[string]int{}
		begun := time.Now()
		for n := range b.runs {
			if n > 0 && time.Since(begun) > patience {
				break
			}
			for _, tool := range b.tools {
				took, err := b.pipe(ctx, tool, c)
				if err != nil {
					return err
				}
				times[tool] = append(times[tool], took)
			}
			for _, w := range ways {
				s := raw
				if w.digested {
					s = digested
				}
				s.Counting = w.counting
				start := time.Now()
				r, err := s.Search(ctx, c.query(w))
				if err != nil {
					return err
				}
				times[w.name] = append(times[w.name], time.Since(start))
				matches[w.name] = r.Matches
			}
		}
		if matches["raw, exact"] != matches["digest, exact"] {
			differ++
			fmt.Fprintf(b.out, "%s: %d matches in the transcripts, %d in the digests\n", c.name, matches["raw, exact"], matches["digest, exact"])
		}
		b.row(c, times, matches)
	}
	fmt.Fprintln(b.out)
	for _, what := range []string{"raw", "digest"} {
		if err := b.memory(ctx, what); err != nil {
			return err
		}
	}
	if differ > 0 {
		return fmt.Errorf("%d classes differ", differ)
	}
	return nil
}

// once prints what is done once in a process: the heads, the first searches, the digests.
func (b *bench) once(ctx context.Context, raw, digested *transcript.Store) error {
	if err := b.warm(ctx); err != nil {
		return err
	}
	rare := classes()[1]
	rg := time.Duration(0)
	if slices.Contains(b.tools, "rg") {
		var all []time.Duration
		for range b.runs {
			took, err := b.pipe(ctx, "rg", rare)
			if err != nil {
				return err
			}
			all = append(all, took)
		}
		rg = median(all)
	}
	count := func(s *transcript.Store) func() error {
		return func() error { _, err := s.Count(ctx, time.Time{}, 0); return err }
	}
	search := func(w way) func() error {
		return func() error { raw.Counting = w.counting; _, err := raw.Search(ctx, rare.query(w)); return err }
	}
	if err := count(digested)(); err != nil { // its heads, so that the digests are measured alone
		return err
	}
	fmt.Fprintln(b.out, "| once | ms | ratio to rg, one rare word |\n|---|---|---|")
	for _, step := range []struct {
		name string
		do   func() error
	}{
		{"counting the sessions, in a new process", count(raw)},
		{"counting them again", count(raw)},
		{"the first search of what was said, raw, one rare word", search(ways[1])},
		{"the first search of what tools said, one rare word", search(ways[3])},
		{"building all digests", func() error { _, err := digested.Digest(ctx); return err }},
	} {
		start := time.Now()
		if err := step.do(); err != nil {
			return err
		}
		took := time.Since(start)
		fmt.Fprintf(b.out, "| %s | %s | %s |\n", step.name, ms(took), ratio(took, rg))
	}
	fmt.Fprintln(b.out)
	return nil
}

// warm reads all transcripts, so that they are in the system's cache.
func (b *bench) warm(ctx context.Context) error {
	files, err := filepath.Glob(filepath.Join(b.corpus.folder, "*.jsonl"))
	if err != nil {
		return err
	}
	for _, path := range files {
		if err := ctx.Err(); err != nil {
			return err
		}
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		_, err = io.Copy(io.Discard, f)
		f.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

// pipe runs a program as people do, its last 50 lines thrown away behind tail.
func (b *bench) pipe(ctx context.Context, tool string, c class) (time.Duration, error) {
	script := `rg -n "$@" | tail -50`
	flags := c.rg
	pattern := c.raw
	if pattern == "" {
		pattern = c.text
	}
	if tool == "grep" {
		script, flags = `grep -rn --include='*.jsonl' "$@" | tail -50`, c.grep
	}
	args := append([]string{"-c", script, "sh"}, flags...)
	cmd := exec.CommandContext(ctx, "sh", append(args, "-e", pattern, "--", b.corpus.folder)...)
	cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8")
	cmd.Stderr = os.Stderr
	start := time.Now()
	if err := cmd.Run(); err != nil {
		return 0, fmt.Errorf("%s: %w", tool, err)
	}
	return time.Since(start), nil
}

// memory has a process of its own ask each query once, and print the most memory that it took.
func (b *bench) memory(ctx context.Context, what string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, self, "-probe", what, "-projects", b.projects, "-only", b.only)
	cmd.Env = append(os.Environ(), "TRANSCRIPT_BENCH_DIGESTS="+b.digests)
	cmd.Stdout, cmd.Stderr = b.out, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("probe %q: %w", what, err)
	}
	return nil
}

// probe is what that process does.
func probe(ctx context.Context, o options, out io.Writer) error {
	s := store(o.projects, os.Getenv("TRANSCRIPT_BENCH_DIGESTS"), o.probe == "digest")
	defer s.Close()
	for _, c := range classes() {
		for _, w := range ways {
			if w.digested != (o.probe == "digest") || !strings.Contains(c.name, o.only) {
				continue
			}
			s.Counting = w.counting
			if _, err := s.Search(ctx, c.query(w)); err != nil {
				return err
			}
		}
	}
	if peak, ok := peakMemory(); ok {
		fmt.Fprintf(out, "Peak memory of a process that asks each query of the %s columns: %d MiB.\n", o.probe, peak>>20)
	}
	return nil
}
