package drift

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"dream-mcp/memory/rule/prose"
)

// Conflict is a command of a memory that the project's guides contradict.
type Conflict struct {
	From, To int    // of the code span's inside, in bytes of the text
	Command  string // as the memory has it
	Line     string // of the memory
	Guide    string // the path of the guide
	At       int    // its line, from 1
	Theirs   string // its text
	Other    string // the command that the guide has instead; "" where it forbids this one
}

// usage is a command that a text prescribes or forbids.
type usage struct {
	from, to  int
	text      string
	words     []string
	topic     string // what it is for: "test", "install"; "" where that is not known
	tool      string // what does it: "npm", "pnpm"
	forbidden bool
	firm      bool // without a condition: "never", not "never before lunch"
	guide     string
	at        int
	line      string
}

// Conflicts returns the commands of a text that the guides contradict: they do the same by another tool and
// nowhere by this one, or forbid it, or prescribe what the text forbids. Other contradictions are for a
// reader to find.
func (p *Project) Conflicts(text string) []Conflict {
	if p == nil {
		return nil
	}
	if len(text) > maxText {
		text = text[:maxText]
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	guides := p.guided()
	if len(guides) == 0 {
		return nil
	}
	if p.usages == nil {
		p.usages = []usage{}
		for _, g := range guides {
			p.usages = append(p.usages, usages(g.text, g.Path, nil)...)
		}
	}
	ours := usages(text, "", p.usages)
	var conflicts []Conflict
	seen := make(map[string]bool)
	for _, u := range ours {
		other, ok := p.contradicts(u)
		if !ok || seen[u.text] || len(conflicts) == maxHits {
			continue
		}
		seen[u.text] = true
		c := Conflict{From: u.from, To: u.to, Command: u.text, Line: u.line, Guide: other.guide, At: other.at, Theirs: other.line}
		if !other.forbidden && !u.forbidden {
			c.Other = other.text
		}
		conflicts = append(conflicts, c)
	}
	return conflicts
}

// contradicts returns what the guides hold against a usage.
func (p *Project) contradicts(u usage) (usage, bool) {
	i := -1
	for j, g := range p.usages {
		switch {
		case u.forbidden:
			if u.firm && !g.forbidden && slices.Equal(g.words, u.words) && i < 0 {
				i = j
			}
		case g.forbidden:
			if g.firm && len(g.words) <= len(u.words) && slices.Equal(g.words, u.words[:len(g.words)]) && i < 0 {
				i = j
			}
		case u.topic == "" || g.topic != u.topic:
		case g.tool == u.tool:
			return usage{}, false // they do it so too
		case i < 0:
			i = j
		}
	}
	if i < 0 {
		return usage{}, false
	}
	return p.usages[i], true
}

// usages returns the commands of a text; where others are given, only those that have to do with one.
func usages(text, guide string, others []usage) []usage {
	var found []usage
	at, line := 0, 1
	for _, s := range passages(text) {
		if s.kind == prose.Other {
			continue
		}
		line += strings.Count(text[at:s.from], "\n")
		at = s.from
		for _, part := range operators.Split(strings.TrimSpace(s.text(text)), -1) {
			words := strings.Fields(part)
			for len(words) > 0 && assignment.MatchString(words[0]) {
				words = words[1:]
			}
			if len(words) == 0 || len(words) == 1 && !managers[words[0]] {
				continue
			}
			u := usage{from: s.from, to: s.to, text: strings.Join(words, " "), words: words, guide: guide, at: line}
			u.topic, u.tool = purposeOf(u.text)
			if others != nil && !slices.ContainsFunc(others, func(o usage) bool { return o.words[0] == words[0] || o.topic != "" && o.topic == u.topic }) {
				continue
			}
			ok := false
			if u.forbidden, u.firm, ok = s.around(text).polarity(); ok {
				u.line = lineAt(text, s.from)
				found = append(found, u)
			}
		}
	}
	return found
}

// lineAt returns the line that a place of a text lies in.
func lineAt(text string, at int) string {
	from := strings.LastIndexByte(text[:at], '\n') + 1
	row, _, _ := strings.Cut(text[from:], "\n")
	return strings.TrimSpace(row)
}

var (
	clauseEnd   = regexp.MustCompile(`(?i)[,;:—(]|\b(?:but|use|run|prefer|always)\b|，|：`)
	negated     = regexp.MustCompile(`(?i)\b(?:never|do(?: not|n't)|must(?: not|n't)|avoid|instead of|rather than|not|no|stop using|nie(?:mals)?|kein\w*|statt|jamais|au lieu de|nunca|en lugar de)\b|不要|禁止|别用|不得`)
	negatedNext = regexp.MustCompile("(?i)^`+" + `[^,;.，。]{0,24}?(?:\b(?:is|are) (?:banned|forbidden|not allowed)|\bmust not be|ist verboten|est interdit|está prohibido|금지|쓰지 마|하지 마|使わない|禁止|使用しない)`)
	conditional = regexp.MustCompile(`(?i)\b(?:unless|without|before|until|except|only|when|while|if|after|directly|alone|during|yet|twice|more than)\b`)
)

// polarity reports whether a command is forbidden or prescribed, and how firmly; ok is false where it is
// neither: it was, or is an example.
func (s around) polarity() (forbidden, firm, ok bool) {
	c := theCues()
	said := strings.ReplaceAll(s.before+s.after, "’", "'")
	if c.gone.MatchString(said) || s.scope != "" && c.scope.MatchString(s.scope) {
		return false, false, false
	}
	firm = !conditional.MatchString(said)
	clause := strings.ReplaceAll(s.before, "’", "'")
	if negatedNext.MatchString(s.after) {
		return true, firm, true
	}
	// What is negated before a comma, or before "use", is something else, unless the verb is the one negated.
	for _, m := range negated.FindAllStringIndex(clause, -1) {
		rest := clause[m[1]:]
		for _, verb := range []string{" use ", " run ", " ever use ", " ever run "} {
			rest = strings.TrimPrefix(rest, verb)
		}
		if !clauseEnd.MatchString(rest) {
			return true, firm, true
		}
	}
	if c.planned.MatchString(said) && !strings.Contains(said, "should") {
		return false, false, false
	}
	return false, firm, true
}

// managers are tools that a guide forbids or prescribes by their name alone.
var managers = setOf("npm yarn pnpm bun pip poetry uv pipenv make just jest vitest mocha pytest unittest black ruff yapf flake8 pylint eslint prettier biome mvn gradle docker podman")

// purposes are commands that a project runs by one of several tools: what such a command is for, and the expression of the
// whole command without options. A group is the tool; another stands for the "$".
var purposes = sync.OnceValue(func() []purpose {
	var all []purpose
	for _, row := range strings.Split(strings.TrimSpace(`
packages: (npm|pnpm|yarn|bun)(?: (?:install|i|ci|add).*)?
script $: (npm|pnpm|yarn|bun) run(?:-script)? (\S+).*
script $: (npm|pnpm|yarn|bun) (\S+).*
target $: (make|just|task|mage) (\S+).*
python $: (poetry|uv|pipenv|pdm|hatch) run (\S+).*
python packages: (poetry|uv|pipenv|pdm|hatch) (?:install|sync|add).*|(pip) install [.\w/-]*\.(?:txt)?
java $: (?:\./)?(mvn|gradle)w?(?: .*)? (\S+)
compose $: (docker|podman) compose (\S+).*
javascript test: (jest|vitest|mocha|ava)(?: .*)?
javascript lint: (eslint|oxlint|tslint)(?: .*)?
javascript format: (prettier|dprint)(?: .*)?
python test: (pytest|unittest|nose2)(?: .*)?
python format: (black|yapf|autopep8)(?: .*)?|(ruff) format.*
python lint: (flake8|pylint)(?: .*)?|(ruff) check.*
python types: (mypy|pyright)(?: .*)?`), "\n") {
		topic, expr, _ := strings.Cut(row, ": ")
		all = append(all, purpose{topic, regexp.MustCompile("^(?:" + expr + ")$")})
	}
	return all
})

type purpose struct {
	topic string
	expr  *regexp.Regexp
}

// What a command has beside its operands: another program before it, what follows "--", options with values, options.
var (
	runner  = regexp.MustCompile(`^(?:npx|bunx|python[\d.]* -m) `)
	options = regexp.MustCompile(` -- .*| (?:--filter|-F|-C|--dir|--prefix|-w|--workspace|--cwd|-f)[ =]\S+| -\S+`)
	global  = regexp.MustCompile(` (?:-g|--global)\b`)
)

// purposeOf returns what a command is for and the tool that does it, for tools of which a project has one.
func purposeOf(command string) (topic, tool string) {
	if global.MatchString(command) {
		return "", ""
	}
	command = options.ReplaceAllString(runner.ReplaceAllString(command, ""), "")
	for _, p := range purposes() {
		m := p.expr.FindStringSubmatch(command)
		switch {
		case m == nil:
		case strings.Contains(p.topic, "$"):
			if word, _, _ := strings.Cut(command[len(m[1]):], m[2]); word == " " && p.topic == "script $" && packageVerbs[m[2]] {
				return "", ""
			}
			return strings.Replace(p.topic, "$", m[2], 1), m[1]
		default:
			return p.topic, strings.Join(m[1:], "")
		}
	}
	return "", ""
}

// operators separate the commands of a line.
var operators = regexp.MustCompile(`\s*(?:&&|\|\||;|\|)\s*`)

var assignment = regexp.MustCompile(`^[A-Za-z_]\w*=`)

// packageVerbs are what package managers do themselves; a script of such a name needs "run".
var packageVerbs = setOf("install i ci add remove rm uninstall update upgrade up outdated audit link unlink publish pack init create exec x dlx why list ls info view config cache prune dedupe rebuild store import patch login logout whoami version help workspaces workspace set get pkg fund doctor bin root")
