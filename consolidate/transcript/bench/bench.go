package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"dream-mcp/consolidate/transcript"
)

// A class is one kind of query, as each of the programs is asked it.
type class struct {
	name  string
	text  string   // for us
	raw   string   // for grep and ripgrep, where the transcript spells it otherwise
	grep  []string // flags
	rg    []string
	regex bool
	exact bool // in this case alone
}

var (
	literal = []string{"-F"}
	perl    = []string{"-P"}
)

func classes() []class {
	word := func(name, text string) class {
		return class{name: name, text: text, grep: literal, rg: literal, exact: true}
	}
	anyCase := func(name, text string) class {
		return class{name: "-i, " + name, text: text, grep: []string{"-iF"}, rg: []string{"-iF"}}
	}
	expression := func(name, text string) class {
		return class{name: name, text: text, grep: perl, regex: true, exact: true}
	}
	return []class{
		word("absent", "zephyrquartzite"),
		word("rare", rareWord),
		word("medium", "ReconcileLedger"),
		word("frequent", "error"),
		word("very frequent", "the"),
		anyCase("rare", rareWord),
		anyCase("medium", "reconcileledger"),
		anyCase("frequent", "error"),
		word("accents", "naïve café"),
		word("CJK", "データベース移行"),
		word("emoji", "🚀 déployé"),
		{name: "quotes", text: `the "flux capacitor" said`, raw: `the \"flux capacitor\" said`, grep: literal, rg: literal, exact: true},
		expression("regex, literal", `ticket-\d+-resolved`),
		expression("regex, literal prefix", `func \w+\(ctx [a-z.A-Z]+\) error`),
		expression("regex, alternation", `\b(?:timeout|deadline|refused)\b`),
		expression("regex, gap", `error.{0,40}timeout`),
		expression("regex, no literal, words", `\w{18,}\s+\w{18,}`),
		expression("regex, no literal, upper", `[A-Z]{3,}_[A-Z]{3,}_[A-Z]{3,}`),
	}
}

// A bench is one run of the command.
type bench struct {
	options
	corpus  corpus
	digests string // the folder
	tools   []string
	out     io.Writer
}

// The ways in which we search, by the columns of the table.
var (
	said  = []transcript.Speaker{transcript.User, transcript.Assistant}
	tools = []transcript.Speaker{transcript.Tool}
)

type way struct {
	name     string
	digested bool
	speakers []transcript.Speaker
	counting time.Duration // 0: the first page alone
}

var ways = []way{
	{"raw, page", false, said, 0},
	{"raw, exact", false, said, time.Hour},
	{"tools, page", false, tools, 0},
	{"tools, exact", false, tools, time.Hour},
	{"digest, page", true, said, 0},
	{"digest, exact", true, said, time.Hour},
}

func store(projects, digests string, digested bool) *transcript.Store {
	o := transcript.Options{Projects: projects, Roots: []string{root}}
	if digested {
		o.Digests = digests
	}
	s := transcript.Open(o)
	s.Budget, s.ByteBudget, s.TrustModTimes = time.Hour, math.MaxInt64, true
	if !digested {
		s.DigestMemory = 0
	}
	return s
}

func (c class) query(w way) transcript.Query {
	q := transcript.Query{Pattern: c.text, Regex: c.regex, Speakers: w.speakers}
	if c.exact {
		q.CaseSensitive = new(bool)
		*q.CaseSensitive = true
	}
	return q
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

// once prints what is done once: the heads, the listing, the digests.
func (b *bench) once(ctx context.Context, raw, digested *transcript.Store) error {
	for _, c := range classes()[:2] { // warm the cache
		if _, err := raw.Search(ctx, c.query(ways[1])); err != nil {
			return err
		}
	}
	rg := time.Duration(0)
	if slices.Contains(b.tools, "rg") {
		var all []time.Duration
		for range b.runs {
			took, err := b.pipe(ctx, "rg", classes()[1])
			if err != nil {
				return err
			}
			all = append(all, took)
		}
		rg = median(all)
	}
	fmt.Fprintln(b.out, "| once | ms | ratio to rg, one rare word |\n|---|---|---|")
	for _, step := range []struct {
		name string
		do   func() error
	}{
		{"counting the sessions, in a new process", func() error { _, err := digested.Count(ctx, time.Time{}, 0); return err }},
		{"counting them again", func() error { _, err := digested.Count(ctx, time.Time{}, 0); return err }},
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

func (b *bench) head() {
	fmt.Fprint(b.out, "| ms, and ratio to rg | matches said / by tools | grep -rn \\| tail | rg -n \\| tail |")
	for _, w := range ways {
		fmt.Fprintf(b.out, " %s |", w.name)
	}
	fmt.Fprint(b.out, "\n|---|---|---|---|", strings.Repeat("---|", len(ways)), "\n")
}

func (b *bench) row(c class, times map[string][]time.Duration, matches map[string]int) {
	name := c.name
	if c.regex {
		name += " `" + strings.ReplaceAll(c.text, "|", `\|`) + "`"
	} else {
		name += " `" + c.text + "`"
	}
	fmt.Fprintf(b.out, "| %s | %d / %d |", name, matches["raw, exact"], matches["tools, exact"])
	rg := median(times["rg"])
	for _, tool := range []string{"grep", "rg"} {
		fmt.Fprintf(b.out, " %s |", ms(median(times[tool])))
	}
	for _, w := range ways {
		m := median(times[w.name])
		fmt.Fprintf(b.out, " %s (%s) |", ratio(m, rg), ms(m))
	}
	fmt.Fprintln(b.out)
}

func median(all []time.Duration) time.Duration {
	if len(all) == 0 {
		return 0
	}
	return slices.Sorted(slices.Values(all))[len(all)/2]
}

func ms(d time.Duration) string {
	if d == 0 {
		return "–"
	}
	if d < 10*time.Millisecond {
		return fmt.Sprintf("%.1f", d.Seconds()*1e3)
	}
	return fmt.Sprintf("%.0f", d.Seconds()*1e3)
}

func ratio(d, to time.Duration) string {
	if to == 0 {
		return "–"
	}
	return fmt.Sprintf("%.2f", float64(d)/float64(to))
}
