package consolidate

import (
	"slices"
	"strings"

	"dream-mcp/memory"
	"dream-mcp/memory/related"
)

// In a later dream a memory of more than maxEntire bytes is shown in part if something new touches some of its
// passages, and nothing else is new about it.
const maxEntire = 1_200

// excerpt shows of f the passages that are touched, if it is a memory that is shown in part.
func (d *dream) excerpt(f *ReadResult) {
	file := f.Name.String()
	lines := d.pages.parts[file]
	if len(f.Text) <= maxEntire || f.Err != nil || f.Disk != nil || d.pages.whole[file] || lines == nil || d.Stage.Changed()[f.Name] {
		return
	}
	if text := excerpt(f.Text, lines); len(text) < len(f.Text) {
		f.Text, f.Part = text, true
	}
}

// excerpt returns the frontmatter of a topic, and of its body the passages that begin in some lines, each with the
// heading above it, as they are written. A line "…" is where something is left out.
func excerpt(text string, lines []int) string {
	topic := memory.ParseTopic([]byte(text))
	body := strings.SplitAfter(topic.Body(), "\n")
	kept := make([]bool, len(body))
	doc := related.Document{Body: topic.Body(), BodyAt: topic.BodyLine()}
	for _, p := range doc.Passages() {
		if !slices.Contains(lines, p.Line) {
			continue
		}
		from := p.Line - doc.BodyAt
		for i := range 1 + strings.Count(p.Text, "\n") {
			kept[from+i] = true
		}
		for i := from - 1; i >= 0; i-- {
			if line := strings.TrimSpace(body[i]); strings.HasPrefix(line, "#") && memory.HeadingText(line) != line {
				kept[i] = true
				break
			}
		}
	}
	var b strings.Builder
	b.WriteString(strings.TrimSuffix(text, topic.Body()))
	left := false
	for i, line := range body {
		switch {
		case kept[i]:
			b.WriteString(line)
		case strings.TrimSpace(line) != "" && !left:
			b.WriteString("…\n")
		}
		left = !kept[i] && (left || strings.TrimSpace(line) != "")
	}
	return b.String()
}
