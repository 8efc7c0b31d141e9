package rule

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"dream-mcp/memory"
	"dream-mcp/memory/visible"
)

// maxNamed bounds the characters that a finding names; it counts all of them.
const maxNamed = 4

var invisibleRule = rule{
	doc: Doc{
		Name:     "invisible",
		Summary:  "no memory holds characters that a person doesn't see and a model reads: control, bidirectional, tag and zero-width characters, line ends other than LF and CR LF, variation selectors that select nothing",
		Severity: Error,
		Catches:  "U+202E, U+200B between Latin letters, a run of U+E0061 …, an escape sequence of a terminal, U+2028, U+FE01 after a letter",
		Leaves:   "tabs, LF and CR LF; joiners and selectors within emoji, Arabic, Indic and other scripts that need them; direction marks in lines of such scripts; combining marks; a byte order mark at the beginning",
		Bad:      "Deploy from the branch ma\u200bin.",
		Good:     "Deploy 👩\u200d💻 from the branch main: می\u200cخواهم.",
	},
	topic: func(v *view, n memory.Name, t *memory.Topic) []Finding {
		var before []byte
		if v.before != nil && v.before.Topics[n] != nil {
			before = v.before.Topics[n].Bytes()
		}
		return findInvisible(n.String(), t.Bytes(), before)
	},
	whole: func(v *view) []Finding {
		if v.after.Index == nil {
			return nil
		}
		return findInvisible(memory.IndexFile, v.after.Index.Bytes(), nil)
	},
	exact: true,
}

// findInvisible returns a finding for each line that hides something: a warning for one that the file had
// before, since whoever changes another makes nothing worse.
func findInvisible(file string, data, before []byte) []Finding {
	var all places
	stood := make(map[string]int)
	for line := range strings.SplitSeq(strings.TrimPrefix(string(before), memory.ByteOrderMark), "\n") {
		stood[line]++
	}
	beyond := Warning // the worst of those beyond maxPlaces
	for i, line := range strings.Split(strings.TrimPrefix(string(data), memory.ByteOrderMark), "\n") {
		found := hiddenIn(strings.TrimSuffix(line, "\r"))
		if len(found) == 0 {
			continue
		}
		severity := Error
		if stood[line] > 0 {
			stood[line]--
			severity = Warning
		}
		if all.full() {
			if severity == Error {
				beyond = Error
			}
			continue
		}
		var named []string
		for _, h := range found[:min(len(found), maxNamed)] {
			named = append(named, fmt.Sprintf("U+%04X (%s) in column %d", h.r, kindOfHidden(h.r), h.column))
		}
		message := "characters that nobody sees: " + strings.Join(named, ", ")
		if n := len(found) - len(named); n > 0 {
			message += fmt.Sprintf(" and %d more", n)
		}
		all.add(Finding{
			File: file, Line: i + 1, Column: found[0].column, Severity: severity, subject: line,
			Message: message,
			Hint:    "write the line without them; where they are the point, write their names, as U+202E",
		})
	}
	findings := all.all("lines with hidden characters")
	if all.more > 0 {
		findings[maxPlaces].Severity = beyond
	}
	return findings
}

// unseen is a character that is not seen, and its column: from 1, in characters.
type unseen struct {
	r      rune
	column int
}

// hiddenIn returns the characters of a line that hide something.
func hiddenIn(line string) []unseen {
	if plain(line) {
		return nil
	}
	var found []unseen
	before, column := rune(-1), 0
	// A letter: a mark of direction can itself be of such a script.
	rightToLeft := strings.ContainsFunc(line, func(r rune) bool { return unicode.IsLetter(r) && unicode.In(r, rightToLeftScripts...) })
	for i := 0; i < len(line); {
		r, size := utf8.DecodeRuneInString(line[i:])
		column++
		if tags := visible.FlagTags(before, line[i:]); tags > 0 {
			column += utf8.RuneCountInString(line[i:i+tags]) - 1
			i += tags
			continue
		}
		after, _ := utf8.DecodeRuneInString(line[i+size:])
		if hides(before, r, after, rightToLeft) {
			found = append(found, unseen{r, column})
		}
		i, before = i+size, r
	}
	return found
}

// plain reports whether a line is of visible ASCII, spaces and tabs: most are.
func plain(line string) bool {
	for i := range len(line) {
		if c := line[i]; c >= 0x7f || c < ' ' && c != '\t' {
			return false
		}
	}
	return true
}

// hides reports whether a character between two others hides something, or has no use there.
func hides(before, r, after rune, rightToLeft bool) bool {
	switch {
	case r == '\t':
		return false
	case r == '\u200c', r == '\u200d': // zero-width non-joiner and joiner
		joins := visible.Joins(before) || unicode.Is(unicode.Mn, before) && visible.Joins(after)
		return !joins && !(joinsEmoji(before) && joinsEmoji(after))
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

func kindOfHidden(r rune) string {
	switch {
	case unicode.Is(unicode.Bidi_Control, r):
		return "bidirectional"
	case unicode.In(r, unicode.Zl, unicode.Zp), r == '\u0085':
		return "line end"
	case unicode.Is(unicode.Cc, r):
		return "control"
	case unicode.Is(unicode.Variation_Selector, r):
		return "variation selector"
	case 0xe0000 <= r && r <= 0xe007f:
		return "tag"
	}
	return "zero width"
}
