package signal

import (
	"embed"
	"fmt"
	"path"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"dream-mcp/consolidate/transcript/literal"
)

// The rules are a file for each language. A line is a pattern of the section that it is in; the README
// beside them describes the patterns.
//
//go:embed rules/*.txt
var files embed.FS

// A role is what a rule does with the words that it matches.
type role uint8

const (
	gives    role = iota // a signal
	innocent             // takes its words away from the other rules
	opener               // a word before the first one of a sentence or clause: "ok", "please"
	joint                // a word that begins a clause: "and", "but"
)

var roles = map[string]role{"innocent": innocent, "opener": opener, "joint": joint}

// An anchor is where a rule may match.
type anchor uint8

const (
	anywhere anchor = iota
	wordStart
	clause
	sentence
)

var anchors = map[byte]anchor{'^': sentence, '<': clause, '_': wordStart}

// A rule is one pattern.
type rule struct {
	role   role
	kind   int // the index of the kind that it gives
	anchor anchor
	asked  bool // holds in a question too
	source string
	expr   func() expression
}

// An expression is that of a rule, and what a text must contain one of for it to match; nothing: that is not known. To
// look for it takes a hundredth of the time.
type expression struct {
	*regexp.Regexp
	needs []literal.Literal
}

func newExpression(source string) expression {
	e := expression{Regexp: regexp.MustCompile(source)}
	tree, err := syntax.Parse(source, syntax.Perl)
	if err != nil || tree.Op != syntax.OpConcat {
		return e
	}
	rest := &syntax.Regexp{Op: syntax.OpConcat}
	for i, sub := range tree.Sub {
		if i <= 1 { // the first word is known to be there
			if sub.Op != syntax.OpLiteral {
				continue
			}
			_, after, _ := strings.Cut(string(sub.Rune), " ")
			sub = &syntax.Regexp{Op: syntax.OpLiteral, Rune: []rune(after)}
		}
		rest.Sub = append(rest.Sub, sub)
	}
	e.needs = literal.Required(rest, nil)
	return e
}

// find returns where the expression matches in a text; nil: nowhere.
func (e expression) find(text string) []int {
	if len(e.needs) > 0 && !slices.ContainsFunc(e.needs, func(need literal.Literal) bool { _, _, ok := need.Index(text); return ok }) {
		return nil
	}
	return e.FindStringIndex(text)
}

// A table is the rules by how they begin.
type table struct {
	words    map[string][]*rule // by the first word
	prefixes map[string][]*rule // by the first two letters or the only one, where the word may go on
	runes    map[rune][]*rule   // by the first character, in scripts without such words
}

// rules are the rules of all languages. They are read at the first use, and an expression is compiled
// when it is first tried.
var rules = sync.OnceValue(func() *table {
	t, err := readRules()
	if err != nil {
		panic(err) // the files are part of the program, and TestRules reads them
	}
	return t
})

func readRules() (*table, error) {
	t := newTable()
	entries, err := files.ReadDir("rules")
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if path.Ext(e.Name()) != ".txt" {
			continue
		}
		text, err := files.ReadFile(path.Join("rules", e.Name()))
		if err == nil {
			err = t.file(string(text))
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", e.Name(), err)
		}
	}
	return t, nil
}

func newTable() *table {
	return &table{words: map[string][]*rule{}, prefixes: map[string][]*rule{}, runes: map[rune][]*rule{}}
}

// file adds the rules of one language.
func (t *table) file(text string) error {
	classes := map[string][]string{}
	section, number := "", 0
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		if name, ok := strings.CutPrefix(line, "["); ok {
			section = strings.TrimSuffix(name, "]")
			continue
		}
		if name, ok := strings.CutPrefix(section, "class "); ok {
			classes[name] = append(classes[name], strings.Fields(line)...)
			continue
		}
		if err := t.add(section, line, classes); err != nil {
			return fmt.Errorf("line %d: %q: %w", number, line, err)
		}
	}
	return nil
}

func (t *table) add(section, line string, classes map[string][]string) error {
	r := &rule{role: roles[section], kind: index(Kind(section))}
	if r.role == gives && r.kind < 0 {
		return fmt.Errorf("no section is named %q", section)
	}
	if rest, ok := strings.CutPrefix(line, "?"); ok {
		r.asked, line = true, strings.TrimSpace(rest)
	}
	for line != "" && anchors[line[0]] != 0 {
		r.anchor, line = anchors[line[0]], line[1:]
	}
	p := pattern{classes: classes}
	source, err := p.expression(line)
	if err != nil {
		return err
	}
	r.source = source
	r.expr = sync.OnceValue(func() expression { return newExpression(source) })
	for _, s := range p.beginnings(line) {
		if err := t.index(r, s); err != nil {
			return err
		}
	}
	return nil
}

// A beginning is how a pattern begins: a word, the letters that one begins with, or a character.
type beginning struct {
	text  string
	whole bool
}

func (t *table) index(r *rule, b beginning) error {
	first, _ := utf8.DecodeRuneInString(b.text)
	add := func(m map[string][]*rule, key string) {
		if !slices.Contains(m[key], r) {
			m[key] = append(m[key], r)
		}
	}
	switch {
	case b.text == "":
		return fmt.Errorf("it begins with no word")
	case first >= utf8.RuneSelf:
		if !slices.Contains(t.runes[first], r) {
			t.runes[first] = append(t.runes[first], r)
		}
	case b.whole:
		add(t.words, b.text)
	default:
		add(t.prefixes, b.text[:min(len(b.text), 2)])
	}
	return nil
}

// at calls try with each rule that may match a folded text from i on, where a word ends at next.
func (t *table) at(text string, i, next int, try func(*rule)) {
	some := [][]*rule{nil, nil, nil}
	if text[i] >= utf8.RuneSelf {
		r, _ := utf8.DecodeRuneInString(text[i:])
		some[0] = t.runes[r]
	} else {
		some = [][]*rule{t.words[text[i:next]], t.prefixes[text[i:i+1]], t.prefixes[text[i:min(next, i+2)]]}
		if next == i+1 {
			some[2] = nil
		}
	}
	for _, rules := range some {
		for _, r := range rules {
			try(r)
		}
	}
}
