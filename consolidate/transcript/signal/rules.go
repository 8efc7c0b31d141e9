package signal

import (
	"embed"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// The rules are a file for each language. A line is a pattern of the section that it stands in; README
// beside them says how they are written.
//
//go:embed rules/*.txt
var rules embed.FS

// Sections beside those of the kinds.
const (
	innocent = "innocent" // takes its words away from the other rules
	opener   = "opener"   // a word before the first one of a sentence or clause: "ok", "please"
	joint    = "joint"    // a word behind which a clause begins: "and", "but"
)

// An anchor says where a phrase must begin.
type anchor uint8

const (
	anywhere anchor = iota
	wordStart
	clause
	sentence
)

// A rule says what a phrase is for, at the node where the phrase is complete.
type rule struct {
	kinds  Set // one; or none: innocent, opener or joint
	kind   int // its index
	role   string
	anchor anchor
	asked  bool // holds in a question too
}

// phrases are the rules, compiled at the first use: what that takes (see BenchmarkCompile) a start
// does not pay.
var phrases = sync.OnceValue(func() *trie {
	t, err := compile()
	if err != nil {
		panic(err) // the files are part of the program, and TestRules has read them
	}
	return t
})

// compile reads the files of rules.
func compile() (*trie, error) {
	b := builder{root: &branch{}}
	files, err := rules.ReadDir("rules")
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		text, err := rules.ReadFile(path.Join("rules", file.Name()))
		if err == nil {
			err = b.file(string(text))
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file.Name(), err)
		}
	}
	return b.trie(), nil
}

// A builder gathers rules into a tree.
type builder struct {
	root    *branch
	classes map[string]map[string]bool // of the file that is read
	leading map[string]*branch         // behind a class that patterns begin with
}

// file reads the rules of one language.
func (b *builder) file(text string) error {
	b.classes, b.leading = map[string]map[string]bool{}, map[string]*branch{}
	section := ""
	number := 0
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
		if err := b.line(section, line); err != nil {
			return fmt.Errorf("line %d: %w", number, err)
		}
	}
	return nil
}

func (b *builder) line(section, line string) error {
	if name, ok := strings.CutPrefix(section, "class "); ok {
		if b.classes[name] == nil {
			b.classes[name] = map[string]bool{}
		}
		for _, word := range strings.Fields(line) {
			for _, spelled := range spellings(word) {
				b.classes[name][spelled] = true
			}
		}
		return nil
	}
	r := rule{role: section, kinds: setOf(Kind(section)), kind: index(Kind(section))}
	if r.kinds == 0 && section != innocent && section != opener && section != joint {
		return fmt.Errorf("no section is named %q", section)
	}
	if rest, ok := strings.CutPrefix(line, "?"); ok {
		r.asked, line = true, strings.TrimSpace(rest)
	}
	switch line[0] {
	case '^':
		r.anchor = sentence
	case '<':
		r.anchor = clause
	case '_':
		r.anchor = wordStart
	}
	line = strings.TrimLeft(line, "^<_")
	for _, spelled := range spellings(line) {
		if err := b.add(r, spelled); err != nil {
			return err
		}
	}
	return nil
}

var (
	plain    = strings.NewReplacer("ä", "a", "à", "a", "â", "a", "á", "a", "ç", "c", "é", "e", "è", "e", "ê", "e", "ë", "e", "í", "i", "î", "i", "ï", "i", "ñ", "n", "ó", "o", "ö", "o", "ô", "o", "ú", "u", "ü", "u", "û", "u", "ù", "u", "ß", "ss", "œ", "oe")
	umlauts  = strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue", "ß", "ss")
	unquoted = strings.NewReplacer("n't", "nt")
)

// spellings are the ways in which a pattern is typed: with and without accents or apostrophes.
func spellings(pattern string) []string {
	all := []string{pattern, plain.Replace(pattern), umlauts.Replace(pattern), unquoted.Replace(pattern)}
	slices.Sort(all)
	return slices.Compact(all)
}

// endsWord reports whether a text ends within a script that puts spaces between words, where what
// follows must not go on with the word. Korean does too, but joins particles to it.
func endsWord(text string) bool {
	r, _ := utf8.DecodeLastRuneInString(text)
	return r < 0x250 && (unicode.IsLetter(r) || unicode.IsDigit(r))
}
