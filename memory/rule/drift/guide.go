package drift

import (
	"cmp"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"dream-mcp/memory/lazy"
)

// Bounds of the guides. Claude Code follows imports five deep.
const (
	maxGuides     = 60
	maxGuideBytes = 256 << 10
	maxImports    = 5
)

// Guide is a file by which the project instructs agents: CLAUDE.md and its kin, and what they import.
type Guide struct {
	Path    string // with slashes, from the project's folder
	Size    int64  // bytes
	ModTime time.Time

	text string // at most maxGuideBytes
}

// Text returns the beginning of the file.
func (g Guide) Text() string { return g.text }

// guideNames are the names that agents look for in every folder.
var guideNames = []string{"CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", "AGENTS.override.md", "GEMINI.md", ".cursorrules",
	".windsurfrules", "copilot-instructions.md"}

// Guides returns the project's instructions to agents, at most 60: those of its own folder first. An
// import that leads out of the project is not followed, nor is a link.
func (p *Project) Guides() []Guide {
	if p == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.guided()
}

// guided returns the guides, which the first call reads.
func (p *Project) guided() []Guide {
	p.begin()
	if p.guides != nil {
		return *p.guides
	}
	var names []string
	for _, name := range guideNames { // ignored or not: CLAUDE.local.md mostly is
		names = append(names, name, ".claude/"+name, ".github/"+name)
	}
	t := p.listed()
	for _, name := range guideNames {
		names = append(names, t.bases[name]...)
	}
	for _, file := range t.files {
		if strings.HasSuffix(file, ".mdc") && strings.HasSuffix("/"+path.Dir(file), "/.cursor/rules") {
			names = append(names, file)
		}
	}
	var guides []Guide
	var infos []fs.FileInfo
	var read func(name string, depth int)
	read = func(name string, depth int) {
		if len(guides) >= maxGuides || slices.ContainsFunc(guides, func(g Guide) bool { return g.Path == name }) {
			return
		}
		data, info, err := readFile(p.root, name, maxGuideBytes) // a link is followed within the project
		if err != nil || slices.ContainsFunc(infos, func(o fs.FileInfo) bool { return os.SameFile(o, info) }) {
			return // a link to one that is there already, as AGENTS.md often is
		}
		guides, infos = append(guides, Guide{Path: name, Size: info.Size(), ModTime: info.ModTime(), text: string(data)}), append(infos, info)
		if depth == maxImports {
			return
		}
		for _, m := range imports.FindAllStringSubmatch(string(data), -1) {
			if imported := path.Join(path.Dir(name), strings.TrimRight(m[1], ".,;:)")); fs.ValidPath(imported) {
				read(imported, depth+1)
			}
		}
	}
	for _, name := range names {
		read(name, 0)
	}
	slices.SortStableFunc(guides, func(a, b Guide) int { return cmp.Compare(strings.Count(a.Path, "/"), strings.Count(b.Path, "/")) })
	p.guides = &guides
	return guides
}

// imports are the lines by which CLAUDE.md takes in another file. Only documents are: "@param" is none.
var imports = lazy.New(`(?m)(?:^|[\s(])@([\w./-]+\.(?:md|mdc|mdx|txt)\b)`)
