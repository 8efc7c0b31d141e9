package host

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Bounds on the numbers: what can be reckoned with. A longer span is no time.Duration (2.5 million hours are).
const (
	maxHours    = 1e6
	maxSessions = 1_000_000
	maxMiB      = 1 << 30
)

// layer is one place where a person says how we should be; what it leaves out, the next one may say.
type layer struct {
	sources      map[string]string // by key: a flag or a variable; else source
	source       string
	keys         []string // where it stands in config.json; nil for flags and variables
	base         string   // what relative folders are taken from; "" refuses them
	mode         *string
	minHours     *float64
	minSessions  *int
	maxArchive   *int
	memoryDir    *string
	transcripts  []string
	hosts        *[]string
	allowSecrets []string
	limits       limits
}

func (l layer) from(key string) string {
	if s := l.sources[key]; s != "" {
		return s
	}
	return l.source
}

// readLayers reads flags, environment, and our config.json: what it says of this project, of its repository, and of all.
func (r *resolver) readLayers() error {
	flags := layer{
		sources: map[string]string{"mode": "--mode", "min_hours": "--min-hours", "min_sessions": "--min-sessions",
			"memory_dir": "--memory-dir", "transcripts": "--transcripts"},
		base: r.env.Dir, transcripts: r.flags.Transcripts,
	}
	if f := r.flags; f.Mode != "" {
		if !validMode(f.Mode) {
			return fmt.Errorf("mode %q is none of %s", f.Mode, modeList)
		}
		flags.mode = &f.Mode
	}
	if f := r.flags; f.MemoryDir != "" {
		flags.memoryDir = &f.MemoryDir
	}
	if h := r.flags.MinHours; h >= 0 || h != h {
		if !validHours(h) {
			return fmt.Errorf("min hours %v are not between 0 and %.0f", h, maxHours)
		}
		flags.minHours = &h
	}
	if n := r.flags.MinSessions; n >= 0 {
		if !validSessions(n) {
			return fmt.Errorf("min sessions %d are not between 0 and %d", n, maxSessions)
		}
		flags.minSessions = &n
	}
	r.layers = append([]layer{flags, r.variables()}, r.configured()...)
	return nil
}

// variables is the layer of the environment. An unset variable and an empty one are the same.
func (r *resolver) variables() layer {
	l := layer{sources: map[string]string{"mode": "DREAM_MODE", "min_hours": "DREAM_MIN_HOURS", "min_sessions": "DREAM_MIN_SESSIONS",
		"memory_dir": "DREAM_MEMORY_DIR", "transcripts": "DREAM_TRANSCRIPTS"}}
	if v := r.env.Getenv("DREAM_MODE"); v != "" {
		l.mode = &v
	}
	if v := r.env.Getenv("DREAM_MEMORY_DIR"); v != "" {
		l.memoryDir = &v
	}
	if v := r.env.Getenv("DREAM_MIN_HOURS"); v != "" {
		if h, err := strconv.ParseFloat(v, 64); err == nil && validHours(h) {
			l.minHours = &h
		} else {
			r.warn("DREAM_MIN_HOURS %q is no number between 0 and %.0f; ignored", clip(v), maxHours)
		}
	}
	if v := r.env.Getenv("DREAM_MIN_SESSIONS"); v != "" {
		if n, err := strconv.Atoi(v); err == nil && validSessions(n) {
			l.minSessions = &n
		} else {
			r.warn("DREAM_MIN_SESSIONS %q is no whole number between 0 and %d; ignored", clip(v), maxSessions)
		}
	}
	separator := ":"
	if r.env.GOOS == "windows" {
		separator = ";"
	}
	for _, folder := range strings.Split(r.env.Getenv("DREAM_TRANSCRIPTS"), separator) {
		if folder != "" {
			l.transcripts = append(l.transcripts, folder)
		}
	}
	return l
}

// configured are the layers of config.json. Its "projects" are keyed by the project's directory or its repository's root.
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
			r.warn(`"projects" in %q is no object; ignored`, path)
		}
		delete(keys, "projects")
	}
	var layers []layer
	wanted := slices.Compact([]string{r.Project, r.Root}) // neither, without a project: no key is ""
	for _, want := range wanted {
		for _, key := range slices.Sorted(maps.Keys(projects)) {
			named := key
			if rest, ok := strings.CutPrefix(key, "~/"); ok && r.env.Home != "" {
				named = filepath.Join(r.env.Home, rest)
			}
			if !filepath.IsAbs(named) || real(named) != want {
				continue
			}
			source := fmt.Sprintf("projects[%q] of %s", key, path)
			var own map[string]json.RawMessage
			if json.Unmarshal(projects[key], &own) != nil {
				r.warn("%s is no object; ignored", source)
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

// decode reads one object of config.json; what it can't use is a warning.
func (r *resolver) decode(keys map[string]json.RawMessage, source string) layer {
	l := layer{source: source}
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		raw := keys[key]
		var want string
		switch key {
		case "mode":
			want = assign(raw, &l.mode, func(string) bool { return true }, "text")
		case "min_hours":
			want = assign(raw, &l.minHours, validHours, fmt.Sprintf("number between 0 and %.0f", maxHours))
		case "min_sessions":
			want = assign(raw, &l.minSessions, validSessions, fmt.Sprintf("whole number between 0 and %d", maxSessions))
		case "max_archive_mib":
			want = assign(raw, &l.maxArchive, func(n int) bool { return n >= 1 && n <= maxMiB }, fmt.Sprintf("whole number between 1 and %d", maxMiB))
		case "memory_dir":
			want = assign(raw, &l.memoryDir, func(s string) bool { return s != "" }, "path")
		case "transcripts":
			if json.Unmarshal(raw, &l.transcripts) != nil {
				l.transcripts, want = nil, "list of folders"
			}
		case "hosts":
			want = assign(raw, &l.hosts, func([]string) bool { return true }, "list of hosts")
		case "allow_secrets":
			if json.Unmarshal(raw, &l.allowSecrets) != nil || slices.ContainsFunc(l.allowSecrets, func(s string) bool { return !isAllowedSum(s) }) {
				l.allowSecrets, want = nil, "list of the beginnings (12 hex digits or more) of SHA-256 sums"
			}
		default:
			known := false
			if want, known = l.limits.decode(key, raw); !known {
				r.warn("%s has the unknown key %q", source, clip(key))
			}
		}
		if want != "" {
			r.warn("%s in %s is no %s; ignored", key, source, want)
		}
	}
	return l
}

// isAllowedSum reports whether a text is how a person names a value that is no secret, without writing it down.
func isAllowedSum(s string) bool { return 12 <= len(s) && len(s) <= 64 && hexadecimal.MatchString(s) }

var hexadecimal = regexp.MustCompile(`^[0-9a-f]+$`)

// chooseAllowed takes what any layer allows.
func (r *resolver) chooseAllowed() error {
	for _, l := range r.layers {
		r.AllowSecrets = append(r.AllowSecrets, l.allowSecrets...)
	}
	return nil
}

// assign decodes raw into *to, or leaves it and says what was wanted.
func assign[T any](raw json.RawMessage, to **T, valid func(T) bool, want string) string {
	var v *T
	if json.Unmarshal(raw, &v) != nil || v != nil && !valid(*v) {
		return want
	}
	*to = v
	return ""
}

var modeList = strings.Join(Modes, ", ")

func validMode(s string) bool { return slices.Contains(Modes, s) }

func validHours(h float64) bool { return h >= 0 && h <= maxHours }

func validSessions(n int) bool { return n >= 0 && n <= maxSessions }

// chooseMode takes the first mode that was named. One that does not exist is the default: nobody's slip of the pen makes us bolder
// than a weaker layer would, and it does not count as a choice.
func (r *resolver) chooseMode() error {
	r.Mode, r.ModeSource, r.ModeKeys = DefaultMode, "default", []string{"mode"}
	if i := slices.IndexFunc(r.layers, func(l layer) bool { return l.keys != nil && l.mode != nil }); i >= 0 {
		r.ModeKeys = append(r.layers[i].keys, "mode")
	}
	for _, l := range r.layers {
		if l.mode == nil {
			continue
		}
		if r.ModeSource = l.from("mode"); validMode(*l.mode) {
			r.Mode, r.chosen = *l.mode, true
		} else {
			r.warn("mode %q (%s) is none of %s; %s is used", clip(*l.mode), r.ModeSource, modeList, DefaultMode)
			r.ModeSource = "default"
		}
		break
	}
	r.Settings["mode"] = Setting{r.Mode, r.ModeSource}
	return nil
}

func (r *resolver) chooseNumbers() error {
	r.MinHours, r.MinSessions = DefaultMinHours, DefaultMinSessions
	r.MaxArchiveMiB = DefaultMaxArchiveMiB
	hours, sessions, archive := "default", "default", "default"
	// From the weakest, so that the strongest has the last word.
	for _, l := range slices.Backward(r.layers) {
		if l.minHours != nil {
			r.MinHours, hours = *l.minHours, l.from("min_hours")
		}
		if l.minSessions != nil {
			r.MinSessions, sessions = *l.minSessions, l.from("min_sessions")
		}
		if l.maxArchive != nil {
			r.MaxArchiveMiB, archive = *l.maxArchive, l.from("max_archive_mib")
		}
	}
	r.Settings["min_hours"] = Setting{strconv.FormatFloat(r.MinHours, 'g', -1, 64), hours}
	r.Settings["min_sessions"] = Setting{strconv.Itoa(r.MinSessions), sessions}
	r.Settings["max_archive_mib"] = Setting{strconv.Itoa(r.MaxArchiveMiB), archive}
	return nil
}

// chooseTranscripts takes the first layer that names folders; one that can't be meant is left out.
func (r *resolver) chooseTranscripts() error {
	r.Settings["transcripts"] = Setting{"", "default"}
	for _, l := range r.layers {
		if len(l.transcripts) == 0 {
			continue
		}
		source := l.from("transcripts")
		for _, named := range l.transcripts {
			dir, err := r.env.expand(named, l.base)
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
		break
	}
	return nil
}

// chooseUnattended is strict: whatever the variable says, but for a plain no, means that nobody watches.
func (r *resolver) chooseUnattended() error {
	source := "default"
	switch v := r.env.Getenv("DREAM_UNATTENDED"); {
	case r.flags.Unattended:
		r.Unattended, source = true, "--unattended"
	case v != "":
		r.Unattended, source = !falsy(v), "DREAM_UNATTENDED"
	}
	r.Settings["unattended"] = Setting{strconv.FormatBool(r.Unattended), source}
	return nil
}
