package consolidate

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"dream-mcp/consolidate/store"
	"dream-mcp/memory"
	"dream-mcp/memory/rule"
	"dream-mcp/memory/rule/drift"
)

// Linted is what every rule says of a memory that nobody is about to change, each in its own severity.
type Linted struct {
	MemoryDir string         `json:"memory_dir"`
	Topics    int            `json:"topics"`
	Limited   bool           `json:"limited"` // the directory holds more than was looked at
	Findings  []rule.Finding `json:"findings"`

	ProjectDir string            `json:"project_dir,omitempty"` // that the memory was compared with
	NotAsked   map[string]string `json:"not_asked"`             // rules, and why not
}

// LintRequest says what to lint. The zero value is the project's own memory.
type LintRequest struct {
	Dir     string // the memory; "": the project's own
	Project string // the folder that Dir speaks of; "": the checkout that Dir is in
}

// Lint asks every rule about a memory as it is. It changes nothing of it, takes no lock, and ends nothing that a
// crash has left. What it doubts of the project's own memory is kept for hooks. It fails with a *RequestError where there is no memory.
func (p *views) Lint(r LintRequest) (Linted, error) {
	dir := r.Dir
	own := dir == ""
	if own {
		dir = p.MemoryDir
	}
	if whole, err := filepath.Abs(dir); err == nil {
		dir = whole
	}
	info, err := os.Stat(dir) // opening a fifo would wait for a writer
	switch {
	case errors.Is(err, fs.ErrNotExist) && own: // the first memory makes it
		return Linted{MemoryDir: dir, Findings: []rule.Finding{}}, nil
	case errors.Is(err, fs.ErrNotExist):
		return Linted{}, store.Refuse(fmt.Sprintf("%q does not exist", dir), "name the folder that holds MEMORY.md")
	case err != nil:
		return Linted{}, err
	case !info.IsDir():
		return Linted{}, store.Refuse(fmt.Sprintf("%q is not a folder", dir), "name the folder that holds MEMORY.md")
	}
	d, err := p.openToLint(store.RealPath(dir))
	if err == nil && d == nil {
		err = fmt.Errorf("%q: %w", dir, fs.ErrNotExist) // gone since
	}
	if err != nil {
		return Linted{}, err
	}
	defer d.Close()
	projectDir := r.Project
	if d.Path() == p.MemoryDir {
		projectDir = p.o.ProjectDir
	} else if projectDir == "" {
		projectDir = checkoutOf(d.Path())
	}
	var project *drift.Project
	if projectDir != "" {
		root, err := memory.OpenRoot(projectDir)
		if err != nil {
			return Linted{}, err
		}
		defer root.Close()
		project = drift.New(root)
	}
	s, err := d.Snapshot()
	if err != nil {
		return Linted{}, err
	}
	if !own && !isFresh(dir) && len(s.Topics) == 0 && s.Index == nil && !slices.ContainsFunc(s.Other, func(o memory.Other) bool { return strings.HasSuffix(strings.ToLower(o.Path), ".md") }) {
		return Linted{}, store.Refuse(fmt.Sprintf("%q is not a memory: it has no Markdown file", dir), "name the folder that holds MEMORY.md")
	}
	l := Linted{MemoryDir: d.Path(), Topics: len(s.Topics), Limited: s.Limited, Findings: []rule.Finding{}, ProjectDir: projectDir, NotAsked: rule.NotAsked(s, project)}
	l.Findings = append(l.Findings, rule.Lint(s, project, p.Now())...)
	if d.Path() == p.MemoryDir && !p.LookOnly && project != nil { // without a project drift was not asked
		sums := map[string]string{}
		for n, t := range s.Topics {
			sums[n.String()] = memory.SumOf(t.Bytes()).Short()
		}
		p.Lock()
		defer p.Unlock()
		p.Recall.KeepDoubts(l.Findings, sums)
	}
	return l, nil
}

// openToLint opens the memory at dir to be read, the project's own or another.
func (p *views) openToLint(dir string) (*memory.Dir, error) {
	p.Lock()
	defer p.Unlock()
	if dir != p.MemoryDir {
		other := store.Open(store.Options{MemoryDir: dir, StateHome: p.StateHome, AllowSecrets: p.AllowSecrets, LookOnly: true, Now: p.Now})
		defer other.Close()
		return other.Dir()
	}
	return p.Dir()
}

// checkoutOf returns the nearest folder above dir that git or a guide such as CLAUDE.md marks as a
// project, or "". A memory that a host keeps under its own folder is of another project than that folder.
func checkoutOf(dir string) string {
	home, _ := os.UserHomeDir()
	for {
		above := filepath.Dir(dir)
		if above == dir || strings.HasPrefix(filepath.Base(dir), ".") && filepath.Base(dir) != ".claude" || filepath.Base(dir) == "projects" && filepath.Base(above) == ".claude" {
			return ""
		}
		if dir = above; dir == home {
			return ""
		}
		for _, mark := range []string{".git", "CLAUDE.md", "AGENTS.md"} {
			if _, err := os.Lstat(filepath.Join(dir, mark)); err == nil {
				return dir
			}
		}
	}
}

// isFresh reports whether a folder holds nothing yet but what is hidden, as our lock files are.
func isFresh(dir string) bool {
	f, err := os.Open(dir)
	if err != nil {
		return false
	}
	defer f.Close()
	const most = 100
	names, err := f.Readdirnames(most)
	return len(names) < most && (err == nil || errors.Is(err, io.EOF)) &&
		!slices.ContainsFunc(names, func(name string) bool { return !strings.HasPrefix(name, ".") })
}
