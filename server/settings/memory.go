package settings

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"dream-mcp/consolidate/transcript/sessions"
	"dream-mcp/memory"
)

// findMemory chooses the memory directory: the one named for us, then in Claude Code's settings, then the one that it
// uses for the project, then one of our own if there is no Claude Code.
func (r *resolver) findMemory() error {
	use := func(dir, why, source string) error {
		r.MemoryDir, r.MemoryWhy = dir, why
		r.Settings["memory_dir"] = Setting{dir, source}
		return nil
	}
	r.Loaded = r.Client == ClaudeCode
	if named, from, source := chosen(r, "memory_dir", ""); named != "" {
		dir, err := r.env.directory(named, from.base)
		if err != nil {
			return fmt.Errorf("memory directory %q (%s) cannot be used: %w", clip(named), source, err)
		}
		r.Loaded = r.Loaded && r.ProjectsDir != "" && strings.HasPrefix(dir, r.ProjectsDir+string(filepath.Separator))
		return use(dir, "named by "+source, source)
	}
	const override = "CLAUDE_COWORK_MEMORY_PATH_OVERRIDE"
	if named := r.env.Getenv(override); named != "" {
		dir, err := "", errRelative
		if !strings.HasPrefix(named, "~") { // which Claude Code does not expand here
			dir, err = r.env.directory(named, "")
		}
		if err == nil {
			return use(dir, "named by "+override, override)
		}
		r.warn("%s %q is ignored: %v", override, clip(named), err)
	}
	for _, v := range trusted[string](r, "autoMemoryDirectory") {
		dir, err := r.env.directory(v.value, "")
		if err == nil {
			return use(dir, fmt.Sprintf("autoMemoryDirectory in %q", v.path), v.path)
		}
		r.warn("autoMemoryDirectory %q in %q is ignored: %v", clip(v.value), v.path, err)
	}
	dir, why, err := r.byRule()
	if err != nil {
		return err
	}
	// Memories that were written before there was a folder of Claude Code stay in use until the person has them merged.
	if own, err := r.ownMemory(); err == nil && real(own) != dir && topics(own) > 0 {
		r.Loaded, r.MergeInto = false, dir
		return use(real(own), "from before Claude Code was here; dream-mcp doctor --fix merges it into "+dir, "default")
	}
	return use(dir, why, "default")
}

// byRule returns the memory directory if none was named: <base>/projects/<folder of the root>/memory.
func (r *resolver) byRule() (dir, why string, err error) {
	if r.Project == "" {
		return "", "", ErrNoProject
	}
	for _, projects := range r.projects() {
		if r.DirName != "" {
			return real(filepath.Join(projects, r.DirName, "memory")), "Claude Code's, by CLAUDE_CODE_PROJECT_DIR_NAME", nil
		}
		if folder := r.folderOf(projects, r.Root); folder != "" {
			return real(filepath.Join(projects, folder, "memory")), fmt.Sprintf("Claude Code's for %q", r.Root), nil
		}
		r.warn("which folder Claude Code gives so long a path as %q is not known before it has worked there; name a memory directory",
			r.Root)
	}
	if dir, err = r.ownMemory(); err != nil {
		return "", "", fmt.Errorf("no place for memories: %w", err)
	}
	return real(dir), "dream-mcp's own: Claude Code is not used here", nil
}

// projects returns the folder in which Claude Code keeps a folder for each project; none if there is no Claude Code.
func (r *resolver) projects() []string {
	const variable = "CLAUDE_CODE_REMOTE_MEMORY_DIR"
	if base := r.env.Getenv(variable); filepath.IsAbs(base) {
		return []string{filepath.Join(real(base), "projects")}
	} else if base != "" {
		r.warn("%s %q is not absolute; ignored", variable, clip(base))
	}
	// If Claude Code started us, it creates the folder when it needs it.
	if r.ConfigDir != "" && (r.Client == ClaudeCode || isDir(r.ConfigDir)) {
		return []string{r.ProjectsDir}
	}
	return nil
}

// ownMemory returns our own memory directory for the project.
func (r *resolver) ownMemory() (string, error) {
	home, err := r.env.folder(data)
	if err != nil {
		return "", err
	}
	name := slug(r.Root)
	if len(name) > maxSlug {
		name += memory.SumOf([]byte(nfc(r.Root))).Short()
	}
	return filepath.Join(home, "projects", name, "memory"), nil
}

// maxSlug is the length beyond which the name of a folder ends in a hash that we cannot compute.
const maxSlug = 200

func slug(dir string) string { return sessions.Slug(nfc(dir)) }

// folderOf returns the name of a directory's folder among the projects: its slug; on Windows the existing one if only
// the case of the drive letter differs; for a long path the one with a session that began in dir, "" for none.
func (r *resolver) folderOf(projects, dir string) string {
	name := slug(dir)
	switch {
	case len(name) > maxSlug:
		for _, e := range names(projects) {
			if strings.HasPrefix(e.Name(), name) && startedIn(filepath.Join(projects, e.Name()), dir) {
				return e.Name()
			}
		}
		return ""
	case r.env.GOOS == "windows" && name != "" && !isDir(filepath.Join(projects, name)):
		for _, e := range names(projects) {
			if n := e.Name(); len(n) == len(name) && n[1:] == name[1:] && strings.EqualFold(n[:1], name[:1]) {
				return n
			}
		}
	}
	return name
}

// maxHeads bounds how many transcripts of a folder are read to find out where its sessions began.
const maxHeads = 32

// startedIn reports whether a session recorded in folder began in dir.
func startedIn(folder, dir string) bool {
	return slices.ContainsFunc(ranIn(folder), func(cwd string) bool { return nfc(real(cwd)) == nfc(dir) })
}
