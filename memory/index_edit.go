package memory

import (
	"strings"

	"dream-mcp/memory/lazy"
)

// span is a part of a line's text.
type span struct{ from, to int }

// headEnd returns the index past the last link of a line's head: the links that it begins with, one
// after the other. Links further on are part of what it says. A table's row is all head.
func (line *Line) headEnd() int {
	if line.Kind == RowLine {
		return len(line.Scan.Links)
	}
	n := 0
	for _, l := range line.Scan.Links {
		before := line.lead()
		if n > 0 {
			before = line.Scan.Links[n-1].To
		}
		gap := strings.Trim(line.Text[before:max(l.From, before)], " \t*_,;/&+")
		if l.From < before || gap != "" && (n == 0 || gap != "and") {
			break
		}
		n++
	}
	return n
}

var itemLead = lazy.New(`^(?:[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+)?(?:\[[ xX]\] )?`)

// lead returns where the words of a list item begin.
func (line *Line) lead() int { return len(itemLead.FindString(line.Text)) }

// hookSpan returns where a line says what the target of a link is about: in a table the next cell,
// else what follows the links that the line begins with, or the link itself.
func (line *Line) hookSpan(l link) span {
	text, at := line.Text, l.To
	if line.Kind == RowLine {
		_, cells, found := strings.Cut(text[at:], "|")
		if !found {
			return span{len(text), len(text)}
		}
		cell, _, _ := strings.Cut(cells, "|")
		from := len(text) - len(strings.TrimLeft(cells, " \t"))
		return span{from, max(from, len(text)-len(cells)+len(strings.TrimRight(cell, " \t")))}
	}
	if n := line.headEnd(); n > 0 && l.To <= line.Scan.Links[n-1].To {
		at = line.Scan.Links[n-1].To
	}
	to := len(strings.TrimRight(text, " \t"))
	return span{min(at+separatorLen(text[at:]), to), to}
}

var separator = lazy.New(`^(?:[*_]+)?[ \t]*(?:—|–|--|-|：|:|→|·|,)?`)

// separatorLen returns the length of what parts link and hook: emphasis that ends, spaces, a dash or
// a colon.
func separatorLen(text string) int {
	at := len(separator.FindString(text))
	if rest := text[at:]; strings.HasPrefix(rest, "**") && !strings.Contains(rest[2:], "**") {
		at += 2 // the emphasis that began before the link
	}
	return len(text) - len(strings.TrimLeft(text[at:], " \t"))
}

// Upsert makes the index say title and hook about a file, and returns the line as it was ("" for a
// new one) and as it is. An existing entry keeps its form (mark, separator, emphasis), and what is empty
// in the call. It moves only to another section that is named. One that shares its line with others gets
// a line of its own below, where a hook is given.
//
// A new entry comes after the one that it shares most with, in its section; see home. A section that is missing is made
// at the end.
func (x *Index) Upsert(file Name, title, hook, section string) (old, new string) {
	title, hook, section = OneLine(title), OneLine(hook), HeadingText(OneLine(section))
	i, k := x.find(file)
	if i < 0 {
		return "", x.insert(file, entryLine("", title, file, hook), section)
	}
	line := &x.lines[i]
	l, mark := line.Scan.Links[k], BulletMarker(line.Text)
	old = line.full
	shared := line.Kind == BulletLine && line.headEnd() > 1
	moves := line.Kind == BulletLine && section != "" && !strings.EqualFold(section, line.section)
	new = line.edited(l, file, title, hook)
	switch {
	case shared && (hook != "" || moves):
		if title == "" {
			title = titleOf(line.Text[l.From+1 : l.label])
		}
		new = mark + entryLine("", title, file, hook)
		x.unlink(i, func(l link) bool { return l.File == CleanPath(file.String()) })
		x.reread()
		if !moves {
			x.place(i+1, new)
			return old, new
		}
	case moves:
		x.cut(i)
		x.reread()
	case new != old:
		line.full = new
		x.reread()
	}
	if moves {
		new = x.insert(file, new[len(mark):], section)
	}
	return old, new
}

// find returns the line and link of a file's entry: an item of a list or the row of a table that
// begins with it. A link within other words is a mention, not an entry.
func (x *Index) find(file Name) (line, link int) {
	want := CleanPath(file.String())
	if !x.refs["f"+want] {
		return -1, -1
	}
	for i := range x.lines {
		if x.lines[i].Kind != BulletLine && x.lines[i].Kind != RowLine {
			continue
		}
		for k, l := range x.lines[i].Scan.Links[:x.lines[i].headEnd()] {
			if l.File == want && !l.Outside {
				return i, k
			}
		}
	}
	return -1, -1
}

// edited returns the line with another title and hook; what is empty stays.
func (line *Line) edited(l link, file Name, title, hook string) string {
	text := line.Text
	if hook = closeNoComment(hook); hook != "" {
		at := line.hookSpan(l)
		if line.Kind == RowLine {
			hook = strings.ReplaceAll(hook, "|", `\|`)
			if at.from == len(text) { // no further cell
				at, hook = span{l.To, l.To}, HookSeparator+hook
			}
		} else if at.from == at.to {
			at = span{len(strings.TrimRight(text, " \t")), len(text)}
			hook = HookSeparator + hook
		}
		text = text[:at.from] + hook + text[at.to:]
	}
	label := text[l.From+1 : l.label]
	if title == "" {
		return text
	}
	title = formatLabel(title, file)
	if line.Kind == RowLine {
		title = strings.ReplaceAll(title, "|", `\|`)
	}
	if t := strings.TrimSpace(label); strings.HasPrefix(t, "**") && strings.HasSuffix(t, "**") && len(t) > 4 {
		title = "**" + title + "**"
	}
	return text[:l.From+1] + title + text[l.label:]
}

// reread parses the lines as they are now. cut and unlink leave that to their caller, who may have
// thousands of lines to change.
func (x *Index) reread() { x.parse(x.join()) }
