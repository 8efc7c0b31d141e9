package memory

import (
	"slices"
	"strings"
	"time"
)

// Unlinked returns the number of lines that say something and link to nothing, without headings.
func (x *Index) Unlinked() (n int) {
	for _, line := range x.lines {
		if len(line.Scan.Links) == 0 && line.Kind != heading && line.Kind != BlankLine && line.Kind != hidden {
			n++
		}
	}
	return n
}

// Written returns when a topic was last written: by its frontmatter, the date in its name, or the date in one of its headings, none
// of them after now. Where none of them says so, it is the time of the file; without a file, now.
func (t *Topic) Written(n Name, file, now time.Time) time.Time {
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
			return at
		}
	}
	if file.IsZero() {
		return now
	}
	return file
}

// SaysMore reports whether a text says something that another does not: a third of its words are not in it.
func SaysMore(text, than string) bool {
	words, known := WordsOf(text), WordsOf(than)
	more := slices.DeleteFunc(slices.Clone(words), func(w string) bool { return slices.Contains(known, w) })
	return 3*len(more) > len(words)
}
