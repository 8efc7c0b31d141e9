package consolidate

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dream-mcp/consolidate/transcript"
)

// BenchmarkLint reads and lints a memory of 1,000 topics of 2 KB, each with its line of the index.
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
		text := fmt.Sprintf("---\nname: Topic %d\ndescription: what part %d of the shop needs to run\nmetadata:\n  type: project\n---\n%s\n", i, i, body.String())
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			b.Fatal(err)
		}
		fmt.Fprintf(&index, "- [Topic %d](%s) — part %d\n", i, name, i)
	}
	if err := os.WriteFile(filepath.Join(dir, "MEMORY.md"), []byte(index.String()), 0o600); err != nil {
		b.Fatal(err)
	}
	p := Open(Options{MemoryDir: dir, StateHome: b.TempDir(), Transcripts: transcript.Open(transcript.Options{})})
	defer p.Close("the benchmark ended")
	for b.Loop() {
		if l, err := p.Lint(""); err != nil || l.Topics != 1000 || len(l.Findings) == 0 {
			b.Fatal(l.Topics, len(l.Findings), err)
		}
	}
}
