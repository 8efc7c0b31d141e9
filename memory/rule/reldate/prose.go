package reldate

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Bounds of looking around, in bytes, so that hostile text takes no time.
const (
	maxSentence = 1 << 10 // each side
	maxSpan     = 4 << 10 // of a code span
	maxTarget   = 512     // of a link
	maxIndent   = 64      // of a fence
)

// prose is a text and what was learned of it so far.
type prose struct {
	text     string
	masked   [][2]int // what is not prose, in order; nil until it is asked for
	sentence sentence // the last one asked for
}

// sentence is the place of a sentence and what is known of it.
type sentence struct {
	from, to int
	lower    string
	kana     bool
	dated    bool // it holds an absolute date
	years    bool // it holds the number of a year
	months   bool // it holds the name of a month
	generic  map[*language]bool
}

// isMasked reports whether a place lies in code, a link, a comment, a tag or a URL.
func (p *prose) isMasked(from, to int) bool {
	if p.masked == nil {
		p.masked = append(mask(p.text), [2]int{len(p.text), len(p.text)})
	}
	i, _ := slices.BinarySearchFunc(p.masked, from, func(span [2]int, at int) int {
		if span[1] <= at {
			return -1
		}
		return 1
	})
	return i < len(p.masked) && p.masked[i][0] < to
}

// mask returns the spans of a Markdown text that are not prose.
func mask(text string) [][2]int {
	var spans [][2]int
	var open []int // brackets that are not closed yet
	add := func(from, to int) {
		for len(spans) > 0 && spans[len(spans)-1][0] >= from { // a link around what was masked
			spans = spans[:len(spans)-1]
		}
		spans = append(spans, [2]int{from, to})
	}
	noComment := false // no comment is closed from here on
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '\n':
			if isBlankLine(text[i+1:]) {
				open = open[:0]
			}
		case '`', '~':
			mark := text[i]
			run := runLen(text[i:], mark)
			if run >= 3 && isIndent(text, i) {
				end := fenceEnd(text, i, mark, run)
				add(i, end)
				i = end - 1
			} else if end := -1; mark == '`' {
				if end = spanEnd(text, i+run, run); end > 0 {
					add(i, end)
					i = end - 1
				} else {
					i += run - 1
				}
			}
		case '<':
			switch {
			case strings.HasPrefix(text[i:], "<!--") && !noComment:
				n := strings.Index(text[i:], "-->")
				if noComment = n < 0; !noComment {
					add(i, i+n+3)
					i += n + 2
				}
			case i+1 < len(text) && (isASCIILetter(text[i+1]) || text[i+1] == '/'):
				if n := strings.IndexAny(text[i:min(len(text), i+maxTarget)], ">\n"); n > 0 && text[i+n] == '>' {
					add(i, i+n+1)
					i += n
				}
			}
		case ':':
			if strings.HasPrefix(text[i:], "://") {
				from := i
				for from > 0 && isASCIILetter(text[from-1]) && i-from < 16 {
					from--
				}
				end := len(text)
				if n := strings.IndexFunc(text[i:], endsURL); n >= 0 {
					end = i + n
				}
				add(from, end)
				i = end - 1
			}
		case '[':
			open = append(open, i)
		case ']':
			if len(open) == 0 {
				continue
			}
			from := open[len(open)-1]
			open = open[:len(open)-1]
			switch rest := text[i+1:]; {
			case strings.HasPrefix(rest, "("):
				if n := strings.IndexAny(rest[:min(len(rest), maxTarget)], ")\n"); n > 0 && rest[n] == ')' {
					add(from, i+n+2)
					i += n + 1
				}
			case strings.HasPrefix(rest, "]") && from > 0 && text[from-1] == '[':
				add(from-1, i+2)
			case strings.HasPrefix(rest, "["):
				if n := strings.IndexAny(rest[:min(len(rest), maxTarget)], "]\n"); n > 0 && rest[n] == ']' {
					add(from, i+n+2)
					i += n + 1
				}
			}
		}
	}
	return spans
}

// isIndent reports whether text[at:] begins a line, but for an indent and quotation marks.
func isIndent(text string, at int) bool {
	left := strings.TrimRight(text[max(0, at-maxIndent):at], " \t>")
	return left == "" && at <= maxIndent || strings.HasSuffix(left, "\n")
}

// isBlankLine reports whether a text begins with a line of nothing.
func isBlankLine(text string) bool {
	return strings.HasPrefix(text, "\n") || strings.HasPrefix(text, "\r\n")
}

func endsURL(r rune) bool {
	return unicode.IsSpace(r) || strings.ContainsRune("<>\"'`)]}，。、；「」（）", r)
}

func runLen(text string, mark byte) int {
	return len(text) - len(strings.TrimLeft(text, string(mark)))
}

// fenceEnd returns the end of the fenced block that begins at text[at:].
func fenceEnd(text string, at int, mark byte, run int) int {
	for at < len(text) {
		n := strings.IndexByte(text[at:], '\n')
		if n < 0 {
			break
		}
		at += n + 1
		row, _, _ := strings.Cut(text[at:], "\n")
		inner := strings.Trim(row, " \t\r>")
		if runLen(inner, mark) >= run && strings.Trim(inner, string(mark)) == "" {
			return at + len(row)
		}
	}
	return len(text)
}

// spanEnd returns the end of a code span whose first run of n backticks ends at at, or -1. A paragraph
// ends it too.
func spanEnd(text string, at, n int) int {
	limit := min(len(text), at+maxSpan)
	for at < limit {
		i := strings.IndexAny(text[at:limit], "`\n")
		if i < 0 {
			return -1
		}
		at += i
		if text[at] == '\n' {
			if isBlankLine(text[at+1:]) {
				return -1
			}
			at++
			continue
		}
		run := runLen(text[at:limit], '`')
		if run == n {
			return at + run
		}
		at += run
	}
	return -1
}

// around returns the sentence that text[from:to] is in.
func (p *prose) around(from, to int) *sentence {
	s := &p.sentence
	if s.lower != "" && s.from <= from && to <= s.to {
		return s
	}
	*s = sentence{from: from, to: to, generic: map[*language]bool{}}
	for limit := max(0, from-maxSentence); s.from > limit && !endsSentence(p.text, s.from); {
		_, size := utf8.DecodeLastRuneInString(p.text[:s.from])
		s.from -= size
	}
	for limit := min(len(p.text), to+maxSentence); s.to < limit && !endsSentence(p.text, s.to); {
		_, size := utf8.DecodeRuneInString(p.text[s.to:])
		s.to += size
	}
	words := p.text[s.from:s.to]
	s.lower = strings.ReplaceAll(strings.ToLower(words), "’", "'")
	s.kana = strings.ContainsFunc(words, func(r rune) bool { return unicode.In(r, unicode.Hiragana, unicode.Katakana) })
	d := dates()
	s.dated, s.years, s.months = d.day.MatchString(s.lower), d.year.MatchString(s.lower), d.month.MatchString(s.lower)
	return s
}

// endsSentence reports whether a sentence ends before text[at:]. A list item, a heading and a row of a
// table are one each; a line end within a paragraph is none.
func endsSentence(text string, at int) bool {
	before, after := text[:at], text[at:]
	if at == 0 || after == "" {
		return true
	}
	r, size := utf8.DecodeLastRuneInString(before)
	switch r {
	case '。', '！', '？', '；':
		return true
	case '\n':
		row := before[strings.LastIndexByte(before[:at-1], '\n')+1 : at-1]
		row = strings.TrimLeft(strings.TrimRight(row, "\r"), " \t>")
		return row == "" || row[0] == '#' || row[0] == '|' || beginsBlock(after) || hasFullStop(row)
	case ' ', '\t':
		return hasFullStop(before[:at-size])
	}
	return false
}

// hasFullStop reports whether a text ends with a full stop that is not one of a number or an abbreviation.
func hasFullStop(text string) bool {
	word := strings.TrimRight(text, "*_)\"'”»")
	if word == "" {
		return false
	}
	switch word[len(word)-1] {
	case '!', '?':
		return true
	case '.':
		word = word[strings.LastIndexAny(word[:len(word)-1], " \t\n(")+1 : len(word)-1]
		return !isAbbreviation(word)
	}
	return false
}

// abbreviations end with a full stop and no sentence.
var abbreviations = setOf("vs ca ex ej nr no dr mr st bzw approx usw resp")

// isAbbreviation reports whether a word has its full stop for itself: "17. November", "z. B.", "e.g.".
func isAbbreviation(word string) bool {
	if strings.Trim(word, "0123456789") == "" {
		return len(word) <= 2
	}
	dotted := strings.Contains(word, ".") && !strings.ContainsAny(word, "0123456789")
	return dotted || utf8.RuneCountInString(word) == 1 || abbreviations[strings.ToLower(word)]
}

// beginsBlock reports whether a line begins something that is not a paragraph's middle.
func beginsBlock(text string) bool {
	row, _, _ := strings.Cut(text, "\n")
	row = strings.TrimLeft(row, " \t\r>")
	if row == "" || strings.ContainsRune("-*+#|<", rune(row[0])) || strings.HasPrefix(row, "```") || strings.HasPrefix(row, "~~~") {
		return true
	}
	digits := strings.TrimLeft(row, "0123456789")
	return len(digits) < len(row) && (strings.HasPrefix(digits, ". ") || strings.HasPrefix(digits, ") "))
}

// HoldsDate reports whether a line holds an absolute date, in figures or in words.
func HoldsDate(line string) bool { return dates().day.MatchString(strings.ToLower(line)) }

// datePatterns find absolute dates in lower case.
type datePatterns struct{ day, year, month *regexp.Regexp }

var dates = sync.OnceValue(func() datePatterns {
	names := `(?:january|february|march|april|may|june|july|august|september|october|november|december` +
		`|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec` +
		`|januar|jänner|februar|märz|mai|juni|juli|oktober|dezember` +
		`|janvier|février|mars|avril|juin|juillet|août|septembre|octobre|novembre|décembre` +
		`|enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|setiembre|octubre|noviembre|diciembre)`
	return datePatterns{
		day: regexp.MustCompile(`\b(?:19|20)\d\d[-/.](?:0?[1-9]|1[0-2])(?:[-/.]\d{1,2})?\b` +
			`|\b\d{1,2}[-/.]\d{1,2}[-/.](?:\d\d){1,2}\b` +
			`|\b(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])\b` +
			`|\d{1,2} ?月 ?\d{1,2} ?[日号號]|\d{1,2}월 ?\d{1,2}일` +
			`|\b` + names + `\.? \d{1,2}(?:st|nd|rd|th)?\b` +
			`|\b\d{1,2}(?:st|nd|rd|th|er|\.)? (?:de |of )?` + names + `\b` +
			`|(?:^|[^\w.])\d{1,2}\. ?\d{1,2}\.(?:[\s),]|$)` +
			`|\((?:on |am |le |el )?\d{1,2}/\d{1,2}\)` +
			`|\b(?:week|kw|semaine|semana|w) ?\d{1,2}\b|\b(?:19|20)\d\d[- ]?[qw]\d` +
			`|\bq[1-4][ /]?(?:19|20)\d\d\b|\b` + names + ` (?:de )?(?:19|20)\d\d\b|(?:19|20)\d\d年 ?\d{1,2}月|(?:19|20)\d\d년 ?\d{1,2}월`),
		year:  regexp.MustCompile(`(?:^|[^\d.])(?:19|20)\d\d(?:[^\d.]|$)`),
		month: regexp.MustCompile(`\b` + names + `\b|\d{1,2} ?[月월]`),
	}
})
