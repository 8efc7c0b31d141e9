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
	"strconv"
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
	raw := store(b.projects, "", false)
	defer raw.Close()
	if err := b.once(ctx, raw); err != nil {
		return err
	}
	digested := store(b.projects, b.digests, true)
	defer digested.Close()
	if err := b.ranked(ctx, digested); err != nil {
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
	if err := b.memory(ctx); err != nil {
		return err
	}
	if differ > 0 {
		return fmt.Errorf("%d classes differ", differ)
	}
	return nil
}

// once prints what is done once in a process: the heads, the first searches, the digests.
func (b *bench) once(ctx context.Context, raw *transcript.Store) error {
	if err := b.warm(ctx); err != nil {
		return err
	}
	rare := classes()[1]
	rg, err := b.rareWord(ctx)
	if err != nil {
		return err
	}
	count := func() error { _, err := raw.Count(ctx, time.Time{}, 0); return err }
	search := func(w way) func() error {
		return func() error { raw.Counting = w.counting; _, err := raw.Search(ctx, rare.query(w)); return err }
	}
	fmt.Fprintln(b.out, "| once | ms | ratio to rg, one rare word |\n|---|---|---|")
	for _, step := range []struct {
		name string
		do   func() error
	}{
		{"counting the sessions, in a new process", count},
		{"counting them again", count},
		{"the first search of what was said, raw, one rare word", search(ways[1])},
		{"the first search of what tools said, one rare word", search(ways[3])},
	} {
		start := time.Now()
		if err := step.do(); err != nil {
			return err
		}
		took := time.Since(start)
		fmt.Fprintf(b.out, "| %s | %s | %s |\n", step.name, ms(took), ratio(took, rg))
	}
	return b.build(ctx)
}

// rareWord is what ripgrep takes for one rare word; 0 where there is none.
func (b *bench) rareWord(ctx context.Context) (time.Duration, error) {
	if !slices.Contains(b.tools, "rg") {
		return 0, nil
	}
	var all []time.Duration
	for range b.runs {
		took, err := b.pipe(ctx, "rg", classes()[1])
		if err != nil {
			return 0, err
		}
		all = append(all, took)
	}
	return median(all), nil
}

// build builds all digests, in each run in a folder of its own, and leaves them: behind a thousand files that were
// just deleted, some file systems take twenty times as long to make one, which is nobody's first build.
func (b *bench) build(ctx context.Context) error {
	var all []time.Duration
	folder := b.digests
	for n := range b.runs {
		b.digests = filepath.Join(folder, strconv.Itoa(n))
		s := store(b.projects, b.digests, true)
		_, err := s.Count(ctx, time.Time{}, 0) // its heads, so that the digests are measured alone
		start := time.Now()
		if err == nil {
			_, err = s.Digest(ctx)
		}
		all = append(all, time.Since(start))
		s.Close()
		if err != nil {
			return err
		}
	}
	rg, err := b.rareWord(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(b.out, "| building all digests | %s | %s |\n", ms(median(all)), ratio(median(all), rg))
	return nil
}

// ranked prints what a search in words takes once the digests lie in memory.
func (b *bench) ranked(ctx context.Context, s *transcript.Store) error {
	if _, err := s.Digest(ctx); err != nil {
		return err
	}
	var all []time.Duration
	for range b.runs {
		start := time.Now()
		if _, _, err := s.Ranked(ctx, question, transcript.Query{}); err != nil {
			return err
		}
		all = append(all, time.Since(start))
	}
	rg, err := b.rareWord(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(b.out, "| a search in words, `%s`, with digests | %s | %s |\n\n", question, ms(median(all)), ratio(median(all), rg))
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

// memory prints the last row of the table: for each column the most memory that a process of its own
// takes which asks each query once.
func (b *bench) memory(ctx context.Context) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	fmt.Fprint(b.out, "| peak memory in MiB, all of these in one process | | | |")
	for _, w := range ways {
		cmd := exec.CommandContext(ctx, self, "-probe", w.name, "-projects", b.projects, "-only", b.only)
		cmd.Env = append(os.Environ(), "TRANSCRIPT_BENCH_DIGESTS="+b.digests)
		cmd.Stdout, cmd.Stderr = b.out, os.Stderr
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("probe %q: %w", w.name, err)
		}
	}
	fmt.Fprintln(b.out)
	return nil
}

// probe is what that process does.
func probe(ctx context.Context, o options, out io.Writer) error {
	i := slices.IndexFunc(ways, func(w way) bool { return w.name == o.probe })
	if i < 0 {
		return fmt.Errorf("%q is none of the columns", o.probe)
	}
	w := ways[i]
	s := store(o.projects, os.Getenv("TRANSCRIPT_BENCH_DIGESTS"), w.digested)
	defer s.Close()
	s.Counting = w.counting
	for _, c := range classes() {
		if !strings.Contains(c.name, o.only) {
			continue
		}
		if _, err := s.Search(ctx, c.query(w)); err != nil {
			return err
		}
	}
	peak, _ := peakMemory() // 0: the system does not tell
	fmt.Fprintf(out, " %d |", peak>>20)
	return nil
}
