package consolidate

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dream-mcp/consolidate/store"
	"dream-mcp/consolidate/transcript"
	"dream-mcp/memory/rule"
)

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
		p := Open(Options{Options: store.Options{MemoryDir: dir, StateHome: b.TempDir()}, ProjectDir: project, Transcripts: transcript.Open(transcript.Options{})})
		if l, err := p.Lint(LintRequest{}); err != nil || l.Topics != 1000 || !slices.ContainsFunc(l.Findings, func(f rule.Finding) bool { return f.Rule == "drift" }) {
			b.Fatal(l.Topics, len(l.Findings), err)
		}
		p.Close("the benchmark ended")
	}
}
