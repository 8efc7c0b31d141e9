package reldate

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// vocabulary is all of phrases.txt, by what a phrase begins with.
type vocabulary struct {
	words   map[string]*start // by the first word, where it is of Latin letters
	runes   map[rune]*start   // by the first rune of other scripts
	digits  start
	lengths [utf8.RuneSelf]uint64 // which lengths the words have that begin with this ASCII letter
	first   [1 << 16 / 64]uint64  // which runes there are in runes: a look here takes a tenth of the time
}

// start holds the phrases that begin with the same word or rune. Little of what follows it in a text can
// follow it in a phrase, so the next two runes are looked at before the phrases are: texts full of "a",
// "le" and 一 are read two to six times as fast.
type start struct {
	phrases []*phrase
	next    [4]uint64 // the bits of the pairs of runes, in lower case, that may follow, spaces aside
	any     bool      // a phrase has fewer
}

// pairBit maps two runes to one of 256 bits.
func pairBit(first, second rune) (word int, bit uint64) {
	h := (uint32(first)*31 + uint32(second)) * 2654435761 >> 24
	return int(h / 64), 1 << (h % 64)
}

// mayFollow reports whether the rest of a text can go on as one of the phrases does.
func (s *start) mayFollow(rest string) bool {
	if s.any {
		return true
	}
	first, rest := nextRune(rest)
	second, _ := nextRune(rest)
	word, bit := pairBit(first, second)
	return s.next[word]&bit != 0
}

// nextRune returns the first rune of a text that is not white space, in lower case, and what follows it.
func nextRune(text string) (rune, string) {
	for i := 0; i < len(text) && i < maxGap; {
		r, size := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(text[i:])
		}
		i += size
		switch {
		case r == ' ' || r == '_' || r == '\n' || r >= utf8.RuneSelf && unicode.IsSpace(r) || r == '\t' || r == '\r':
			continue
		case r == '’':
			r = '\''
		case isLatin(r):
			r = unicode.ToLower(r)
		}
		return r, text[i:]
	}
	return utf8.RuneError, ""
}

// maxGap bounds the white space within a phrase, in bytes.
const maxGap = 32

// put files a phrase under what it begins with; one that begins with a number under each of them.
func (v *vocabulary) put(p *phrase, text string) {
	p.elems = elements(text)
	rest, counted := strings.CutPrefix(text, "#")
	if !counted {
		v.startOf(text).add(p, text[startLen(text):])
		return
	}
	v.digits.add(p, rest)
	for word, n := range p.numbers {
		spelled := *p
		spelled.count, spelled.elems = n, elements(word+rest)
		v.startOf(word).add(&spelled, (word + rest)[startLen(word):])
	}
}

// add appends a phrase whose text goes on with rest.
func (s *start) add(p *phrase, rest string) {
	s.phrases = append(s.phrases, p)
	first, rest := nextRune(rest)
	second, _ := nextRune(rest)
	if second == utf8.RuneError || first == '#' || second == '#' {
		s.any = true
	}
	word, bit := pairBit(first, second)
	s.next[word] |= bit
}

// startOf returns where the phrases are filed that begin as the text does.
func (v *vocabulary) startOf(text string) *start {
	word := text[:startLen(text)]
	if r, _ := utf8.DecodeRuneInString(word); !isLatin(r) {
		if v.runes[r] == nil {
			v.runes[r] = &start{}
		}
		return v.runes[r]
	}
	if v.words[word] == nil {
		v.words[word] = &start{}
	}
	return v.words[word]
}

// startLen returns the length of the word in Latin letters, or the rune of another script, that a text
// begins with.
func startLen(text string) int {
	for i, r := range text {
		if !isLatin(r) {
			if i == 0 {
				return utf8.RuneLen(r)
			}
			return i
		}
	}
	return len(text)
}

// isLatin reports whether a rune is a letter of Latin script, as far as our languages go.
func isLatin(r rune) bool {
	return r < utf8.RuneSelf && isASCIILetter(byte(r)) || r >= 'À' && r <= 'ɏ' && r != '×' && r != '÷'
}
