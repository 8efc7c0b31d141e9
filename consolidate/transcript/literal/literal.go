// Package literal finds texts in others, as they are or in any case, and says which of them an expression requires: to look
// for those first takes a hundredth of the time of the expression.
package literal

import (
	"regexp/syntax"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Literal is a text that is looked for as it is, or in any case.
type Literal struct {
	Text string
	fold bool

	at int // where its rarest rune is in Text; it is looked for from there

	// When folded: the runes as foldRune returns them, the index of the rarest, and all runes that fold to that.
	runes    []rune
	rarest   int
	variants []string
}

// common are the runes of what people and programs write, the most frequent first; others are rare.
const common = " etaonirsldcu-phm0fg1b2y3vw54,6:978._kxjqz"

// rarity orders runes by how rare they are.
func rarity(r rune) int {
	if i := strings.IndexRune(common, r); i >= 0 {
		return i
	}
	return len(common)
}

// minTail is how many bytes of a literal are looked for at least: fewer are found too often.
const minTail = 6

// New returns a literal; of fold, one that is looked for in any case.
func New(text string, fold bool) Literal {
	l := Literal{Text: text, fold: fold && hasCase(text)}
	most := -1
	for i, r := range text {
		letter := r
		if l.fold {
			letter = unicode.ToLower(r)
		}
		if n := rarity(letter); n > most && (l.fold || i <= max(0, len(text)-minTail)) {
			most, l.at, l.rarest = n, i, len(l.runes)
		}
		l.runes = append(l.runes, foldRune(r))
	}
	if !l.fold {
		return l
	}
	rarest := l.runes[l.rarest]
	l.variants = []string{string(rarest)}
	for r := unicode.SimpleFold(rarest); r != rarest; r = unicode.SimpleFold(r) {
		l.variants = append(l.variants, string(r))
	}
	return l
}

// foldRune returns the least of the runes that differ from one in case only, as package regexp has it.
func foldRune(r rune) rune {
	if r < utf8.RuneSelf {
		if 'a' <= r && r <= 'z' {
			r -= 'a' - 'A'
		}
		return r
	}
	least := r
	for c := unicode.SimpleFold(r); c != r; c = unicode.SimpleFold(c) {
		least = min(least, c)
	}
	return least
}

// Each calls found with each occurrence of a literal, from the first to the last. found returns the index where to
// continue; beyond the text, it ends the search.
func (l *Literal) Each(text string, found func(start, end int) (next int)) {
	if !l.fold {
		for from := 0; from+len(l.Text) <= len(text); {
			i := strings.Index(text[from+l.at:], l.Text[l.at:])
			if i < 0 {
				return
			}
			if from += i; strings.HasPrefix(text[from:], l.Text[:l.at]) {
				from = found(from, from+len(l.Text))
			} else {
				from++
			}
		}
		return
	}
	var room [4]int
	nexts := append(room[:0], make([]int, len(l.variants))...) // where each variant comes next
	for v := range nexts {
		nexts[v] = -1
	}
	for from := 0; ; {
		at := len(text)
		for v, variant := range l.variants {
			if nexts[v] < from {
				nexts[v] = len(text)
				if i := strings.Index(text[from:], variant); i >= 0 {
					nexts[v] = from + i
				}
			}
			at = min(at, nexts[v])
		}
		if at == len(text) {
			return
		}
		from = at + 1
		if start, end, ok := l.around(text, at); ok {
			// What follows may begin before its rarest rune.
			if from = max(from, found(start, end)); from > len(text) {
				return
			}
		}
	}
}

// around reports whether the literal is where its rarest rune is.
func (l *Literal) around(text string, at int) (start, end int, ok bool) {
	start, end = at, at
	for i := l.rarest - 1; i >= 0; i-- {
		r, size := utf8.DecodeLastRuneInString(text[:start])
		if foldRune(r) != l.runes[i] || r == utf8.RuneError && size <= 1 {
			return 0, 0, false
		}
		start -= size
	}
	for _, want := range l.runes[l.rarest:] {
		r, size := utf8.DecodeRuneInString(text[end:])
		if foldRune(r) != want || r == utf8.RuneError && size <= 1 {
			return 0, 0, false
		}
		end += size
	}
	return start, end, true
}

// Index returns the first occurrence.
func (l *Literal) Index(text string) (start, end int, ok bool) {
	l.Each(text, func(s, e int) int {
		start, end, ok = s, e, true
		return len(text) + 1
	})
	return start, end, ok
}

// Count returns the number of occurrences that do not overlap, up to a bound.
func (l *Literal) Count(text string, most int) (n int) {
	last := -1
	l.Each(text, func(start, end int) int {
		if start < last {
			return start
		}
		if last, n = end, n+1; n == most {
			return len(text) + 1
		}
		return end
	})
	return n
}

// IsASCII reports whether all that a literal matches is ASCII.
func (l *Literal) IsASCII() bool {
	return !strings.ContainsFunc(l.Text, func(r rune) bool {
		return r >= utf8.RuneSelf || l.fold && (foldRune(r) == 'K' || foldRune(r) == 'S')
	})
}

// hasCase reports whether any letter of a text has another case.
func hasCase(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return unicode.SimpleFold(r) != r })
}

// maxLiterals bounds the literals of one expression: each costs a pass over the text.
const maxLiterals = 8

// Required returns literals of which one is in every text that an expression matches, or none. They are without the
// characters that are left out; nil: none is.
func Required(re *syntax.Regexp, leftOut func(rune) bool) []Literal {
	switch re.Op {
	case syntax.OpLiteral:
		best := ""
		runs := []string{string(re.Rune)}
		if leftOut != nil {
			runs = strings.FieldsFunc(runs[0], leftOut)
		}
		for _, run := range runs {
			if weight(run) > weight(best) {
				best = run
			}
		}
		if best != "" {
			return []Literal{New(best, re.Flags&syntax.FoldCase != 0)}
		}
	case syntax.OpCapture, syntax.OpPlus:
		return Required(re.Sub[0], leftOut)
	case syntax.OpRepeat:
		if re.Min > 0 {
			return Required(re.Sub[0], leftOut)
		}
	case syntax.OpConcat:
		var best []Literal
		for _, sub := range re.Sub {
			if all := Required(sub, leftOut); lightest(all) > lightest(best) {
				best = all
			}
		}
		return best
	case syntax.OpAlternate:
		var all []Literal
		for _, sub := range re.Sub {
			some := Required(sub, leftOut)
			if all = append(all, some...); some == nil || len(all) > maxLiterals {
				return nil
			}
		}
		return all
	}
	return nil
}

// weight orders literals by how rare they are.
func weight(text string) (w int) {
	for _, r := range text {
		w += 20 + rarity(unicode.ToLower(r))
	}
	return w
}

// lightest is the least weight of some literals.
func lightest(all []Literal) int {
	least := 0
	for i, l := range all {
		if w := weight(l.Text); i == 0 || w < least {
			least = w
		}
	}
	return least
}
