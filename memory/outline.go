package memory

import (
	"slices"
	"strings"
	"time"
)

// Outline is what an index holds beside its links.
type Outline struct {
	Sections []Section
	Other    []OtherLine // that link to nothing and are not headings
}

// Section is a heading of the index and how many of its lines link to something.
type Section struct {
	Heading string // "" before the first
	Links   int
}

// OtherLine is a line without a link.
type OtherLine struct {
	Line int // from 1
	Text string
}

// Outline returns the headings of the index and the lines that are not pointers.
func (x *Index) Outline() Outline {
	o := Outline{Sections: []Section{{}}}
	for i := range x.lines {
		line := &x.lines[i]
		switch {
		case line.Kind == heading:
			o.Sections = append(o.Sections, Section{Heading: line.section})
		case len(line.Scan.Links) > 0:
			o.Sections[len(o.Sections)-1].Links++
		case line.Kind != BlankLine && line.Kind != hidden:
			o.Other = append(o.Other, OtherLine{i + 1, strings.TrimSpace(line.Text)})
		}
	}
	if o.Sections[0].Links == 0 {
		o.Sections = o.Sections[1:]
	}
	return o
}

// WrittenOn returns when a topic was last written: by its frontmatter, the date in its name, or the date in one of
// its headings. It returns false where none of them says so.
func (t *Topic) WrittenOn(n Name, now time.Time) (time.Time, bool) {
	var texts []string
	for _, key := range []string{"modified", "ended", "updated", "last_updated", "date"} {
		texts = append(texts, t.either(key).value)
	}
	texts = append(texts, n.path)
	for line := range strings.Lines(t.body) {
		if strings.HasPrefix(line, "#") {
			texts = append(texts, line)
		}
	}
	for _, text := range texts {
		if at, ok := moment(text); ok && !at.After(now) {
			return at, true
		}
	}
	return time.Time{}, false
}

// SaysMore reports whether a text says something that another does not: a third of its words are not in it.
func SaysMore(text, than string) bool {
	words, known := WordsOf(text), WordsOf(than)
	more := slices.DeleteFunc(slices.Clone(words), func(w string) bool { return slices.Contains(known, w) })
	return 3*len(more) > len(words)
}
