package rule

import (
	"fmt"
	"strings"

	"dream-mcp/memory"
)

// maxUnlinked bounds the memories that one finding names.
const maxUnlinked = 20

func findUnlinked(v *view) []Finding {
	x := v.After.Index
	if x == nil {
		return nil
	}
	linked := memory.Refs{}
	for i := range x.Lines() {
		line := &x.Lines()[i]
		if line.Kind == memory.RowLine {
			linked.AddLine(line)
		} else {
			linked.AddLine(&memory.Line{Scan: memory.Scan{Links: line.Scan.Links, Wikis: line.Scan.Wikis}})
		}
	}
	var named []string
	more, first, column := 0, 0, 0
	for _, n := range v.sortedNames() {
		if isFolderIndex(n) || !n.IsTopic() || linked.Names(n) || !x.Mentions(n) {
			continue
		}
		if len(named) == maxUnlinked {
			more++
			continue
		}
		at := x.LineNaming(n)
		if first == 0 {
			first, column = at, columnOf(x.Lines()[at-1].Text, memory.StemOf(n.String()))
		}
		named = append(named, fmt.Sprintf("%s (line %d)", n.String(), at))
	}
	if named == nil {
		return nil
	}
	list := strings.Join(named, ", ")
	if more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	return []Finding{{
		File: memory.IndexFile, Line: first, Column: column, subject: list,
		Message: fmt.Sprintf("named in the text or the backticks of the index, and linked to by none of its lines: %s", list),
		Hint:    "finalize_index {\"upsert\": [{\"file\": …, \"text\": …}]} gives each a line",
	}}
}
