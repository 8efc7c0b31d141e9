package consolidate

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dream-mcp/memory"
)

// elsewhere returns another project of the same person, with a memory habits.md.
func elsewhere(p *Project) (*Project, error) {
	o := p.options
	o.MemoryDir = p.Store.MemoryDir + "-2"
	if err := os.MkdirAll(o.MemoryDir, 0o700); err != nil {
		return nil, err
	}
	file := filepath.Join(o.MemoryDir, "habits.md")
	if _, err := os.Stat(file); err != nil {
		if err := os.WriteFile(file, []byte(topic("habits", "user")), 0o600); err != nil {
			return nil, err
		}
	}
	return Open(o), nil
}

// Wherever a process dies that makes a memory the person's, or takes one over, the next use of each project leaves it in both, or in
// the one that had it, and as it was there.
func TestPersonKilled(t *testing.T) {
	for _, name := range []string{"own", "take"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for step := 0; ; step++ {
				w := newWorldFor(t, name)
				at := w.runToDeath(name, step)
				texts := map[string]string{}
				for range 2 { // what the second takes from the first reaches the first again
					p := Open(w.options())
					other, err := elsewhere(p)
					if err != nil {
						t.Fatal(err)
					}
					for i, p := range []*Project{p, other} {
						list, err := p.Person.List(ctx)
						if err != nil {
							t.Fatalf("killed at step %d (%s): %v", step, at, err)
						}
						texts[fmt.Sprint("list ", i)] = fmt.Sprint(list)
						for _, file := range []string{"e.md", "habits.md"} {
							data, _ := os.ReadFile(filepath.Join(p.Store.MemoryDir, file))
							texts[fmt.Sprint(file, i)] = string(data)
						}
						if err := p.Close(""); err != nil {
							t.Fatal(err)
						}
					}
				}
				file, had := "e.md", 0
				if name == "take" {
					file, had = "habits.md", 1
				}
				mine, copied := texts[fmt.Sprint(file, had)], texts[fmt.Sprint(file, 1-had)]
				plain := memory.ParseTopic([]byte(mine))
				isPersons := plain.IsPersons()
				plain.ClearPersons()
				kind := map[string]string{"own": "feedback", "take": "user"}[name]
				if string(plain.Bytes()) != topic(strings.TrimSuffix(file, ".md"), kind) || isPersons && copied != mine || !isPersons && copied != "" ||
					texts["list 0"] != texts["list 1"] || isPersons != strings.Contains(texts["list 0"], file) {
					t.Errorf("killed at step %d (%s): %q", step, at, texts)
				}
				if at == "" {
					if !isPersons {
						t.Error("it is nobody's")
					}
					return
				}
			}
		})
	}
}
