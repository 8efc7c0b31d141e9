package reldate

import (
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

//go:embed phrases.txt
var phrasesText string

// language is one section of phrases.txt.
type language struct {
	name     string
	weekdays [][]string // from Monday on, each with its spellings
	numbers  map[string]int
	lists    map[string][]string // "generic", "before", "after", "describes"
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
	notNext  []string
	notPrior []string
	next     []string
}

// phrase is one way to say it, without alternatives.
type phrase struct {
	*line
	weekday int    // from Monday, 0; -1: none
	count   int    // of a number that is written as a word at the beginning, and else 0
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
			lang = &language{name: strings.Trim(row, "[]"), numbers: map[string]int{}, lists: map[string][]string{}}
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
				lang.lists[head] = append(lang.lists[head], lang.onEachDay(words)...)
			}
		case "past":
			lang.past = regexp.MustCompile(rest)
		case "before", "after", "describes":
			lang.lists[head] = strings.Split(rest, ",")
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

var knownFlags = setOf("~ ? free past label lang")

// parseLine reads what is before the colon.
func parseLine(lang *language, head string) *line {
	fields := strings.Fields(head)
	if lang == nil || len(fields) < 2 || !slices.Contains(units, unit(fields[0])) {
		panic(fmt.Sprintf("reldate: no line: %q", head))
	}
	l := &line{language: lang, unit: unit(fields[0]), flags: map[string]bool{}}
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
func (v vocabulary) add(l *line, pattern string) {
	flat, rest := alternatives(pattern)
	if rest != "" {
		panic(fmt.Sprintf("reldate: no pattern: %q", pattern))
	}
	for _, text := range flat {
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
