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

	"dream-mcp/memory/rule/prose"
)

//go:embed phrases.txt
var phrasesText string

// language is one section of phrases.txt.
type language struct {
	name     string
	weekdays [][]string // from Monday on, each with its spellings
	numbers  map[string]int
	lists    map[string]matcher // "generic", "before", "after", "describes", "free"
	past     *regexp.Regexp
	words    map[string]bool
	others   map[string]bool
}

// line holds what the phrases of one line have in common.
type line struct {
	*language
	unit     unit
	offset   int
	times    int // what the number of the phrase is multiplied by; 0: it has none
	weekdays string
	flags    map[string]bool // "~", "?", "free", "past", "label", "lang"
	notNext  matcher
	notPrior matcher
	next     matcher // nil: any
}

// phrase is one way to say it, without alternatives.
type phrase struct {
	*line
	weekday int    // from Monday, 0; -1: none
	count   int    // of a number that is written as a word, and else 0
	text    string // in lower case: " " is white space, "_" white space or nothing, "#" a number
}

// words is parsed once, when the first text is looked at: 1.5 ms.
var words = sync.OnceValue(func() vocabulary { return parseVocabulary(phrasesText) })

// parseVocabulary panics where the text, which is part of the program, has a line of no known form.
func parseVocabulary(text string) vocabulary {
	v := vocabulary{}
	var lang *language
	for row := range strings.SplitSeq(text, "\n") {
		row = strings.TrimSpace(row)
		if row == "" || row[0] == ';' {
			continue
		}
		if row[0] == '[' {
			lang = &language{name: strings.Trim(row, "[]"), numbers: map[string]int{}, lists: map[string]matcher{}}
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
		case "past":
			lang.past = regexp.MustCompile(rest)
		case "generic", "before", "after", "describes", "free":
			lang.lists[head] = matchWords(head, lang.onEachDay(strings.Split(rest, ",")))
		case "words":
			lang.words = prose.Set(rest)
		case "others":
			lang.others = prose.Set(rest)
		default:
			l := parseLine(lang, head)
			for pattern := range strings.SplitSeq(rest, ";") {
				v.add(l, strings.TrimSpace(pattern))
			}
		}
	}
	return v
}

// matcher reports whether a text in lower case has one of some words.
type matcher func(text string) bool

// never is the matcher of no words.
func never(string) bool { return false }

// holds asks a list of the language. A missing one holds nothing.
func (l *language) holds(list, text string) bool {
	find := l.lists[list]
	return find != nil && find(text)
}

// onEachDay returns words with each name of a day for "@".
func (l *language) onEachDay(words []string) []string {
	var all []string
	for _, word := range words {
		if !strings.Contains(word, "@") {
			all = append(all, word)
			continue
		}
		for _, day := range slices.Concat(l.weekdays...) {
			all = append(all, strings.ReplaceAll(word, "@", day))
		}
	}
	return all
}

// matchWords returns the matcher of words. Those in letters of an alphabet are found whole, spaces and
// emphasis aside: at the end of a text, at its beginning, or for "generic" anywhere.
func matchWords(place string, words []string) matcher {
	const letter, wide, space = `\pL\pN\pM_`, `\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}`, `[ \t\n*_]*`
	expr := sync.OnceValue(func() *regexp.Regexp {
		var all []string
		for _, word := range words {
			first, _ := utf8.DecodeRuneInString(word)
			last, _ := utf8.DecodeLastRuneInString(word)
			word = regexp.QuoteMeta(word)
			if isWordRune(first) && !isWide(first) {
				word = `(?:^|[^` + letter + `]|[` + wide + `])` + word
			}
			if isWordRune(last) && !isWide(last) {
				word += `(?:$|[^` + letter + `]|[` + wide + `])`
			}
			all = append(all, word)
		}
		expr := "(?:" + strings.Join(all, "|") + ")"
		switch place {
		case "before":
			expr += space + "$"
		case "free":
			expr = `(?:^|[^ \t\n*` + letter + `]|` + expr + ")" + space + "$"
		case "after", "describes":
			expr = "^" + space + expr
		}
		return regexp.MustCompile(expr)
	})
	return func(text string) bool {
		some := place == "free" || slices.ContainsFunc(words, func(w string) bool { return strings.Contains(text, w) })
		return some && expr().MatchString(text) // the first is a hundred times as fast
	}
}

var knownFlags = prose.Set("~ ? free past label lang")

// parseLine reads what is before the colon.
func parseLine(lang *language, head string) *line {
	fields := strings.Fields(head)
	if lang == nil || len(fields) < 2 || !slices.Contains(units, unit(fields[0])) {
		panic(fmt.Sprintf("reldate: no line: %q", head))
	}
	l := &line{language: lang, unit: unit(fields[0]), flags: map[string]bool{}, notNext: never, notPrior: never}
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
		case knownFlags[flag]:
			l.flags[flag] = true
		case flag[0] == '!':
			l.notNext = matchWords("after", list)
		case flag[0] == '<':
			l.notPrior = matchWords("before", list)
		case flag[0] == '>':
			l.next = matchWords("after", list)
		default:
			panic(fmt.Sprintf("reldate: no flag: %q", flag))
		}
	}
	return l
}

// add puts a pattern into the vocabulary, once for each way to read it.
func (v vocabulary) add(l *line, pattern string) {
	for _, text := range alternatives(pattern) {
		text = strings.Join(strings.Fields(text), " ") // of [a] b, without a
		if !strings.Contains(text, "@") {
			v.put(phrase{line: l, weekday: -1}, text)
			continue
		}
		for day, names := range l.language.weekdays {
			for _, name := range names {
				v.put(phrase{line: l, weekday: day}, strings.ReplaceAll(text, "@", name))
			}
		}
	}
}

// choice is the innermost (a|b) or [a] of a pattern.
var choice = regexp.MustCompile(`\(([^()\[\]]*)\)|\[([^()\[\]]*)\]`)

// alternatives returns the texts that a pattern stands for.
func alternatives(pattern string) []string {
	m := choice.FindStringSubmatchIndex(pattern)
	if m == nil {
		return []string{pattern}
	}
	var texts []string
	options := strings.Split(pattern[m[0]+1:m[1]-1], "|")
	if pattern[m[0]] == '[' {
		options = append(options, "")
	}
	for _, option := range options {
		texts = append(texts, alternatives(pattern[:m[0]]+option+pattern[m[1]:])...)
	}
	return texts
}
