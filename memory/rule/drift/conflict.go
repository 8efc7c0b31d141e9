package drift

import (
	"slices"
	"strings"
	"sync"

	"dream-mcp/memory/lazy"
	"dream-mcp/memory/rule/prose"
)

// Usage is a command that a text prescribes or forbids.
type Usage struct {
	From, To int // of the code span's inside, in bytes of the text
	Command  string
	Guide    string // the path of the guide that has it, "" of a memory
	At       int    // its line, from 1
	Line     string

	words     []string
	topic     string // what it is for: "test", "install"; "" where that is not known
	tool      string // what does it: "npm", "pnpm"
	forbidden bool   // without a condition: "never", not "never before lunch"
}

// Conflict is a command of a memory and what contradicts it in the project's guides.
type Conflict struct{ Ours, Theirs Usage }

// Rivals reports whether the two do the same by different tools.
func (c Conflict) Rivals() bool { return !c.Ours.forbidden && !c.Theirs.forbidden }

// Conflicts returns the commands of a text that the guides contradict: they do the same by another tool and
// nowhere by this one, or forbid it, or prescribe what the text forbids. Other contradictions are for a
// reader to find.
func (p *Project) Conflicts(text string) []Conflict {
	if p == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	guides := p.guided()
	if len(guides) == 0 {
		return nil
	}
	if p.usages == nil {
		p.usages = []Usage{}
		for _, g := range guides {
			p.usages = append(p.usages, usages(g.text, g.Path, nil)...)
		}
	}
	var conflicts []Conflict
	seen := make(map[string]bool)
	for _, u := range usages(text[:min(len(text), maxText)], "", p.usages) {
		if other, ok := p.contradicts(u); ok && !seen[u.Command] && len(conflicts) < maxHits {
			seen[u.Command] = true
			conflicts = append(conflicts, Conflict{u, other})
		}
	}
	return conflicts
}

// contradicts returns the first that the guides hold against a usage.
func (p *Project) contradicts(u Usage) (against Usage, found bool) {
	for _, g := range p.usages {
		contrary := false
		switch {
		case u.forbidden:
			contrary = !g.forbidden && g.Command == u.Command
		case g.forbidden:
			contrary = strings.HasPrefix(u.Command+" ", g.Command+" ")
		case u.topic == "" || g.topic != u.topic:
		case g.tool == u.tool:
			return Usage{}, false // they do it so too
		default:
			contrary = true
		}
		if contrary && !found {
			against, found = g, true
		}
	}
	return against, found
}

// usages returns the commands of a text; where others are given, only those that have to do with one.
func usages(text, guide string, others []Usage) []Usage {
	var found []Usage
	for _, s := range passages(text) {
		if s.kind == prose.Other {
			continue
		}
		for _, part := range operators.Split(strings.TrimSpace(s.text(text)), -1) {
			words := strings.Fields(part)
			for len(words) > 0 && assignment.MatchString(words[0]) {
				words = words[1:]
			}
			if len(words) == 0 || len(words) == 1 && !managers[words[0]] {
				continue
			}
			u := Usage{From: s.from, To: s.to, Command: strings.Join(words, " "), words: words, Guide: guide}
			u.topic, u.tool = purposeOf(u.Command)
			if others != nil && !slices.ContainsFunc(others, func(o Usage) bool { return o.words[0] == words[0] || o.topic != "" && o.topic == u.topic }) {
				continue
			}
			ok := false
			if u.forbidden, ok = s.around(text).polarity(); ok {
				u.At, u.Line = 1+strings.Count(text[:s.from], "\n"), lineAt(text, s.from)
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
	clauseEnd = lazy.New(`(?i)[,;:—(]|\b(?:but|use|run|prefer|always)\b|，|：`)
	negated   = lazy.New(`(?i)\b(?:never|do(?: not|n't)|must(?: not|n't)|avoid|instead of|rather than|not|no` +
		`|stop using|nie(?:mals)?|kein\w*|statt|jamais|au lieu de|nunca|en lugar de)\b|不要|禁止|别用|不得`)
	useOf       = lazy.New(`^ (?:ever )?(?:use|run) `)
	negatedNext = lazy.New("(?i)^`+" + `[^,;.，。]{0,24}?(?:\b(?:is|are) (?:banned|forbidden|not allowed)` +
		`|\bmust not be|ist verboten|est interdit|está prohibido|금지|쓰지 마|하지 마|使わない|禁止|使用しない)`)
	conditional = lazy.New(`(?i)\b(?:unless|without|before|until|except|only|when|while|if|after|directly|alone|during|yet|twice|more than)\b`)
)

// polarity reports whether a command is forbidden or prescribed; ok is false where it is neither: it was, is an example,
// or is forbidden under a condition.
func (s around) polarity() (forbidden, ok bool) {
	c := theCues()
	said := strings.ReplaceAll(s.before+s.after, "’", "'")
	if c.gone.MatchString(said) || s.scope != "" && c.scope.MatchString(s.scope) {
		return false, false
	}
	// What is negated before a comma, or before "use", is something else, unless the verb is the one negated.
	clause := strings.ReplaceAll(s.before, "’", "'")
	if negatedNext.MatchString(s.after) || slices.ContainsFunc(negated.FindAllStringIndex(clause, -1), func(m []int) bool {
		return !clauseEnd.MatchString(useOf.ReplaceAllString(clause[m[1]:], ""))
	}) {
		return true, !conditional.MatchString(said)
	}
	return false, !c.planned.MatchString(said) || strings.Contains(said, "should")
}

// managers are tools that a guide forbids or prescribes by their name alone.
var managers = prose.Set("npm yarn pnpm bun pip poetry uv pipenv make just jest vitest mocha pytest unittest " +
	"black ruff yapf flake8 pylint eslint prettier biome mvn gradle docker podman")

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
		all = append(all, purpose{topic, lazy.New("^(?:" + expr + ")$")})
	}
	return all
})

type purpose struct {
	topic string
	expr  *lazy.Regexp
}

// What a command has beside its operands: another program before it, what follows "--", options with values, options.
var (
	runner  = lazy.New(`^(?:npx|bunx|python[\d.]* -m) `)
	options = lazy.New(` -- .*| (?:--filter|-F|-C|--dir|--prefix|-w|--workspace|--cwd|-f)[ =]\S+| -\S+`)
	global  = lazy.New(` (?:-g|--global)\b`)
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
var operators = lazy.New(`\s*(?:&&|\|\||;|\|)\s*`)

var assignment = lazy.New(`^[A-Za-z_]\w*=`)

// packageVerbs are what package managers do themselves; a script of such a name needs "run".
var packageVerbs = prose.Set("install i ci add remove rm uninstall update upgrade up outdated audit link unlink " +
	"publish pack init create exec x dlx why list ls info view config cache prune dedupe rebuild store import patch " +
	"login logout whoami version help workspaces workspace set get pkg fund doctor bin root")
