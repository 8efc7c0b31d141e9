package rule

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"dream-mcp/memory"
	"dream-mcp/memory/visible"
)

// maxNamed bounds the characters that a finding names; it counts all of them.
const maxNamed = 4

func findHidden(_ *view, n memory.Name, t *memory.Topic) []Finding {
	return findInvisible(n.String(), t.Bytes())
}

func findHiddenInIndex(v *view) []Finding {
	if v.After.Index == nil {
		return nil
	}
	return findInvisible(memory.IndexFile, v.After.Index.Bytes())
}

// findInvisible returns a finding for each line that hides something.
func findInvisible(file string, data []byte) (findings []Finding) {
	for i, line := range strings.Split(strings.TrimPrefix(string(data), memory.ByteOrderMark), "\n") {
		found := hiddenIn(line)
		if len(found) == 0 {
			continue
		}
		var named []string
		for _, h := range found[:min(len(found), maxNamed)] {
			r, _ := utf8.DecodeRuneInString(line[h.From:])
			named = append(named, fmt.Sprintf("U+%04X in column %d", r, columnAt(line, h.From)))
		}
		message := "characters that nobody sees: " + strings.Join(named, ", ")
		if n := len(found) - len(named); n > 0 {
			message += fmt.Sprintf(" and %d more", n)
		}
		findings = append(findings, Finding{
			File: file, Line: i + 1, Column: columnAt(line, found[0].From), subject: line,
			Message: message,
			Hint:    "write the line without them; where they are the point, write their names, as U+202E",
		})
	}
	return findings
}

// hiddenIn returns what is hidden in a line. Bytes that are not UTF-8 hide nothing.
func hiddenIn(line string) []visible.Run {
	return slices.DeleteFunc(visible.Runs(strings.TrimSuffix(line, "\r")), func(r visible.Run) bool { return r.Mark == "\uFFFD" })
}

// columnAt returns the column, from 1, of a place of a line.
func columnAt(line string, at int) int { return utf8.RuneCountInString(line[:at]) + 1 }
