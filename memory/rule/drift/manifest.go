package drift

import (
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"dream-mcp/memory/lazy"
	"dream-mcp/memory/rule/prose"
)

// Bounds of the manifests that are read.
const (
	maxManifests     = 400
	maxManifestBytes = 512 << 10 // of one
)

// named are manifests with scripts and targets.
var named = lazy.New(`(?i)^(?:package\.json|(?:gnu)?makefile|.*\.mk|\.?justfile)$`)

// manifested returns the text of all manifests, which the first call reads; "" if it is not all.
func (p *Project) manifested() string {
	if p.manifests != nil {
		return *p.manifests
	}
	var all strings.Builder
	t, read := p.listed(), 0
	limited := t.limited
	for _, file := range t.files {
		if !named.MatchString(path.Base(file)) {
			continue
		}
		data, _, err := readFile(p.root, file, maxManifestBytes)
		read++
		limited = limited || read > maxManifests || err != nil || len(data) == maxManifestBytes
		all.Write(append(data, '\n'))
	}
	text := all.String()
	if limited {
		text = ""
	}
	p.manifests = &text
	return text
}

// scriptRef finds the script or target that a command runs.
var scriptRef = lazy.New(`^(?:[A-Za-z_]\w*=\S* |sudo )*((?:npm run|(?:pnpm|yarn|bun)(?: run)?|(make|just)) ([^-\s=<$][^\s=<$]*))(?: |$)`)

// generalScripts are scripts and targets that nearly every project has, so that another's may be meant.
var generalScripts = prose.Set("dev start build test lint serve watch preview format typecheck")

// judgeScript reports a script or a target that no manifest has.
func (p *Project) judgeScript(command string) []Missing {
	m := scriptRef.FindStringSubmatch(command)
	if m == nil {
		return nil
	}
	ref, script := m[1], strings.TrimRight(m[3], ";,.")
	manifest, number, noun := "package.json", &p.checked.Scripts, "script"
	definition := `"%s"[[:space:]]*:`
	if m[2] != "" {
		manifest, number, noun = map[string]string{"make": "Makefile", "just": "justfile"}[m[2]], &p.checked.Targets, "target"
		definition = "^(@|[^[:space:]:=][^:=\n]* )?%s( [^:\n]*)?:" // among others, of a quiet recipe, with parameters
	}
	text := p.manifested()
	if text == "" || generalScripts[script] || !utf8.ValidString(script) {
		return nil
	}
	defines := func(name string) string { return fmt.Sprintf(definition, regexp.QuoteMeta(name)) }
	isDefined := func(name string) bool { return regexp.MustCompile(`(?m)` + defines(name)).MatchString(text) }
	if isDefined(script) {
		p.count(number, noun+" "+script)
		return nil
	}
	files := ":(glob)**/" + manifest
	by := p.lastChange(defines(script), files)
	mentioned := regexp.MustCompile(`(?i)(?:^|[^\w-])` + regexp.QuoteMeta(script) + `(?:[^\w-]|$)`).MatchString(text) // perhaps defined in another way
	if by == "" && (mentioned || m[2] == "" && !strings.Contains(ref, " run ")) {
		return nil // "pnpm tsc" runs a program
	}
	if by == "" {
		return []Missing{{Ref: ref, never: true}}
	}
	p.count(number, noun+" "+script)
	message := fmt.Sprintf("no %s has the %s %q any more; %s removed it", manifest, noun, script, by)
	if instead := p.instead(script, by, files, fmt.Sprintf(definition, `(?P<name>[\w./:-]+)`)); instead != "" && isDefined(instead) {
		message += fmt.Sprintf(" and put %q in its place", instead)
	}
	return []Missing{{Ref: ref, Message: message}}
}

// instead returns the one name that a commit defined in the place of another, "" if there are none or several.
func (p *Project) instead(script, by, files, definition string) string {
	expression := regexp.MustCompile(definition)
	out := p.detail("show", "--format=", "-U0", "--no-color", "--no-ext-diff", "--no-textconv", "--no-show-signature", strings.Fields(by)[1], "--", files)
	for hunk := range strings.SplitSeq(out, "\n@@") {
		names := map[byte]map[string]bool{'+': {}, '-': {}}
		for line := range strings.SplitSeq(hunk, "\n") {
			if line == "" || names[line[0]] == nil {
				continue
			}
			if at := expression.FindStringSubmatchIndex(line[1:]); at != nil && !strings.HasPrefix(line[1+at[1]:], "=") { // a variable
				i := 2 * expression.SubexpIndex("name")
				names[line[0]][line[1+at[i]:1+at[i+1]]] = true
			}
		}
		maps.DeleteFunc(names['+'], func(name string, _ bool) bool { return names['-'][name] })
		if names['-'][script] && len(names['+']) == 1 {
			return slices.Collect(maps.Keys(names['+']))[0]
		}
	}
	return ""
}
