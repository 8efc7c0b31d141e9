package rule

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"dream-mcp/memory"
)

// Capital letters say that a word is a name, but not where every word has them, where a sentence or a part of one begins, or where they
// only stress. ordinary are words that are not names there.
var ordinary = memory.WordSet(`a an the this that these those it its he she they we you i my our your their and or but if when while where why how
	what who which then else
	so as at by for from in into of off on onto out over per to up with without after before until unless except not no
	nor never none nothing always only also
	both each every any all some most more less same other another is are was were be been do does did don has have had
	can cannot could may might must shall should
	will would let yes ok okay todo fixme note notes nb fyi eta tbd wip asap important warning caution see use used using
	uses add added ask asks avoid begin build call
	change check commit copy create delete deploy ensure find fix follow get give go keep leave list look make merge move
	name open pick prefer put read remove rename
	replace reset rule rules run save say send set show skip start stop take tell test tests try turn update wait watch work write
	pr prs api apis id ids url urls ui ux readme faq e.g i.e etc`)

// A stress says how much the capital letter of a word says.
type stress int

const (
	middle stress = iota // it is a name
	weak                 // it is one unless the word is ordinary, or found in small letters
	begins               // nothing
)

// stressAt says which stress a word has that begins at a place of a sentence.
func stressAt(sentence string, at int) stress {
	before := strings.TrimRight(sentence[:at], " \t*_\"“'[")
	if strings.Trim(before, "-+*>#.() \t0123456789") == "" {
		return begins
	}
	next, _ := utf8.DecodeRuneInString(strings.TrimLeft(strings.TrimLeftFunc(sentence[at:], isWordRune), " "))
	for _, mark := range []string{":", "—", "–", "→", "|", ";", "=", " -"} {
		switch {
		case !strings.HasSuffix(before, mark):
		case mark == ":" && unicode.IsLower(next): // a sentence begins
			return begins
		default:
			return weak
		}
	}
	return middle
}

// isName reports whether a word is a name by its form: capitals within, marks that parts of paths, addresses and identifiers have, or
// a capital letter that has the stress of one. lower has the words that are there in small letters.
func isName(word string, s stress, lower map[string]bool) bool {
	letters, small := []rune(word), strings.ToLower(word)
	capitals := len(letters) > 1 && slices.ContainsFunc(letters[1:], unicode.IsUpper)
	if len(letters) < 2 || ordinary[small] && (s != middle || capitals) {
		return false
	}
	if strings.ContainsAny(word, "_/@.") {
		return len(letters) > 3 // not "e.g" and the like
	}
	return capitals || unicode.IsUpper(letters[0]) && (s == middle || s == weak && !ordinary[small] && !lower[small])
}

var heading = regexp.MustCompile(`^#+\s`)

// untitled returns a heading whose longer words all have a capital letter in small letters.
func untitled(line string) string {
	if !heading.MatchString(line) {
		return line
	}
	for _, word := range spacedWords(line) {
		if letters := []rune(word); len(letters) > 3 && unicode.IsLower(letters[0]) {
			return line
		}
	}
	return strings.ToLower(line)
}

const months = `jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?`

// writtenDate matches dates with the name of a month: 18 November 2026, Nov 18th, March 2026, in October.
var writtenDate = regexp.MustCompile(`\b(?i:(\d{1,2})(?:st|nd|rd|th)?(?: of)? )?(Ma[yr]|(?i:` + months +
	`))\b\.?(?i: (\d{1,2})(?:st|nd|rd|th)?\b)?(?:,? (\d{4})\b)?`)

// A date is what a written date says; what it does not say is "".
type date struct{ text, day, month, year string }

// dates parts the written dates from a sentence. A month alone is one only by its capital letter.
func dates(sentence string) (rest string, found []date) {
	rest = writtenDate.ReplaceAllStringFunc(sentence, func(text string) string {
		m := writtenDate.FindStringSubmatch(text)
		d := date{text: strings.TrimRight(text, "."), month: monthNumber(m[2]), day: m[1] + m[3], year: m[4]}
		if m[1] != "" && m[3] != "" || d.day+d.year == "" && !unicode.IsUpper([]rune(m[2])[0]) {
			return text
		}
		if len(d.day) == 1 {
			d.day = "0" + d.day
		}
		found = append(found, d)
		return " "
	})
	return rest, found
}

func monthNumber(name string) string {
	at := strings.Index("janfebmaraprmayjunjulaugsepoctnovdec", strings.ToLower(name[:3]))
	return fmt.Sprintf("%02d", at/3+1)
}

// in reports whether a text that has words says the date: written in full as 2026-11-18, or in the same words.
func (d date) in(h *haystack) bool {
	if h.holds(d.text) {
		return true
	}
	for w := range h.words {
		parts := strings.SplitN(w, "-", 3)
		if len(parts) > 1 && len(parts[0]) == 4 && strings.HasPrefix(parts[1], d.month) &&
			(d.year == "" || d.year == parts[0]) && (d.day == "" || len(parts) == 3 && strings.HasPrefix(parts[2], d.day)) {
			return true
		}
	}
	return d.day+d.year == "" && h.months[d.month]
}
