package rule

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"dream-mcp/memory"
	"dream-mcp/memory/phrase"
)

// longEntry is the length of an entry in characters, not bytes, from which on it is to be shortened. Over half of real
// entries have more than 150.
const longEntry = 250

// maxContent bounds the lines and the files that a finding names, maxIntroduction the lines of prose that may say how
// the index is used.
const (
	maxContent      = 12
	maxIntroduction = 5
)

// findIndexOverLimits reports an index that a host does not load whole. It is an error if the change makes it longer.
func findIndexOverLimits(v *view) []Finding {
	if v.After.Index == nil {
		return nil
	}
	hadLines, hadBytes := 0, 0
	if v.Before != nil && v.Before.Index != nil {
		hadLines, hadBytes = v.Before.Index.Size()
	}
	f := Finding{
		Severity: Warning, File: memory.IndexFile,
		Hint: "shorten hooks by finalize_index {\"upsert\": [{\"file\": …, \"text\": …}]}, merge memories, or remove entries; " +
			"a good size is under 140 lines and 17,000 bytes",
	}
	lines, bytes := v.After.Index.Size()
	var over []string
	add := func(have, had, limit int, unit string) {
		if have > limit {
			over = append(over, fmt.Sprintf("%d %s of %d", have, unit, limit))
			if have > had {
				f.Severity = Error
			}
		}
	}
	add(lines, hadLines, memory.MaxIndexLines, "lines")
	add(bytes, hadBytes, memory.MaxIndexBytes, "bytes")
	if over == nil {
		return nil
	}
	f.Message = "the index has " + strings.Join(over, " and ") + "; a host does not load what is beyond"
	f.subject = f.Message // a longer one is another finding
	return []Finding{f}
}

func findBadEntries(v *view) []Finding {
	x := v.After.Index
	if x == nil {
		return nil
	}
	var findings, content []Finding
	isContent := false
	sections, _ := x.Headings()
	first := make(map[string]int) // by section and file: the line that has its entry
	for i := range x.Lines() {
		line := &x.Lines()[i]
		if links := line.Scan.Links; line.Kind == memory.BulletLine && len(links) == 1 && v.keys()["f"+links[0].File] {
			entry := sections[i] + "\n" + links[0].File
			if at := first[entry]; at > 0 {
				findings = append(findings, Finding{
					File: memory.IndexFile, Line: i + 1, subject: line.Text,
					Message: fmt.Sprintf("%q has another line, %d", links[0].File, at),
					Hint:    fmt.Sprintf("finalize_index {\"remove\": [%s]} removes this one", quoteJSON(strings.TrimSpace(line.Text))),
				})
			} else {
				first[entry] = i + 1
			}
		}
		switch line.Kind {
		case memory.BulletLine, memory.RowLine, memory.ProseLine, memory.CodeLine:
		default:
			continue
		}
		if !line.PointsTo(v.keys()) {
			if !(line.Kind == memory.CodeLine && memory.FenceMark(line.Text) != "") && !(line.Kind == memory.RowLine && isTableHead(x.Lines(), i)) {
				content = append(content, Finding{File: memory.IndexFile, Line: i + 1})
				isContent = isContent || line.Kind != memory.ProseLine || len(content) > maxIntroduction
			}
			continue
		}
		if line.Kind == memory.BulletLine || line.Kind == memory.RowLine {
			findings = append(findings, v.checkLength(i, line)...)
		}
	}
	if isContent {
		findings = append(findings, contentFinding(x, content))
	}
	return findings
}

// checkLength returns a finding if an entry, line i of the index, is to be shortened.
func (v *view) checkLength(i int, line *memory.Line) []Finding {
	length := utf8.RuneCountInString(memory.OneLine(line.Text))
	if length <= longEntry {
		return nil
	}
	f := Finding{
		File: memory.IndexFile, Line: i + 1, subject: line.Text,
		Message: fmt.Sprintf("this entry has %d characters, and should have at most %d", length, longEntry),
		Hint:    "shorten its hook; the content belongs in the memory",
	}
	// Each memory of the line is named: a new hook for the first would drop the others from the index.
	var upserts []string
	for _, l := range line.Scan.Links {
		if n, err := memory.ParseName(l.File); err == nil && !l.Nowhere && !l.Outside && v.After.Topics[n] != nil {
			upserts = append(upserts, fmt.Sprintf("{\"file\": %q, \"text\": \"…\"}", l.File))
		}
	}
	if len(upserts) > 0 {
		f.Hint = fmt.Sprintf("finalize_index {\"upsert\": [%s]}; the content belongs in the memory", strings.Join(slices.Compact(upserts), ", "))
	}
	return []Finding{f}
}

// contentFinding returns one finding for the lines of the index that point to no memory.
func contentFinding(x *memory.Index, content []Finding) Finding {
	f, n := content[0], len(content)
	f.Message = "the index holds content that points to no memory: " + Places(content[:min(n, maxContent)])
	f.Hint = "write what they say into memories by write_memory, and leave a line for each in the index"
	if n > maxContent {
		f.Message = fmt.Sprintf("the index holds %d lines that point to no memory: %s", n, contentBySection(x, content))
		f.Hint += "; then finalize_index {\"remove\": [\"section:NAME\"]}"
	}
	return f
}

// contentBySection counts lines of the index by the heading above them, in their order.
func contentBySection(x *memory.Index, content []Finding) string {
	of, _ := x.Headings()
	var sections []string
	lines := make(map[string]int)
	for _, f := range content {
		name := of[f.Line-1]
		if lines[name]++; lines[name] == 1 {
			sections = append(sections, name)
		}
	}
	for i, name := range sections {
		sections[i] = fmt.Sprintf("%d below %q", lines[name], cutText(name, 60))
	}
	return phrase.Few(sections, maxContent)
}

// isTableHead reports whether line i names the columns of a table: a row above a line of dashes.
func isTableHead(lines []memory.Line, i int) bool {
	return i+1 < len(lines) && lines[i+1].Kind == memory.BlankLine && strings.HasPrefix(strings.TrimSpace(lines[i+1].Text), "|")
}
