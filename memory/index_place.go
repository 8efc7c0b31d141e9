package memory

import (
	"path"
	"slices"
	"strings"

	"dream-mcp/memory/lazy"
)

// insert places the words of a new entry and returns its line.
func (x *Index) insert(file Name, words, section string) string {
	if section != "" {
		for i := range x.lines {
			if x.lines[i].Kind == heading && strings.EqualFold(x.lines[i].section, section) {
				return x.insertBelow(i, words)
			}
		}
		x.addSection(section)
		return x.insertBelow(len(x.lines)-1, words)
	}
	if i, ok := x.home(file); ok {
		return x.insertBelow(i, words)
	}
	return x.insertAtTop(words)
}

// addSection appends a heading, with an empty line before it.
func (x *Index) addSection(section string) {
	if n := len(x.lines); n > 0 && x.lines[n-1].Kind != BlankLine {
		x.place(n, "")
	}
	x.place(len(x.lines), "## "+section)
}

// section is a part of the index with one heading, or the part before the first.
type section struct {
	start   int // its first line that says something; -1: none
	heading bool
	level   int // of the heading
	entries int
	kin     int  // entries of the type that the file's name begins with
	near    int  // entries of the file's folder
	open    bool // an entry that is not of another type
}

// sections returns the parts of the index, as far as they matter for a new entry.
func (x *Index) sections(file Name) []section {
	kind, folder := TypePrefix(file.String()), path.Dir(file.String())
	parts := []section{{start: -1}}
	for i := range x.lines {
		line := &x.lines[i]
		part := &parts[len(parts)-1]
		if line.Kind == heading {
			parts = append(parts, section{start: i, heading: true, level: len(line.Text) - len(strings.TrimLeft(line.Text, "#"))})
			continue
		}
		if line.Kind == hidden || line.Kind == BlankLine {
			continue
		}
		if part.start < 0 {
			part.start = i
		}
		if !line.isEntry() {
			continue
		}
		part.entries++
		its := TypePrefix(line.Scan.Links[0].File)
		if kind != "" && its == kind {
			part.kin++
		}
		if folder != "." && path.Dir(line.Scan.Links[0].File) == folder {
			part.near++
		}
		part.open = part.open || kind == "" || its == "" || !part.heading
	}
	return parts
}

// home returns the part of the index where an entry without a given section belongs: the one whose heading begins with the type of
// the file, the only one with entries of its folder or its type, or the only one whose heading and entries are not for something else.
// Where that is not certain, ok is false: an entry below a wrong heading says something wrong.
func (x *Index) home(file Name) (start int, ok bool) {
	kind := TypePrefix(file.String())
	parts := x.sections(file)
	only := func(fits func(*section) bool) (int, bool) {
		found := -1
		for i := range parts {
			if !fits(&parts[i]) {
				continue
			}
			if found >= 0 {
				return -1, false
			}
			found = i
		}
		if found < 0 {
			return -1, false
		}
		return parts[found].start, true
	}
	for i := range parts {
		if p := &parts[i]; p.heading && kind != "" && strings.HasPrefix(strings.ToLower(x.lines[p.start].section), kind) {
			return p.start, true
		}
	}
	if start, ok = only(func(p *section) bool { return p.near > 0 }); ok {
		return start, true
	}
	if start, ok = only(func(p *section) bool { return p.kin > 0 }); ok {
		return start, true
	}
	if path.Dir(file.String()) != "." {
		return -1, false
	}
	title := x.title(parts)
	return only(func(p *section) bool {
		if !p.heading || p.start == title {
			return p.open
		}
		return (p.open || p.entries == 0) && !keptForOthers.MatchString(x.lines[p.start].section)
	})
}

// title returns the line of the heading that is the title of the whole index: the first, if no other is of level 1; -1 if there is none.
func (x *Index) title(parts []section) int {
	if len(parts) < 2 || parts[0].start >= 0 || parts[1].level != 1 {
		return -1
	}
	for _, p := range parts[2:] {
		if p.level == 1 {
			return -1
		}
	}
	return parts[1].start
}

// insertAtTop places an entry in the part of the index that is not about anything in particular: before the first section, below the
// title.
func (x *Index) insertAtTop(words string) string {
	parts := x.sections(Name{})
	if parts[0].start >= 0 {
		return x.insertBelow(parts[0].start, words)
	}
	if title := x.title(parts); title >= 0 {
		return x.insertBelow(title, words)
	}
	at := 0
	for at < len(x.lines) && x.lines[at].Kind == hidden {
		at++
	}
	new := "- " + words
	if at < len(x.lines) && x.lines[at].Kind == heading {
		x.place(at, "")
	}
	x.place(at, new)
	return new
}

// keptForOthers matches the heading of another type, or of an archive, below which nothing new belongs.
var keptForOthers = lazy.New(`(?i)^(?:` + strings.Join(Types, "|") + `)` +
	`|\b(?:archived?|archives|deprecated|obsolete|superseded|completed|done|closed|old|past|historical|history|archiv|veraltet|erledigt)\b` +
	`|归档|历史|已完成|보관|완료|アーカイブ|完了`)

// isEntry reports whether a line is an item at the outermost level that begins with a link into the
// memory: one that a new entry may stand before.
func (line *Line) isEntry() bool {
	return line.Kind == BulletLine && line.Text[0] != '\t' && indentOf(line.Text) < 2 && line.headEnd() > 0 &&
		!line.Scan.Links[0].Outside && !line.Scan.Links[0].Nowhere
}

// insertBelow places an entry before the first one of the section that begins at line i, or, where
// that has none, after its last line that says something.
func (x *Index) insertBelow(i int, words string) string {
	last := i
	for j := i; j < len(x.lines) && (j == i || x.lines[j].Kind != heading); j++ {
		if line := &x.lines[j]; line.isEntry() {
			new := BulletMarker(line.Text) + words
			x.place(j, new)
			return new
		} else if line.Kind != BlankLine {
			last = j
		}
	}
	new := "- " + words
	x.place(last+1, new)
	return new
}

// lineEnd returns the line end that the neighbours of a line i have.
func (x *Index) lineEnd(i int) string {
	for _, near := range []int{i, i - 1, 0} {
		if near >= 0 && near < len(x.lines) {
			if end := x.lines[near].end; end != "" {
				return end
			}
		}
	}
	return "\n"
}

// place inserts an entry, or a last heading, before line i. It reads that line alone: it changes nothing about
// the lines around it, as long as it is in no fence or comment, and thousands may come one by one.
func (x *Index) place(i int, text string) {
	new := Line{full: text, end: x.lineEnd(i), Text: text, Kind: kindOf(text), Scan: ScanLine(text)}
	if i == len(x.lines) && i > 0 && x.lines[i-1].end == "" { // a file that ends without one stays so
		x.lines[i-1].end, new.end = new.end, ""
		if strings.HasSuffix(x.lines[i-1].full, "\r") {
			x.lines[i-1].end = "\r\n"
		}
	}
	if new.Kind == heading {
		new.section = HeadingText(text)
	} else if i > 0 {
		new.section = x.lines[i-1].section
	}
	x.lines = slices.Insert(x.lines, i, new)
	x.refs.AddLine(&new)
}
