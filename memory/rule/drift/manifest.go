package drift

import (
	"fmt"
	"path"
	"regexp"
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
	definition = fmt.Sprintf(definition, regexp.QuoteMeta(script))
	if regexp.MustCompile(`(?m)` + definition).MatchString(text) {
		p.count(number, noun+" "+script)
		return nil
	}
	by := p.lastChange(definition, ":(glob)**/"+manifest)
	mentioned := regexp.MustCompile(`(?i)(?:^|[^\w-])` + regexp.QuoteMeta(script) + `(?:[^\w-]|$)`).MatchString(text) // perhaps defined in another way
	if by == "" && (mentioned || m[2] == "" && !strings.Contains(ref, " run ")) {
		return nil // "pnpm tsc" runs a program
	}
	if by == "" {
		return []Missing{{Ref: ref, never: true}}
	}
	p.count(number, noun+" "+script)
	return []Missing{{Ref: ref, Message: fmt.Sprintf("no %s has the %s %q any more; %s removed it", manifest, noun, script, by)}}
}
