package memory

import "strings"

// The limits of what a host loads of the index; what lies beyond is not seen, and it is the end that
// is cut (FACTS 2.2).
const (
	MaxIndexLines = 200
	MaxIndexBytes = 25000
)

// Index is MEMORY.md, read line by line. Bytes returns what was parsed, byte for byte; Upsert and
// Remove change only the lines that they are about.
type Index struct {
	bom   string
	lines []indexLine
	refs  refs // of all lines
}

// indexLine is one line and what it is.
type indexLine struct {
	raw     string // with its ending
	text    string // what a host loads of it, without ending: nothing of frontmatter and comments
	kind    lineKind
	section string // the heading above
	scan    scan
}

type lineKind int

const (
	hidden lineKind = iota // in frontmatter, or partly a comment: never to be edited
	blank                  // nothing, or a rule of dashes
	heading
	bullet // an item of a list, ordered or not
	row    // of a table
	code   // within a fence
	prose
)

// ParseIndex reads an index. Every sequence of bytes is one.
func ParseIndex(data []byte) *Index {
	x := &Index{}
	text := string(data)
	if rest, ok := strings.CutPrefix(text, byteOrderMark); ok {
		x.bom, text = byteOrderMark, rest
	}
	x.parse(text)
	return x
}

func (x *Index) parse(text string) {
	x.lines, x.refs = nil, refs{}
	head, rest, _ := cutFrontmatter(text)
	for _, raw := range head {
		x.lines = append(x.lines, indexLine{raw: raw, kind: hidden})
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
			if n, kept := cutComment(rest); n > 0 {
				x.addComment(rest[:n], section, kept)
				rest = rest[n:]
				continue
			}
		}
		rest = rest[len(raw):]
		line := indexLine{raw: raw, section: section}
		line.text, _ = cutEnd(raw)
		switch mark := fenceMark(line.text); {
		case marks != "":
			line.kind = code
			if closesFence(line.text, marks) {
				marks = ""
			}
		case mark != "" && (unclosed[mark[0]] == 0 || len(mark) < unclosed[mark[0]]) && closesLater(rest, mark):
			marks, line.kind = mark, code
		default:
			if mark != "" {
				unclosed[mark[0]] = len(mark)
			}
			line.kind = kindOf(line.text)
			line.scan = scanLine(line.text)
		}
		if line.kind == heading {
			section = headingText(line.text)
			line.section = section
		}
		x.lines = append(x.lines, line)
	}
	for i := range x.lines {
		x.refs.addLine(&x.lines[i])
	}
}

// addComment appends the lines of a comment; what stands behind it in its last line is loaded.
func (x *Index) addComment(text, section, kept string) {
	for _, raw := range eachLine(text) {
		x.lines = append(x.lines, indexLine{raw: raw, kind: hidden, section: section})
	}
	last := &x.lines[len(x.lines)-1]
	last.text, _ = cutEnd(kept)
	last.scan = scanLine(last.text)
}

// cutComment returns the length of the lines that a comment at the beginning of text takes up, 0
// where there is none, and what of its last line stands behind it. A comment that is never closed is
// text.
func cutComment(text string) (n int, kept string) {
	const opening, closing = "<!--", "-->"
	if indentOf(text) > 3 {
		return 0, ""
	}
	for end := 0; ; {
		at := end + indentOf(text[end:])
		if !strings.HasPrefix(text[at:], opening) {
			return n, kept
		}
		i := strings.Index(text[at+len(opening):], closing)
		if i < 0 {
			return n, kept
		}
		end = at + len(opening) + i + len(closing)
		n = len(text)
		if i := strings.IndexByte(text[end:], '\n'); i >= 0 {
			n = end + i + 1
		}
		kept = text[end:n]
	}
}

// fenceMark returns the run of backticks or tildes that opens or closes a fenced block, or "".
func fenceMark(text string) string {
	text = strings.TrimLeft(text, " ")
	for _, c := range []string{"`", "~"} {
		rest := strings.TrimLeft(text, c)
		if run := len(text) - len(rest); run >= 3 && !(c == "`" && strings.Contains(rest, "`")) {
			return text[:run]
		}
	}
	return ""
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
		return blank
	case trimmed[0] == '#' && headingText(trimmed) != trimmed:
		return heading
	case bulletMarker(text) != "":
		return bullet
	case trimmed[0] == '|':
		if strings.Trim(trimmed, "|-: ") == "" {
			return blank
		}
		return row
	default:
		return prose
	}
}

// bulletMarker returns a list item's indent, mark and space, or "".
func bulletMarker(text string) string {
	in := indentOf(text)
	rest := text[in:]
	mark := 0
	if rest != "" && strings.IndexByte("-*+", rest[0]) >= 0 {
		mark = 1
	} else if digits := len(rest) - len(strings.TrimLeft(rest, "0123456789")); digits > 0 && digits < 10 && len(rest) > digits && strings.IndexByte(".)", rest[digits]) >= 0 {
		mark = digits + 1
	}
	space := indentOf(rest[mark:])
	if mark == 0 || space == 0 {
		return ""
	}
	return text[:in+mark+space]
}

// headingText returns the words of an ATX heading, and any other line as it is.
func headingText(text string) string {
	text = strings.TrimSpace(text)
	rest := strings.TrimLeft(text, "#")
	if level := len(text) - len(rest); level < 1 || level > 6 || rest != "" && rest[0] != ' ' && rest[0] != '\t' {
		return text
	}
	return strings.Trim(strings.TrimRight(strings.TrimSpace(rest), "#"), " \t*_")
}

// Bytes returns the file.
func (x *Index) Bytes() []byte {
	return []byte(x.bom + x.join())
}

func (x *Index) join() string {
	var b strings.Builder
	for i := range x.lines {
		b.WriteString(x.lines[i].raw)
	}
	return b.String()
}

// Size returns what a host measures: lines and bytes without frontmatter and comments.
func (x *Index) Size() (lines, bytes int) {
	for i := range x.lines {
		line := &x.lines[i]
		if line.kind == hidden && strings.TrimSpace(line.text) == "" {
			continue
		}
		lines++
		_, end := cutEnd(line.raw)
		bytes += len(line.text) + len(end)
	}
	return lines, bytes
}

// Entries returns the links of the index in order, several of one line among them.
func (x *Index) Entries() []Entry {
	var entries []Entry
	for i := range x.lines {
		line := &x.lines[i]
		for _, l := range line.scan.links {
			if l.nowhere {
				continue
			}
			hook := line.hookSpan(l)
			text, _ := cutEnd(line.raw)
			entries = append(entries, Entry{
				Line: i + 1, File: l.file, Section: line.section, Text: text, Outside: l.outside,
				Title: titleOf(line.text[l.from+1 : l.label]),
				Hook:  strings.TrimSpace(line.text[hook.from:hook.to]),
				Links: len(line.scan.links),
			})
		}
	}
	return entries
}
