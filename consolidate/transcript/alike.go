package transcript

import (
	"math"
	"unicode"
	"unicode/utf8"
)

// maxAlike bounds the texts that are compared with others, in bytes: what repeats is short.
const maxAlike = 4 << 10

// alike is the same for texts of one speaker that differ in nothing but case, digits and white space;
// 0 for one too long to tell. Its lowest bits are the text's hint.
func alike(speaker Speaker, text string) uint64 {
	if len(text) > maxAlike {
		return 0
	}
	var room [512]byte // most fit; one for all would take longer to clear than they take
	folded := room[:0]
	if len(text) > len(room)-16 {
		folded = make([]byte, 0, len(text)+16)
	}
	folded = append(folded, speaker...)
	last := byte(' ')
	for i := 0; i < len(text); {
		c := alikeASCII[text[i]]
		if c == 0 {
			r, size := utf8.DecodeRuneInString(text[i:])
			if last = 0; caseless(r) {
				folded = append(folded, text[i:i+size]...)
			} else {
				folded = utf8.AppendRune(folded, unicode.ToLower(r))
			}
			i += size
			continue
		}
		if i++; c == last && (c == ' ' || c == '0') {
			continue
		}
		folded, last = append(folded, c), c
	}
	if last == ' ' && len(folded) > len(speaker) {
		folded = folded[:len(folded)-1]
	}
	begin, _ := hintOf(folded[len(speaker):], false)
	return sumBytes(folded)&^math.MaxUint16 | uint64(begin)
}

// caseless reports whether a character is of the scripts of China, Japan and Korea, which have no case.
func caseless(r rune) bool { return 0x2e80 <= r && r < 0xa640 || 0xac00 <= r && r < 0xd7a4 }

// alikeASCII is what stands for a character of ASCII; 0: it is none.
var alikeASCII = func() (as [256]byte) {
	for c := range byte(utf8.RuneSelf) {
		switch {
		case c == ' ' || c == '\n' || c == '\t' || c == '\r':
			as[c] = ' '
		case '0' <= c && c <= '9':
			as[c] = '0'
		case 'A' <= c && c <= 'Z':
			as[c] = c + 'a' - 'A'
		default:
			as[c] = c
		}
	}
	return as
}()

// A hint is a sum of the first letters of a text, in ASCII and any case: what texts that are alike have
// in common, and can be told of one without decoding it. To tell a likeness takes as long as all else
// that a search does with a match.
type hint uint16

// hintLetters is how many.
const hintLetters = 32

// hintOf returns the hint of a text, or of how one is spelt between the quotes of JSON, and whether it
// can be told: not where a letter may be spelt as \u, or be one beyond ASCII whose lower case is in it.
func hintOf[T ~string | ~[]byte](text T, spelt bool) (h hint, told bool) {
	sum, letters := uint64(0), 0
	for i := 0; i < len(text) && letters < hintLetters; i++ {
		switch c := text[i]; {
		case c|0x20-'a' < 26:
			sum = (sum + uint64(c|0x20)) * 0x9e3779b97f4a7c15
			letters++
		case c == '\\' && spelt && i+1 < len(text):
			if text[i+1] == 'u' {
				if r, ok := hex4([]byte(text[i+2 : min(i+6, len(text))])); !ok || r >= '@' {
					return 0, false
				}
				i += len(`u0000`)
			} else if unescape[text[i+1]] != 0 {
				i++
			}
		case c == 0xb0 && i > 0 && text[i-1] == 0xc4, c == 0x84 && i > 0 && text[i-1] == 0xe2: // as İ and the sign of kelvin do
			return 0, false
		}
	}
	return hint(sum >> 48), true
}

// hints are those of some texts.
type hints map[hint]bool

// mayBeLike reports whether a text, or the spelling of one, may be like one of those texts; where they
// are not known yet, any may.
func mayBeLike[T ~string | ~[]byte](known *hints, text T, spelt bool) bool {
	if known == nil {
		return true
	}
	h, told := hintOf(text, spelt)
	return !told || (*known)[h]
}
