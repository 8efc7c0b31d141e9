package drift

import (
	"cmp"
	"fmt"
	"path"
	"regexp"
	"strconv"
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

// stated has, by the name of a manifest, the expressions that find what versions it states: group 1 is a
// product, or the product is named before the colon, and the last group is its version.
var stated = map[string][]string{
	"pyproject.toml":  {`python:(?m)^requires-python\s*=\s*["']([^"']+)`, `python:(?m)^python\s*=\s*["']([^"']+)`},
	".python-version": {`python:^\s*([\d.]+)`},
	".nvmrc":          {`node:^\s*v?([\d.]+)`},
	".node-version":   {`node:^\s*v?([\d.]+)`},
	".ruby-version":   {`ruby:^\s*(?:ruby-)?([\d.]+)`},
	".tool-versions":  {`:(?m)^(python|ruby|nodejs|golang|postgres|php|rust|java)\s+([\d.]+)`},
	"go.mod":          {`go:(?m)^go ([\d.]+)`},
	"Cargo.toml":      {`rust:(?m)^rust-version\s*=\s*"([^"]+)`},
	"Gemfile":         {`ruby:(?m)^ruby ["']([\d.]+)`, `rails:(?m)^gem ["']rails["'],\s*["']([^"']+)`},
	"package.json": {`node:"node"\s*:\s*"([^"]+)"`, `:"(react|next|vue|svelte|typescript|expo|tailwindcss|vite` +
		`|@angular/core|express|react-native)"\s*:\s*"([^"]+)"`},
	"composer.json":       {`php:"php"\s*:\s*"([^"]+)"`, `laravel:"laravel/framework"\s*:\s*"([^"]+)"`},
	"requirements.txt":    {`:(?mi)^(django|flask|fastapi|pydantic|sqlalchemy)(==[\d.]+)`},
	"app.json":            {`ios:"deploymentTarget"\s*:\s*"([\d.]+)`},
	"Podfile":             {`ios:platform :ios,\s*['"]([\d.]+)`},
	"Dockerfile":          {`:(?mi)^FROM\s+(?:\S+/)?(python|node|golang|ruby|php|postgres|rust):([\d.]+)`},
	"compose.yml":         {composeImage},
	"compose.yaml":        {composeImage},
	"docker-compose.yml":  {composeImage},
	"docker-compose.yaml": {composeImage},
}

const composeImage = `:image:\s*["']?(?:\S+/)?(postgres|mysql|mariadb|redis|mongo|rabbitmq|elasticsearch|nginx|node|python):v?([\d.]+)`

// aliases are other names of products.
var aliases = map[string]string{"postgresql": "postgres", "golang": "go", "nodejs": "node", "node.js": "node",
	"next.js": "next", "vue.js": "vue", "mongodb": "mongo", "tailwind": "tailwindcss",
	"tailwind css": "tailwindcss", "@angular/core": "angular", "react native": "react-native"}

// manifests are what the project's manifests say.
type manifests struct {
	versions map[string][]string // by product: "postgres": "16.4", ">=3.12"
	sources  map[string]string   // by product, the first manifest that states one
	text     strings.Builder     // of all manifests with scripts and targets
	limited  bool
}

// manifested returns the manifests, which the first call reads.
func (p *Project) manifested() *manifests {
	if p.manifests != nil {
		return p.manifests
	}
	m := &manifests{versions: make(map[string][]string), sources: make(map[string]string)}
	p.manifests = m
	t, read := p.listed(), 0
	m.limited = t.limited
	for _, file := range t.files {
		base := path.Base(file)
		exprs, known := stated[base]
		if !known && !named.MatchString(base) {
			continue
		}
		data, _, err := readFile(p.root, file, maxManifestBytes)
		if read++; read > maxManifests || err != nil || len(data) == maxManifestBytes {
			m.limited = true
			continue
		}
		if named.MatchString(base) {
			m.text.Write(append(data, '\n'))
		}
		for _, expr := range exprs {
			product, expr, _ := strings.Cut(expr, ":")
			for _, found := range regexp.MustCompile(expr).FindAllStringSubmatch(string(data), -1) {
				name := product
				if name == "" {
					name = strings.ToLower(found[1])
				}
				if alias := aliases[name]; alias != "" {
					name = alias
				}
				m.versions[name] = append(m.versions[name], found[len(found)-1])
				if m.sources[name] == "" {
					m.sources[name] = file
				}
			}
		}
	}
	return m
}

// named are manifests with scripts and targets.
var named = lazy.New(`(?i)^(?:package\.json|(?:gnu)?makefile|.*\.mk|\.?justfile)$`)

// judgeScript reports a script or a target that its manifest lacks and once had: what it never had is another project's. Without a
// history a script is missed that is named as one, of a tool that runs nothing else.
func (p *Project) judgeScript(ref, tool, script string, named bool) []missing {
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

// manifestsLack reports whether no manifest names a script or target.
func (p *Project) manifestsLack(name string) bool {
	m := p.manifested()
	return !m.limited && utf8.ValidString(name) && !regexp.MustCompile(`(?i)(?:^|[^\w-])`+regexp.QuoteMeta(name)+`(?:[^\w-]|$)`).MatchString(m.text.String())
}

// versionRef finds a product with a version.
var versionRef = lazy.New("(?i)\\b(python|node(?:\\.?js)?|go(?:lang)?|postgres(?:ql)?|mysql|mariadb|redis" +
	"|mongo(?:db)?|rabbitmq|elasticsearch|nginx|ios|react(?: native)?|next(?:\\.js)?|vue(?:\\.js)?|svelte|typescript" +
	"|expo|vite|express|django|flask|fastapi|rails|laravel|ruby|php|rust|angular|tailwind(?: ?css)?) v?(\\d{1,3}(?:\\.\\d+){0,2})\\b")

// judgeVersion compares a version with those of the manifests.
func (p *Project) judgeVersion(text string) []missing {
	found := versionRef.FindStringSubmatch(text)
	if found == nil {
		return nil
	}
	product, version := strings.ToLower(found[1]), found[2]
	product = cmp.Or(aliases[product], product)
	m := p.manifested()
	constraints := m.versions[product]
	if len(constraints) == 0 || m.limited || product == "go" && (text[0] == 'g' || !strings.Contains(version, ".")) {
		return nil
	}
	p.count(&p.checked.Versions, "version "+product)
	for _, constraint := range constraints {
		if minimum[product] {
			constraint = ">=" + constraint
		}
		if !contradicts(version, constraint) {
			return nil
		}
	}
	return []missing{{ref: found[0], message: fmt.Sprintf("it says %q, and %s %q", found[0], m.sources[product], product+" "+strings.TrimLeft(constraints[0], "= "))}}
}

// minimum are products of which a manifest states the oldest version that will do.
var minimum = prose.Set("go rust ios")

var constraintRef = lazy.New(`^\s*(>=|\^|~=|~>|~|==|=)?\s*v?(\d+(?:\.\d+)*)`)

// contradicts reports whether a version is not what a constraint allows: below a lower bound, of another major
// version, or another than the exact one. Compared are two numbers, as far as both are given: a later patch is
// the same version.
func contradicts(version, constraint string) bool {
	m := constraintRef.FindStringSubmatch(constraint)
	if m == nil || strings.Contains(constraint, "|") {
		return false
	}
	said, bound := strings.Split(version, "."), strings.Split(m[2], ".")
	difference := func(n int) int {
		for i := range min(n, len(said), len(bound)) {
			a, _ := strconv.Atoi(said[i])
			b, _ := strconv.Atoi(bound[i])
			if a != b {
				return a - b
			}
		}
		return 0
	}
	switch m[1] {
	case ">=":
		return difference(2) < 0
	case "", "=", "==":
		return difference(2) != 0
	}
	return difference(1) != 0
}
