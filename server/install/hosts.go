package install

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"dream-mcp/consolidate/host"
	"dream-mcp/consolidate/recall"
	"dream-mcp/server/settings"
)

// Hosts returns the programs that can start us and whose settings are known, in the order of the help.
func Hosts() (all []*host.Host) {
	for _, id := range IDs() {
		all = append(all, host.Find(id))
	}
	return all
}

// IDs returns their IDs.
func IDs() []string { return host.IDs((*host.Host).Configured) }

// in returns the path of a file in a place; "" if no home is known.
func in(env settings.Environment, p host.Place, name string) string {
	dir := p.In(env.Getenv, env.Home, env.GOOS)
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, filepath.FromSlash(name))
}

// Present reports whether the host seems to be on this machine: its command is on the PATH, or its folder exists.
func (i Installer) Present(h *host.Host) bool {
	if h.OnPath() {
		return true
	}
	env := i.Env.WithDefaults()
	file := fileOf(h, env)
	if dir := filepath.Dir(file); file != "" && dir != env.Home {
		file = dir
	}
	_, err := os.Stat(file)
	return err == nil
}

// paths returns the files that may list a person's servers; none if no home is known.
func paths(h *host.Host, env settings.Environment) (paths []string) {
	for _, name := range h.Settings.Files {
		if path := in(env, h.Settings.Place, name); path != "" {
			paths = append(paths, path)
		}
	}
	return paths
}

// fileOf returns the one of the paths that is used; "" for none.
func fileOf(h *host.Host, env settings.Environment) (file string) {
	for _, path := range slices.Backward(paths(h, env)) {
		file = path
		if _, err := os.Lstat(path); err == nil {
			break
		}
	}
	return file
}

// allParts returns the parts of a host without their state.
func (i Installer) allParts(h *host.Host) []Part {
	env := i.Env.WithDefaults()
	file := fileOf(h, env)
	p := Part{Name: Server, File: file, lock: h.Settings.Lock}
	if h.Settings.Entry == nil {
		p.add, p.remove = addTOML(i.call()), removeTOML()
	} else {
		p.add, p.remove = addJSON(h.Settings.List, h.Settings.Entry(i.call()), i.call()), removeJSON(h.Settings.List)
	}
	parts := []Part{p}
	if file != "" && h.Settings.Skill != "" {
		parts = append(parts, i.skillPart(in(env, h.Settings.Place, h.Settings.Skill)))
	}
	if file == "" || h.Hooks == nil {
		return parts
	}
	switch k := h.Hooks; {
	case k.Place != host.Place{}:
		file = in(env, k.Place, k.File)
	case k.File != "":
		file = filepath.Join(filepath.Dir(file), k.File)
	}
	if h.Hooks.Plugin != "" {
		return append(parts, i.pluginPart(h, file))
	}
	parts = append(parts, Part{Name: Hook, File: file, add: i.addHooks(h), remove: removeHooks})
	if i.Allow && h.Settings.Allow != nil {
		parts = append(parts, allowPart(h, env))
	}
	return parts
}

// call returns the command line that starts us.
func (i Installer) call() []string { return append([]string{i.Self}, i.Args...) }

// args returns the arguments in the host's present entry.
func (i Installer) args(h *host.Host) []string {
	for _, e := range read(h, fileOf(h, i.Env.WithDefaults()), "").Entries {
		if e.Server == server {
			return e.Command[1:]
		}
	}
	return nil
}

// asked returns the level that the host's present hooks serve, and whether they guard.
func (i Installer) asked(h *host.Host) (level string, guard bool) {
	for _, p := range i.allParts(h) {
		if p.Name != Hook {
			continue
		}
		data, _ := settings.ReadFile(p.File, maxFile)
		text := string(data)
		guard = strings.Contains(text, guardFlag)
		switch {
		case h.Hooks.Plugin != "":
		case strings.Contains(text, h.Hooks.Prompt):
			level = recall.Prompt
		}
	}
	return level, guard
}

// Lost reports whether the host starts us without a project: outside of any, and without a flag that names one or a
// memory.
func (i Installer) Lost(h *host.Host) bool {
	return h.Settings.Nowhere && !slices.ContainsFunc(append(i.args(h), i.Args...), func(arg string) bool {
		name, _, _ := strings.Cut(arg, "=")
		return name == "--project" || name == "--memory-dir"
	})
}
