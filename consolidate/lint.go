package consolidate

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"dream-mcp/memory"
)

// Linted is what every rule says of a memory that nobody is about to change, each in its own severity.
type Linted struct {
	MemoryDir string           `json:"memory_dir"`
	Topics    int              `json:"topics"`
	Limited   bool             `json:"limited"` // the directory holds more than was looked at
	Findings  []memory.Finding `json:"findings"`
}

// Lint asks every rule about the memory at dir ("": the project's own) as it stands. It writes nothing,
// takes no lock, and ends nothing that a crash has left. It fails with a *RequestError where dir holds no
// memory.
func (p *Project) Lint(dir string) (Linted, error) {
	own := dir == ""
	if own {
		dir = p.o.MemoryDir
	}
	if whole, err := filepath.Abs(dir); err == nil {
		dir = whole
	}
	info, err := os.Stat(dir) // opening a fifo would wait for a writer
	switch {
	case errors.Is(err, fs.ErrNotExist) && own:
		return Linted{}, &RequestError{fmt.Sprintf("this project has no memory yet: %q does not exist", dir), "dream-mcp lint DIR looks at another folder; dream-mcp status says why it is this one"}
	case errors.Is(err, fs.ErrNotExist):
		return Linted{}, &RequestError{fmt.Sprintf("%q does not exist", dir), "name the folder that holds MEMORY.md"}
	case err != nil:
		return Linted{}, err
	case !info.IsDir():
		return Linted{}, &RequestError{fmt.Sprintf("%q is no folder", dir), "name the folder that holds MEMORY.md"}
	}
	d, err := p.openToLint(realPath(dir))
	if err == nil && d == nil {
		err = fmt.Errorf("%q: %w", dir, fs.ErrNotExist) // gone since
	}
	if err != nil {
		return Linted{}, err
	}
	defer d.Close()
	s, err := d.Snapshot()
	if err != nil {
		return Linted{}, err
	}
	if len(s.Topics) == 0 && s.Index == nil && !slices.ContainsFunc(s.Other, func(o memory.Other) bool { return strings.HasSuffix(strings.ToLower(o.Path), ".md") }) {
		return Linted{}, &RequestError{fmt.Sprintf("%q is no memory: no Markdown file is in it", dir), "name the folder that holds MEMORY.md"}
	}
	l := Linted{MemoryDir: d.Path(), Topics: len(s.Topics), Limited: s.Limited, Findings: []memory.Finding{}}
	l.Findings = append(l.Findings, memory.Lint(s, p.o.Now())...)
	return l, nil
}

// openToLint opens the memory at dir to be read, the project's own or another.
func (p *Project) openToLint(dir string) (*memory.Dir, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if dir != p.o.MemoryDir { // of another memory it is not known what it speaks of
		other := Project{o: Options{MemoryDir: dir, StateHome: p.o.StateHome, AllowSecrets: p.o.AllowSecrets, LookOnly: true}, key: stateKey(dir)}
		defer other.closeState()
		return other.openDir()
	}
	d, err := p.openDir()
	if err == nil && d != nil {
		d.Project = p.openSubject()
	}
	return d, err
}
