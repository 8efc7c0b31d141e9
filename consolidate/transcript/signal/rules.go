package signal

import (
	"embed"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// The rules are a file for each language. A line is a phrase of the section that it is in; the README beside them
// describes how phrases are written.
//
//go:embed rules/*.txt
var files embed.FS

// The sections of a file besides the kinds.
const (
	innocent = len(kinds) + iota // takes its words away from the other rules
	opener                       // a word before the first one of a sentence or clause: "ok", "please"
	joint                        // a word that begins a clause: "and", "but"
	sections
)

var sectionNames = append(Kinds(), "innocent", "opener", "joint")

// An anchor is where a rule may match.
type anchor uint8

const (
	anywhere anchor = iota
	wordStart
	clause
	sentence
)

var anchors = map[byte]anchor{'^': sentence, '<': clause, '_': wordStart}

// A rule is one phrase.
type rule struct {
	section int
	anchor  anchor
	asked   bool // holds in a question too
	expr    func() *regexp.Regexp
}

// An entry is a rule under one of the texts that it may begin with.
type entry struct {
	prefix string
	*rule
}

// A table is rules by their first words, and in scripts without spaces by their first characters.
type table map[string][]entry

// rules are the rules of all languages. They are read at the first use, and an expression is compiled when it is first
// tried. Wrongly written ones panic; TestRules tries all.
var rules = sync.OnceValue(func() table {
	t := table{}
	languages, err := files.ReadDir("rules")
	if err != nil {
		panic(err)
	}
	for _, e := range languages {
		text, err := files.ReadFile("rules/" + e.Name())
		if err != nil {
			panic(err)
		}
		t.add(string(text))
	}
	return t
})

// add adds the rules of one language.
func (t table) add(text string) {
	section, classes := "", map[string]string{}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		name, isClass := strings.CutPrefix(section, "class ")
		switch {
		case line == "" || line[0] == '#':
		case line[0] == '[':
			section = strings.Trim(line, "[]")
		case isClass:
			classes["@"+name] += "|" + strings.Join(strings.Fields(line), "|")
		default:
			t.addRule(slices.Index(sectionNames, Kind(section)), line, classes)
		}
	}
}

var class = regexp.MustCompile(`@[a-z]+`)

func (t table) addRule(section int, line string, classes map[string]string) {
	r := &rule{section: section}
	if line[0] == '?' {
		r.asked, line = true, line[1:]
	}
	if a, ok := anchors[line[0]]; ok {
		r.anchor, line = a, line[1:]
	}
	line = class.ReplaceAllStringFunc(line, func(name string) string { return "(" + classes[name][1:] + ")" })
	line = fold(line).text
	r.expr = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression(line)) })
	all := prefixes(line)
	for _, prefix := range all {
		all = append(all, strings.ReplaceAll(prefix, "'", ""))
	}
	slices.Sort(all)
	for _, prefix := range slices.Compact(all) {
		word := firstWord(prefix)
		t[word] = append(t[word], entry{prefix, r})
	}
}

// What the signs of a phrase become.
var (
	signs = strings.NewReplacer("(", "(?:", "... ", `[^.!?\n]*?`, "...", `[^.!?\n]*?`, " *", ` [^ ,;:.!?()"]+`, "*", `[a-z0-9\p{Hangul}]*`,
		"$", ` ?(?:$|[,;:.!?()"])`, ".", `\.`, "?", `\?`, "'", "'?")
	beforeGap = regexp.MustCompile(`([a-z0-9][|)]*)\.\.\.`)
	afterGap  = regexp.MustCompile(`\.\.\. ?(\(*[a-z0-9])`)
	lastWord  = regexp.MustCompile(`[a-z0-9][|)]*$`)
)

// expression returns the regular expression of a phrase.
func expression(phrase string) string {
	phrase = beforeGap.ReplaceAllString(phrase, `${1}\b...`)
	phrase = afterGap.ReplaceAllString(phrase, `...\b$1`)
	phrase = lastWord.ReplaceAllString(phrase, `$0\b`)
	return "^(?:" + signs.Replace(phrase) + ")"
}

// prefixes returns the texts of which one begins whatever a phrase matches: two words, where it has them, or a character.
func prefixes(phrase string) (all []string) {
	before, rest, more := strings.Cut(phrase, "(")
	if end := strings.IndexAny(before, "*$."); end >= 0 {
		return []string{before[:end]}
	}
	choices, after, _ := strings.Cut(rest, ")")
	first, _ := utf8.DecodeRuneInString(before)
	if !more || before != "" && (first >= utf8.RuneSelf || strings.Contains(choices, "(") || strings.Contains(strings.TrimSpace(before), " ")) {
		return []string{before}
	}
	for c := range strings.SplitSeq(choices, "|") {
		all = append(all, prefixes(before+c+after)...)
	}
	return all
}

// firstWord returns the word that a text begins with, or the character in a script without spaces.
func firstWord(text string) string {
	if r, size := utf8.DecodeRuneInString(text); r >= utf8.RuneSelf {
		return text[:size]
	}
	return leading(text, isLetter)
}
