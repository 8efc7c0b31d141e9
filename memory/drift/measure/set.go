package measure

import (
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"

	"dream-mcp/memory/drift"
)

// The sets: an invented project each, and memories about it. labelled.txtar describes the form.
var (
	//go:embed testdata/labelled.txtar
	labelled string
	//go:embed testdata/heldout.txtar
	heldout string
)

// memory is one memory without its marks.
type memory struct {
	name, text string
	want       map[int]bool // where the inside of a drifted span begins, or a line of a fence
	spans      int          // all that might name something
}

// unpack writes a set's project below dir and returns its memories.
func unpack(set, dir string) ([]memory, error) {
	var memories []memory
	for _, file := range txtar.Parse([]byte(set)).Files {
		name, ours := strings.CutPrefix(file.Name, "project/")
		if !ours {
			memories = append(memories, unmark(file.Name, string(file.Data)))
			continue
		}
		to := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
			return nil, err
		}
		if err := os.WriteFile(to, file.Data, 0o600); err != nil {
			return nil, err
		}
	}
	return memories, nil
}

// unmark reads the marks of a memory and takes them out.
func unmark(name, text string) memory {
	m := memory{name: name, want: make(map[int]bool)}
	var out strings.Builder
	fence := false
	for row := range strings.Lines(text) {
		if strings.HasPrefix(row, "```") {
			fence = !fence
			out.WriteString(row)
			continue
		}
		if fence {
			row, marked := strings.CutPrefix(row, "! ")
			m.spans++
			if marked {
				m.want[out.Len()+len(row)-len(strings.TrimPrefix(row, "$ "))] = true
			}
			out.WriteString(row)
			continue
		}
		for i, part := range strings.Split(row, "`") {
			if i > 0 {
				out.WriteByte('`')
			}
			if i%2 == 1 {
				m.spans++
			} else if strings.HasSuffix(part, "!") {
				part = strings.TrimSuffix(part, "!")
				m.want[out.Len()+len(part)+1] = true
			}
			out.WriteString(part)
		}
	}
	m.text = out.String()
	return m
}

// score counts what was found against what was to be found.
type score struct{ spans, right, wrong, lost int }

func (s score) precision() float64 { return share(s.right, s.right+s.wrong) }
func (s score) recall() float64    { return share(s.right, s.right+s.lost) }

func share(part, whole int) float64 {
	if whole == 0 {
		return 1
	}
	return float64(part) / float64(whole)
}

// measure scores a set and says what was wrong or lost.
func measure(set string) (score, []string, error) {
	dir, err := os.MkdirTemp("", "drift")
	if err != nil {
		return score{}, nil, err
	}
	defer os.RemoveAll(dir)
	memories, err := unpack(set, dir)
	if err != nil {
		return score{}, nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return score{}, nil, err
	}
	defer root.Close()
	var s score
	var errors []string
	p := drift.New(root)
	isMemory := func(name string) bool {
		return slices.ContainsFunc(memories, func(m memory) bool { return m.name == name })
	}
	for _, m := range memories {
		s.spans += m.spans
		got := make(map[int]bool)
		for _, h := range p.Find(m.text, isMemory) {
			if got[h.From] {
				continue // one mark for each span
			}
			got[h.From] = true
			if m.want[h.From] {
				s.right++
			} else {
				s.wrong++
				errors = append(errors, fmt.Sprintf("%s wrong %s %q: %s", m.name, h.Kind, m.text[h.From:h.To], h.Message))
			}
		}
		for at := range m.want {
			if !got[at] {
				s.lost++
				row, _, _ := strings.Cut(m.text[at:], "\n")
				errors = append(errors, fmt.Sprintf("%s lost %.60q", m.name, row))
			}
		}
	}
	return s, errors, nil
}
