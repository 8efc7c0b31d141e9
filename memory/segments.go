package memory

import (
	"slices"
	"strconv"
	"strings"
)

// A Segment is a part of a file that is merged as one. Segments of the same key say the same kind of thing: a field of
// the frontmatter, a memory in the index, or for any other line the line itself.
type Segment struct {
	Key, Text string
	Field     string // the key of the frontmatter that it holds, or ""
	Entry     string // the file that it, a line of the index, is about, or ""
	field     field
}

// Segments returns the lines of the frontmatter by field, without the fences, and the lines of the body. Joined, their
// texts are the file, but for the fences and a byte order mark.
func (t *Topic) Segments() (head, body []Segment) {
	if t.HasFrontmatter() {
		starts := make(map[int]field)
		for _, f := range slices.Backward(t.fields) { // of a mapping in braces the outer field is one segment
			starts[f.line] = f
		}
		for i, line := range t.head[1 : len(t.head)-1] {
			last := len(head) - 1
			switch f := starts[i+1]; {
			case f.key != "":
				head = append(head, Segment{Key: "\x00" + f.key, Text: line, Field: f.key, field: f})
			case last < 0 || head[last].Field == "":
				head = append(head, Segment{Key: line, Text: line})
			default:
				head[last].Text += line
			}
		}
	}
	return numbered(head), LineSegments(t.body)
}

// numbered makes the keys of fields and entries unique: the second of a key is another.
func numbered(segments []Segment) []Segment {
	n := make(map[string]int)
	for i, s := range segments {
		if n[s.Key]++; n[s.Key] > 1 && s.Field+s.Entry != "" {
			segments[i].Key += "\x00" + strconv.Itoa(n[s.Key])
		}
	}
	return segments
}

// LineSegments returns the lines of any text.
func LineSegments(text string) (segments []Segment) {
	for line := range strings.Lines(text) {
		segments = append(segments, Segment{Key: line, Text: line})
	}
	return segments
}

// Segments returns the lines of the index. The key of a line that begins with a link to one file is that file.
func (x *Index) Segments() []Segment {
	segments := make([]Segment, len(x.lines))
	for i := range x.lines {
		line := &x.lines[i]
		segments[i] = Segment{Key: line.full + line.end, Text: line.full + line.end}
		if line.Kind != BulletLine && line.Kind != RowLine || line.headEnd() != 1 {
			continue
		}
		if l := line.Scan.Links[0]; !l.Outside && !l.Nowhere {
			segments[i].Key, segments[i].Entry = "\x00"+l.File, l.File
		}
	}
	return numbered(segments)
}

// List returns the items of a field that is a list, in either form.
func (s Segment) List() (items []string, ok bool) { return s.field.items, s.field.kind == list }

// WithList returns the segment of a field with these items.
func (s Segment) WithList(items []string) Segment {
	first, _, _ := strings.Cut(s.Text, "\n")
	_, colon := cutKey(first[indentOf(first):])
	s.Text = first[:indentOf(first)+colon] + " " + formatList(items) + "\n"
	return s
}

// Value returns what a field says.
func (s Segment) Value() string { return s.field.value }
