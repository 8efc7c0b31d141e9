// Package visible writes hidden characters as visible marks.
//
// Hidden are control, bidirectional, tag and zero-width characters, selectors that select nothing, and every line end
// but "\n". A mark names its character, as ⟨U+202E⟩, or a run of one, as ⟨U+0000×12⟩, so a text keeps its lines: no
// mark begins a new one. Tabs stay, and what writing needs: joiners and selectors (emoji, Arabic, Indic), marks of
// direction in lines from right to left, word breaks of scripts without spaces.
package visible

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"dream-mcp/memory/lazy"
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
	before := rune(-1)            // the previous character, if it is shown as it is
	line, rightToLeft := 0, false // the end of the line that rightToLeft is about
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
		if before == '🏴' && flagTags.MatchString(text[i:]) {
			i, before = i+len(flagTags.FindString(text[i:])), -1
			continue
		}
		after, _ := utf8.DecodeRuneInString(text[i+size:])
		if line <= i && unicode.Is(unicode.Bidi_Control, r) {
			if line = len(text); strings.IndexByte(text[i:], '\n') >= 0 {
				line = i + strings.IndexByte(text[i:], '\n')
			}
			rightToLeft = strings.ContainsFunc(text[strings.LastIndexByte(text[:i], '\n')+1:line], isRightToLeft)
		}
		if !hides(before, r, after, rightToLeft && i < line) {
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

// hides reports whether a character between two others hides something, or has no use there.
func hides(before, r, after rune, rightToLeft bool) bool {
	switch {
	case r == '\n', r == '\t':
		return false
	case r == '\u200c', r == '\u200d': // zero-width non-joiner and joiner
		letters := joins(before) || unicode.Is(unicode.Mn, before) && joins(after)
		return !letters && !(joinsEmoji(before) && joinsEmoji(after))
	case r == '\u200b': // zero-width space: words end there where no space is written
		return !unicode.In(before, spacelessScripts...) || !unicode.In(after, spacelessScripts...)
	case r == '\u200e', r == '\u200f', r == '\u061c': // marks of direction
		return !rightToLeft
	case r == '\u180e': // it parts the last vowel of a Mongolian word
		return !unicode.Is(unicode.Mongolian, before) || !unicode.Is(unicode.Mongolian, after)
	case unicode.Is(unicode.Variation_Selector, r):
		return !selects(before, r)
	case unicode.Is(unicode.Prepended_Concatenation_Mark, r): // signs that enclose digits
		return false
	}
	// A line ends with LF or CR LF. Other line ends (a CR alone, U+0085, U+2028, U+2029) end a line for some
	// readers only, so that text can leave its line.
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Other_Default_Ignorable_Code_Point)
}

// The scripts that are written without spaces, and those from right to left.
var (
	spacelessScripts   = []*unicode.RangeTable{unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar, unicode.Tibetan}
	rightToLeftScripts = []*unicode.RangeTable{unicode.Arabic, unicode.Hebrew, unicode.Syriac, unicode.Thaana, unicode.Nko}
)

// isRightToLeft reports whether a rune is a letter of such a script; a mark of direction can itself be of one.
func isRightToLeft(r rune) bool { return unicode.IsLetter(r) && unicode.In(r, rightToLeftScripts...) }

// joinsEmoji reports whether a joiner may stand beside a character: a symbol, its selector, a skin tone,
// the end of a flag.
func joinsEmoji(r rune) bool {
	return unicode.Is(unicode.So, r) || r == '\ufe0f' || 0x1f3fb <= r && r <= 0x1f3ff
}

// selects reports whether a variation selector has something to select: the ideographic ones an
// ideograph, those of Mongolian a letter of it, the two of emoji a sign, the others a sign or a letter
// of the scripts that have variants.
func selects(before, r rune) bool {
	if before < 0 || unicode.Is(unicode.Variation_Selector, before) {
		return false
	}
	letter := unicode.IsLetter(before) || unicode.IsMark(before)
	switch {
	case r > 0xffff:
		return unicode.Is(unicode.Han, before)
	case r < 0xfe00:
		return unicode.Is(unicode.Mongolian, before)
	case r >= '\ufe0e':
		return unicode.IsGraphic(before) && !unicode.IsSpace(before) && (!letter || before == 'ℹ')
	}
	return unicode.In(before, unicode.Han, unicode.Myanmar, unicode.Phags_Pa, unicode.Sm, unicode.So, unicode.Po, unicode.Manichaean) || before == '0'
}

// joins reports whether a character is of a script whose letters join, so that a joiner after it has a use, even
// at the end of a word.
func joins(r rune) bool {
	return unicode.In(r, unicode.Arabic, unicode.Syriac, unicode.Mongolian, unicode.Nko, unicode.Devanagari,
		unicode.Bengali, unicode.Gurmukhi, unicode.Gujarati, unicode.Oriya, unicode.Tamil, unicode.Telugu,
		unicode.Kannada, unicode.Malayalam, unicode.Sinhala, unicode.Khmer, unicode.Myanmar, unicode.Tibetan)
}

// flagTags matches the tags that make a black flag before them the flag of a region.
var flagTags = lazy.New("^[\U000e0030-\U000e0039\U000e0061-\U000e007a]{1,8}\U000e007f")

// Cut returns at most the first most bytes of a text, whole characters, and an ellipsis where it cut.
func Cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}

// OneLine returns a text with every run of white space as one space, and at most most characters of that, as Short.
func OneLine(text string, most int) string {
	return Short(strings.Join(strings.Fields(text), " "), most)
}

// Short returns at most most characters of a text. The last is an ellipsis if it was cut.
func Short(text string, most int) string {
	n, last := 0, 0
	for i := range text {
		if n == most {
			return text[:last] + "…"
		}
		n, last = n+1, i
	}
	return text
}
