package main

import (
	"context"
	"dream-mcp/consolidate/transcript/cache"
	"dream-mcp/consolidate/transcript/search"
	"dream-mcp/consolidate/transcript/sessions"
	"dream-mcp/memory/secret"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A bench is one run of the command.
type bench struct {
	options
	corpus corpus
	state  string // the folder of the database
	tools  []string
	out    io.Writer
}

// store opens the transcripts as users do. Without a folder, the database is in memory.
func store(projects, folder string) *search.Store {
	s := search.Open(sessions.Options{Projects: projects, Roots: []string{root}})
	s.Mask = func(text string, from, to int) (string, int, int) {
		v := secret.Allowed(nil).View(text)
		from, to = v.Shown(from, to)
		return v.Text, from, to
	}
	if folder != "" {
		s.Cache = filepath.Join(folder, cache.FileName)
	}
	return s
}

// now is a time to be subtracted from another: of the clock, or of the processors used.
func (b *bench) now() time.Duration {
	if b.cpu {
		return cpuTime()
	}
	return time.Since(begun)
}

var begun = time.Now()

// patience is how long one class is repeated: the slow ones need it least.
const patience = 30 * time.Second

func (b *bench) run(ctx context.Context) error {
	if err := b.once(ctx); err != nil {
		return err
	}
	known := store(b.projects, b.state)
	defer known.Close()
	if _, err := known.Read(ctx); err != nil {
		return err
	}
	b.head()
	for _, c := range classes() {
		if !strings.Contains(c.name, b.only) {
			continue
		}
		times := map[string][]time.Duration{}
		matches := map[string]int{}
		first := time.Now()
		for n := range b.runs {
			if n > 0 && time.Since(first) > patience {
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
				s := known
				if w.first {
					s = store(b.projects, "")
					if _, err := s.Count(ctx, time.Time{}, 0); err != nil { // as when the gate has counted them
						return err
					}
				}
				start := b.now()
				r, err := s.Search(ctx, c.query(w))
				if err != nil {
					return err
				}
				times[w.name] = append(times[w.name], b.now()-start)
				matches[w.name] = r.Matches
				if w.first {
					s.Close()
				}
			}
		}
		b.row(c, times, matches)
	}
	return b.memory(ctx)
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

// pipe runs a program as people do, piped into tail, whose 50 lines are discarded.
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
	start := b.now()
	if err := cmd.Run(); err != nil {
		return 0, fmt.Errorf("%s: %w", tool, err)
	}
	return b.now() - start, nil
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
		cmd.Env = append(os.Environ(), "TRANSCRIPT_BENCH_STATE="+b.state)
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
	s := store(o.projects, os.Getenv("TRANSCRIPT_BENCH_STATE"))
	defer func() { s.Close() }()
	for _, c := range classes() {
		if !strings.Contains(c.name, o.only) {
			continue
		}
		if w.first {
			s.Close()
			s = store(o.projects, "")
		}
		if _, err := s.Search(ctx, c.query(w)); err != nil {
			return err
		}
	}
	peak, _ := peakMemory() // 0: the system does not tell
	fmt.Fprintf(out, " %d |", peak>>20)
	return nil
}
