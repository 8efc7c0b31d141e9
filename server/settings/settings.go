package settings

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
)

// scope is one of Claude Code's settings files.
type scope struct {
	path    string
	trusted func() bool
	keys    map[string]json.RawMessage
}

// readSettings returns the settings files, the strongest first: policy, local, project, user. The local and the
// project's are those of the project or, if it has none, of the top of its checkout.
func (r *resolver) readSettings() (all []scope) {
	yes := func() bool { return true }
	add := func(trusted func() bool, dir string, names ...string) (any bool) {
		for _, name := range names {
			path := filepath.Join(dir, name)
			keys, err := object(path, maxSettings)
			if err != nil {
				r.warn("settings %q are ignored: %v", path, err)
			}
			if keys != nil {
				all = append(all, scope{path, trusted, keys})
				any = true
			}
		}
		return any
	}
	managed := r.env.managed()
	// Of the fragments the last by name is the strongest.
	dropIns := filepath.Join(managed, "managed-settings.d")
	entries := names(dropIns)
	for i := len(entries) - 1; i >= 0; i-- {
		if name := entries[i].Name(); strings.HasSuffix(name, ".json") && !strings.HasPrefix(name, ".") {
			add(yes, dropIns, name)
		}
	}
	add(yes, managed, "managed-settings.json")
	trust := sync.OnceValue(r.projectTrusted) // it may read megabytes, and is rarely needed
	for _, dir := range []string{r.Project, r.repo.top} {
		// In the home directory the project's file is the user's.
		if dir == "" {
			break // there is no project
		}
		if dir = filepath.Join(dir, ".claude"); real(dir) != r.ConfigDir && add(trust, dir, "settings.local.json", "settings.json") {
			break
		}
	}
	if r.ConfigDir != "" {
		add(yes, r.ConfigDir, "settings.json")
	}
	return all
}

// managed returns the folder of an administrator's settings.
func (env Environment) managed() string {
	switch {
	case env.Managed != "":
		return env.Managed
	case env.GOOS == "darwin":
		return "/Library/Application Support/ClaudeCode"
	case env.GOOS == "windows":
		return `C:\Program Files\ClaudeCode`
	}
	return "/etc/claude-code"
}

// projectTrusted reports whether the person has accepted Claude Code's trust dialog for the project, its checkout or
// its root.
func (r *resolver) projectTrusted() bool {
	dir := r.env.Home
	if r.env.Getenv("CLAUDE_CONFIG_DIR") != "" {
		dir = r.ConfigDir
	}
	if dir == "" {
		return false
	}
	path := filepath.Join(dir, ".claude.json")
	keys, err := object(path, maxState)
	if err != nil {
		r.warn("%q is ignored, so no project counts as trusted: %v", path, err)
	}
	var projects map[string]json.RawMessage
	if json.Unmarshal(keys["projects"], &projects) != nil {
		return false
	}
	for _, dir := range []string{r.Project, r.repo.top, r.Root} {
		for _, key := range ProjectKeys(dir) {
			var project struct {
				Accepted bool `json:"hasTrustDialogAccepted"`
			}
			if json.Unmarshal(projects[key], &project) == nil && project.Accepted {
				return true
			}
		}
	}
	return false
}

// found is a value and its file.
type found[T any] struct {
	scope
	value T
}

// values returns the values of a key, the strongest first. A value of another type is a warning.
func values[T any](r *resolver, key string) []found[T] {
	var all []found[T]
	for _, s := range r.claude {
		raw, ok := s.keys[key]
		if !ok || string(raw) == "null" {
			continue
		}
		var v T
		if err := json.Unmarshal(raw, &v); err != nil {
			r.warn("%s in %q is not %s; ignored", key, s.path, typeName(v))
			continue
		}
		all = append(all, found[T]{s, v})
	}
	return all
}

func typeName(v any) string {
	switch v.(type) {
	case bool:
		return "true or false"
	case int:
		return "a whole number"
	case string:
		return "a text"
	}
	return "an object"
}

// trusted returns the values of a key without those from a project that is not trusted, which are warnings.
func trusted[T any](r *resolver, key string) []found[T] {
	var all []found[T]
	for _, v := range values[T](r, key) {
		if v.trusted() {
			all = append(all, v)
		} else {
			r.distrust(key, v.path)
		}
	}
	return all
}

func (r *resolver) distrust(key, path string) {
	r.warn("%s in %q is ignored: the project is not trusted in Claude Code", key, path)
}

// variable returns a variable as Claude Code has it, and its source. The env of a settings file overrides the
// environment; other hosts do not pass it to us.
func (r *resolver) variable(name string) (value, source string) {
	for _, v := range values[map[string]any](r, "env") {
		if value, ok := v.value[name]; ok && v.trusted() {
			return fmt.Sprint(value), fmt.Sprintf("env of %q", v.path)
		}
	}
	return r.env.Getenv(name), fromEnvironment
}
