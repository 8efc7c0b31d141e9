package reldate

import (
	_ "embed"
	"fmt"
	"maps"
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
	name     string
	weekdays []string // from Monday on, each with its spellings: "monday|mon"
	numbers  map[string]int
	lists    map[string]matcher // "generic", "before", "after", "free"
	sentence *regexp.Regexp     // matches a sentence of it, in lower case; nil: it is not asked
	past     *regexp.Regexp     // matches a sentence about the past; English alone has 's
}

// phrase is one line: what its phrases have in common.
type phrase struct {
	*language
	unit       unit
	offset     int
	times      int // what the number of the phrase is multiplied by; 0: it has none
	weekdays   string
	free       bool // no noun before it that it could count from
	ofLanguage bool // only in a sentence of its language
	notNext    matcher
	notPrior   matcher
	words      func() *regexp.Regexp // matches the phrases at the beginning of a text
}

// vocabulary is all of phrases.txt, by the first token of a phrase and by its second, or "" where it has one. A phrase
// may be there more than once.
type vocabulary map[string]map[string][]*phrase

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
			lang.weekdays = strings.Fields(rest)
		case "number":
			for pair := range strings.FieldsSeq(rest) {
				word, value, _ := strings.Cut(pair, "=")
				lang.numbers[word], _ = strconv.Atoi(value)
			}
		case "lang":
			lang.sentence = regexp.MustCompile(rest)
		case "past":
			lang.past = regexp.MustCompile(rest)
		case "generic", "before", "after", "free":
			lang.lists[head] = matchWords(head, lang.onEachDay(strings.Split(rest, ",")))
		default:
			v.add(parsePhrase(lang, head), rest)
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
		all = append(all, alternatives(strings.ReplaceAll(word, "@", l.anyDay()))...)
	}
	return all
}

// anyDay is the pattern of all names of days.
func (l *language) anyDay() string { return "(" + strings.Join(l.weekdays, "|") + ")" }

// matchWords returns the matcher of words. Those in letters are found whole, spaces and emphasis aside: at the end of
// a text, at its beginning, or for "generic" anywhere.
func matchWords(place string, words []string) matcher {
	const space = `[ \t\n*_]*`
	expr := sync.OnceValue(func() *regexp.Regexp {
		var all []string
		for _, word := range words {
			expr := regexp.QuoteMeta(word)
			if isASCIILetter(word[0]) {
				expr = `\b` + expr
			}
			if isASCIILetter(word[len(word)-1]) {
				expr += `\b`
			}
			all = append(all, expr)
		}
		expr := "(?:" + strings.Join(all, "|") + ")"
		switch place {
		case "before":
			expr += space + "$"
		case "free":
			expr = `(?:^|[^ \t\n*_\pL\pN\pM]|` + expr + ")" + space + "$"
		case "after":
			expr = "^" + space + expr
		}
		return regexp.MustCompile(expr)
	})
	return func(text string) bool { return expr().MatchString(text) }
}

// parsePhrase reads what is before the colon.
func parsePhrase(lang *language, head string) *phrase {
	fields := strings.Fields(head)
	if lang == nil || len(fields) < 2 || !slices.Contains(units, unit(fields[0])) {
		panic(fmt.Sprintf("reldate: no line: %q", head))
	}
	p := &phrase{language: lang, unit: unit(fields[0]), notNext: never, notPrior: never}
	if p.unit == weekday {
		p.weekdays = fields[1]
	} else if sign, ok := strings.CutSuffix(fields[1], "#"); ok {
		if sign == "-" || sign == "+" {
			sign += "1"
		}
		p.times, _ = strconv.Atoi(sign)
	} else {
		p.offset, _ = strconv.Atoi(fields[1])
	}
	for _, flag := range fields[2:] {
		list := strings.Split(strings.ReplaceAll(flag[1:], "_", " "), ",")
		switch {
		case flag == "free":
			p.free = true
		case flag == "lang":
			p.ofLanguage = true
		case flag[0] == '!':
			p.notNext = matchWords("after", list)
		case flag[0] == '<':
			p.notPrior = matchWords("before", list)
		default:
			panic(fmt.Sprintf("reldate: no flag: %q", flag))
		}
	}
	return p
}

// space is a space of a pattern. A second line end ends a paragraph.
const space = `(?:[ \t\r\x{a0}\x{202f}\x{3000}]*\n[ \t\r\x{a0}\x{202f}\x{3000}]*|[ \t\r\x{a0}\x{202f}\x{3000}]+)`

// add puts a phrase into the vocabulary under all that its patterns begin with.
func (v vocabulary) add(p *phrase, patterns string) {
	number := strings.Join(append(slices.Collect(maps.Keys(p.numbers)), `\d{1,3}`), "|") // nobody counts a thousand days back
	p.words = sync.OnceValue(func() *regexp.Regexp {
		expr := strings.NewReplacer("(", "(?:", "[", "(?:", "]", ")?", " ", space, "_", space+"?", "'", "['’]", "; ", "|",
			"@", p.anyDay(), "#", "("+number+")").Replace(patterns)
		re := regexp.MustCompile("^(?i:" + expr + ")")
		re.Longest()
		return re
	})
	for pattern := range strings.SplitSeq(patterns, ";") {
		for _, text := range alternatives(strings.ReplaceAll(strings.TrimSpace(pattern), "@", p.anyDay())) {
			texts := []string{text}
			if strings.Contains(text, "#") {
				texts = nil
				for _, number := range append(slices.Collect(maps.Keys(p.numbers)), "0") {
					texts = append(texts, strings.ReplaceAll(text, "#", number))
				}
			}
			for _, text := range texts {
				first, rest := token(text)
				second, _ := token(rest)
				if v[first] == nil {
					v[first] = map[string][]*phrase{}
				}
				if !slices.Contains(v[first][second], p) {
					v[first][second] = append(v[first][second], p)
				}
			}
		}
	}
}

// token returns what a text begins with, a word in Latin letters in lower case, "0" for a number, or a rune, and what
// follows it, without the spaces of a text or a pattern before it.
func token(text string) (first, rest string) {
	if text == "" {
		return "", ""
	}
	n := startLen(text)
	rest = strings.TrimLeft(text[n:], " _\t\r\n\u00a0\u202f\u3000")
	switch {
	case text[0] >= '0' && text[0] <= '9':
		return "0", rest
	case text[:n] == "’":
		return "'", rest
	}
	return strings.ToLower(text[:n]), rest
}

// maxPhrase is more than any phrase has bytes, line breaks and indents included: the regular expressions of a short
// text are faster.
const maxPhrase = 128

// match returns the length of the phrase that a text begins with, 0 where it begins with none, and what it means.
func (p *phrase) match(text string) (length int, w when) {
	m := p.words().FindStringSubmatch(text[:min(len(text), maxPhrase)])
	if m == nil {
		return 0, w
	}
	w = when{unit: p.unit, offset: p.offset, weekdays: p.weekdays}
	word := strings.ToLower(strings.Join(m[1:], "")) // of a number or a day
	if p.unit == weekday {
		w.weekday = slices.IndexFunc(p.language.weekdays, func(names string) bool { return slices.Contains(strings.Split(names, "|"), word) })
	} else if n, known := p.numbers[word]; known {
		w.offset += p.times * n
	} else {
		n, _ := strconv.Atoi(word)
		w.offset += p.times * n
	}
	return len(m[0]), w
}

// alternatives returns the texts that a pattern stands for.
func alternatives(pattern string) []string {
	end := strings.IndexAny(pattern, ")]")
	if end < 0 {
		return []string{pattern}
	}
	begin := strings.LastIndexAny(pattern[:end], "([") // of an innermost (a|b) or [a]
	options := strings.Split(pattern[begin+1:end], "|")
	if pattern[end] == ']' {
		options = append(options, "")
	}
	var texts []string
	for _, option := range options {
		texts = append(texts, alternatives(pattern[:begin]+option+pattern[end+1:])...)
	}
	return texts
}

// startLen returns the length of what a text begins with: a word in Latin letters, a number, or one rune.
func startLen(text string) int {
	if text[0] >= '0' && text[0] <= '9' {
		return len(text) - len(strings.TrimLeft(text, "0123456789"))
	}
	if n := len(text) - len(strings.TrimLeftFunc(text, isLatin)); n > 0 {
		return n
	}
	_, size := utf8.DecodeRuneInString(text)
	return size
}

// isLatin reports whether a rune is a letter of Latin script, as far as our languages go.
func isLatin(r rune) bool {
	return r < utf8.RuneSelf && isASCIILetter(byte(r)) || r >= 'À' && r <= 'ɏ' && r != '×' && r != '÷'
}
