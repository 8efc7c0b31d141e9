package signal

import (
	"embed"
	"fmt"
	"maps"
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
	clause
	sentence
)

// A rule is one way in which a phrase goes on after its first literal, which the trie holds.
type rule struct {
	kinds  Set // none: innocent, opener or joint
	role   string
	anchor anchor
	asked  bool // holds in a question too
	rest   []element
	bound  bool // a word ends where the literal ends
}

// An element is a piece of a phrase behind its first literal.
type element struct {
	op    op
	text  string // of a literal; of a suffix
	words map[string]bool
	bound bool
}

type op uint8

const (
	literal op = iota
	oneOf      // the next word is one of words
	suffix     // the next word ends with text
	stem       // the rest of the word, if any
	gap        // anything within the sentence, up to maxGap bytes
	end        // the clause ends
)

// maxGap bounds what may stand between two pieces of a phrase, in bytes.
const maxGap = 90

// phrases are the rules, compiled at the first use: some milliseconds that a start does not pay.
var phrases = sync.OnceValue(func() *trie {
	b := builder{root: &branch{}}
	files, err := rules.ReadDir("rules")
	if err != nil {
		panic(err) // the files are part of the program
	}
	for _, file := range files {
		text, err := rules.ReadFile(path.Join("rules", file.Name()))
		if err == nil {
			err = b.file(string(text))
		}
		if err != nil {
			panic(fmt.Errorf("%s: %w", file.Name(), err))
		}
	}
	return b.trie()
})

// A builder gathers rules into a tree.
type builder struct {
	root    *branch
	classes map[string]map[string]bool
}

// file reads the rules of one language.
func (b *builder) file(text string) error {
	b.classes = map[string]map[string]bool{}
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
	r := rule{role: section, kinds: setOf(Kind(section))}
	if r.kinds == 0 && section != innocent && section != opener && section != joint {
		return fmt.Errorf("no section is named %q", section)
	}
	if rest, ok := strings.CutPrefix(line, "?"); ok {
		r.asked, line = true, strings.TrimSpace(rest)
	}
	if rest, ok := strings.CutPrefix(line, "^"); ok {
		r.anchor, line = sentence, strings.TrimSpace(rest)
	} else if rest, ok := strings.CutPrefix(line, "<"); ok {
		r.anchor, line = clause, strings.TrimSpace(rest)
	}
	if name, ok := strings.CutPrefix(line, "@"); ok { // the trie needs words to begin with
		name, rest := leadingLetters(name)
		line = "(" + strings.Join(slices.Sorted(maps.Keys(b.classes[name])), "|") + ")" + rest
	}
	ways := alternatives(line)
	if ways == nil {
		return fmt.Errorf("a parenthesis is not closed")
	}
	for _, way := range ways {
		for _, spelled := range spellings(strings.Join(strings.Fields(way), " ")) {
			if err := b.add(r, spelled); err != nil {
				return err
			}
		}
	}
	return nil
}

// alternatives writes out each (a|b|) of a pattern; they nest.
func alternatives(pattern string) []string {
	open := strings.IndexByte(pattern, '(')
	if open < 0 {
		return []string{pattern}
	}
	var choices []string
	depth, from, at := 0, open+1, open
	for ; at < len(pattern) && (depth > 0 || at == open); at++ {
		switch c := pattern[at]; {
		case c == '(':
			depth++
		case c == '|' && depth == 1:
			choices = append(choices, pattern[from:at])
			from = at + 1
		case c == ')':
			depth--
		}
	}
	if depth > 0 {
		return nil
	}
	at-- // the closing one
	choices = append(choices, pattern[from:at])
	var all []string
	for _, tail := range alternatives(pattern[at+1:]) {
		for _, choice := range choices {
			for _, inner := range alternatives(choice) {
				all = append(all, pattern[:open]+inner+tail)
			}
		}
	}
	return all
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

// add parses one way of a pattern and hangs its rule into the tree.
func (b *builder) add(r rule, pattern string) error {
	var head string
	var elements []element
	for first := true; pattern != ""; first = false {
		i := strings.IndexAny(pattern, "@*$")
		if g := strings.Index(pattern, "..."); g >= 0 && (i < 0 || g < i) {
			i = g
		}
		if i < 0 {
			i = len(pattern)
		}
		words := pattern[:i]
		pattern = pattern[i:]
		if strings.HasPrefix(pattern, "...") || strings.HasPrefix(pattern, "$") {
			words = strings.TrimRight(words, " ")
		}
		if first {
			head = words
		} else if words != "" {
			elements = append(elements, element{op: literal, text: words, bound: endsWord(words)})
		}
		switch {
		case strings.HasPrefix(pattern, "..."):
			elements = append(elements, element{op: gap})
			pattern = strings.TrimLeft(pattern[3:], " ")
		case strings.HasPrefix(pattern, "$"):
			elements = append(elements, element{op: end})
			pattern = pattern[1:]
		case pattern != "":
			name, rest := leadingLetters(pattern[1:])
			e := element{op: suffix, text: name}
			switch {
			case pattern[0] == '@':
				if e = (element{op: oneOf, words: b.classes[name]}); e.words == nil {
					return fmt.Errorf("no class is named %q", name)
				}
			case name == "" && !strings.HasSuffix(words, " "):
				e.op = stem
			}
			elements = append(elements, e)
			pattern = rest
		}
	}
	if strings.TrimSpace(head) == "" {
		return fmt.Errorf("a pattern must begin with words")
	}
	r.rest, r.bound = elements, endsWord(head) && (len(elements) == 0 || elements[0].op != stem)
	b.root.add(head, r)
	return nil
}

// leadingLetters cuts a text behind its first letters of ASCII.
func leadingLetters(text string) (letters, rest string) {
	rest = strings.TrimLeft(text, "abcdefghijklmnopqrstuvwxyz")
	return text[:len(text)-len(rest)], rest
}

// endsWord reports whether a text ends within a script that puts spaces between words, where what
// follows must not go on with the word. Korean does too, but joins particles to it.
func endsWord(text string) bool {
	r, _ := utf8.DecodeLastRuneInString(text)
	return r < 0x250 && (unicode.IsLetter(r) || unicode.IsDigit(r))
}
