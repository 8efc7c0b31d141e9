package memory

import (
	"math"
	"slices"
	"strings"

	"dream-mcp/memory/lazy"
	"dream-mcp/memory/text"
)

// insert places the words of a new entry and returns its line: in the section that is named, or in the one that it
// shares most with, after the entry there that shares most with it.
func (x *Index) insert(file Name, words, section string) string {
	parts := x.parts()
	var home *part
	for _, p := range parts {
		if section != "" && home == nil && p.heading >= 0 && strings.EqualFold(x.lines[p.heading].section, section) {
			home = p
		}
	}
	asked := text.TermsOf(words + " " + NameWords(file.String()))
	switch {
	case section == "":
		home = x.home(parts, file, asked)
	case home == nil:
		x.addSection(section)
		home = &part{heading: len(x.lines) - 1, from: len(x.lines) - 1, to: len(x.lines)}
	}
	if home == nil {
		return x.appendTo(x.introduction(parts), words)
	}
	near := home.nearest(asked)
	if near < 0 {
		return x.appendTo(home, words)
	}
	new := BulletMarker(x.lines[near].Text) + words
	x.place(x.itemEnd(near), new)
	return new
}

// addSection appends a heading, with an empty line before it.
func (x *Index) addSection(section string) {
	if n := len(x.lines); n > 0 && x.lines[n-1].Kind != BlankLine {
		x.place(n, "")
	}
	x.place(len(x.lines), "## "+section)
}

// part is a heading of the index with the lines below it, or the lines before the first heading.
type part struct {
	heading  int // the line of the heading; -1: there is none
	from, to int // its lines
	title    map[string]bool
	entries  []placed
	holders  map[string]int // in how many of its entries a term is
}

// placed is an entry, the line that it is in, and its terms.
type placed struct {
	at    int
	terms []string
}

// parts returns the parts of the index, with their entries.
func (x *Index) parts() []*part {
	parts := []*part{{heading: -1, holders: map[string]int{}}}
	for i := range x.lines {
		line, p := &x.lines[i], parts[len(parts)-1]
		if line.Kind == heading {
			p = &part{heading: i, from: i, title: map[string]bool{}, holders: map[string]int{}}
			for _, term := range text.TermsOf(line.section) {
				p.title[term] = true
			}
			parts = append(parts, p)
		}
		p.to = i + 1
		if !line.isEntry() {
			continue
		}
		e := placed{i, text.TermsOf(line.Text + " " + NameWords(line.Scan.Links[0].File))}
		for _, term := range e.terms {
			p.holders[term]++
		}
		p.entries = append(p.entries, e)
	}
	return parts
}

// What a term counts that a new entry shares with a part. Of 67 entries of real indexes with several headings that they
// were not chosen on, taken out and put back, these bring 53 below their own heading. Each can be halved or doubled.
const (
	ofHeading = 2.0 // in the heading; in all of the entries it counts 1
	unseen    = 3.0 // entries without the term that each part is taken to have besides its own
)

// home returns the part where a new entry with these terms belongs: the one whose heading and entries share the rarest
// of them, else the one with the most entries. It is nil where there is none, apart from archives and headings of
// another type than the file's.
func (x *Index) home(parts []*part, file Name, asked []string) (home *part) {
	most, kind := 0.0, typeOf(file.String())
	for _, p := range parts {
		if p.heading >= 0 {
			title := x.lines[p.heading].section
			if its := typeOf(title); isArchive.MatchString(title) || kind != "" && its != "" && its != kind {
				continue
			}
		}
		score := 0.0
		for _, term := range asked {
			weight := float64(p.holders[term]) / (float64(len(p.entries)) + unseen)
			if p.title[term] {
				weight = ofHeading
			}
			if weight == 0 {
				continue
			}
			have := 0
			for _, other := range parts {
				if other.title[term] || other.holders[term] > 0 {
					have++
				}
			}
			score += weight * math.Log(1+float64(len(parts))/float64(have))
		}
		if score > most || score == most && len(p.entries) > 0 && (home == nil || len(p.entries) > len(home.entries)) {
			home, most = p, score
		}
	}
	return home
}

// nearest returns the line of the entry that shares the rarest terms, the last of several; -1 where the part has no
// entry.
func (p *part) nearest(asked []string) int {
	at, most := -1, 0.0
	for _, e := range p.entries {
		score := 0.0
		for _, term := range asked {
			if _, has := slices.BinarySearch(e.terms, term); has {
				score += math.Log(1 + float64(len(p.entries))/float64(p.holders[term]))
			}
		}
		if score >= most {
			at, most = e.at, score
		}
	}
	return at
}

// introduction returns the part that is not about anything in particular: what is before the first heading, else what
// is below the title.
func (x *Index) introduction(parts []*part) *part {
	for i := range x.lines[:parts[0].to] {
		if kind := x.lines[i].Kind; kind != hidden && kind != BlankLine {
			return parts[0]
		}
	}
	if len(parts) > 1 && strings.HasPrefix(strings.TrimSpace(x.lines[parts[1].heading].Text), "# ") {
		return parts[1]
	}
	return parts[0]
}

// typeOf returns the type that a heading or a file's name begins with, or "".
func typeOf(s string) string {
	for _, kind := range Types {
		if strings.HasPrefix(strings.ToLower(s), kind) {
			return kind
		}
	}
	return ""
}

// isArchive matches the heading of an archive, below which nothing new belongs.
var isArchive = lazy.New(`(?i)\b(?:archived?|archives|deprecated|obsolete|superseded|completed|done|closed|old|past|historical|history|archiv|veraltet|erledigt)\b` +
	`|归档|历史|已完成|보관|완료|アーカイブ|完了`)

// isEntry reports whether a line is an item at the outermost level that begins with a link into the
// memory: one that a new entry may follow.
func (line *Line) isEntry() bool {
	return line.Kind == BulletLine && line.Text[0] != '\t' && indentOf(line.Text) < 2 && line.headEnd() > 0 &&
		!line.Scan.Links[0].Outside && !line.Scan.Links[0].Nowhere
}

// itemEnd returns the line after the item that begins in line i, with what is nested in it.
func (x *Index) itemEnd(i int) int {
	for i++; i < len(x.lines); i++ {
		line := &x.lines[i]
		if line.Kind != ProseLine && !(line.Kind == BulletLine && (line.Text[0] == '\t' || indentOf(line.Text) >= 2)) {
			break
		}
	}
	return i
}

// appendTo places an item after the last line of a part that says something, with an empty line between it and what is
// not a list.
func (x *Index) appendTo(p *part, words string) string {
	at := p.from
	for i := p.from; i < p.to; i++ {
		if x.lines[i].Kind != BlankLine {
			at = i + 1
		}
	}
	if at > p.from && !slices.Contains([]lineKind{heading, BulletLine, hidden}, x.lines[at-1].Kind) {
		x.place(at, "")
		at++
	}
	new := "- " + words
	x.place(at, new)
	if at+1 < len(x.lines) && !slices.Contains([]lineKind{BlankLine, BulletLine}, x.lines[at+1].Kind) {
		x.place(at+1, "")
	}
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
	x.refs.addLine(&new)
}
