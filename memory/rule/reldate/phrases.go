package reldate

import (
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

//go:embed phrases.txt
var phrasesText string

// language is one section of phrases.txt.
type language struct {
	name      string
	weekdays  [][]string // from Monday on, each with its spellings
	numbers   map[string]int
	generic   []string
	before    []string
	after     []string
	describes []string // a sentence that begins so says what something does
	past      *regexp.Regexp
	words     map[string]bool
	others    map[string]bool
}

// line holds what the phrases of one line have in common.
type line struct {
	*language
	unit     unit
	offset   int
	times    int // what the number of the phrase is multiplied by; 0: it has none
	weekdays string
	about    bool
	loose    bool
	free     bool
	past     bool
	label    bool
	evident  bool // the sentence must be of this language
	notNext  []string
	notPrior []string
	next     []string
}

// phrase is one way to say it, without alternatives.
type phrase struct {
	*line
	weekday int // from Monday, 0; -1: none
	count   int // of a number that is written as a word at the beginning, and else 0
	elems   []elem
}

type elem struct {
	kind elemKind
	text string // of a literal, in lower case
}

type elemKind int

const (
	literal elemKind = iota
	space            // white space
	maybeSpace
	number
)

// words is parsed once, when the first text is looked at: 1.5 ms.
var words = sync.OnceValue(func() *vocabulary { return parseVocabulary(phrasesText) })

// parseVocabulary panics where the text, which is part of the program, has a line of no known form.
func parseVocabulary(text string) *vocabulary {
	v := &vocabulary{words: map[string]*start{}, runes: map[rune]*start{}}
	var lang *language
	for row := range strings.SplitSeq(text, "\n") {
		row = strings.TrimSpace(row)
		if row == "" || row[0] == ';' {
			continue
		}
		if row[0] == '[' {
			lang = &language{name: strings.Trim(row, "[]"), numbers: map[string]int{}}
			continue
		}
		head, rest, _ := strings.Cut(row, ":")
		rest = strings.TrimSpace(rest)
		switch head {
		case "weekday":
			for day := range strings.FieldsSeq(rest) {
				lang.weekdays = append(lang.weekdays, strings.Split(day, "|"))
			}
		case "number":
			for pair := range strings.FieldsSeq(rest) {
				word, value, _ := strings.Cut(pair, "=")
				lang.numbers[word], _ = strconv.Atoi(value)
			}
		case "generic":
			for _, words := range strings.Split(rest, ",") {
				lang.generic = append(lang.generic, lang.onEachDay(words)...)
			}
		case "past":
			lang.past = regexp.MustCompile(rest)
		case "before":
			lang.before = strings.Split(rest, ",")
		case "after":
			lang.after = strings.Split(rest, ",")
		case "describes":
			lang.describes = strings.Split(rest, ",")
		case "words":
			lang.words = setOf(rest)
		case "others":
			lang.others = setOf(rest)
		default:
			l := parseLine(lang, head)
			for pattern := range strings.SplitSeq(rest, ";") {
				v.add(l, strings.TrimSpace(pattern))
			}
		}
	}
	for word := range v.words {
		if word[0] < utf8.RuneSelf {
			v.lengths[word[0]] |= 1 << len(word)
		}
	}
	for r := range v.runes {
		v.first[r/64] |= 1 << (r % 64)
	}
	return v
}

// onEachDay returns a text once for each name of a day that its "@" stands for.
func (l *language) onEachDay(text string) []string {
	if !strings.Contains(text, "@") {
		return []string{text}
	}
	var texts []string
	for _, name := range slices.Concat(l.weekdays...) {
		texts = append(texts, strings.ReplaceAll(text, "@", name))
	}
	return texts
}

func setOf(text string) map[string]bool {
	set := make(map[string]bool)
	for word := range strings.FieldsSeq(text) {
		set[word] = true
	}
	return set
}

// parseLine reads what is before the colon.
func parseLine(lang *language, head string) *line {
	fields := strings.Fields(head)
	if lang == nil || len(fields) < 2 || !slices.Contains(units, unit(fields[0])) {
		panic(fmt.Sprintf("reldate: no line: %q", head))
	}
	l := &line{language: lang, unit: unit(fields[0])}
	if l.unit == weekday {
		l.weekdays = fields[1]
	} else if sign, ok := strings.CutSuffix(fields[1], "#"); ok {
		if sign == "-" || sign == "+" {
			sign += "1"
		}
		l.times, _ = strconv.Atoi(sign)
	} else {
		l.offset, _ = strconv.Atoi(fields[1])
	}
	for _, flag := range fields[2:] {
		list := strings.Split(strings.ReplaceAll(flag[1:], "_", " "), ",")
		switch {
		case flag == "~":
			l.about = true
		case flag == "?":
			l.loose = true
		case flag == "free":
			l.free = true
		case flag == "past":
			l.past = true
		case flag == "label":
			l.label = true
		case flag == "lang":
			l.evident = true
		case flag[0] == '!':
			l.notNext = list
		case flag[0] == '<':
			l.notPrior = list
		case flag[0] == '>':
			l.next = list
		default:
			panic(fmt.Sprintf("reldate: no flag: %q", flag))
		}
	}
	return l
}

// add puts a pattern into the vocabulary, once for each way to read it.
func (v *vocabulary) add(l *line, pattern string) {
	flat, rest := alternatives(pattern)
	if rest != "" {
		panic(fmt.Sprintf("reldate: no pattern: %q", pattern))
	}
	for _, text := range flat {
		text = strings.TrimSpace(text) // of [a] b, without a
		if !strings.Contains(text, "@") {
			v.put(&phrase{line: l, weekday: -1}, text)
			continue
		}
		for day, names := range l.language.weekdays {
			for _, name := range names {
				v.put(&phrase{line: l, weekday: day}, strings.ReplaceAll(text, "@", name))
			}
		}
	}
}

// alternatives returns the texts that a pattern stands for, up to a bracket that closes it or a bar.
func alternatives(pattern string) (flat []string, rest string) {
	flat = []string{""}
	for pattern != "" {
		switch c := pattern[0]; c {
		case '(', '[':
			var inner []string
			if c == '[' {
				inner = append(inner, "")
			}
			for {
				var more []string
				more, pattern = alternatives(pattern[1:])
				inner = append(inner, more...)
				if pattern == "" || pattern[0] != '|' {
					break
				}
			}
			if pattern == "" {
				return nil, "("
			}
			pattern = pattern[1:]
			var joined []string
			for _, a := range flat {
				for _, b := range inner {
					joined = append(joined, a+b)
				}
			}
			flat = joined
		case '|', ')', ']':
			return flat, pattern
		default:
			for i := range flat {
				flat[i] += pattern[:1]
			}
			pattern = pattern[1:]
		}
	}
	return flat, ""
}

// elements cuts a text without alternatives.
func elements(text string) []elem {
	var elems []elem
	for text != "" {
		switch text[0] {
		case ' ':
			elems, text = append(elems, elem{kind: space}), strings.TrimLeft(text, " ")
		case '_':
			elems, text = append(elems, elem{kind: maybeSpace}), text[1:]
		case '#':
			elems, text = append(elems, elem{kind: number}), text[1:]
		default:
			n := strings.IndexAny(text+" ", " _#")
			elems, text = append(elems, elem{literal, text[:n]}), text[n:]
		}
	}
	return elems
}
