package search

import (
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
	"unsafe"
)

// Literals are texts of which every match of an expression holds one; none: nothing is known. To look for them takes a
// hundredth of the time of the expression.
type literals []string

// in reports whether a text may be matched.
func (l literals) in(text string) bool {
	for _, one := range l {
		if strings.Contains(text, one) {
			return true
		}
	}
	return len(l) == 0
}

// upper is what ASCII folds to.
var upper = func() (table [utf8.RuneSelf]byte) {
	for c := range table {
		table[c] = byte(foldRune(rune(c)))
	}
	return table
}()

// fold replaces each character of a text by the least of those that differ from it in case only, as package regexp has
// it.
func fold(text string) string {
	b := make([]byte, len(text)) // no character becomes longer
	n := 0
	for len(text) > 0 {
		to, i := b[n:n+len(text)], 0
		for i < len(text) && i < len(to) && text[i] < utf8.RuneSelf {
			to[i] = upper[text[i]]
			i++
		}
		n, text = n+i, text[i:]
		r, size := utf8.DecodeRuneInString(text)
		switch {
		case size <= 1: // it ends, or is not valid
			n += copy(b[n:], text[:size])
		case r < 0x3000 || r >= 0xA640: // Chinese and Japanese have no case
			n += utf8.EncodeRune(b[n:], foldRune(r))
		default:
			n += copy(b[n:], text[:size])
		}
		text = text[size:]
	}
	return unsafe.String(unsafe.SliceData(b), n) // nothing changes it
}

func foldRune(r rune) rune {
	least := r
	for c := unicode.SimpleFold(r); c != r; c = unicode.SimpleFold(c) {
		least = min(least, c)
	}
	return least
}

// ignoresCase reports whether a literal of an expression matches any case.
func ignoresCase(re *syntax.Regexp) bool {
	return re.Op == syntax.OpLiteral && re.Flags&syntax.FoldCase != 0 || slices.ContainsFunc(re.Sub, ignoresCase)
}

// maxLiterals bounds the literals of one expression: each costs a pass over the text.
const maxLiterals = 8

// required returns the literals of an expression, without the characters that are left out; nil: none is.
func required(re *syntax.Regexp, leftOut func(rune) bool) literals {
	switch re.Op {
	case syntax.OpLiteral:
		runs := []string{string(re.Rune)}
		if leftOut != nil {
			runs = strings.FieldsFunc(runs[0], leftOut)
		}
		best := ""
		for _, run := range runs {
			if len(run) > len(best) {
				best = run
			}
		}
		if best != "" {
			return literals{best}
		}
	case syntax.OpCapture, syntax.OpPlus:
		return required(re.Sub[0], leftOut)
	case syntax.OpRepeat:
		if re.Min > 0 {
			return required(re.Sub[0], leftOut)
		}
	case syntax.OpConcat:
		var best literals
		for _, sub := range re.Sub {
			if all := required(sub, leftOut); all.shortest() > best.shortest() {
				best = all
			}
		}
		return best
	case syntax.OpAlternate:
		var all literals
		for _, sub := range re.Sub {
			some := required(sub, leftOut)
			if all = append(all, some...); some == nil || len(all) > maxLiterals {
				return nil
			}
		}
		return all
	}
	return nil
}

// shortest is the length of the shortest literal.
func (l literals) shortest() (least int) {
	for i, text := range l {
		if i == 0 || len(text) < least {
			least = len(text)
		}
	}
	return least
}
