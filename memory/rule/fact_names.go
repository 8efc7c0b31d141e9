package rule

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"dream-mcp/memory"
	"dream-mcp/memory/lazy"
)

// Capital letters say that a word is a name, but not where every word has them, where a sentence or a part of one begins, or where they
// only stress. ordinary are words that are not names there.
var ordinary = memory.WordSet(`a an the this that these those it its he she they we you i my our your their and or but if when while where why how
	what who which then else
	so as at by for from in into of off on onto out over per to up with without after before until unless except not no
	nor never none nothing always only also
	both each every any all some most more less same other another is are was were be been do does did don has have had
	can cannot could might must shall should
	will would let yes ok okay todo fixme note notes nb fyi eta tbd wip asap important warning caution see use used using
	uses add added ask asks avoid begin build call
	change check commit copy create delete deploy ensure find fix follow get give go keep leave list look make merge move
	name open pick prefer put read remove rename
	replace reset rule rules run save say send set show skip start stop take tell test tests try turn update wait watch work write
	pr prs api apis id ids url urls ui ux readme faq e.g i.e etc`)

// begins reports whether a sentence or a part of one begins with the word at a place, so that its capital letter says nothing.
func begins(sentence string, at int) bool {
	before := strings.TrimRight(sentence[:at], " \t*_\"“'[")
	next, _ := utf8.DecodeRuneInString(strings.TrimLeft(strings.TrimLeftFunc(sentence[at:], isWordRune), " "))
	return strings.Trim(before, "-+*>#.() \t0123456789") == "" || strings.HasSuffix(before, ":") && unicode.IsLower(next)
}

// isName reports whether a word is a name by its form: capitals within, marks that parts of paths, addresses and identifiers have, or
// a capital letter that says something. lower has the words that are there in small letters.
func isName(word string, begins bool, lower map[string]bool) bool {
	letters, small := []rune(word), strings.ToLower(word)
	if len(letters) < 2 || ordinary[small] {
		return false
	}
	if strings.ContainsAny(word, "_/@.") {
		return len(letters) > 3 // not "e.g" and the like
	}
	return slices.ContainsFunc(letters[1:], unicode.IsUpper) || unicode.IsUpper(letters[0]) && !begins && !lower[small]
}

var heading = lazy.New(`^#+\s`)

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
var writtenDate = lazy.New(`\b(?i:(\d{1,2})(?:st|nd|rd|th)?(?: of)? )?(Ma[yr]|(?i:` + months +
	`))\b\.?(?i: (\d{1,2})(?:st|nd|rd|th)?\b)?(?:,? (\d{4})\b)?`)

// isoDates writes a date with the name of a month as 2026-11-18, 2026-11 or 11-18. A month alone stays as it is.
func isoDates(text string) string {
	return writtenDate.ReplaceAllStringFunc(text, func(written string) string {
		m := writtenDate.FindStringSubmatch(written)
		day, year := m[1]+m[3], m[4]
		if m[1] != "" && m[3] != "" || day+year == "" {
			return written
		}
		if len(day) == 1 {
			day = "0" + day
		}
		month := strings.Index("janfebmaraprmayjunjulaugsepoctnovdec", strings.ToLower(m[2][:3]))/3 + 1
		return strings.Trim(fmt.Sprintf("%s-%02d-%s", year, month, day), "-")
	})
}
