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

// Outline returns what the index says, a line for each: its headings and the lines that link to nothing as they are, of
// a line about memories their files instead of the links, "file.md — text". A title is shown where the line says
// nothing else.
func (x *Index) Outline() string {
	var b strings.Builder
	for _, line := range x.lines {
		if line.Kind == BlankLine || strings.TrimSpace(line.Text) == "" {
			continue
		}
		at := len(BulletMarker(line.Text))
		if slices.ContainsFunc(line.Scan.Links, func(l link) bool { return !l.Outside && !l.Nowhere }) {
			for _, l := range line.Scan.Links {
				if l.Outside || l.Nowhere || l.From < at {
					continue
				}
				b.WriteString(line.Text[at:l.From] + l.File)
				if at = l.To; strings.TrimSpace(line.Text[at:]) == "" {
					b.WriteString(HookSeparator + titleOf(line.Text[l.From+1:l.label]))
				}
			}
		} else {
			at = 0
		}
		b.WriteString(strings.TrimRight(line.Text[at:], " \t") + "\n")
	}
	return b.String()
}

// Exceeds reports whether a host cuts the index.
func (x *Index) Exceeds() bool {
	lines, bytes := x.Size()
	return lines > MaxIndexLines || bytes > MaxIndexBytes
}

// Written returns when a topic was last written: by its frontmatter, the date in its name, or the date in one of its
// headings, none of them after now. Where none of them says so, it is the time of the file; without a file, now.
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
