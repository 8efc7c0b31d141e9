package likeness

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// name is what the name of a file says.
type name struct {
	parts []part // without the type that it may begin with, and dates
	date  string // the digits of its dates, "" where it has none
}

// part is what is between two signs of a name.
type part struct {
	text  string
	words []word
}

// is reports whether two parts are forms of one word.
func (p part) is(o part) bool {
	return p.text == o.text || len(p.words) > 0 && slices.Equal(p.words, o.words)
}

// readName cuts the name of a file into its words: "-", "_", spaces and dots part them.
func readName(file string) name {
	file = strings.TrimSuffix(path.Base(file), ".md")
	file = strings.ReplaceAll(file, "_", "-")
	n := name{date: notDigits.ReplaceAllString(strings.Join(dateInName.FindAllString(file, -1), ""), "")}
	parts := strings.FieldsFunc(dateInName.ReplaceAllString(file, ""), func(r rune) bool {
		return !unicode.In(r, unicode.L, unicode.N, unicode.M)
	})
	if len(parts) > 1 && slices.Contains([]string{"user", "feedback", "project", "reference"}, strings.ToLower(parts[0])) {
		parts = parts[1:]
	}
	for _, p := range parts {
		text := strings.ToLower(p)
		n.parts = append(n.parts, part{text, addWords(nil, text)})
	}
	return n
}

// dateInName matches 20260527, 2026-05-27 and 2026-05.
var (
	dateInName = regexp.MustCompile(`\b(?:19|20)\d\d(?:\d{4}|(?:[-. ]\d\d){1,2})\b`)
	notDigits  = regexp.MustCompile(`\D`)
)

// seriesWith reports whether two memories fill in one form: their names differ in a date, or in one word
// that the text of the other does not have, such as service_mail and service_shop.
func (r *Reading) seriesWith(o *Reading) bool {
	if r.name.date != o.name.date && r.name.date != "" && o.name.date != "" {
		return true
	}
	a, b := r.name.parts, o.name.parts
	if len(a) != len(b) || len(a) < 2 {
		return false
	}
	at := -1
	for i := range a {
		if !a[i].is(b[i]) {
			if at >= 0 {
				return false
			}
			at = i
		}
	}
	return at >= 0 && !r.has(b[at]) && !o.has(a[at])
}

// has reports whether the text has a word of a name.
func (r *Reading) has(p part) bool {
	return slices.ContainsFunc(wordsOf(p.words), func(f feature) bool {
		_, found := slices.BinarySearch(r.features, f)
		return found
	})
}
