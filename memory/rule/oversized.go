package rule

import (
	"fmt"
	"strings"

	"dream-mcp/memory"
)

// largeTopic is what one recall should load at most, in bytes. Half of real topics have less than
// 1.8 KB.
const largeTopic = 8 << 10

// maxHeadings bounds the parts that a finding names.
const maxHeadings = 6

func findOversized(_ *view, n memory.Name, t *memory.Topic) []Finding {
	size := len(t.Body())
	if size <= largeTopic || isFolderIndex(n) {
		return nil
	}
	hint := "keep what is needed each time, and move the rest to memories of its own, named in this one by [[name]]"
	if parts := partsOf(t); len(parts) > 1 {
		var named []string
		for _, p := range parts[:min(len(parts), maxHeadings)] {
			named = append(named, fmt.Sprintf("%q (%.1f KB)", cutText(p.heading, 40), float64(p.size)/1024))
		}
		hint = "split it by its headings into memories that name each other by [[name]]: " + strings.Join(named, ", ")
		if more := len(parts) - len(named); more > 0 {
			hint += fmt.Sprintf(" and %d more", more)
		}
	}
	return []Finding{{
		File: n.String(), subject: "size", Hint: hint,
		Message: fmt.Sprintf("this memory has %d KB, and should have at most %d", (size+1023)/1024, largeTopic/1024),
	}}
}

type part struct {
	heading string
	size    int
}

// partsOf returns the parts of a topic below headings of the highest level that it has twice.
func partsOf(t *memory.Topic) []part {
	for level := 1; level <= 3; level++ {
		mark := strings.Repeat("#", level) + " "
		var parts []part
		for _, line := range t.ProseLines() {
			if strings.HasPrefix(line, mark) {
				parts = append(parts, part{heading: memory.HeadingText(line)})
			} else if len(parts) > 0 {
				parts[len(parts)-1].size += len(line) + 1
			}
		}
		if len(parts) > 1 {
			return parts
		}
	}
	return nil
}
