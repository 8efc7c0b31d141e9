package consolidate

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dream-mcp/consolidate/lock"
	"dream-mcp/consolidate/ops"
	"dream-mcp/consolidate/transcript/search"
	"dream-mcp/consolidate/transcript/sessions"
)

// BenchmarkStatus is what dream_status costs in a project with 10,000 sessions: while the time gate is
// shut, when it is due, and when every session is counted and they are too few. The heads are known.
func BenchmarkStatus(b *testing.B) {
	const amount = 10_000
	root, projects, memory := "/srv/lighthouse", b.TempDir(), filepath.Join(b.TempDir(), "memory")
	folder := filepath.Join(projects, sessions.Slug(root))
	if err := os.MkdirAll(folder, 0o700); err != nil {
		b.Fatal(err)
	}
	if err := os.MkdirAll(memory, 0o700); err != nil {
		b.Fatal(err)
	}
	for n := range amount {
		said := fmt.Sprintf(`{"type":"user","cwd":%q,"timestamp":"2026-11-18T08:00:00Z","message":{"role":"user","content":"light the lamp"}}`+"\n", root)
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("%08d-0000-4000-8000-000000000000.jsonl", n)), []byte(said), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	said := search.Open(sessions.Options{Projects: projects, Roots: []string{root}})
	host := filepath.Join(memory, lock.HostFile)
	if err := os.WriteFile(host, nil, 0o600); err != nil {
		b.Fatal(err)
	}
	for name, c := range map[string]struct {
		lastDream   time.Duration // so long ago
		minSessions int
		closed      string
	}{
		"time":     {time.Hour, 5, "time"},
		"due":      {30 * 24 * time.Hour, 5, ""},
		"sessions": {30 * 24 * time.Hour, amount + 1, "sessions"},
	} {
		b.Run(name, func(b *testing.B) {
			now := time.Now()
			if err := os.Chtimes(host, now.Add(-c.lastDream), now.Add(-c.lastDream)); err != nil {
				b.Fatal(err)
			}
			p := Open(Options{
				Options:     ops.Options{MemoryDir: memory, StateHome: b.TempDir(), Now: func() time.Time { return now }},
				Transcripts: said, Enabled: Switch{On: true, Why: "on"}, MinHours: 24, MinSessions: c.minSessions,
			})
			defer p.Close("the benchmark ended")
			status := func() {
				s, err := p.Status(b.Context())
				if err != nil || s.ClosedGate != c.closed {
					b.Fatal(s, err)
				}
			}
			for status(); b.Loop(); {
				status()
			}
		})
	}
}

// BenchmarkLint reads and lints a memory of 1,000 topics of 2 KB, each with its line of the index, about a
// project of 20,000 files.
func BenchmarkLint(b *testing.B) {
	dir := b.TempDir()
	var index strings.Builder
	words := strings.Fields("the build of shop runs at night and its cache is keyed by branch so a red one is never kept for long we froze it yesterday")
	for i := range 1000 {
		var body strings.Builder
		for j := range 350 {
			fmt.Fprintf(&body, "%s%d ", words[(i*7+j*j)%len(words)], (i*31+j)%97)
		}
		name := fmt.Sprintf("topic_%d.md", i)
		fmt.Fprintf(&body, "\n\nIt starts in `part%d/file%d.go`, where `part%d.Run%d` reads `part%d/file%d.go`.\n", i%200, i%100, i%200, i%100, i%200, i%300)
		text := fmt.Sprintf("---\nname: Topic %d\ndescription: what part %d of the shop needs to run\nmetadata:\n  type: project\n---\n%s\n", i, i, body.String())
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			b.Fatal(err)
		}
		fmt.Fprintf(&index, "- [Topic %d](%s) — part %d\n", i, name, i)
	}
	if err := os.WriteFile(filepath.Join(dir, "MEMORY.md"), []byte(index.String()), 0o600); err != nil {
		b.Fatal(err)
	}
	project := b.TempDir()
	for i := range 20_000 {
		part := fmt.Sprintf("part%d", i%200)
		if i < 200 {
			if err := os.Mkdir(filepath.Join(project, part), 0o700); err != nil {
				b.Fatal(err)
			}
		}
		var source strings.Builder
		fmt.Fprintf(&source, "package %s\n\n", part)
		for j := range 20 {
			fmt.Fprintf(&source, "func Run%d_%d(order int) int { return order * %d }\n", i/200, j, j)
		}
		if err := os.WriteFile(filepath.Join(project, part, fmt.Sprintf("file%d.go", i/200)), []byte(source.String()), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		p := Open(Options{Options: ops.Options{MemoryDir: dir, StateHome: b.TempDir()}, ProjectDir: project, Transcripts: search.Open(sessions.Options{})})
		if l, err := p.Lint(ctx, LintRequest{}); err != nil || l.Topics != 1000 || l.Compared == "" {
			b.Fatal(l.Topics, len(l.Findings), err)
		}
		p.Close("the benchmark ended")
	}
}

// BenchmarkWrite writes a new memory of 30 passages, outside dreams, beside n memories of as many.
func BenchmarkWrite(b *testing.B) {
	body := func(i int) string {
		var text strings.Builder
		fmt.Fprintf(&text, "---\nname: mem%d\ndescription: what harbour %d does\nmetadata:\n  type: feedback\n---\n", i, i)
		for j := range 30 {
			fmt.Fprintf(&text, "- item %dx%d of crane %dy%d is lifted by the team of quay %d\n", i, j, i, j, i*31+j)
		}
		return text.String()
	}
	for _, n := range []int{10, 100, 1000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			dir := b.TempDir()
			for i := range n {
				if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("mem%d.md", i)), []byte(body(i)), 0o600); err != nil {
					b.Fatal(err)
				}
			}
			p := Open(Options{Options: ops.Options{MemoryDir: dir, StateHome: b.TempDir()}, Transcripts: search.Open(sessions.Options{}), Enabled: Switch{On: true}})
			defer p.Close("the benchmark ended")
			write := func(i int) {
				content := body(i)
				res, err := p.Write(ctx, WriteRequest{Path: fmt.Sprintf("mem%d.md", i), Content: &content, Waive: []ops.Waiver{{Rule: "near-duplicate", Why: "a benchmark"}}})
				if err != nil {
					b.Fatal(err)
				}
				p.AddAlso(ctx, []*WriteResult{&res}, nil)
			}
			i := n
			for write(i); b.Loop(); {
				i++
				write(i)
			}
		})
	}
}
