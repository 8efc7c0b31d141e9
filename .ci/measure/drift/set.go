package measure

import (
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"

	"dream-mcp/memory/rule/drift"
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
	want       map[int]bool // lines that name what is gone, from 1
	lines      int          // with text
}

// unpack makes a set's project in dir, a git repository with the files that it had before, or a shallow one without
// them, and returns its memories.
func unpack(set, dir string, shallow bool) ([]memory, error) {
	var memories []memory
	var renames []string
	write := func(prefix string) error {
		for _, file := range txtar.Parse([]byte(set)).Files {
			if name, ours := strings.CutPrefix(file.Name, prefix); ours {
				to := filepath.Join(dir, filepath.FromSlash(name))
				if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
					return err
				}
				if err := os.WriteFile(to, file.Data, 0o600); err != nil {
					return err
				}
			}
		}
		return nil
	}
	for _, file := range txtar.Parse([]byte(set)).Files {
		switch {
		case file.Name == "renames":
			renames = strings.Fields(string(file.Data))
		case !strings.Contains(file.Name, "/"):
			memories = append(memories, unmark(file.Name, string(file.Data)))
		}
	}
	if err := write("project/"); err != nil {
		return nil, err
	}
	if shallow {
		return memories, errors.Join(git(dir, "init", "-q"), commit(dir))
	}
	for i := 0; i+1 < len(renames); i += 2 {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, renames[i])), 0o700); err != nil {
			return nil, err
		}
		if err := os.Rename(filepath.Join(dir, renames[i+1]), filepath.Join(dir, renames[i])); err != nil {
			return nil, err
		}
	}
	if err := write("before/"); err != nil {
		return nil, err
	}
	if err := git(dir, "init", "-q"); err != nil {
		return nil, err
	}
	if err := commit(dir); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if e.Name() != ".git" {
			err = errors.Join(err, os.RemoveAll(filepath.Join(dir, e.Name())))
		}
	}
	return memories, errors.Join(err, write("project/"), commit(dir))
}

func commit(dir string) error {
	if err := git(dir, "add", "-A", "-f"); err != nil {
		return err
	}
	return git(dir, "commit", "-q", "-m", "x")
}

func git(dir string, args ...string) error {
	c := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgSign=false"}, args...)...)
	c.Dir, c.Env = dir, append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("git %q: %w: %s", args, err, out)
	}
	return nil
}

// unmark reads the marks of a memory and takes them out.
func unmark(name, text string) memory {
	m := memory{name: name, want: make(map[int]bool)}
	var out strings.Builder
	n := 0
	for row := range strings.Lines(text) {
		n++
		row, m.want[n] = strings.CutPrefix(row, "! ")
		if strings.TrimSpace(row) != "" {
			m.lines++
		}
		out.WriteString(row)
	}
	m.text = out.String()
	return m
}

// score counts what was found against what was to be found.
type score struct{ lines, right, wrong, lost int }

func (s score) precision() float64 { return share(s.right, s.right+s.wrong) }
func (s score) recall() float64    { return share(s.right, s.right+s.lost) }

func share(part, whole int) float64 {
	if whole == 0 {
		return 1
	}
	return float64(part) / float64(whole)
}

// measure scores a set and says what was wrong or lost.
func measure(set string, shallow bool) (score, []string, error) {
	dir, err := os.MkdirTemp("", "drift")
	if err != nil {
		return score{}, nil, err
	}
	defer os.RemoveAll(dir)
	memories, err := unpack(set, dir, shallow)
	if err != nil {
		return score{}, nil, err
	}
	p, err := drift.Open(dir)
	if err != nil {
		return score{}, nil, err
	}
	defer p.Close()
	var s score
	var wrong []string
	isMemory := func(name string) bool {
		return slices.ContainsFunc(memories, func(m memory) bool { return m.name == name })
	}
	for _, m := range memories {
		s.lines += m.lines
		got := make(map[int]bool)
		for _, h := range p.Find([]drift.Text{{File: m.name, Body: m.text}}, isMemory) {
			for _, place := range append(h.More, h.Place) {
				line := 1 + strings.Count(m.text[:place.From], "\n")
				if got[line] {
					continue
				}
				if got[line] = true; m.want[line] {
					s.right++
				} else {
					s.wrong++
					wrong = append(wrong, fmt.Sprintf("%s:%d wrong %q: %s", m.name, line, m.text[place.From:place.To], h.Message))
				}
			}
		}
		rows := strings.Split(m.text, "\n")
		for i, row := range rows {
			if m.want[i+1] && !got[i+1] {
				s.lost++
				wrong = append(wrong, fmt.Sprintf("%s:%d lost %.80q", m.name, i+1, row))
			}
		}
	}
	return s, wrong, nil
}
