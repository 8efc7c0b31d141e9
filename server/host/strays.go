package host

import (
	"dream-mcp/consolidate/transcript/said"
	"path/filepath"
	"strings"
)

// Stray is a memory directory of a project that no longer exists and had the name of this one: it may have been moved here.
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
