// Package reldate finds the words of a text that name a day by its distance from the day they were
// written on ("yesterday", 上周, 3일 전), and says which date they most likely mean. It knows English,
// Chinese, Korean, Japanese, German, French and Spanish.
//
// It promises to look at prose only (not at code, links, comments, words in quotation marks that name a
// thing of a screen, formulas, identifiers), to leave a sentence alone that also holds an absolute date
// or that speaks of every day alike, and that the same text gives the same hits. It keeps nothing, so
// that a crash costs nothing.
//
// It does not promise to be right: it knows phrases, not meaning, and how often it errs on labelled
// sentences is what package measure prints. Innocent by decision are windows ("the last 7 days"),
// durations ("in 3 days"), and loose words ("recently", 最近): they name no day.
package reldate

import (
	"time"
	"unicode"
	"unicode/utf8"
)

// Bounds of one search: a memory is 58 KB at the most, and who has read a hundred hits
// needs no more.
const (
	maxText = 1 << 20
	maxHits = 100
	maxSeen = 2_000 // phrases looked at more closely
)

// maxWord is the length in bytes of the longest word that a phrase may begin with.
const maxWord = 24

// Hit is one place of a text.
type Hit struct {
	From, To int    // in bytes
	Text     string // text[From:To]
	Means    string // as Date returns it for the anchor that was given
	Sure     bool   // false where the words are often meant loosely or can be read in two ways
	Sentence string // that the words stand in

	when when
}

// Date returns what the words mean for somebody who wrote them at anchor: "2026-11-17", "about
// 2026-11-15", "the week of 2026-11-09" (its Monday), "the weekend of 2026-11-14" (its Saturday),
// "2026-10", "2026-Q3", "2025", "the session after 2026-11-18".
func (h Hit) Date(anchor time.Time) string { return h.when.on(anchor) }

// IsDay reports whether the words surely name one day within three days of when they were written, and not
// that day: "yesterday", "tomorrow", "the day before yesterday".
func (h Hit) IsDay() bool {
	return h.Sure && h.when.unit == day && h.when.offset != 0 && h.when.offset >= -3 && h.when.offset <= 3
}

// Find returns the hits of a text, at most 100, in order and without overlap. Of a text over 1 MiB the
// rest is not looked at. The anchor is when it was written; only its date, in its own zone, counts.
func Find(text string, anchor time.Time) []Hit {
	if len(text) > maxText {
		text = text[:maxText]
	}
	v := words()
	var hits []Hit
	var p *prose // made for the first phrase: most texts hold none
	seen := 0
	for at := 0; at < len(text); {
		if isASCIILetter(text[at]) || text[at] >= '0' && text[at] <= '9' || text[at] >= utf8.RuneSelf {
			candidates, next := v.starting(text, at)
			if len(candidates) > 0 {
				if p == nil {
					p = &prose{text: text}
				}
				if hit, ok := p.longest(candidates, at); ok {
					hit.Means = hit.Date(anchor)
					hits = append(hits, hit)
					next = max(next, hit.To)
				} else if hit.To > next {
					next = hit.To
				}
				if seen++; len(hits) == maxHits || seen == maxSeen {
					break
				}
			}
			at = next
			continue
		}
		at++
	}
	return withoutLists(text, hits)
}

// starting returns the phrases that may begin at text[at:], and where the next may. Of a word in Latin
// letters and of a number that is past its end, of other scripts it is past the rune.
func (v *vocabulary) starting(text string, at int) ([]*phrase, int) {
	c := text[at]
	var s *start
	end := at
	switch {
	case c >= '0' && c <= '9':
		for end < len(text) && text[end] >= '0' && text[end] <= '9' {
			end++
		}
		s = &v.digits
	case c >= utf8.RuneSelf:
		r, size := utf8.DecodeRuneInString(text[at:])
		if isLatin(r) {
			s, end = v.startingWord(text, at)
			break
		}
		end = at + size
		if r >= 1<<16 || v.first[r/64]&(1<<(r%64)) == 0 {
			return nil, end
		}
		s = v.runes[r]
	default:
		s, end = v.startingWord(text, at)
	}
	if s == nil || !s.mayFollow(text[end:]) {
		return nil, end
	}
	return s.phrases, end
}

// startingWord returns the phrases that begin with the word at text[at:], and its end.
func (v *vocabulary) startingWord(text string, at int) (*start, int) {
	var folded [maxWord + utf8.UTFMax]byte
	n, end := 0, at
	for end < len(text) {
		c := text[end]
		if c < utf8.RuneSelf {
			if !isASCIILetter(c) {
				break
			}
			if n < maxWord {
				folded[n] = c | 0x20
			}
			n++
			end++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[end:])
		if !isLatin(r) {
			break
		}
		if n < maxWord {
			n += utf8.EncodeRune(folded[n:], unicode.ToLower(r))
		} else {
			n += size
		}
		end += size
	}
	if n > maxWord || folded[0] < utf8.RuneSelf && v.lengths[folded[0]]&(1<<n) == 0 {
		return nil, end
	}
	return v.words[string(folded[:n])], end
}

func isASCIILetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
