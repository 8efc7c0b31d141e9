package memory

import (
	"regexp"
	"slices"
	"strings"

	"dream-mcp/memory/secret"
)

// cut empties a line. Where the last one had no line end, the one before it loses its own.
func (x *Index) cut(i int) {
	if x.lines[i].end == "" && i > 0 {
		x.lines[i-1].end = ""
	}
	x.lines[i].full, x.lines[i].end = "", ""
}

// Remove takes files out of the index and returns how many links it took. An item or a row that
// points to nothing else goes whole; of one that points to others too, only those links; of other text
// the link becomes its label.
func (x *Index) Remove(files ...string) (removed int) {
	wanted := make(map[string]bool, 2*len(files))
	for _, file := range files {
		wanted[file], wanted[CleanPath(file)] = true, true
	}
	points := func(l link) bool { return !l.Nowhere && wanted[l.File] }
	others := func(l link) bool { return !l.Nowhere && !wanted[l.File] }
	for i := len(x.lines) - 1; i >= 0; i-- {
		line := &x.lines[i]
		if line.Kind == hidden || !slices.ContainsFunc(line.Scan.Links, points) {
			continue
		}
		for _, l := range line.Scan.Links {
			if points(l) {
				removed++
			}
		}
		if (line.Kind == BulletLine || line.Kind == RowLine) && !slices.ContainsFunc(line.Scan.Links, others) {
			x.cut(i)
		} else {
			x.unlink(i, points)
		}
	}
	if removed > 0 {
		x.reread()
	}
	return removed
}

// minCutLine is the least length, in bytes, of the beginning of a line that "…" ends.
const minCutLine = 20

// RemoveLines takes out the lines that have one of some texts, with or without the mark of a list or a heading, as they
// may be shown. Of lines without a link, "begins…" removes what begins so, "section:NAME" what is below the heading
// NAME, which goes too if no link is left there, and "/expression/" what matches; of lines with a link only the last
// that has a text goes: the others name the memory. It returns the texts that no line has.
func (x *Index) RemoveLines(allowed secret.Allowed, texts ...string) (missing []string) {
	found := make(map[string]bool)
	under, linked := x.Headings()
	for i := len(x.lines) - 1; i >= 0; i-- {
		line := &x.lines[i]
		if line.Kind == hidden || line.Kind == BlankLine {
			continue
		}
		shown := strings.TrimSpace(allowed.Show(line.Text).Text)
		bare := strings.TrimSpace(shown[min(len(shown), len(strings.TrimSpace(BulletMarker(line.Text)))):])
		title := HeadingText(shown)
		gone := false
		for _, text := range texts {
			asked := strings.TrimSpace(text)
			is := slices.Contains([]string{shown, bare, title}, asked)
			if len(line.Scan.Links) > 0 {
				if is && !found[text] {
					gone, found[text] = true, true
				}
				continue
			}
			if start, cut := strings.CutSuffix(asked, "…"); cut && len(start) >= minCutLine {
				is = is || strings.HasPrefix(shown, start) || strings.HasPrefix(bare, start) || strings.HasPrefix(title, start)
			}
			if name, whole := strings.CutPrefix(asked, "section:"); whole {
				is = is || under[i] == strings.TrimSpace(name) && (line.Kind != heading || !linked[under[i]])
			}
			if len(asked) > 2 && asked[0] == '/' && asked[len(asked)-1] == '/' {
				expression, err := regexp.Compile(asked[1 : len(asked)-1])
				is = is || err == nil && expression.MatchString(shown)
			}
			if is {
				gone, found[text] = true, true
			}
		}
		if gone {
			x.cut(i)
		}
	}
	if len(found) > 0 {
		x.reread()
	}
	return slices.DeleteFunc(slices.Clone(texts), func(text string) bool { return found[text] })
}

// Headings returns the heading that each line is below, or is, and which headings have lines with links below them.
func (x *Index) Headings() (of []string, linked map[string]bool) {
	linked = make(map[string]bool)
	section := ""
	for i := range x.lines {
		line := &x.lines[i]
		if line.Kind == heading {
			section = HeadingText(strings.TrimSpace(line.Text))
		}
		of = append(of, section)
		if len(line.Scan.Links) > 0 {
			linked[section] = true
		}
	}
	return of, linked
}

// unlink takes links out of line i: those that the line begins with go with what parts them from the
// next, those within its words leave their label.
func (x *Index) unlink(i int, points func(link) bool) {
	line := &x.lines[i]
	text := line.full
	links, n := slices.Clone(line.Scan.Links), line.headEnd()
	if line.Kind != BulletLine {
		n = 0
	}
	for k := len(links) - 1; k >= 0; k-- { // from the right, so that the others keep their place
		l := links[k]
		if !points(l) {
			continue
		}
		links = slices.Delete(links, k, k+1)
		if k >= n {
			text = text[:l.From] + text[l.From+1:l.label] + text[l.To:]
			continue
		}
		n--
		switch {
		case k < n:
			text = text[:l.From] + text[links[k].From:]
		case k > 0:
			text = text[:links[k-1].To] + text[l.To:]
		default:
			text = text[:line.lead()] + text[l.To+separatorLen(text[l.To:]):]
		}
	}
	line.full = text
}
