package drift

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// bigProject is a project of n source files, 20 to a folder, each of 2 KB.
func bigProject(tb testing.TB, n int) *os.Root {
	tb.Helper()
	dir := tb.TempDir()
	for i := range n {
		folder := filepath.Join(dir, fmt.Sprintf("area%d/part%d", i/400, i/20))
		if i%20 == 0 {
			if err := os.MkdirAll(folder, 0o700); err != nil {
				tb.Fatal(err)
			}
		}
		var text []byte
		for j := 0; len(text) < 2_000; j++ {
			text = fmt.Appendf(text, "func HandleRequest%d_%d(input string) error { return errNotFound }\n", i, j)
		}
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("file%d.go", i)), text, 0o600); err != nil {
			tb.Fatal(err)
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { root.Close() })
	return root
}

// bigMemory is a memory of 2 KB that names twelve things, three of them gone.
func bigMemory(i int) string {
	text := "Where things are.\n\n"
	for j := range 4 {
		k := (i*7 + j*131) % 20_000
		text += fmt.Sprintf("- The handler is `area%d/part%d/file%d.go`, it calls `HandleRequest%d_%d()` and is built by `go run ./area%d/part%d`. It is careful with what it reads, and slow.\n", k/400, k/20, k, k, j, k/400, k/20)
	}
	for j := range 3 {
		text += fmt.Sprintf("- The helper is `area%d/part%d/helper%d.go`, which has a longer story that nobody needs to tell here once more in full.\n", i%50, i, j)
	}
	return text
}

// BenchmarkFind reads a project of 20,000 files and compares 1,000 memories with it.
func BenchmarkFind(b *testing.B) {
	root := bigProject(b, 20_000)
	var memories []Text
	for i := range 1_000 {
		memories = append(memories, Text{File: fmt.Sprintf("m%d.md", i), Body: bigMemory(i)})
	}
	for _, part := range []struct {
		name string
		run  func(p *Project)
	}{
		{"tree", func(p *Project) { p.listed() }},
		{"all", func(p *Project) {
			p.Find(memories, func(string) bool { return false })
		}},
	} {
		b.Run(part.name, func(b *testing.B) {
			for b.Loop() {
				p := &Project{checkout: &checkout{root: root}}
				p.begin()
				part.run(p)
			}
		})
	}
}
