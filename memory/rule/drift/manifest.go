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

// manifestSpecs are the manifests whose history is read.
var manifestSpecs = []string{":(glob)**/package.json", ":(glob)**/Makefile", ":(glob)**/justfile"}

// manifests are what the project's manifests say.
type manifests struct {
	text    strings.Builder // of all manifests with scripts and targets
	limited bool
}

// manifested returns the manifests, which the first call reads.
func (p *Project) manifested() *manifests {
	if p.manifests != nil {
		return p.manifests
	}
	t, read := p.listed(), 0
	m := &manifests{limited: t.limited}
	p.manifests = m
	for _, file := range t.files {
		if !named.MatchString(path.Base(file)) {
			continue
		}
		data, _, err := readFile(p.root, file, maxManifestBytes)
		if read++; read > maxManifests || err != nil || len(data) == maxManifestBytes {
			m.limited = true
			continue
		}
		m.text.Write(append(data, '\n'))
	}
	return m
}

// named are manifests with scripts and targets.
var named = lazy.New(`(?i)^(?:package\.json|(?:gnu)?makefile|.*\.mk|\.?justfile)$`)

// judgeScript reports a script or a target that its manifest lacks and once had: what it never had is another project's. Without a
// history a script is missed that is named as one, of a tool that runs nothing else.
func (p *Project) judgeScript(ref, tool, script string, named bool) []missing {
	if generalScripts[script] {
		return nil
	}
	manifest := scriptsOf[tool]
	number, noun := &p.checked.Scripts, "script"
	if manifest != "package.json" {
		number, noun = &p.checked.Targets, "target"
	}
	past := p.past()
	once := past != nil && past.manifests[script]
	if !utf8.ValidString(script) || !once && p.look(manifest) != present {
		return nil
	}
	switch lacks := p.manifestsLack(script); {
	case !lacks && !named, lacks && !once && (past.sawChanges() || !named || tool == "yarn" || tool == "bun" ||
		generated.MatchString(p.manifested().text.String())):
		return nil
	case !lacks:
		p.count(number, noun+" "+script)
		return nil
	}
	p.count(number, noun+" "+script)
	m := missing{ref: ref, message: fmt.Sprintf("%s has no %s %q", manifest, noun, script)}
	if once {
		m.message = fmt.Sprintf("no %s has the %s %q any more", manifest, noun, script)
	}
	return []missing{m}
}

// generated matches targets that are not in the Makefile by name: of a file that it includes, or of a pattern.
var generated = lazy.New(`(?m)^-?include |^[^\t#\n]*%[^\n=]*:`)

// scriptsOf has the manifest of each tool. Yarn and bun run programs too.
var scriptsOf = map[string]string{"make": "Makefile", "just": "justfile", "npm": "package.json", "pnpm": "package.json",
	"yarn": "package.json", "bun": "package.json"}

// packageVerbs are what a manager of packages does itself.
var packageVerbs = prose.Set("install i ci add remove rm uninstall update upgrade up outdated audit link unlink " +
	"publish pack init create exec x dlx why list ls info view config cache prune dedupe rebuild store import patch " +
	"login logout whoami version help workspaces workspace set get pkg fund doctor bin root")

// generalScripts are scripts that nearly every project has, so that another's may be meant.
var generalScripts = prose.Set("dev start build test lint serve watch preview format typecheck")

// manifestsLack reports whether no manifest names a script or target.
func (p *Project) manifestsLack(name string) bool {
	m := p.manifested()
	return !m.limited && utf8.ValidString(name) && !regexp.MustCompile(`(?i)(?:^|[^\w-])`+regexp.QuoteMeta(name)+`(?:[^\w-]|$)`).MatchString(m.text.String())
}
