// Package diff compares two versions of a memory for a person: line by line, and word by word within a line that was
// changed. Fields that nobody writes by hand, such as `modified` and `sources`, are named in one line.
//
// The caller masks credentials before. A diff is for reading: what it folds away cannot be applied again.
package diff

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"dream-mcp/memory"
)

// Operations on a line.
const (
	Same    = ' '
	Deleted = '-'
	Added   = '+'
)

// context is the number of unchanged lines around a change.
const context = 3

// A Diff is the difference of two texts.
type Diff struct {
	Bookkeeping []string // the bookkeeping fields that differ, sorted
	Hunks       []Hunk
}

// A Hunk is a group of changes that are close to each other. Old and New are the numbers of its first lines, from 1.
type Hunk struct {
	Old, New int
	Lines    []Line
}

// A Line is one line of either text, without its end.
type Line struct {
	Op    rune
	Text  string
	Words []Word // set where the line replaces a similar one; together they are Text
}

// A Word is a part of a line.
type Word struct {
	Text    string
	Changed bool // the similar line has something else here
}

// Of compares two texts. An empty text is a file that does not exist.
func Of(before, after string) Diff {
	old, new := fold(before), fold(after)
	var d Diff
	for key := range maps.Keys(old.fields) {
		if old.fields[key] != new.fields[key] {
			d.Bookkeeping = append(d.Bookkeeping, key)
		}
	}
	for key := range maps.Keys(new.fields) {
		if _, known := old.fields[key]; !known {
			d.Bookkeeping = append(d.Bookkeeping, key)
		}
	}
	slices.Sort(d.Bookkeeping)
	// The edits come from the library itself, so they are consistent.
	unified, _ := udiff.ToUnifiedDiff("", "", old.text, udiff.Lines(old.text, new.text), context)
	for _, h := range unified.Hunks {
		hunk := Hunk{Old: old.number(h.FromLine), New: new.number(h.ToLine)}
		for _, l := range h.Lines {
			text, ended := strings.CutSuffix(l.Content, "\n")
			if !ended {
				text += "\n\\ No newline at end of file"
			}
			hunk.Lines = append(hunk.Lines, Line{Op: rune(" -+"[kinds[l.Kind]]), Text: text})
		}
		Pair(hunk.Lines)
		d.Hunks = append(d.Hunks, hunk)
	}
	return d
}

var kinds = map[udiff.OpKind]int{udiff.Equal: 0, udiff.Delete: 1, udiff.Insert: 2}

// folded is a text without its bookkeeping.
type folded struct {
	text    string
	fields  map[string]string
	numbers []int // of the lines that are left
}

func fold(text string) folded {
	fields, lines := memory.Bookkeeping(text)
	f := folded{fields: fields}
	var b strings.Builder
	i := 0
	for line := range strings.Lines(text) {
		if !lines[i] {
			b.WriteString(line)
			f.numbers = append(f.numbers, i+1)
		}
		i++
	}
	f.text = b.String()
	return f
}

// number returns where line i of the folded text is in the whole one.
func (f folded) number(i int) int {
	if i < 1 || i > len(f.numbers) {
		return i
	}
	return f.numbers[i-1]
}

// Unified returns d in the unified format, with the two names in its head. It is "" if nothing differs.
func (d Diff) Unified(from, to string) string {
	if len(d.Hunks)+len(d.Bookkeeping) == 0 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "--- %s\n+++ %s\n", from, to)
	if len(d.Bookkeeping) > 0 {
		fmt.Fprintf(&b, "# also changed: %s\n", strings.Join(d.Bookkeeping, ", "))
	}
	for _, h := range d.Hunks {
		old, new := 0, 0
		for _, l := range h.Lines {
			if l.Op != Added {
				old++
			}
			if l.Op != Deleted {
				new++
			}
		}
		fmt.Fprintf(&b, "@@ -%d,%d +%d,%d @@\n", h.Old, old, h.New, new)
		for _, l := range h.Lines {
			fmt.Fprintf(&b, "%c%s\n", l.Op, l.Text)
		}
	}
	return b.String()
}

// LineChanges returns the lines that a text loses ("- ") and gains ("+ "), in its order, without those that only moved.
func LineChanges(before, after string) []string {
	return append(LinesBeyond("- ", before, after), LinesBeyond("+ ", after, before)...)
}

// LinesBeyond returns the lines that a text has more often than another, after a mark.
func LinesBeyond(mark, text, other string) (lines []string) {
	left := make(map[string]int)
	for line := range strings.Lines(other) {
		left[strings.TrimRight(line, "\r\n")]++
	}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if left[line]--; left[line] < 0 && line != "" {
			lines = append(lines, mark+line)
		}
	}
	return lines
}
