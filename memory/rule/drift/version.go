package drift

import (
	"cmp"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"dream-mcp/memory/lazy"
	"dream-mcp/memory/rule/prose"
)

// A manifest is a kind of file that declares versions.
type manifest struct {
	name    string
	entry   *lazy.Regexp // the name if of is "", and the version
	of      string       // what the version is of
	history string       // with the name and a version it matches the line in git's history; "": the file only confirms
	least   bool         // later versions do as well
}

var manifests = []manifest{
	{".nvmrc", lazy.New(`^\s*v?(\d[\d.]*)`), "node", `^v?%[2]s`, false},
	{".node-version", lazy.New(`^\s*v?(\d[\d.]*)`), "node", `^v?%[2]s`, false},
	{".python-version", lazy.New(`^\s*(\d[\d.]*)`), "python", `^%[2]s`, false},
	{".ruby-version", lazy.New(`^\s*(?:ruby-)?(\d[\d.]*)`), "ruby", `^(ruby-)?%[2]s`, false},
	{"go.mod", lazy.New(`(?m)^go (\d[\d.]*)`), "go", `^go %[2]s`, true},
	{"rust-toolchain.toml", lazy.New(`(?m)^channel *= *"(\d[\d.]*)`), "rust", `^channel *= *"%[2]s`, false},
	{".tool-versions", lazy.New(`(?m)^([\w-]+) +(\d[\d.]*)`), "", `^%[1]s +%[2]s`, false},
	{"package.json", lazy.New(`"packageManager"\s*:\s*"(\w+)@(\d[\d.]*)`), "", `"%[1]s@%[2]s`, false},
	{"package.json", lazy.New(`"((?:@[\w-]+/)?[\w.-]+)"\s*:\s*"([~^]?\d+\.[\d.]+)`), "", `"%[1]s" *: *"[~^]?%[2]s`, false},
	{"package-lock.json", lazy.New(`"node_modules/((?:@[\w-]+/)?[\w.-]+)": \{\s*"version": "(\d[\d.]*)`), "", "", false},
	{"Cargo.lock", lazy.New(`(?m)^name = "([^"]+)"\nversion = "(\d[\d.]*)`), "", "", false},
	{"uv.lock", lazy.New(`(?m)^name = "([^"]+)"\nversion = "(\d[\d.]*)`), "", "", false},
}

// names are other names of what manifests declare.
var names = map[string]string{"nodejs": "node", "node.js": "node", "golang": "go", "python3": "python"}

// A declaration is a version that a file of the project has.
type declaration struct {
	manifest
	file, version string
}

// declared returns the versions that the project declares, by name. The first call reads them.
func (p *Project) declared() map[string][]declaration {
	if p.versions != nil {
		return p.versions
	}
	p.versions = make(map[string][]declaration)
	for _, m := range manifests {
		for _, file := range p.listed().bases[m.name] {
			data, _, err := readFile(p.root, file, maxLockBytes)
			if err != nil {
				continue
			}
			for _, found := range m.entry.FindAllStringSubmatch(string(data), -1) {
				of := strings.ToLower(cmp.Or(m.of, found[1]))
				of = cmp.Or(names[of], of)
				p.versions[of] = append(p.versions[of], declaration{m, file, significant(found[len(found)-1])})
			}
		}
	}
	delete(p.versions, "version")
	return p.versions
}

const maxLockBytes = 4 << 20

// significant returns the parts of a version that a range fixes: "18" of "^18.2.0".
func significant(version string) string {
	parts := strings.Split(strings.TrimLeft(version, "~^"), ".")
	switch {
	case version[0] == '~':
		parts = parts[:min(2, len(parts))]
	case version[0] == '^' && parts[0] == "0":
		parts = parts[:min(2, len(parts))]
	case version[0] == '^':
		parts = parts[:1]
	}
	return strings.Join(parts, ".")
}

// claim matches a version that a text gives: "Node 18", "react@18.2", "`go 1.22`". What follows is judged by its first
// character.
var claim = lazy.New(`(?i)(?:^|[\s(*_` + "`" + `"])(@?[a-z][\w/-]*(?:\.js)?)(?:@| v?| version )(\d+(?:\.\d+){0,2})([^\s,;)*_` + "`" + `"]?)`)

// bounded precedes a version that is a bound.
var bounded = lazy.New(`(?i)(?:[<>≥≤]=?|at least|minimum|min\.?|since|from|until|before|after|below|above|supports?|requires?|needs?|not|no|than|to|to:)\s*$`)

// versions returns the versions that a text gives of what the project declares.
func (p *Project) versionsIn(text string) (found []prose.Span) {
	for _, m := range claim.FindAllStringSubmatchIndex(text, maxPassages) {
		if after := text[m[6]:m[7]]; after != "" && (after != "." || m[7] < len(text) && strings.ContainsAny(text[m[7]:m[7]+1], "0123456789xX*")) {
			continue // "18+", "18.x", "18-alpine"
		}
		if of, version := versionOf(text[m[2]:m[5]]); p.declared()[of] != nil && !bounded.MatchString(text[max(0, m[2]-20):m[2]]) &&
			(strings.ContainsAny(version, ".") || of == "node" || of == "python") {
			found = append(found, prose.Span{From: m[2], To: m[5], Inner: m[2], InnerTo: m[5], Kind: prose.Code})
		}
	}
	return found
}

// versionOf splits a claim into what it is of and the version.
func versionOf(claim string) (of, version string) {
	at := strings.LastIndexAny(claim, "@ ")
	of = strings.ToLower(strings.TrimSuffix(strings.TrimSuffix(strings.TrimRight(claim[:at], " "), " version"), ".js"))
	return cmp.Or(names[of], of), strings.TrimLeft(claim[at+1:], "vV")
}

// judgeVersion reports a version that the project once declared, and declares no longer; or another one, if the project
// declares only one.
func (p *Project) judgeVersion(claim string) []Missing {
	of, version := versionOf(claim)
	declared := p.declared()[of]
	p.count(&p.checked.Versions, "version "+of+version)
	if slices.ContainsFunc(declared, func(d declaration) bool { return d.agrees(version) }) {
		return nil
	}
	other := ""
	for _, d := range declared {
		if d.history == "" {
			continue
		}
		other = cmp.Or(other, fmt.Sprintf("%s: %s", d.file, d.version))
		expression := fmt.Sprintf(d.history, regexp.QuoteMeta(of), regexp.QuoteMeta(version)) + "([^0-9]|$)"
		if by := p.lastChange(expression, ":(glob)**/"+path.Base(d.file)); by != "" {
			return []Missing{{Ref: claim, Message: fmt.Sprintf("%q: %s has %s; %s changed it", claim, d.file, d.version, by)}}
		}
	}
	if other != "" && len(declared) == 1 {
		return []Missing{{Ref: claim, other: other}}
	}
	return nil
}

// agrees reports whether a version is the declared one, as far as both are given.
func (d declaration) agrees(version string) bool {
	has := strings.Split(d.version, ".")
	for i, part := range strings.Split(version, ".") {
		if i == len(has) || part == "" {
			return true
		}
		a, _ := strconv.Atoi(part)
		b, _ := strconv.Atoi(has[i])
		if a != b {
			return d.least && a > b
		}
	}
	return true
}
