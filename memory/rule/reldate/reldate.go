// Package reldate finds the words of a text that name a day by its distance from the day they were
// written on ("yesterday", 上周, 3일 전), and says which date they most likely mean. It knows the languages of phrases.txt.
//
// It promises to look at prose only (not at code, links, comments, words in quotation marks that name a
// thing of a screen, formulas, identifiers), to leave a sentence alone that also holds an absolute date
// or that speaks of every day alike, and that the same text gives the same mentions. It keeps nothing, so
// that a crash costs nothing.
//
// It does not promise to be right: it knows phrases, not meaning, and how often it errs on labelled
// sentences is what package measure prints. It leaves out windows ("the last 7 days"),
// durations ("in 3 days"), and loose words ("recently", "a few days ago", 最近), which name no day. It also leaves
// out the day of the text ("today").
package reldate

import (
	"slices"
	"strings"
	"time"
)

// Bounds of one search: a memory is 58 KB at the most, and who has read a hundred hits
// needs no more.
const (
	maxText = 1 << 20
	maxHits = 100
	maxSeen = 500 // phrases looked at more closely
)

// Mention is one place of a text that names a day or a longer time by how far it is away.
type Mention struct {
	From, To int    // in bytes
	Text     string // text[From:To]
	Sentence string // that the words stand in

	when when
}

// Date returns what the words mean for somebody who wrote them at anchor, of which only the date counts, in its own
// zone: "2026-11-17", "the week of 2026-11-09" (its Monday), "the weekend of 2026-11-14" (its Saturday), "2026-11-20 or
// 2026-11-27", "2026-10", "2026-Q3", "2025".
func (h Mention) Date(anchor time.Time) string { return h.when.on(anchor) }

// IsDay reports whether the words name one of the three days before they were written: "yesterday", "the day before
// yesterday".
func (h Mention) IsDay() bool {
	return h.when.unit == day && h.when.offset < 0 && h.when.offset >= -3
}

// IsLonger reports whether the words name a week, a month, a quarter, a day of the week, or a day more than three days
// ago.
func (h Mention) IsLonger() bool {
	return h.when.unit != day && h.when.unit != year || h.when.unit == day && h.when.offset < -3
}

// Annotated returns a text that was written at anchor with the date after each phrase that names another day, week
// or longer time: "until tomorrow (2026-11-19)".
func Annotated(text string, anchor time.Time) string {
	var b strings.Builder
	done := 0
	for _, h := range Find(text) {
		b.WriteString(text[done:h.To] + " (" + h.Date(anchor) + ")")
		done = h.To
	}
	return b.String() + text[done:]
}

// Find returns the hits of a text, at most 100, in order and without overlap. Of a text over 1 MiB the
// rest is not looked at.
func Find(text string) []Mention {
	if len(text) > maxText {
		text = text[:maxText]
	}
	v := words()
	var hits []Mention
	p := &scan{text: text}
	seen := 0
	for at := 0; at < len(text) && len(hits) < maxHits && seen < maxSeen; {
		first, rest := token(text[at:])
		next := at + startLen(text[at:])
		var candidates []*phrase
		if follow := v[first]; follow != nil {
			second, _ := token(rest)
			candidates = slices.Concat(follow[""], follow[second])
		}
		if hit, ok := p.longest(candidates, at); hit.To > 0 {
			if seen++; ok {
				hits = append(hits, hit)
			}
			next = max(next, hit.To)
		}
		at = next
	}
	return hits
}

func isASCIILetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
