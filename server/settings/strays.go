package settings

import (
	"path/filepath"
	"slices"
	"strings"
	"time"

	"dream-mcp/consolidate/transcript/said"
)

// Stray is a memory directory of a project that no longer exists and had the name of this one: it may have been moved
// here.
type Stray struct {
	Path   string
	Was    string // where the project was
	Topics int
}

// Strays finds the memories of projects that may have been moved to this one.
func (s Setup) Strays() []Stray {
	if s.ProjectsDir == "" || s.Project == "" {
		return nil
	}
	known := map[string]bool{s.MemoryDir: true}
	for _, c := range s.Candidates {
		known[c.Path] = true
	}
	var strays []Stray
	for _, e := range names(s.ProjectsDir) {
		folder := filepath.Join(s.ProjectsDir, e.Name())
		dir := real(filepath.Join(folder, "memory"))
		if known[dir] {
			continue
		}
		n := topics(dir)
		if n == 0 {
			continue
		}
		for _, was := range ranIn(folder) {
			if strings.EqualFold(filepath.Base(was), filepath.Base(s.Root)) && !isDir(was) {
				strays = append(strays, Stray{dir, was, n})
				break
			}
		}
	}
	return strays
}

// ranIn returns where the sessions in folder began.
func ranIn(folder string) (dirs []string) {
	heads := 0
	for _, e := range names(folder) {
		if !strings.HasSuffix(e.Name(), ".jsonl") || heads == maxHeads {
			continue
		}
		heads++
		if cwd := said.BeganIn(filepath.Join(folder, e.Name())); filepath.IsAbs(cwd) {
			dirs = append(dirs, cwd)
		}
	}
	return dirs
}

// Known is a project with a memory of Claude Code's.
type Known struct {
	Project string
	Topics  int
}

// maxKnown bounds the projects that Known returns.
const maxKnown = 15

// Known returns the projects that have a memory, the last used first.
func (s Setup) Known() (all []Known) {
	type memory struct {
		folder string
		used   time.Time
	}
	var memories []memory
	for _, e := range names(s.ProjectsDir) {
		if info, err := e.Info(); err == nil && isDir(filepath.Join(s.ProjectsDir, e.Name(), "memory")) {
			memories = append(memories, memory{filepath.Join(s.ProjectsDir, e.Name()), info.ModTime()})
		}
	}
	slices.SortFunc(memories, func(a, b memory) int { return b.used.Compare(a.used) })
	for _, m := range memories {
		n := topics(filepath.Join(m.folder, "memory"))
		if n == 0 || len(all) == maxKnown {
			continue
		}
		if at := slices.DeleteFunc(ranIn(m.folder), func(dir string) bool { return !isDir(dir) }); len(at) > 0 {
			all = append(all, Known{at[0], n})
		}
	}
	return all
}
