package settings

import (
	"path/filepath"
	"slices"
	"strings"

	"dream-mcp/memory"
)

// findCandidates finds other directories that may hold memories of the project: versions of Claude Code differ in the
// directory that counts and in how its folder is spelled, and a setting may be newer than the memories. Those of the
// project, its checkout and its root are listed even if they do not exist.
func (r *resolver) findCandidates() {
	if r.Project == "" {
		return
	}
	seen := map[string]bool{r.MemoryDir: true}
	add := func(dir, why string, always bool) {
		dir = real(dir)
		exists := isDir(dir)
		// If the file system ignores case, two spellings are one directory.
		if seen[dir] || !exists && !always || exists && same(dir, r.MemoryDir) {
			return
		}
		seen[dir] = true
		c := Candidate{Path: dir, Why: why, Exists: exists, Topics: topics(dir)}
		r.Candidates = append(r.Candidates, c)
		if c.Topics > 0 && dir != r.MergeInto { // MemoryWhy names that
			r.warn("%q has memories, too (%d, %s); %q is used", dir, c.Topics, why, r.MemoryDir)
		}
	}
	type place struct {
		dir, why string
		always   bool
	}
	places := []place{{r.Root, "by the root", true}, {r.Project, "by the directory worked in", true}, {r.repo.top, "by the checkout", true}}
	for _, tree := range r.Worktrees {
		places = append(places, place{tree, "by a worktree", false})
	}
	bases := r.projects()
	if !slices.Contains(bases, r.ProjectsDir) && isDir(r.ProjectsDir) {
		bases = append(bases, r.ProjectsDir)
	}
	for _, projects := range bases {
		spellings := map[string][]string{}
		for _, e := range names(projects) {
			key := spelling(r.env.GOOS, e.Name())
			spellings[key] = append(spellings[key], e.Name())
		}
		for _, p := range places {
			name := slug(p.dir)
			if len(name) <= maxSlug {
				add(filepath.Join(projects, name, "memory"), p.why, p.always)
			}
			for _, twin := range spellings[spelling(r.env.GOOS, name)] {
				if twin != name {
					add(filepath.Join(projects, twin, "memory"), p.why+", spelled otherwise", false)
				}
			}
		}
	}
	if own, err := r.ownMemory(); err == nil {
		add(own, "our own, from before Claude Code was here", false)
	}
}

// spelling is equal for folder names that may be of one project: they differ in "_" for "-", in case if the file system
// ignores it, or in the hash at the end of a long name.
func spelling(goos, name string) string {
	name = strings.ReplaceAll(name, "_", "-")
	if foldsCase(goos) {
		name = strings.ToLower(name)
	}
	return name[:min(len(name), maxSlug+1)]
}

// topics counts the memories in a directory.
func topics(dir string) int {
	d, err := memory.Open(dir)
	if err != nil {
		return 0
	}
	defer d.Close()
	names, _ := d.Topics()
	return len(names)
}
