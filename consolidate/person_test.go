package consolidate

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"dream-mcp/consolidate/ops"
	"dream-mcp/consolidate/share"
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

func init() {
	fixes["ask"] = func(p *Project) error { // a dream proposes a memory, and the person agrees
		r := WriteRequest{Path: "e.md", Base: sum(topic("e", "feedback")), Edits: []memory.Edit{{Old: "type: feedback", New: "type: feedback\n  scope: person"}}}
		if err := p.Begin(ctx, true, false); err != nil {
			return err
		}
		_, err := p.Write(ctx, r)
		person, asked := errors.AsType[*PersonError](err)
		if !asked {
			return fmt.Errorf("the person is not asked: %w", err)
		}
		r.Agreed = person.Question
		if _, err := p.Write(ctx, r); err != nil {
			return err
		}
		_, err = p.Finalize(ctx, ops.FinalizeRequest{})
		return err
	}
}

// stampLine matches the line that says when a memory was written.
var stampLine = regexp.MustCompile(`(?m)^ *modified: .*\n`)

// Wherever a process dies that makes a memory the person's, or takes one over, the next use of each project leaves it
// in both, or in the one that had it, and as it was there.
func TestPersonKilled(t *testing.T) {
	for i, name := range []string{"own", "take", "ask"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for step := i % every(8); ; step += every(8) {
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
				kind := map[string]string{"own": "feedback", "take": "user", "ask": "feedback"}[name]
				if stampLine.ReplaceAllString(string(plain.Bytes()), "") != topic(strings.TrimSuffix(file, ".md"), kind) || isPersons && copied != mine || !isPersons && copied != "" ||
					texts["list 0"] != texts["list 1"] || isPersons != strings.Contains(texts["list 0"], file) {
					t.Errorf("killed at step %d (%s): %q", step, at, texts)
				}
				if at == "" {
					if !isPersons {
						t.Errorf("it is nobody's: %q", texts)
					}
					return
				}
			}
		})
	}
}

// Three projects edit, delete and exchange in any order. What is not the person's never changes; in the end all that
// take part have the same text, with every line that any of them added to it. After its end the project that it came
// from has all that was exchanged.
func TestPersonLaws(t *testing.T) {
	for seed := range uint64(16 / every(4)) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(seed, 1))
			w := newWorld(t)
			name, _ := memory.ParseName("e.md")
			var projects []*Project
			for i := range 3 {
				o := w.options()
				o.MemoryDir += strings.Repeat("-x", i)
				os.MkdirAll(o.MemoryDir, 0o700)
				os.WriteFile(filepath.Join(o.MemoryDir, "own.md"), []byte(topic("own", "project")), 0o600)
				p := Open(o)
				defer p.Close("")
				projects = append(projects, p)
			}
			file := func(p *Project) string { return filepath.Join(p.Store.MemoryDir, name.String()) }
			must := func(err error) {
				t.Helper()
				if err != nil {
					t.Fatal(err)
				}
			}
			read := func(file string) []byte {
				data, err := os.ReadFile(file)
				must(err)
				return data
			}
			must(projects[0].Person.Add(ctx, name))
			var lines []string
			out := map[*Project]bool{} // takes no part
			for n := range 40 {
				p := projects[rng.IntN(3)]
				data, err := os.ReadFile(file(p))
				here := err == nil
				switch k := rng.IntN(12); {
				case k < 5 && here && !out[p]:
					line := fmt.Sprintf("Line %d of project %s.", n, filepath.Base(p.Store.MemoryDir))
					lines = append(lines, line)
					at := rng.IntN(2)
					text := strings.TrimRight(string(data), "\n") + "\n" + line + "\n"
					if body := strings.Index(string(data), "\n\n"); at == 0 && body > 0 {
						text = string(data[:body+2]) + line + "\n" + string(data[body+2:])
					}
					must(os.WriteFile(file(p), []byte(text), 0o600))
				case k == 5 && here && rng.IntN(3) == 0:
					must(w.exchange(p)) // what it has is known, then it goes
					must(os.Remove(file(p)))
					out[p] = true
				case k == 6 && here && rng.IntN(3) == 0:
					must(w.exchange(p))
					topic := memory.ParseTopic(read(file(p)))
					topic.ClearPersons()
					must(os.WriteFile(file(p), topic.Bytes(), 0o600))
					out[p] = true
				case k == 7 && out[p]:
					must(p.Person.Add(ctx, name))
					out[p] = false
				default:
					must(w.exchange(p))
				}
			}
			var text string
			for range 2 {
				for _, p := range projects {
					must(w.exchange(p))
				}
			}
			for i, p := range projects {
				if own := read(filepath.Join(p.Store.MemoryDir, "own.md")); string(own) != topic("own", "project") {
					t.Errorf("project %d: own.md is %q", i, own)
				}
				data, err := os.ReadFile(file(p))
				if out[p] {
					if err == nil && memory.ParseTopic(data).IsPersons() {
						t.Errorf("project %d has it again:\n%s", i, data)
					}
					continue
				}
				must(err)
				if text != "" && text != string(data) {
					t.Errorf("project %d differs:\n%s\nfrom\n%s", i, data, text)
				}
				text = string(data)
			}
			for _, line := range lines {
				if text != "" && strings.Count(text, line) != 1 {
					t.Errorf("%q is there %d times:\n%s", line, strings.Count(text, line), text)
				}
			}
			var unsent []string // stays where it was written
			for i, p := range projects {
				if p = projects[(i+int(seed))%3]; out[p] {
					continue
				}
				line := fmt.Sprintf("The last line of project %d.", i)
				must(os.WriteFile(file(p), append(read(file(p)), line+"\n"...), 0o600))
				if rng.IntN(3) == 0 {
					unsent = append(unsent, line)
				} else {
					must(w.exchange(p))
					lines = append(lines, line)
				}
			}
			must(projects[rng.IntN(3)].Person.Remove(ctx, name))
			for range 2 {
				for _, p := range projects {
					must(w.exchange(p))
				}
			}
			var all string
			for _, p := range projects {
				data, _ := os.ReadFile(file(p))
				all += string(data)
			}
			if strings.Contains(all, "scope:") {
				t.Errorf("it was ended:\n%s", all)
			}
			first, _ := os.ReadFile(file(projects[0]))
			for _, line := range unsent {
				if !strings.Contains(all, line) {
					t.Errorf("%q is lost:\n%s", line, all)
				}
			}
			for _, line := range lines {
				if !out[projects[0]] && !strings.Contains(string(first), line) {
					t.Errorf("%q is lost:\n%s", line, first)
				}
			}
		})
	}
}

func (w *world) exchange(p *Project) error {
	_, err := p.Person.List(ctx)
	return err
}

// A memory of all projects that is damaged in the state folder is not an answer of another project: the copies stay,
// and it is restored.
func TestPersonDamaged(t *testing.T) {
	for name, damage := range map[string]func(path string) error{
		"deleted": os.Remove,
		"empty":   func(path string) error { return os.WriteFile(path, nil, 0o600) },
		"cut":     func(path string) error { return os.Truncate(path, 40) },
		"garbage": func(path string) error { return os.WriteFile(path, []byte("\x00\x01\x02"), 0o600) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			p := Open(w.options())
			defer p.Close("the test ended")
			other, err := elsewhere(p)
			if err != nil {
				t.Fatal(err)
			}
			defer other.Close("the test ended")
			habits, err := memory.ParseName("habits.md")
			w.mustDo(err)
			w.mustDo(other.Person.Add(ctx, habits))
			w.mustDo(w.exchange(p))
			at := filepath.Join(share.PersonDir(w.state), "habits.md")
			before := make(map[string]string)
			paths := []string{at, filepath.Join(p.Store.MemoryDir, "habits.md"), filepath.Join(other.Store.MemoryDir, "habits.md")}
			for _, path := range paths {
				data, err := os.ReadFile(path)
				w.mustDo(err)
				before[path] = string(data)
			}
			w.mustDo(damage(at))
			w.mustDo(w.exchange(p))
			w.mustDo(w.exchange(other))
			for _, path := range paths {
				if data, _ := os.ReadFile(path); string(data) != before[path] {
					t.Errorf("%s is now %q", path, data)
				}
			}
		})
	}
}
