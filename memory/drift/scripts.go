package drift

import (
	"encoding/json"
	"path"
	"regexp"
	"strings"
)

// Bounds of the manifests that are read.
const (
	maxManifests     = 400
	maxManifestBytes = 512 << 10 // of one
)

// names is what one kind of runner knows in the project.
type names struct {
	set  map[string]bool
	list []string // in the order of the files, for the nearest
	some bool     // the project has a file of this kind
	open bool     // and one that says more than can be read here
}

func (n *names) add(name string) {
	if n.set == nil {
		n.set = make(map[string]bool)
	}
	if !n.set[name] {
		n.set[name] = true
		n.list = append(n.list, name)
	}
}

// scripts is what can be run in the project by a name.
type scripts struct {
	npm, make, just, task, composer, deno, bins, crates, examples names
	dependencies                                                  map[string]bool // of package.json files
	own                                                           map[string]bool // commands that the project builds
	patterns                                                      []string        // "release-%" in a makefile
	limited                                                       bool
}

// manifested returns the scripts, which the first call reads.
func (p *Project) manifested() *scripts {
	if p.scripts != nil {
		return p.scripts
	}
	s := &scripts{dependencies: make(map[string]bool), own: make(map[string]bool)}
	p.scripts = s
	t, read := p.listed(), 0
	s.limited = t.limited
	for i, file := range t.files {
		parse := manifestOf(file)
		if dir := path.Dir(file); path.Base(path.Dir(dir)) == "cmd" && strings.HasSuffix(file, ".go") {
			s.own[path.Base(dir)] = true
		}
		s.addRust(file)
		if parse == nil || t.sizes[i] < 0 {
			continue
		}
		if read++; read > maxManifests {
			s.limited = true
			break
		}
		data, err := readFile(p.root, file, maxManifestBytes)
		if err != nil || len(data) == maxManifestBytes {
			s.limited = true
			continue
		}
		parse(s, string(data))
	}
	return s
}

// manifestOf returns what reads a file of this name, nil for most.
func manifestOf(file string) func(*scripts, string) {
	switch base := strings.ToLower(path.Base(file)); {
	case base == "package.json":
		return (*scripts).readPackage
	case base == "composer.json":
		return (*scripts).readComposer
	case base == "deno.json", base == "deno.jsonc":
		return (*scripts).readDeno
	case base == "makefile", base == "gnumakefile", strings.HasSuffix(base, ".mk"):
		return (*scripts).readMakefile
	case base == "justfile", base == ".justfile", strings.HasSuffix(base, ".just"):
		return (*scripts).readJustfile
	case base == "taskfile.yml", base == "taskfile.yaml", base == "taskfile.dist.yml", base == "taskfile.dist.yaml":
		return (*scripts).readTaskfile
	case base == "pyproject.toml":
		return (*scripts).readPyproject
	case base == "cargo.toml":
		return (*scripts).readCargo
	}
	return nil
}

func (s *scripts) readPackage(text string) {
	var pkg struct {
		Name                          string
		Scripts                       map[string]any
		Bin                           any
		Dependencies, DevDependencies map[string]any
	}
	s.npm.some = true
	if json.Unmarshal([]byte(text), &pkg) != nil {
		s.npm.open = true
		return
	}
	s.npm.addKeys(pkg.Scripts)
	for _, group := range []map[string]any{pkg.Dependencies, pkg.DevDependencies} {
		for name := range group {
			s.dependencies[path.Base(name)] = true
		}
	}
	switch bin := pkg.Bin.(type) {
	case string:
		s.own[path.Base(pkg.Name)] = true
	case map[string]any:
		for name := range bin {
			s.own[name] = true
		}
	}
}

// addKeys adds the keys of a JSON object, sorted.
func (n *names) addKeys(object map[string]any) {
	for _, name := range sortedKeys(object) {
		n.add(name)
	}
}

func (s *scripts) readComposer(text string) {
	var pkg struct{ Scripts map[string]any }
	s.composer.some = true
	if json.Unmarshal([]byte(text), &pkg) != nil {
		s.composer.open = true
	}
	s.composer.addKeys(pkg.Scripts)
}

func (s *scripts) readDeno(text string) {
	var config struct{ Tasks map[string]any }
	s.deno.some = true
	if json.Unmarshal([]byte(text), &config) != nil {
		s.deno.open = true // comments
	}
	s.deno.addKeys(config.Tasks)
}

var (
	makeTargets = regexp.MustCompile(`^([^\t#:=][^#:=]*?)\s*::?(?:$|[^:=].*|\s.*)$`)
	makeOpens   = regexp.MustCompile(`^-?(?:s?include)\s+(.*)|^\$\((?:eval|foreach|call)`)
	recipe      = regexp.MustCompile(`^@?([A-Za-z_][\w-]*)(?:\s+[^:]*(?:"[^"]*")?[^:]*)?:(?:[^=]|$)`)
	justAlias   = regexp.MustCompile(`^alias\s+([\w-]+)\s*:=`)
	justOpens   = regexp.MustCompile(`^(?:import|mod)\??\s`)
	taskName    = regexp.MustCompile(`^(\s+)["']?([^\s"'#][^"'#]*?)["']?:(?:\s.*)?$`)
	tomlSection = regexp.MustCompile(`^\[\[?\s*([\w.\-"]+)\s*\]\]?`)
	tomlKey     = regexp.MustCompile(`^["']?([\w.-]+)["']?\s*=\s*(?:["']([^"']*)["'])?`)
)

func (s *scripts) readMakefile(text string) {
	s.make.some = true
	text = strings.ReplaceAll(text, "\\\n", " ")
	defined := false
	for row := range strings.Lines(text) {
		row = strings.TrimRight(row, "\r\n ")
		if strings.HasPrefix(row, "define ") {
			defined = true
		}
		if defined {
			defined = row != "endef"
			continue
		}
		if m := makeOpens.FindStringSubmatch(row); m != nil {
			if included := strings.TrimSpace(m[1]); !strings.HasSuffix(included, ".mk") && !strings.HasSuffix(included, ".env") || strings.ContainsAny(included, "$*") {
				s.make.open = true
			}
			continue
		}
		m := makeTargets.FindStringSubmatch(row)
		if m == nil {
			continue
		}
		targets := m[1]
		if targets == ".PHONY" {
			targets = strings.TrimSpace(row[strings.IndexByte(row, ':')+1:])
		}
		for target := range strings.FieldsSeq(targets) {
			switch {
			case strings.Contains(target, "$"):
				s.make.open = true
			case strings.Contains(target, "%"):
				s.patterns = append(s.patterns, target)
			default:
				s.make.add(target)
			}
		}
	}
}

func (s *scripts) readJustfile(text string) {
	s.just.some = true
	for row := range strings.Lines(text) {
		row = strings.TrimRight(row, "\r\n ")
		if m := justAlias.FindStringSubmatch(row); m != nil {
			s.just.add(m[1])
		} else if justOpens.MatchString(row) {
			s.just.open = true
		} else if m := recipe.FindStringSubmatch(row); m != nil {
			s.just.add(m[1])
		}
	}
}

func (s *scripts) readTaskfile(text string) {
	s.task.some = true
	within, indent := false, ""
	for row := range strings.Lines(text) {
		row = strings.TrimRight(row, "\r\n ")
		if row == "" || strings.HasPrefix(strings.TrimSpace(row), "#") {
			continue
		}
		if row[0] != ' ' && row[0] != '\t' {
			within, indent = strings.HasPrefix(row, "tasks:"), ""
			if strings.HasPrefix(row, "includes:") {
				s.task.open = true
			}
			continue
		}
		m := taskName.FindStringSubmatch(row)
		if strings.HasPrefix(strings.TrimSpace(row), "aliases:") {
			s.task.open = true
		}
		if !within || m == nil {
			continue
		}
		if indent == "" {
			indent = m[1]
		}
		if m[1] == indent {
			s.task.add(m[2])
			if strings.Contains(m[2], "*") {
				s.task.open = true
			}
		}
	}
}

// tomlPairs calls f with each section, key and string value of a TOML file, as far as lines tell.
func tomlPairs(text string, f func(section, key, value string)) {
	section := ""
	for row := range strings.Lines(text) {
		row = strings.TrimSpace(row)
		if m := tomlSection.FindStringSubmatch(row); m != nil {
			section = m[1]
		} else if m := tomlKey.FindStringSubmatch(row); m != nil {
			f(section, m[1], m[2])
		}
	}
}

func (s *scripts) readPyproject(text string) {
	tomlPairs(text, func(section, key, _ string) {
		if section == "project.scripts" || section == "tool.poetry.scripts" {
			s.own[key] = true
		}
	})
}

func (s *scripts) readCargo(text string) {
	s.bins.some = true
	tomlPairs(text, func(section, key, value string) {
		if key != "name" || value == "" {
			return
		}
		switch section {
		case "package":
			s.crates.add(value)
			s.bins.add(value)
		case "bin":
			s.bins.add(value)
			s.own[value] = true
		case "example":
			s.examples.add(value)
		}
	})
}

// addRust adds the programs that Cargo finds by their place.
func (s *scripts) addRust(file string) {
	if !strings.HasSuffix(file, ".rs") {
		return
	}
	dir, stem := path.Dir(file), strings.TrimSuffix(path.Base(file), ".rs")
	if stem == "main" {
		dir, stem = path.Dir(dir), path.Base(dir)
	}
	switch path.Base(dir) {
	case "bin":
		s.bins.add(stem)
	case "examples":
		s.examples.add(stem)
	}
}
