package memory

import (
	"strings"
	"unicode/utf8"

	"dream-mcp/memory/lazy"
)

// The limits of what a host loads of the index; what is beyond is not loaded, and it is the end that
// is cut.
const (
	MaxIndexLines = 200
	MaxIndexBytes = 25000
)

// Index is MEMORY.md, read line by line. Bytes returns what was parsed, byte for byte; Upsert and
// Remove change only the lines that they are about.
type Index struct {
	bom   string
	lines []Line
	refs  Refs // of all lines
}

// Line is one line and what it is.
type Line struct {
	full    string // without its ending
	end     string // its ending
	Text    string // what a host loads of full: nothing of frontmatter and comments
	Kind    lineKind
	section string // the heading above
	Scan    Scan
}

type lineKind int

const (
	hidden    lineKind = iota // in frontmatter, or partly a comment: never to be edited
	BlankLine                 // nothing, or a rule of dashes
	heading
	BulletLine // an item of a list, ordered or not
	RowLine    // of a table
	CodeLine   // within a fence
	ProseLine
)

// ParseIndex reads an index. Every sequence of bytes is one.
func ParseIndex(data []byte) *Index {
	x := &Index{}
	text := string(data)
	if rest, ok := strings.CutPrefix(text, ByteOrderMark); ok {
		x.bom, text = ByteOrderMark, rest
	}
	x.parse(text)
	return x
}

func (x *Index) parse(text string) {
	x.lines, x.refs = nil, Refs{}
	head, rest, _ := cutFrontmatter(text)
	for _, raw := range head {
		x.lines = append(x.lines, newLine(raw, ""))
	}
	section, marks := "", ""                                  // marks opened the fence that is not closed yet
	lastComment := len(rest) - strings.LastIndex(rest, "-->") // counted from the end
	unclosed := map[byte]int{}                                // fences of a sign and this length or more are never closed
	for len(rest) > 0 {
		raw := rest
		if i := strings.IndexByte(rest, '\n'); i >= 0 {
			raw = rest[:i+1]
		}
		if marks == "" && len(rest) >= lastComment {
			if below := x.cutComments(rest, section); len(below) < len(rest) {
				rest = below
				continue
			}
		}
		rest = rest[len(raw):]
		line := newLine(raw, section)
		line.Text = line.full
		switch mark := FenceMark(line.Text); {
		case marks != "":
			line.Kind = CodeLine
			if closesFence(line.Text, marks) {
				marks = ""
			}
		case mark != "" && (unclosed[mark[0]] == 0 || len(mark) < unclosed[mark[0]]) && closesLater(rest, mark):
			marks, line.Kind = mark, CodeLine
		default:
			if mark != "" {
				unclosed[mark[0]] = len(mark)
			}
			line.Kind = kindOf(line.Text)
			line.Scan = ScanLine(line.Text)
		}
		if line.Kind == heading {
			section = HeadingText(line.Text)
			line.section = section
		}
		x.lines = append(x.lines, line)
	}
	for i := range x.lines {
		x.refs.addLine(&x.lines[i])
	}
}

// comments matches comments that begin a line, and what is after them in the last line. A comment that is never closed
// is text.
var comments = lazy.New(`^ {0,3}<!--(?s:.*?)-->(?:[ \t]*<!--(?s:.*?)-->)*([^\n]*\n?)`)

// cutComments appends the lines of comments that a text begins with, and returns what follows. What is after them in
// their last line is loaded.
func (x *Index) cutComments(text, section string) string {
	m := comments.FindStringSubmatch(text)
	if m == nil {
		return text
	}
	for raw := range strings.Lines(m[0]) {
		x.lines = append(x.lines, newLine(raw, section))
	}
	last := &x.lines[len(x.lines)-1]
	last.Text, _ = cutEnd(m[1])
	last.Scan = ScanLine(last.Text)
	return text[len(m[0]):]
}

// newLine returns a line, hidden as long as nothing else is known of it.
func newLine(raw, section string) Line {
	full, end := cutEnd(raw)
	return Line{full: full, end: end, section: section}
}

var fenceMark = lazy.New("^ *(?:(`{3,})[^`]*|(~{3,}).*)$")

// FenceMark returns the run of backticks or tildes that opens or closes a fenced block, or "".
func FenceMark(text string) string {
	m := fenceMark.FindStringSubmatch(text)
	if m == nil {
		return ""
	}
	return m[1] + m[2]
}

// closesLater reports whether a fence is closed: one that is not would hide every entry below.
func closesLater(rest, mark string) bool {
	for line := range strings.SplitSeq(rest, "\n") {
		if closesFence(line, mark) {
			return true
		}
	}
	return false
}

func closesFence(line, mark string) bool {
	line = strings.TrimSpace(line)
	return strings.HasPrefix(line, mark) && strings.Trim(line, mark[:1]) == ""
}

func kindOf(text string) lineKind {
	trimmed := strings.TrimSpace(text)
	switch {
	case trimmed == "" || strings.Trim(trimmed, "-*_= ") == "":
		return BlankLine
	case trimmed[0] == '#' && HeadingText(trimmed) != trimmed:
		return heading
	case BulletMarker(text) != "":
		return BulletLine
	case trimmed[0] == '|':
		if strings.Trim(trimmed, "|-: ") == "" {
			return BlankLine
		}
		return RowLine
	default:
		return ProseLine
	}
}

var bulletMarker = lazy.New(`^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+`)

// BulletMarker returns a list item's indent, mark and space, or "".
func BulletMarker(text string) string { return bulletMarker.FindString(text) }

var headingForm = lazy.New(`^#{1,6}(?:[ \t](.*))?$`)

// HeadingText returns the words of an ATX heading, and any other line as it is.
func HeadingText(text string) string {
	text = strings.TrimSpace(text)
	m := headingForm.FindStringSubmatch(text)
	if m == nil {
		return text
	}
	return strings.Trim(strings.TrimRight(strings.TrimSpace(m[1]), "#"), " \t*_")
}

// Lines returns the lines, which are only to be read.
func (x *Index) Lines() []Line { return x.lines }

// Bytes returns the file.
func (x *Index) Bytes() []byte {
	return []byte(x.bom + x.join())
}

func (x *Index) join() string {
	var b strings.Builder
	for i := range x.lines {
		b.WriteString(x.lines[i].full + x.lines[i].end)
	}
	return b.String()
}

// Size returns what a host measures: lines and bytes without frontmatter and comments.
func (x *Index) Size() (lines, bytes int) {
	for i := range x.lines {
		line := &x.lines[i]
		if line.Kind == hidden && strings.TrimSpace(line.Text) == "" {
			continue
		}
		lines++
		bytes += len(line.Text) + len(line.end)
	}
	return lines, bytes
}

// HasRoom reports whether a host would load the index whole with one line more.
func (x *Index) HasRoom(line string) bool {
	lines, bytes := x.Size()
	return lines < MaxIndexLines && bytes+len(line)+len("\r\n") <= MaxIndexBytes
}

// ByFile returns the first entry for each file of the directory that the index names.
func (x *Index) ByFile() map[string]Entry {
	entries := make(map[string]Entry)
	for _, e := range x.Entries() {
		if _, known := entries[e.File]; !known && !e.Outside {
			entries[e.File] = e
		}
	}
	return entries
}

// Entries returns the links of the index in order, several of one line among them.
func (x *Index) Entries() []Entry {
	var entries []Entry
	for i := range x.lines {
		line := &x.lines[i]
		for _, l := range line.Scan.Links {
			if l.Nowhere {
				continue
			}
			hook := line.hookSpan(l)
			entries = append(entries, Entry{
				Line: i + 1, Column: utf8.RuneCountInString(line.Text[:l.From]) + 1, File: l.File, Section: line.section, Text: line.full, Outside: l.Outside,
				Title: titleOf(line.Text[l.From+1 : l.label]),
				Hook:  strings.TrimSpace(line.Text[hook.from:hook.to]),
			})
		}
	}
	return entries
}
