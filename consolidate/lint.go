package consolidate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"dream-mcp/consolidate/ops"
	"dream-mcp/memory"
	"dream-mcp/memory/rule"
	"dream-mcp/memory/rule/drift"
)

// Linted is the result of Lint.
type Linted struct {
	MemoryDir string         `json:"memory_dir"`
	Topics    int            `json:"topics"`
	Limited   bool           `json:"limited"` // the directory has more files than were read
	Findings  []rule.Finding `json:"findings"`

	ProjectDir string            `json:"project_dir,omitempty"` // the project that the memory was compared with
	NotAsked   map[string]string `json:"not_asked"`             // why a rule was not checked, by rule
	Compared   string            `json:"compared,omitempty"`    // how much of the project drift looked at
}

// LintRequest chooses the memory to lint. The zero value is the project's own.
type LintRequest struct {
	Dir     string // the memory; "" for the project's own
	Project string // the project of Dir; "" for the checkout that Dir is in
	Quick   bool   // do not compare the memory with the project, which takes longest
}

// Lint checks a memory against all rules. It changes nothing in the memory, but it completes an interrupted landing.
// Doubtful memories of the project's own memory are recorded for hooks. It fails with a *RequestError if Dir is not a
// memory.
func (p *Project) Lint(ctx context.Context, r LintRequest) (Linted, error) {
	own := r.Dir == ""
	dir, err := folderOf(cmp.Or(r.Dir, p.Store.MemoryDir))
	if errors.Is(err, fs.ErrNotExist) && own { // the first memory makes it
		return Linted{MemoryDir: dir, Findings: []rule.Finding{}}, nil
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = ops.Refuse(fmt.Sprintf("%q does not exist", dir), nameFolder)
	}
	if err != nil {
		return Linted{}, err
	}
	store := p.Store
	if dir = ops.RealPath(dir); dir != p.Store.MemoryDir {
		store = p.Store.Beside(dir)
		defer store.Records.Close()
	}
	unlock := p.Store.Lock()
	s, err := store.Snapshot(ctx)
	if unlock(); err == nil && s == nil {
		err = fmt.Errorf("%q: %w", dir, fs.ErrNotExist) // removed just now
	}
	if err != nil {
		return Linted{}, err
	}
	projectDir := r.Project
	if store == p.Store {
		projectDir = p.options.ProjectDir
	} else if projectDir == "" {
		projectDir = checkoutOf(dir)
	}
	var project *drift.Project
	if projectDir != "" && !r.Quick {
		if project, err = drift.Open(projectDir); err != nil {
			return Linted{}, err
		}
		defer project.Close()
	}
	isMarkdown := func(o memory.Other) bool { return strings.HasSuffix(strings.ToLower(o.Path), ".md") }
	if !own && len(s.Topics) == 0 && s.Index == nil && !slices.ContainsFunc(s.Other, isMarkdown) {
		return Linted{}, ops.Refuse(fmt.Sprintf("%q is not a memory: it has no Markdown file", dir), nameFolder)
	}
	l := Linted{MemoryDir: dir, Topics: len(s.Topics), Limited: s.Limited, Findings: []rule.Finding{},
		ProjectDir: projectDir, NotAsked: rule.NotAsked(s, project)}
	l.Findings = append(l.Findings, rule.Lint(s, project, p.Store.Now())...)
	if checked := project.Checked(); checked.Known() {
		l.Compared = checked.String()
	}
	if store == p.Store && !p.Store.LookOnly && project != nil { // without a project drift was not asked
		defer p.Store.Lock()()
		p.Recall.KeepDoubts(l.Findings, s)
	}
	return l, nil
}

const nameFolder = "name the folder that holds MEMORY.md"

// folderOf returns the absolute path of a folder, also if it does not exist.
func folderOf(dir string) (string, error) {
	if whole, err := filepath.Abs(dir); err == nil {
		dir = whole
	}
	info, err := os.Stat(dir) // opening a fifo would block
	if err == nil && !info.IsDir() {
		err = ops.Refuse(fmt.Sprintf("%q is not a folder", dir), nameFolder)
	}
	return dir, err
}

// checkoutOf returns the nearest parent of dir that is a project, because it has .git or a guide such as CLAUDE.md, or
// "". A memory in the folder of a host does not belong to that folder.
func checkoutOf(dir string) string {
	home, _ := os.UserHomeDir()
	for {
		above := filepath.Dir(dir)
		if above == dir || strings.HasPrefix(filepath.Base(dir), ".") && filepath.Base(dir) != ".claude" ||
			filepath.Base(dir) == "projects" && filepath.Base(above) == ".claude" {
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
