// Package visible writes hidden characters as visible marks.
//
// Hidden are control, bidirectional, tag and zero-width characters, selectors that select nothing, and every
// line end but "\n". A mark names its character, as ⟨U+202E⟩, or a run of one, as ⟨U+0000×12⟩, so a text keeps its lines:
// no mark begins a new one. Tabs, and the joiners and selectors that writing needs (emoji, Arabic, Indic),
// stay.
package visible

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Run is a part of a text that is shown as Mark.
type Run struct {
	From, To int
	Mark     string
}

// Text returns text with its runs replaced. The result is valid UTF-8, and Text of it is the same again.
func Text(text string) string { return Replace(text, Runs(text)) }

// Replace returns text with the runs, which are in order, replaced by their marks.
func Replace(text string, runs []Run) string {
	if len(runs) == 0 {
		return text
	}
	var shown strings.Builder
	shown.Grow(len(text))
	at := 0
	for _, r := range runs {
		shown.WriteString(text[at:r.From] + r.Mark)
		at = r.To
	}
	shown.WriteString(text[at:])
	return shown.String()
}

// Runs returns what is hidden in a text, in order. The "\r" of "\r\n" has the empty mark, and a byte that is
// not UTF-8 has U+FFFD.
func Runs(text string) []Run {
	if plainASCII(text) {
		return nil
	}
	var runs []Run
	before := rune(-1) // the previous character, if it is shown as it is
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if r == utf8.RuneError && size == 1 {
			runs = append(runs, Run{i, i + 1, "\uFFFD"})
			i, before = i+1, '\uFFFD'
			continue
		}
		if strings.HasPrefix(text[i:], "\r\n") {
			runs = append(runs, Run{i, i + 1, ""})
			i, before = i+2, '\n'
			continue
		}
		if tags := FlagTags(before, text[i:]); tags > 0 {
			i, before = i+tags, -1
			continue
		}
		after, _ := utf8.DecodeRuneInString(text[i+size:])
		if !hides(before, r, after) {
			i, before = i+size, r
			continue
		}
		from, n := i, 1
		for i += size; strings.HasPrefix(text[i:], string(r)) && !strings.HasPrefix(text[i:], "\r\n"); i += size {
			n++
		}
		mark := fmt.Sprintf("⟨U+%04X⟩", r)
		if n > 1 {
			mark = fmt.Sprintf("⟨U+%04X×%d⟩", r, n)
		}
		runs = append(runs, Run{from, i, mark})
		before = -1
	}
	return runs
}

func plainASCII(text string) bool {
	for i := range len(text) {
		if c := text[i]; c >= 0x7f || c < ' ' && c != '\n' && c != '\t' {
			return false
		}
	}
	return true
}

// hides reports whether a character between two others is not seen, moves others, or breaks a line.
func hides(before, r, after rune) bool {
	switch {
	case r == '\n', r == '\t':
		return false
	case r == '\u2028', r == '\u2029':
		return true
	case r == '\u200c', r == '\u200d': // zero-width non-joiner and joiner
		return !Joins(before) && !(joinable(before) && joinable(after))
	case unicode.Is(unicode.Variation_Selector, r):
		return before < 0 || !unicode.IsGraphic(before) || unicode.IsSpace(before) ||
			unicode.Is(unicode.Variation_Selector, before)
	case unicode.Is(unicode.Prepended_Concatenation_Mark, r): // signs that enclose digits
		return false
	}
	return unicode.In(r, unicode.Cc, unicode.Cf) ||
		unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r)
}

// joinable reports whether a joiner has a use beside a character: letters that join, with their marks, and
// emoji, with their selectors and skin tones.
func joinable(r rune) bool {
	mark := unicode.Is(unicode.Inherited, r) && !unicode.Is(unicode.Cf, r) // not another joiner
	return Joins(r) || mark || unicode.Is(unicode.So, r) || 0x1f3fb <= r && r <= 0x1f3ff
}

// Joins reports whether a character is of a script whose letters join, so that a joiner after it has a use, even
// at the end of a word.
func Joins(r rune) bool {
	return unicode.In(r, unicode.Arabic, unicode.Syriac, unicode.Mongolian, unicode.Nko, unicode.Devanagari,
		unicode.Bengali, unicode.Gurmukhi, unicode.Gujarati, unicode.Oriya, unicode.Tamil, unicode.Telugu,
		unicode.Kannada, unicode.Malayalam, unicode.Sinhala, unicode.Khmer, unicode.Myanmar, unicode.Tibetan)
}

// FlagTags returns the size in bytes of the tags at the beginning of a text that make the character before it, a
// black flag, the flag of a region: up to eight letters and digits, then the tag that ends them. Without such
// tags it is 0.
func FlagTags(before rune, text string) int {
	const flag, end, most = 0x1f3f4, 0xe007f, 8
	if before != flag {
		return 0
	}
	n := 0
	for i, r := range text {
		switch {
		case r == end && n > 0:
			return i + utf8.RuneLen(end)
		case n == most || !(0xe0030 <= r && r <= 0xe0039 || 0xe0061 <= r && r <= 0xe007a):
			return 0
		}
		n++
	}
	return 0
}

// Cut returns at most the first most bytes of a text, whole characters, and an ellipsis where it cut.
func Cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}
