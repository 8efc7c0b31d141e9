package memory

import (
	"path"
	"strings"
	"unicode"
)

// Mentions reports whether the index refers to a file: by a link, a wiki link (`[[slug]]`, also with
// "-" for "_" or without the prefix of its type), its name in backticks or a table, or its file name
// in the text (CENSUS 5.16).
func (x *Index) Mentions(n Name) bool {
	if x.refs.name(n) {
		return true
	}
	if !strings.Contains(n.String(), " ") {
		return false
	}
	for i := range x.lines { // a name with a space in it is no word of the text
		if strings.Contains(x.lines[i].text, n.String()) {
			return true
		}
	}
	return false
}

// refs is the set of what lines refer to. A key's first letter says how: "f" a file, "s" a slug in
// backticks, "w" a slug in brackets, "x" such a slug without its type.
type refs map[string]bool

func (r refs) addLine(line *indexLine) {
	for _, l := range line.scan.links {
		if !l.nowhere {
			r["f"+l.file] = true
		}
	}
	for _, wiki := range line.scan.wikis {
		wiki, _, _ = strings.Cut(wiki, "|")
		wiki, _, _ = strings.Cut(wiki, "#")
		for _, key := range wikiKeys(wiki) {
			r[key] = true
		}
	}
	for _, word := range line.scan.codes {
		r.addName(word)
	}
	if line.kind == row {
		for cell := range strings.SplitSeq(line.text, "|") {
			r.addName(strings.Trim(cell, " \t*_"))
		}
	}
	for word := range strings.FieldsFuncSeq(line.text, endsFileName) {
		word = strings.TrimRight(word, "./")
		if strings.HasSuffix(word, ".md") || beginsWithType(word) {
			r.addName(word)
		}
	}
}

// name reports whether one of the references is to a file.
func (r refs) name(n Name) bool {
	for _, key := range refKeys(n.path) {
		if r[key] {
			return true
		}
	}
	return false
}

func (r refs) addName(word string) {
	if word == "" {
		return
	}
	if strings.HasSuffix(word, ".md") {
		if i := strings.LastIndex("/"+word, "/memory/"); i >= 0 {
			word = word[i+len("memory/"):]
		}
		r["f"+cleanPath(word)] = true
		return
	}
	r["s"+slugKey(word)] = true
}

// wikiKeys returns the keys of what stands in double brackets, without its text and its part.
func wikiKeys(wiki string) []string {
	slug := slugKey(wiki)
	keys := []string{"w" + slug}
	if bare := withoutType(slug); bare != slug {
		keys = append(keys, "x"+bare)
	}
	return keys
}

// refKeys returns the keys under which a line may refer to a file.
func refKeys(file string) []string {
	file = cleanPath(file)
	full, base := slugKey(file), slugKey(path.Base(file))
	return []string{"f" + file, "s" + full, "w" + full, "w" + base, "w" + withoutType(base), "x" + base}
}

// slugKey returns what the spellings of one slug have in common: no ".md", small letters, "-" for
// "_" and spaces.
func slugKey(s string) string {
	s = strings.ToLower(strings.TrimSuffix(strings.TrimSpace(s), ".md"))
	return slugSpellings.Replace(cleanPath(s))
}

var slugSpellings = strings.NewReplacer("_", "-", " ", "-")

// beginsWithType reports whether a word is a slug such as "feedback_tests", which is a file's name
// and never a word of a language.
func beginsWithType(word string) bool {
	for _, kind := range types {
		if n := len(kind); len(word) > n+1 && (word[n] == '_' || word[n] == '-') && strings.EqualFold(word[:n], kind) {
			return true
		}
	}
	return false
}

// withoutType returns a slug key without the type that it begins with.
func withoutType(slug string) string {
	for _, kind := range types {
		if bare, ok := strings.CutPrefix(slug, kind+"-"); ok && bare != "" {
			return bare
		}
	}
	return slug
}

// endsFileName reports whether a rune can't be part of a plain file name in a text.
func endsFileName(r rune) bool {
	return !unicode.In(r, unicode.L, unicode.N, unicode.M) && !strings.ContainsRune("-_./", r)
}

// wordSet returns the words of a text, in small letters.
func wordSet(text string) map[string]bool {
	words := make(map[string]bool)
	for w := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool { return !unicode.In(r, unicode.L, unicode.N, unicode.M) }) {
		words[w] = true
	}
	return words
}

// PointsTo reports whether a line holds a link, or names something known in another way.
func (line *indexLine) PointsTo(known map[string]bool) bool {
	for _, l := range line.scan.links {
		if !l.nowhere {
			return true
		}
	}
	if len(line.scan.wikis) > 0 {
		return true
	}
	named := refs{}
	named.addLine(line)
	for key := range named {
		if known[key] {
			return true
		}
	}
	return false
}

// LineNaming returns the first line, from 1, that refers to a file, or 0.
func (x *Index) LineNaming(n Name) int {
	for i := range x.lines {
		line := refs{}
		line.addLine(&x.lines[i])
		if line.name(n) || strings.Contains(x.lines[i].text, n.path) {
			return i + 1
		}
	}
	return 0
}
