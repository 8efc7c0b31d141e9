package settings

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// layer is one place of settings: the flags, the environment, or an object in config.json.
type layer struct {
	values map[string]any
	from   func(key string) string // the source of a key, for the person
	keys   []string                // the path of the object in config.json; nil for flags and variables
	base   string                  // what folders are relative to; "" refuses relative ones
}

// chosen returns the value of a key in the first layer that has it, and its source; else fallback and "default".
func chosen[T any](r *resolver, key string, fallback T) (value T, from layer, source string) {
	for _, l := range r.layers {
		if v, ok := l.values[key]; ok {
			return v.(T), l, l.from(key)
		}
	}
	return fallback, layer{}, "default"
}

// choose is chosen with the result in to and in the Settings.
func choose[T any](r *resolver, key string, to *T, fallback T) {
	value, _, source := chosen(r, key, fallback)
	*to = value
	shown := fmt.Sprint(value)
	if words, ok := any(value).([]string); ok {
		shown = strings.Join(words, " ")
	}
	r.Settings[key] = Setting{shown, source}
}

// readLayers reads the flags, the environment, and config.json: its objects for this project, for its repository, and
// for all.
func (r *resolver) readLayers() {
	flags := layer{values: map[string]any{}, from: func(key string) string { return "--" + strings.ReplaceAll(key, "_", "-") }, base: r.env.Dir}
	f := r.flags
	if f.Mode != "" {
		flags.values["mode"] = f.Mode
	}
	if f.MemoryDir != "" {
		flags.values["memory_dir"] = f.MemoryDir
	}
	if len(f.Transcripts) > 0 {
		flags.values["transcripts"] = f.Transcripts
	}
	if f.MinHours >= 0 {
		flags.values["min_hours"] = f.MinHours
	}
	if f.MinSessions >= 0 {
		flags.values["min_sessions"] = f.MinSessions
	}
	r.layers = append([]layer{flags, r.variables()}, r.configured()...)
}

// variables returns the layer of the environment. An empty variable is unset.
func (r *resolver) variables() layer {
	name := func(key string) string { return "DREAM_" + strings.ToUpper(key) }
	l := layer{values: map[string]any{}, from: name}
	for _, o := range options {
		v := r.env.Getenv(name(o.key))
		if !o.variable || v == "" {
			continue
		}
		raw, _ := json.Marshal(v)
		if n, err := strconv.ParseFloat(v, 64); err == nil && strings.Contains(o.want, "number") {
			raw = strconv.AppendFloat(nil, n, 'f', -1, 64)
		} else if o.key == "transcripts" {
			separator := ":"
			if r.env.GOOS == "windows" {
				separator = ";"
			}
			folders := slices.DeleteFunc(strings.Split(v, separator), func(folder string) bool { return folder == "" })
			raw, _ = json.Marshal(folders)
		}
		if value, ok := o.parse(raw); ok {
			l.values[o.key] = value
		} else {
			r.warn("%s %q is not a %s; ignored", name(o.key), clip(v), o.want)
		}
	}
	return l
}

// configured returns the layers of config.json. The keys of its "projects" are projects or roots of repositories.
func (r *resolver) configured() []layer {
	dir, err := r.env.folder(config)
	if err != nil {
		return nil
	}
	path := filepath.Join(dir, "config.json")
	r.ConfigFile = path
	keys, err := object(path, maxSettings)
	if err != nil {
		r.warn("%q is ignored: %v", path, err)
		return nil
	}
	var projects map[string]json.RawMessage
	if raw, ok := keys["projects"]; ok {
		if json.Unmarshal(raw, &projects) != nil {
			r.warn(`"projects" in %q is not an object; ignored`, path)
		}
		delete(keys, "projects")
	}
	var layers []layer
	wanted := slices.Compact([]string{r.Project, r.Root}) // no key is ""
	for _, want := range wanted {
		for _, key := range slices.Sorted(maps.Keys(projects)) {
			named, err := r.env.expand(key, "")
			if err != nil || !filepath.IsAbs(named) || real(named) != want {
				continue
			}
			source := fmt.Sprintf("projects[%q] of %s", key, path)
			var own map[string]json.RawMessage
			if json.Unmarshal(projects[key], &own) != nil {
				r.warn("%s is not an object; ignored", source)
				continue
			}
			l := r.decode(own, source)
			l.keys = []string{"projects", key}
			layers = append(layers, l)
		}
	}
	l := r.decode(keys, path)
	l.keys = []string{}
	return append(layers, l)
}

// decode decodes an object of config.json. What it cannot use is a warning.
func (r *resolver) decode(keys map[string]json.RawMessage, source string) layer {
	l := layer{values: map[string]any{}, from: func(string) string { return source }}
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		i := slices.IndexFunc(options, func(o option) bool { return o.key == key })
		switch {
		case i < 0:
			r.warn("%s has the unknown key %q", source, clip(key))
		case string(keys[key]) == "null":
		default:
			if value, ok := options[i].parse(keys[key]); ok {
				l.values[key] = value
			} else {
				r.warn("%s in %s is not a %s; ignored", key, source, options[i].want)
			}
		}
	}
	return l
}

var modeList = strings.Join(Modes, ", ")

// chooseMode chooses the mode. An unknown name is the default, not the mode of the next layer, which may be bolder than
// what the person meant, and does not count as a choice.
func (r *resolver) chooseMode() {
	r.ModeKeys = []string{"mode"}
	if i := slices.IndexFunc(r.layers, func(l layer) bool { return l.keys != nil && l.values["mode"] != nil }); i >= 0 {
		r.ModeKeys = append(r.layers[i].keys, "mode")
	}
	r.Mode, _, r.ModeSource = chosen(r, "mode", defaultMode)
	if !slices.Contains(Modes, r.Mode) {
		r.warn("mode %q (%s) is not one of %s; %s is used", clip(r.Mode), r.ModeSource, modeList, defaultMode)
		r.Mode, r.ModeSource = defaultMode, "default"
	}
	r.chosen = r.ModeSource != "default"
	r.Settings["mode"] = Setting{r.Mode, r.ModeSource}
}

// chooseOptions chooses the options that are used as they are.
func (r *resolver) chooseOptions() {
	r.chooseMode()
	choose(r, "min_hours", &r.MinHours, defaultMinHours)
	choose(r, "min_sessions", &r.MinSessions, defaultMinSessions)
	choose(r, "max_archive_mib", &r.MaxArchiveMiB, defaultMaxArchiveMiB)
	choose(r, "max_turns", &r.Limits.MaxTurns, defaultMaxTurns)
	choose(r, "max_minutes", &r.Limits.MaxMinutes, defaultMaxMinutes)
	choose(r, "max_usd", &r.Limits.MaxUSD, defaultMaxUSD)
	choose(r, "model", &r.Limits.Model, "")
	choose(r, "background_command", &r.Limits.Command, nil)
	for _, l := range r.layers { // the lists of all layers apply
		sums, _ := l.values["allow_secrets"].([]string)
		r.AllowSecrets = append(r.AllowSecrets, sums...)
	}
}

// chooseTranscripts chooses the folders of the first layer that names any. A path that cannot be used is a warning.
func (r *resolver) chooseTranscripts() {
	folders, from, source := chosen[[]string](r, "transcripts", nil)
	for _, named := range folders {
		dir, err := r.env.expand(named, from.base)
		if err == nil && !absolute(r.env.GOOS, dir) {
			err = errRelative
		}
		if err != nil {
			r.warn("transcripts folder %q (%s) is ignored: %v", clip(named), source, err)
			continue
		}
		r.Transcripts = append(r.Transcripts, real(dir))
	}
	r.Settings["transcripts"] = Setting{strings.Join(r.Transcripts, string(filepath.ListSeparator)), source}
}

// chooseUnattended is strict: any value of the variable but a plain no means that no person watches.
func (r *resolver) chooseUnattended() {
	r.Asked = r.flags.Asked
	source := "default"
	switch v := r.env.Getenv("DREAM_UNATTENDED"); {
	case r.flags.Unattended:
		r.Unattended, source = true, "--unattended"
	case v != "":
		r.Unattended, source = !falsy(v), "DREAM_UNATTENDED"
	}
	r.Settings["unattended"] = Setting{strconv.FormatBool(r.Unattended), source}
}
