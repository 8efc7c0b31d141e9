package memory

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"dream-mcp/memory/reldate"
)

// maxEditText bounds, in bytes, the old text of an edit that a hint offers.
const maxEditText = 160

var relativeDateRule = rule{
	doc: RuleDoc{
		Name:     "relative-date",
		Summary:  "a memory names days by their date: who reads it later does not know what day yesterday was",
		Severity: Error,
		Waivable: true,
		Catches:  "We froze deploys yesterday; 上周; 다음 주; 3日前; letzten Freitag; il y a deux semaines; el mes pasado",
		Leaves:   "yesterday (2026-11-17); the `today` filter; the \"Last week\" tab; every day the log of yesterday; the last 7 days; recently; 다음 주기",
		Bad:      "We froze deploys yesterday.",
		Good:     "We froze deploys yesterday (2026-11-17), as the `today` filter shows.",
	},
	topic: findRelativeDates,
}

// findRelativeDates reads the body and the description. What the file said before is a warning, and
// counts from the day the file was written on (CENSUS 5.18); what is new counts from now.
func findRelativeDates(v *view, n Name, t *Topic) []Finding {
	found := v.relativeDates(t)
	if len(found) == 0 {
		return nil
	}
	stood := make(map[string]int)
	written := t // the version whose stamp says when what stands was written
	if v.before != nil {
		if before := v.before.Topics[n]; before != nil {
			written = before
			for _, d := range v.relativeDates(before) {
				stood[d.key()]++
			}
		}
	}
	findings := make([]Finding, 0, len(found))
	for _, d := range found {
		isNew := v.before != nil && stood[d.key()] == 0
		stood[d.key()]--
		findings = append(findings, d.finding(v, n, written, isNew))
	}
	return findings
}

// relativeDate is one hit and where it stands.
type relativeDate struct {
	reldate.Hit
	text     string // that Find was asked about: the body or the description
	line     int
	sentence string // spaces aside
}

func (v *view) relativeDates(t *Topic) []relativeDate {
	return read(v, t, "relative-date", func() []relativeDate { return relativeDates(t, v.now) })
}

func relativeDates(t *Topic, now time.Time) []relativeDate {
	var found []relativeDate
	add := func(text string, line int) {
		at := 0
		for _, hit := range reldate.Find(text, now) {
			line += strings.Count(text[at:hit.From], "\n")
			at = hit.From
			found = append(found, relativeDate{hit, text, line, oneLine(hit.Sentence)})
		}
	}
	if description, line, ok := t.Field("description"); ok {
		add(description, line)
	}
	add(t.body, len(t.head)+1)
	return found
}

// key is what the same words of the same sentence have in common, wherever that stands.
func (d *relativeDate) key() string { return d.Text + "\n" + d.sentence }

func (d *relativeDate) finding(v *view, n Name, written *Topic, isNew bool) Finding {
	f := Finding{File: n.path, Line: d.line, Severity: Warning, subject: d.key()}
	var date, from string
	if isNew {
		f.Severity = Error
		date, from = d.Means, "today"
		if source := v.sourceOf(d.Sentence); source != nil {
			date, from = d.dated(source, v.now)
		}
	} else {
		date, from = d.dated(written, v.now)
	}
	t := v.after.Topics[n]
	old := d.quoted(t, d.Text)
	if date == "" {
		f.Message = fmt.Sprintf("%q names no date, and nothing here says when it was written", d.Text)
		f.Hint = "find out when, and write the date: " + v.editCall(n, quoteJSON(old), toFind)
		return f
	}
	likely := "most likely"
	if !d.Sure {
		likely = "perhaps"
	}
	f.Message = fmt.Sprintf("%q is %s %s, counted from %s", d.Text, likely, date, from)
	f.Hint = v.editCall(n, quoteJSON(old), quoteJSON(d.quoted(t, date)))
	return f
}

// sourceOf returns the memory that held a sentence before, whatever its name: what a dream merges was
// not written today.
func (v *view) sourceOf(sentence string) *Topic {
	for _, n := range sortedNames(v.before.Topics) {
		if t := v.before.Topics[n]; strings.Contains(t.body, sentence) {
			return t
		}
	}
	return nil
}

// dated returns what the words mean in a text that stands, and what they were counted from: the stamp
// of the file, else a date in the same paragraph, else nothing.
func (d *relativeDate) dated(written *Topic, now time.Time) (date, from string) {
	for _, key := range []string{"metadata.modified", "modified"} {
		if day, ok := firstDate(written.value(key)); ok && !day.After(now) {
			return d.Date(day), day.Format(time.DateOnly) + ", when the file was modified"
		}
	}
	if day, ok := firstDate(paragraphAt(d.text, d.From)); ok {
		return d.Date(day), day.Format(time.DateOnly) + ", the date in the same paragraph"
	}
	return "", ""
}

// quoted returns the words with as much of what is around as makes them occur once in the file, and
// with other words in their place.
func (d *relativeDate) quoted(t *Topic, words string) string {
	from, to := widened(string(t.Bytes()), d.text, d.From, d.To)
	return d.text[from:d.From] + words + d.text[d.To:to]
}

// widened returns the span of text, a part of file, with as much around it as makes it occur once there.
func widened(file, text string, from, to int) (int, int) {
	for to-from < maxEditText {
		_, n := findAll(file, text[from:to])
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

// firstDate returns the first ISO date of a text, as that day.
func firstDate(text string) (time.Time, bool) {
	const size = len(time.DateOnly)
	for i := 0; i+size <= len(text); i++ {
		if text[i] != '1' && text[i] != '2' || text[i+4] != '-' {
			continue
		}
		if day, err := time.Parse(time.DateOnly, text[i:i+size]); err == nil {
			return day, true
		}
	}
	return time.Time{}, false
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
