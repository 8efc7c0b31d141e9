package transcript

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// ansi are the sequences by which programs colour a terminal and name its window.
var ansi = regexp.MustCompile("\x1b(?:\\[[0-?]*[ -/]*[@-~]|\\][^\x07\x1b\n]*(?:\x07|\x1b\\\\)|[PX^_][^\x1b\n]*\x1b\\\\|[ -/]*[0-~])|\u009b[0-?]*[ -/]*[@-~]")

// Visible makes visible what a text would hide or do: control, bidirectional and invisible characters
// are written as ⟨U+202E⟩, a run of one as ⟨U+0000×12⟩, and sequences for a terminal are removed. A
// newline of any kind becomes "\n"; tabs, and joiners and selectors where writing needs them (emoji,
// Arabic, Indic), stay. The result is valid UTF-8, and Visible of it is the same again.
func Visible(text string) string {
	if plainASCII(text) {
		return text
	}
	text = strings.ToValidUTF8(text, "\uFFFD")
	if strings.ContainsAny(text, "\x1b\u009b") {
		text = ansi.ReplaceAllString(text, "")
	}
	var shown strings.Builder
	shown.Grow(len(text))
	before := rune(-1) // the character before, as long as it is shown itself
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if newline := newlineAt(text[i:]); newline > 0 {
			shown.WriteByte('\n')
			i, before = i+newline, '\n'
			continue
		}
		if tags := flagTags(before, text[i:]); tags > 0 {
			shown.WriteString(text[i : i+tags])
			i, before = i+tags, -1
			continue
		}
		after, _ := utf8.DecodeRuneInString(text[i+size:])
		if !hides(before, r, after) {
			shown.WriteString(text[i : i+size])
			i, before = i+size, r
			continue
		}
		n := 1
		for i += size; strings.HasPrefix(text[i:], string(r)); i += size {
			n++
		}
		if n == 1 {
			fmt.Fprintf(&shown, "⟨U+%04X⟩", r)
		} else {
			fmt.Fprintf(&shown, "⟨U+%04X×%d⟩", r, n)
		}
		before = -1
	}
	return shown.String()
}

func plainASCII(text string) bool {
	for i := range len(text) {
		if c := text[i]; c >= 0x7f || c < ' ' && c != '\n' && c != '\t' {
			return false
		}
	}
	return true
}

// newlineAt returns the size of a newline of any kind at the head of a text.
func newlineAt(text string) int {
	for _, newline := range []string{"\r\n", "\n", "\r", "\u0085", "\u2028", "\u2029"} {
		if strings.HasPrefix(text, newline) {
			return len(newline)
		}
	}
	return 0
}

// hides reports whether a character between two others is not to be seen, or moves what is.
func hides(before, r, after rune) bool {
	switch {
	case r == '\n', r == '\t':
		return false
	case r == '\u200c', r == '\u200d': // zero-width non-joiner and joiner
		return !joins(before) && !(joinable(before) && joinable(after))
	case unicode.Is(unicode.Variation_Selector, r):
		return before < 0 || !unicode.IsGraphic(before) || unicode.IsSpace(before) ||
			unicode.Is(unicode.Variation_Selector, before)
	case unicode.Is(unicode.Prepended_Concatenation_Mark, r): // signs that enclose digits
		return false
	}
	return unicode.In(r, unicode.Cc, unicode.Cf) ||
		unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r)
}

// joinable reports whether a joiner may stand between a character and another: letters that join,
// with their marks, and emoji, with their selectors and skin tones.
func joinable(r rune) bool {
	mark := unicode.Is(unicode.Inherited, r) && !unicode.Is(unicode.Cf, r) // not another joiner
	return joins(r) || mark || unicode.Is(unicode.So, r) || 0x1f3fb <= r && r <= 0x1f3ff
}

// joins reports whether a character is of a script whose letters join, so that a joiner behind it
// has a use, even at the end of a word.
func joins(r rune) bool {
	return unicode.In(r, unicode.Arabic, unicode.Syriac, unicode.Mongolian, unicode.Nko, unicode.Devanagari,
		unicode.Bengali, unicode.Gurmukhi, unicode.Gujarati, unicode.Oriya, unicode.Tamil, unicode.Telugu,
		unicode.Kannada, unicode.Malayalam, unicode.Sinhala, unicode.Khmer, unicode.Myanmar, unicode.Tibetan)
}

// flagTags returns the size of the tags at the head of a text that make a black flag the flag of a
// region: letters and digits, then the tag that ends them.
func flagTags(before rune, text string) int {
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
