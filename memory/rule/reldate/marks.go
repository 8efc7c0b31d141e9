package reldate

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// isJoined reports whether the phrase is part of an identifier, a path, a formula or a placeholder.
func (p *prose) isJoined(from, to int) bool {
	before, size := utf8.DecodeLastRuneInString(p.text[:from])
	after, width := utf8.DecodeRuneInString(p.text[to:])
	beyond, _ := utf8.DecodeRuneInString(p.text[min(len(p.text), to+width):])
	further, _ := utf8.DecodeLastRuneInString(p.text[:from-min(from, size)])
	switch {
	case from > 0 && strings.ContainsRune("/\\@$=+·{%&", before):
		return true
	case from > 0 && strings.ContainsRune("-.#:", before) && !unicode.IsSpace(further) && further != utf8.RuneError:
		return true
	case from > 0 && before == '-' && further != utf8.RuneError && !isLineStart(p.text[:from-1]):
		return true // an option: --since is one, a list item is not
	case to == len(p.text):
		return false
	case strings.ContainsRune("/\\=+·}_%(@", after):
		return after != '(' || isASCIILetter(p.text[to-1])
	case strings.ContainsRune("-.:", after) && (isWordRune(beyond) && !isWide(beyond)):
		return true
	}
	// A formula with spaces: "today - 7", "x = today".
	left := strings.TrimRight(p.text[max(0, from-8):from], " ")
	right := strings.TrimLeft(p.text[to:min(len(p.text), to+8)], " ")
	if strings.HasPrefix(right, "/") || strings.HasSuffix(left, "/") { // a list of names for days
		return true
	}
	if strings.HasSuffix(left, "=") || strings.HasSuffix(left, "<") || strings.HasSuffix(left, "+") {
		return true
	}
	for _, sign := range []string{"+", "-", "−", "<", "="} {
		if rest, ok := strings.CutPrefix(right, sign); ok {
			rest = strings.TrimLeft(rest, " =")
			return rest != "" && (rest[0] >= '0' && rest[0] <= '9' || sign == "<" || sign == "=")
		}
	}
	return false
}

func isLineStart(text string) bool {
	return strings.TrimSpace(text[strings.LastIndexByte(text, '\n')+1:]) == ""
}

// isNamed reports whether a capital begins the phrase where no sentence begins: a name of something.
// In a heading every word may have one.
func (p *prose) isNamed(from, to int) bool {
	first, size := utf8.DecodeRuneInString(p.text[from:])
	second, _ := utf8.DecodeRuneInString(p.text[from+size : to])
	if !unicode.IsUpper(first) || unicode.IsUpper(second) {
		return false
	}
	s := p.around(from, to)
	left := strings.TrimRight(p.text[s.from:from], " \t\n")
	if left == "" || !unicode.IsLetter(lastRune(left)) {
		return false
	}
	word := left[strings.LastIndexFunc(left, func(r rune) bool { return !unicode.IsLetter(r) })+1:]
	r, _ := utf8.DecodeRuneInString(word)
	return unicode.IsLower(r)
}

func lastRune(text string) rune {
	r, _ := utf8.DecodeLastRuneInString(text)
	return r
}

// quotes are the pairs of marks, each with its closing one.
var quotes = []struct{ open, close string }{
	{`"`, `"`}, {"“", "”"}, {"„", "“"}, {"«", "»"}, {"»", "«"}, {"‹", "›"}, {"‘", "’"}, {"'", "'"}, {"「", "」"}, {"『", "』"}, {"《", "》"}, {"〈", "〉"}, {"【", "】"}, {"＂", "＂"},
}

// isQuoted reports whether the phrase is in quotation marks, closed in the same sentence: it names a thing of
// a screen, or it was said by somebody, then.
func (p *prose) isQuoted(from, to int) bool {
	s := p.around(from, to)
	left, right := p.text[s.from:from], p.text[to:s.to]
	for _, q := range quotes {
		open := strings.LastIndex(left, q.open)
		closing := strings.Index(right, q.close)
		if open < 0 || closing < 0 || strings.Contains(left[open+len(q.open):], q.close) {
			continue
		}
		if q.open == q.close && strings.Count(left, q.open)%2 == 0 && q.open != "'" {
			continue
		}
		if q.open == "'" && (isWordRune(lastRune(left[:open])) || isWordRune(firstRune(right[closing+1:])) && !isWide(firstRune(right[closing+1:]))) {
			continue // an apostrophe
		}
		return true
	}
	return false
}

// isBlockquote reports whether a place lies in a line that begins with ">": somebody's words.
func (p *prose) isBlockquote(at int) bool {
	near := p.text[max(0, at-maxSentence):at]
	return strings.HasPrefix(strings.TrimLeft(near[strings.LastIndexByte(near, '\n')+1:], " \t"), ">")
}

// separators are between names in a list. "And" is not one: "failed yesterday and today" is not a list.
var separators = setOf("/ | , 、 ， ; or oder ou o u 或 或者 또는 または か")

// withoutLists returns the hits but for those with only a separator between them: who lists today,
// yesterday and earlier lists names for days.
func withoutLists(text string, hits []Hit) []Hit {
	var kept []Hit
	listed := false
	for i, h := range hits {
		next := i+1 < len(hits) && separators[strings.ToLower(strings.TrimSpace(text[h.To:hits[i+1].From]))]
		if !listed && !next {
			kept = append(kept, h)
		}
		listed = next
	}
	return kept
}

func firstRune(text string) rune {
	r, _ := utf8.DecodeRuneInString(text)
	return r
}

// isCell reports whether the phrase is a whole cell of a table, or in its head.
func (p *prose) isCell(from, to int) bool {
	near := max(0, from-maxSentence) // no row of a table that a person reads is longer
	start := near + strings.LastIndexByte(p.text[near:from], '\n') + 1
	if start == near && near > 0 {
		return false
	}
	rest, _, _ := strings.Cut(p.text[to:], "\n")
	end := to + len(rest)
	row := strings.TrimSpace(p.text[start:end])
	if !strings.HasPrefix(row, "|") {
		return false
	}
	left, right := strings.TrimRight(p.text[start:from], " *_"), strings.TrimLeft(p.text[to:end], " *_\r")
	if strings.HasSuffix(left, "|") && strings.HasPrefix(right, "|") {
		return true
	}
	below, _, _ := strings.Cut(p.text[min(len(p.text), end+1):], "\n")
	return strings.Contains(below, "-") && strings.Trim(below, "|-: \t\r") == ""
}
