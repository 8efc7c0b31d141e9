// Command growth measures whether a call takes longer when much has been done before:
//
//	go run -C .ci ./growth [-operations 2000] [-runs 21]
//
// It makes two projects of the same forty memories, one with a single operation in its state and one with many, calls
// each call in both in turn, and prints the fastest and their ratio as a table in Markdown. It fails if a ratio is
// above 1.5. What else the machine does only makes a call slower, so the fastest says most.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"dream-mcp/consolidate"
	"dream-mcp/consolidate/ops"
	"dream-mcp/consolidate/state"
	"dream-mcp/consolidate/transcript/search"
	"dream-mcp/consolidate/transcript/sessions"
	"dream-mcp/memory"
)

// most is the ratio that no call may exceed.
const most = 1.5

const topics = 40

func main() {
	operations := flag.Int("operations", 2000, "operations in the state of the second project")
	runs := flag.Int("runs", 21, "times that each call is called in each project")
	flag.Parse()
	if err := run(*operations, *runs); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run(operations, runs int) error {
	folder, err := os.MkdirTemp("", "growth")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	few, err := build(filepath.Join(folder, "few"), 1)
	if err != nil {
		return err
	}
	many, err := build(filepath.Join(folder, "many"), operations)
	if err != nil {
		return err
	}
	fmt.Printf("| call | 1 operation, ms | %d, ms | ratio |\n|---|---|---|---|\n", operations)
	worst := 0.0
	for _, c := range calls {
		var times [2][]time.Duration
		for range runs {
			for i, w := range []*world{few, many} {
				took, err := w.time(c)
				if err != nil {
					return fmt.Errorf("%s: %w", c.name, err)
				}
				times[i] = append(times[i], took)
			}
		}
		one, all := slices.Min(times[0]), slices.Min(times[1])
		ratio := float64(all) / float64(one)
		worst = max(worst, ratio)
		fmt.Printf("| %s | %.2f | %.2f | %.2f |\n", c.name, ms(one), ms(all), ratio)
	}
	if worst > most {
		return fmt.Errorf("the worst ratio is %.2f, at most %.1f is wanted", worst, most)
	}
	return nil
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// world is a project, and the time there.
type world struct {
	folder string
	now    time.Time
	writes int
}

// build makes a project with some operations.
func build(folder string, operations int) (*world, error) {
	w := &world{folder: folder, now: time.Date(2026, 9, 1, 9, 0, 0, 0, time.UTC)}
	if err := os.MkdirAll(filepath.Join(folder, "memory"), 0o700); err != nil {
		return nil, err
	}
	index := ""
	for n := range topics {
		text := fmt.Sprintf("---\nname: topic-%d\ndescription: what topic %d is about\nmetadata:\n  type: project\n---\n\nThe body of topic %d, write 0.\n", n, n, n)
		if err := os.WriteFile(filepath.Join(folder, "memory", name(n)), []byte(text), 0o600); err != nil {
			return nil, err
		}
		index += fmt.Sprintf("- [topic-%d](%s) — what topic %d is about\n", n, name(n), n)
	}
	if err := os.WriteFile(filepath.Join(folder, "memory", memory.IndexFile), []byte(index), 0o600); err != nil {
		return nil, err
	}
	p := w.open()
	defer p.Close("it is built")
	for range operations {
		if err := w.write(p); err != nil {
			return nil, err
		}
	}
	return w, nil
}

func name(n int) string { return fmt.Sprintf("topic-%d.md", n) }

// open opens the project as a new process does.
func (w *world) open() *consolidate.Project {
	return consolidate.Open(consolidate.Options{
		Options:     ops.Options{MemoryDir: filepath.Join(w.folder, "memory"), StateHome: filepath.Join(w.folder, "state"), Now: func() time.Time { return w.now }},
		Transcripts: search.Open(sessions.Options{Projects: filepath.Join(w.folder, "sessions"), Roots: []string{w.folder}}),
		Enabled:     consolidate.Switch{On: true, Why: "on"}, MinHours: 24, MinSessions: 5, MaxArchive: 1 << 30,
	})
}

// write changes the next memory.
func (w *world) write(p *consolidate.Project) error {
	n := w.writes % topics
	w.now = w.now.Add(20 * time.Minute)
	w.writes++
	read, err := p.Read(context.Background(), []string{name(n)})
	if err != nil {
		return err
	}
	t := memory.ParseTopic([]byte(read[0].Text))
	_, err = p.Write(context.Background(), consolidate.WriteRequest{Path: name(n), Base: string(read[0].Sum),
		Edits: []memory.Edit{{Old: lastWord(t.Body()), New: fmt.Sprintf("write %d.", w.writes)}}})
	return err
}

func lastWord(body string) string {
	for i := len(body) - 1; i >= 0; i-- {
		if len(body)-i > len("write ") && body[i:i+len("write ")] == "write " {
			return body[i : len(body)-1]
		}
	}
	return body
}

// call is one call of a process that has just started. before, if not nil, is not timed.
type call struct {
	name        string
	before, run func(ctx context.Context, w *world, p *consolidate.Project) error
}

func (w *world) time(c call) (time.Duration, error) {
	ctx := context.Background()
	p := w.open()
	defer p.Close("the call has ended")
	if c.before != nil {
		if err := c.before(ctx, w, p); err != nil {
			return 0, err
		}
	}
	began := time.Now()
	err := c.run(ctx, w, p)
	return time.Since(began), err
}

func begin(ctx context.Context, _ *world, p *consolidate.Project) error {
	return p.Begin(ctx, true, false)
}

func write(_ context.Context, w *world, p *consolidate.Project) error { return w.write(p) }

var calls = []call{
	{name: "status", run: func(ctx context.Context, _ *world, p *consolidate.Project) error { _, err := p.Status(ctx); return err }},
	{name: "read of 3", run: func(ctx context.Context, _ *world, p *consolidate.Project) error {
		_, err := p.Read(ctx, []string{name(1), name(2), memory.IndexFile})
		return err
	}},
	{name: "read of all", run: func(ctx context.Context, _ *world, p *consolidate.Project) error {
		_, err := p.ReadAfter(ctx, "", 25_000, "")
		return err
	}},
	{name: "first write of a process", run: write},
	{name: "second write", before: write, run: write},
	{name: "begin of a dream", run: begin},
	{name: "map", before: begin, run: func(ctx context.Context, _ *world, p *consolidate.Project) error {
		_, err := p.Map(ctx, false)
		return err
	}},
	{name: "write in a dream", before: begin, run: write},
	{name: "finalize", before: func(ctx context.Context, w *world, p *consolidate.Project) error {
		if err := begin(ctx, w, p); err != nil {
			return err
		}
		return w.write(p)
	}, run: func(ctx context.Context, _ *world, p *consolidate.Project) error {
		_, err := p.Finalize(ctx, ops.FinalizeRequest{Summary: "tidied"})
		return err
	}},
	{name: "undo", before: write, run: func(ctx context.Context, _ *world, p *consolidate.Project) error {
		_, err := p.History.Undo(ctx, "")
		return err
	}},
	{name: "restore", before: write, run: func(ctx context.Context, w *world, p *consolidate.Project) error {
		_, err := p.History.Restore(ctx, name((w.writes-1)%topics), "")
		return err
	}},
	{name: "diff", run: func(ctx context.Context, _ *world, p *consolidate.Project) error {
		_, _, err := p.History.Diff(ctx, "")
		return err
	}},
	{name: "report", run: func(ctx context.Context, _ *world, p *consolidate.Project) error {
		_, err := p.Report(ctx, "")
		return err
	}},
	{name: "undo --list", run: func(ctx context.Context, _ *world, p *consolidate.Project) error {
		_, err := p.History.Versions(ctx, "")
		return err
	}},
	{name: "log, the newest 60", run: func(_ context.Context, _ *world, p *consolidate.Project) error {
		left := 60
		for _, err := range p.Store.Records.Newest(state.LogQuery{}) {
			if left--; err != nil || left == 0 {
				return err
			}
		}
		return nil
	}},
	{name: "why", run: func(ctx context.Context, _ *world, p *consolidate.Project) error {
		_, err := p.Sources.Why(ctx, name(3))
		return err
	}},
	{name: "review", run: func(ctx context.Context, _ *world, p *consolidate.Project) error {
		_, err := p.Proposals.Reviews(ctx)
		return err
	}},
	{name: "lint", run: func(ctx context.Context, _ *world, p *consolidate.Project) error {
		_, err := p.Lint(ctx, consolidate.LintRequest{})
		return err
	}},
	{name: "listing", run: func(ctx context.Context, _ *world, p *consolidate.Project) error {
		_, err := p.Sessions.List(ctx, consolidate.ListRequest{SinceLast: true, PageBytes: 10_000})
		return err
	}},
	{name: "recall", run: func(ctx context.Context, _ *world, p *consolidate.Project) error {
		_, err := p.Recall.ForPrompt(ctx, "what is topic 7 about?")
		return err
	}},
}
