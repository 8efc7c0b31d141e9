package memory

import (
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
	if i := x.home(file); i >= 0 {
		return x.insertBelow(i, words)
	}
	new := "- " + words
	at := 0
	for at < len(x.lines) && x.lines[at].Kind == hidden {
		at++
	}
	x.place(at, new)
	return new
}

// addSection appends a heading, with an empty line before it.
func (x *Index) addSection(section string) {
	if n := len(x.lines); n > 0 && x.lines[n-1].Kind != BlankLine {
		x.place(n, "")
	}
	x.place(len(x.lines), "## "+section)
}

// home returns the first line of the section where an entry without a given section belongs: the one
// whose heading begins with the type of the file, or that has entries of its type, or else the first with
// entries that neither its heading nor its entries keep for something else. Without one that is the
// first line; -1 in an index without a word.
func (x *Index) home(file Name) int {
	kind := TypePrefix(file.String())
	best, rank, start, fits := -1, 0, -1, true
	offer := func(r int) {
		if r > rank {
			best, rank = start, r
		}
	}
	for i := range x.lines {
		line := &x.lines[i]
		if line.Kind == heading {
			start = i
			if kind != "" && strings.HasPrefix(strings.ToLower(line.section), kind) {
				return i
			}
			fits = !keptForOthers.MatchString(line.section)
		}
		if line.Kind == hidden || line.Kind == BlankLine {
			continue
		}
		if start < 0 {
			start = i
		}
		offer(1)
		if !line.isEntry() {
			continue
		}
		if its := TypePrefix(line.Scan.Links[0].File); kind != "" && its == kind {
			offer(3)
		} else if fits && (kind == "" || its == "" || x.lines[start].Kind != heading) {
			offer(2)
		}
	}
	return best
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
