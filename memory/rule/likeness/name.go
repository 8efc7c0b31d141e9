package likeness

import (
	"path"
	"slices"
	"strings"
	"unicode"

	"dream-mcp/memory"
	"dream-mcp/memory/lazy"
)

// name is what the name of a file says.
type name struct {
	parts []string // the stems of its words, without the type that it may begin with, and dates
	date  string   // the digits of its dates, "" where it has none
}

// readName cuts the name of a file into its words: "-", "_", spaces and dots part them.
func readName(file string) name {
	file = strings.ReplaceAll(strings.ToLower(memory.StemOf(path.Base(file))), "_", "-")
	n := name{date: notDigits.ReplaceAllString(strings.Join(dateInName.FindAllString(file, -1), ""), "")}
	file = strings.TrimPrefix(dateInName.ReplaceAllString(file, ""), memory.TypePrefix(file)+"-")
	for _, part := range strings.FieldsFunc(file, func(r rune) bool { return !unicode.In(r, unicode.L, unicode.N, unicode.M) }) {
		n.parts = append(n.parts, stem(part))
	}
	return n
}

// dateInName matches 20260527, 2026-05-27 and 2026-05.
var (
	dateInName = lazy.New(`\b(?:19|20)\d\d(?:\d{4}|(?:[-. ]\d\d){1,2})\b`)
	notDigits  = lazy.New(`\D`)
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
		if a[i] != b[i] {
			if at >= 0 {
				return false
			}
			at = i
		}
	}
	return at >= 0 && !r.has(b[at]) && !o.has(a[at])
}

// has reports whether the text has a word of a name.
func (r *Reading) has(part string) bool {
	return slices.ContainsFunc(wordsOf(part), func(w feature) bool {
		_, found := slices.BinarySearch(r.features, w)
		return found
	})
}
