package memory

import (
	"path"
	"slices"
	"strings"
	"unicode"

	"dream-mcp/memory/lazy"
)

// Mentions reports whether the index refers to a file: by a link, a wiki link (`[[slug]]`, also with
// "-" for "_" or without the prefix of its type), its name in backticks or a table, or its file name
// in the text.
func (x *Index) Mentions(n Name) bool {
	// A name with a space in it is not a word of the text.
	return x.refs.names(n) || strings.Contains(n.path, " ") && slices.ContainsFunc(x.lines, func(line Line) bool {
		return strings.Contains(line.Text, n.path)
	})
}

// Refs is the set of what lines refer to. A key's first letter says how: "f" a file, "s" a slug in
// backticks, "w" a slug in brackets, "x" such a slug without its type.
type Refs map[string]bool

// addLine adds what a line refers to. The title of a link names its file.
func (r Refs) addLine(line *Line) {
	text := line.Text
	for _, l := range line.Scan.Links {
		if !l.Nowhere {
			r["f"+l.File] = true
			if l.To <= len(text) { // a caller may ask for the links alone
				text = text[:l.From] + strings.Repeat(" ", l.To-l.From) + text[l.To:]
			}
		}
	}
	for _, wiki := range line.Scan.Wikis {
		wiki, _, _ = strings.Cut(wiki, "|")
		wiki, _, _ = strings.Cut(wiki, "#")
		for _, key := range WikiKeys(wiki) {
			r[key] = true
		}
	}
	for _, word := range line.Scan.codes {
		r.addName(word)
	}
	if line.Kind == RowLine {
		for cell := range strings.SplitSeq(text, "|") {
			r.addName(strings.Trim(cell, " \t*_"))
		}
	}
	for word := range strings.FieldsFuncSeq(text, endsFileName) {
		word = strings.TrimRight(word, "./")
		if strings.HasSuffix(word, ".md") || typed.MatchString(word) {
			r.addName(word)
		}
	}
}

// names reports whether one of the references is to a file.
func (r Refs) names(n Name) bool {
	return slices.ContainsFunc(RefKeys(n.path), func(key string) bool { return r[key] })
}

func (r Refs) addName(word string) {
	if strings.HasSuffix(word, ".md") {
		if i := strings.LastIndex("/"+word, "/memory/"); i >= 0 {
			word = word[i+len("memory/"):]
		}
		r["f"+CleanPath(word)] = true
		return
	}
	r["s"+SlugKey(word)] = true
}

// WikiKeys returns the keys of what is in double brackets, without its text and its part.
func WikiKeys(wiki string) []string {
	slug := SlugKey(wiki)
	keys := []string{"w" + slug}
	if bare := withoutType(slug); bare != slug {
		keys = append(keys, "x"+bare)
	}
	return keys
}

// RefKeys returns the keys under which a line may refer to a file.
func RefKeys(file string) []string {
	file = CleanPath(file)
	full, base := SlugKey(file), SlugKey(path.Base(file))
	return []string{"f" + file, "s" + full, "w" + full, "w" + base, "w" + withoutType(base), "x" + base}
}

// SlugKey returns what the spellings of one slug have in common: no ".md", small letters, "-" for
// "_" and spaces.
func SlugKey(s string) string {
	s = strings.ToLower(strings.TrimSuffix(strings.TrimSpace(s), ".md"))
	return slugSpellings.Replace(CleanPath(s))
}

var slugSpellings = strings.NewReplacer("_", "-", " ", "-")

// typed matches a slug such as "feedback_tests", which is a file's name and never a word of a language.
var typed = lazy.New(`(?is)^(` + strings.Join(Types, "|") + `)[-_](.+)$`)

// withoutType returns a slug key without the type that it begins with.
func withoutType(slug string) string { return typed.ReplaceAllString(slug, "$2") }

var nameJoints = strings.NewReplacer("-", " ", "_", " ", "/", " ")

// NameWords returns the words of a file's name.
func NameWords(file string) string {
	return nameJoints.Replace(strings.TrimSuffix(file, ".md"))
}

// endsFileName reports whether a rune can't be part of a plain file name in a text.
func endsFileName(r rune) bool {
	return !unicode.In(r, unicode.L, unicode.N, unicode.M) && !strings.ContainsRune("-_./", r)
}

// PointsTo reports whether a line holds a link, or names something known in another way.
func (line *Line) PointsTo(known map[string]bool) bool {
	if len(line.Scan.Wikis) > 0 || slices.ContainsFunc(line.Scan.Links, func(l link) bool { return !l.Nowhere }) {
		return true
	}
	named := Refs{}
	named.addLine(line)
	for key := range named {
		if known[key] {
			return true
		}
	}
	return false
}
