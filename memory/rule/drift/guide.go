package drift

import (
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"
)

// Bounds of the guides.
const (
	maxGuides     = 60
	maxGuideBytes = 256 << 10
)

// Guide is a file by which the project instructs agents: CLAUDE.md and its kin.
type Guide struct {
	Path    string // with slashes, from the project's folder
	ModTime time.Time

	text string // at most maxGuideBytes
}

// Text returns the beginning of the file.
func (g Guide) Text() string { return g.text }

// guideNames are the names that agents look for in every folder.
var guideNames = []string{"CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", "AGENTS.override.md", "GEMINI.md", ".cursorrules",
	".windsurfrules", "copilot-instructions.md"}

// Guides returns the project's instructions to agents, at most 60: those of its own folder first. One to which several
// links lead is returned once.
func (p *Project) Guides() (guides []Guide) {
	if p == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.begin()
	var names []string
	for _, name := range guideNames {
		names = append(names, p.listed().bases[name]...)
	}
	slices.SortStableFunc(names, func(a, b string) int { return strings.Count(a, "/") - strings.Count(b, "/") })
	var infos []fs.FileInfo
	for _, name := range names {
		data, info, err := readFile(p.root, name, maxGuideBytes) // a link is followed within the project
		if err != nil || slices.ContainsFunc(infos, func(o fs.FileInfo) bool { return os.SameFile(o, info) }) {
			continue
		}
		guides, infos = append(guides, Guide{name, info.ModTime(), string(data)}), append(infos, info)
		if len(guides) == maxGuides {
			break
		}
	}
	return guides
}
