package host

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
)

// Plugins returns the plugins by which Claude Code starts us, as NAME@MARKETPLACE: those that the person's settings enable, and
// those that the project's do, unless project is "". Settings that can't be read enable none.
func Plugins(env Environment, project string) []string {
	env = env.complete()
	var files []string // the strongest last
	if dir := first(env.Getenv("CLAUDE_CONFIG_DIR"), filepath.Join(env.Home, ".claude")); dir != "" {
		files = append(files, filepath.Join(dir, "settings.json"))
	}
	if project != "" {
		files = append(files, filepath.Join(project, ".claude", "settings.json"), filepath.Join(project, ".claude", "settings.local.json"))
	}
	enabled := map[string]bool{}
	for _, file := range files {
		keys, err := object(file, maxSettings)
		if err != nil {
			continue
		}
		var plugins map[string]json.RawMessage
		json.Unmarshal(keys["enabledPlugins"], &plugins) // nil where it is none
		for name, on := range plugins {
			if strings.HasPrefix(name, ours+"@") {
				enabled[name] = string(on) == "true"
			}
		}
	}
	var all []string
	for name, on := range enabled {
		if on {
			all = append(all, name)
		}
	}
	slices.Sort(all)
	return all
}
