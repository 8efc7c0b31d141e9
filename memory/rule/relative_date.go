package rule

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"dream-mcp/memory"
	"dream-mcp/memory/rule/reldate"
)

// maxEditText bounds, in bytes, the old text of an edit that a hint offers.
const maxEditText = 160

// findRelativeDates reads the body and the description. What the file said before counts from the day that it
// was written on (CENSUS 5.18). New text counts from now, unless it says itself when it was written.
func findRelativeDates(v *view, n memory.Name, t *memory.Topic) []Finding {
	found := v.relativeDates(t)
	if len(found) == 0 {
		return nil
	}
	stood := make(map[string]int)
	standing := v.after // the snapshot whose stamps say when old text was written
	if v.before != nil && v.before.Topics[n] != nil {
		standing = v.before
		for _, d := range v.relativeDates(v.before.Topics[n]) {
			stood[d.key()]++
		}
	}
	findings := make([]Finding, 0, len(found))
	for _, d := range found {
		isNew := v.before != nil && stood[d.key()] == 0
		stood[d.key()]--
		findings = append(findings, d.finding(v, n, standing, isNew))
	}
	return findings
}

// relativeDate is one hit and where it is.
type relativeDate struct {
	reldate.Hit
	text     string // that Find was asked about: the body or the description
	line     int
	column   int
	sentence string // spaces aside
}

func (v *view) relativeDates(t *memory.Topic) []relativeDate {
	return read(v, t, "relative-date", func() []relativeDate { return relativeDates(t, v.now) })
}

func relativeDates(t *memory.Topic, now time.Time) []relativeDate {
	var found []relativeDate
	t.EachText(func(text string, line, column int) {
		for _, hit := range reldate.Find(text, now) {
			at, in := position(text, hit.From, line, column)
			found = append(found, relativeDate{hit, text, at, in, memory.OneLine(hit.Sentence)})
		}
	})
	return found
}

// key is what the same words of the same sentence have in common, wherever that is.
func (d *relativeDate) key() string { return d.Text + "\n" + d.sentence }

// finding is a warning, but an error for a new word such as "yesterday" whose date is known.
func (d *relativeDate) finding(v *view, n memory.Name, standing *memory.Snapshot, isNew bool) Finding {
	f := Finding{File: n.String(), Line: d.line, Column: d.column, Severity: Warning, subject: d.key()}
	day, from := d.writtenOn(v.now)
	switch {
	case from != "":
	case !isNew:
		day, from = fileWrittenOn(standing, n, d, v.now)
	default:
		day, from = v.now, "today"
		if source, ok := v.sourceOf(d.Sentence); ok {
			day, from = fileWrittenOn(v.before, source, d, v.now)
		}
	}
	t := v.after.Topics[n]
	old := d.quoted(t, d.Text)
	if from == "" {
		f.Message = fmt.Sprintf("%q names no date, and nothing here says when it was written", d.Text)
		f.Hint = "find out when, and write the date: " + v.editCall(n, quoteJSON(old), toFind)
		return f
	}
	if isNew && d.IsDay() {
		f.Severity = Error
	}
	likely := "most likely"
	if !d.Sure {
		likely = "perhaps"
	}
	date := d.Date(day)
	f.Message = fmt.Sprintf("%q is %s %s, counted from %s", d.Text, likely, date, from)
	f.Hint = v.editCall(n, quoteJSON(old), quoteJSON(d.quoted(t, date)))
	return f
}

// sourceOf returns the memory that held a sentence before, whatever its name: what a dream merges was
// not written today.
func (v *view) sourceOf(sentence string) (memory.Name, bool) {
	for _, n := range sortedNames(v.before.Topics) {
		if strings.Contains(v.before.Topics[n].Body(), sentence) {
			return n, true
		}
	}
	return memory.Name{}, false
}

// writtenOn returns the day on which the words were written, where the text says it: the date at the beginning
// of their paragraph or item, or in the nearest heading above with one; from is "" where it does not.
func (d *relativeDate) writtenOn(now time.Time) (day time.Time, from string) {
	const near = 24 // bytes of a paragraph's beginning
	paragraph := itemAt(d.text, d.From)
	if day, ok := memory.FirstDate(paragraph[:min(len(paragraph), near)]); ok && !day.After(now) {
		return day, day.Format(time.DateOnly) + ", the date in the same paragraph"
	}
	for above := d.text[:d.From]; ; {
		i := strings.LastIndex("\n"+above, "\n#")
		if i < 0 {
			return time.Time{}, ""
		}
		heading, _, _ := strings.Cut(above[i:], "\n")
		if day, ok := memory.FirstDate(heading); ok && !day.After(now) {
			return day, day.Format(time.DateOnly) + ", the date in the heading"
		}
		above = above[:max(0, i-1)]
		if i == 0 {
			return time.Time{}, ""
		}
	}
}

// fileWrittenOn returns the day on which a file was written: what its frontmatter says, the date in its name, a
// date in the same paragraph as the words, and last the time of the file, which a checkout changes.
func fileWrittenOn(s *memory.Snapshot, n memory.Name, d *relativeDate, now time.Time) (day time.Time, from string) {
	t := s.Topics[n]
	for _, key := range []string{"metadata.modified", "modified", "ended", "metadata.ended", "updated", "last_updated", "date"} {
		if day, ok := memory.FirstDate(t.Value(key)); ok && !day.After(now) {
			return day, day.Format(time.DateOnly) + ", when the file was modified"
		}
	}
	if day, ok := memory.FirstDate(n.String()); ok && !day.After(now) {
		return day, day.Format(time.DateOnly) + ", the date in the file's name"
	}
	if day, ok := memory.FirstDate(paragraphAt(d.text, d.From)); ok && !day.After(now) {
		return day, day.Format(time.DateOnly) + ", the date in the same paragraph"
	}
	if day := s.ModTimes[n]; !day.IsZero() && !day.After(now) {
		return day, day.Format(time.DateOnly) + ", the time of the file"
	}
	return time.Time{}, ""
}

// itemAt returns the text from the beginning of the paragraph, item or row around a place, without its mark.
func itemAt(text string, at int) string {
	start := strings.LastIndexByte(text[:at], '\n') + 1
	for start > 0 && strings.IndexAny(strings.TrimLeft(text[start:], " \t")[:1], "-*+#|>0123456789") != 0 {
		above := strings.LastIndexByte(text[:start-1], '\n') + 1
		if strings.TrimSpace(text[above:start]) == "" {
			break
		}
		start = above
	}
	return strings.TrimLeft(text[start:], "-*+#|> \t")
}

// quoted returns the words with as much of what is around as makes them occur once in the file, and
// with other words in their place.
func (d *relativeDate) quoted(t *memory.Topic, words string) string {
	from, to := widened(string(t.Bytes()), d.text, d.From, d.To)
	return d.text[from:d.From] + words + d.text[d.To:to]
}

// widened returns the span of text, a part of file, with as much around it as makes it occur once there.
func widened(file, text string, from, to int) (int, int) {
	for to-from < maxEditText {
		_, n := memory.Occurrences(file, text[from:to])
		left, right := wider(text, from, to)
		if n < 2 || right-left == to-from {
			break
		}
		from, to = left, right
	}
	return from, to
}

// wider returns a span with one more word at each side, or of a script without spaces a few runes.
func wider(text string, from, to int) (int, int) {
	left := strings.TrimRightFunc(text[:from], unicode.IsSpace)
	from = len(left)
	for from > 0 && len(left)-from < maxEditText/8 {
		r, size := utf8.DecodeLastRuneInString(text[:from])
		if unicode.IsSpace(r) {
			break
		}
		from -= size
	}
	right := strings.TrimLeftFunc(text[to:], unicode.IsSpace)
	if right == "" {
		return from, to
	}
	start := len(text) - len(right)
	to = start
	for to < len(text) && to-start < maxEditText/8 {
		r, size := utf8.DecodeRuneInString(text[to:])
		if unicode.IsSpace(r) {
			break
		}
		to += size
	}
	return from, to
}

// paragraphAt returns the lines around a place, up to an empty one.
func paragraphAt(text string, at int) string {
	start, offset := 0, 0
	for line := range strings.SplitAfterSeq(text, "\n") {
		if strings.TrimSpace(line) == "" {
			if offset > at {
				return text[start:offset]
			}
			start = offset + len(line)
		}
		offset += len(line)
	}
	return text[start:]
}

// quoteJSON writes a text as JSON does, with letters of every script as they are.
func quoteJSON(text string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(text) != nil {
		return `""`
	}
	return strings.TrimSuffix(b.String(), "\n")
}
