package rule

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"dream-mcp/memory"
	"dream-mcp/memory/lazy"
	"dream-mcp/memory/rule/reldate"
	"dream-mcp/memory/text"
)

// maxEditText bounds, in bytes, the old text of an edit that a hint offers.
const maxEditText = 160

// findRelativeDates reads the body and the description. What the file said before counts from the day that it
// was written on, new text from now. Where the text itself says the day, there is nothing to find.
func findRelativeDates(v *view, n memory.Name, t *memory.Topic) []Finding {
	found := v.relativeDates(t)
	if _, isDated := memory.FirstDate(n.String()); isDated || len(found) == 0 || dayInName.MatchString(memory.StemOf(n.String())) {
		return nil // who reads a log of a day knows the day
	}
	stood := make(map[string]int)
	standing := v.After // the snapshot whose stamps say when old text was written
	if v.Before != nil && v.Before.Topics[n] != nil {
		standing = v.Before
		for _, d := range v.relativeDates(v.Before.Topics[n]) {
			stood[d.key()]++
		}
	}
	findings := make([]Finding, 0, len(found))
	for _, d := range found {
		isNew := v.Before != nil && stood[d.key()] == 0
		stood[d.key()]--
		if d.saysDay(v.Now) {
			continue
		}
		f := d.finding(v, n, standing, isNew)
		if last := len(findings) - 1; f.Severity == Info && last >= 0 && findings[last].Line == f.Line {
			continue // one for each line
		}
		findings = append(findings, f)
	}
	return findings
}

// dayInName matches a day without its year at the end of a file's name: standup_mar27, log-06_14b.
var dayInName = lazy.New(`(?i)(?:[-_](?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*[-_]?[0-3]?\d|(?:^|[-_])(?:0\d|1[0-2])[-_][0-3]\d)[a-z]?$`)

// relativeDate is one hit and where it is.
type relativeDate struct {
	reldate.Hit
	text     string // that Find was asked about: the body or the description
	line     int
	column   int
	sentence string // spaces aside
}

func (v *view) relativeDates(t *memory.Topic) []relativeDate {
	return read(v, t, "relative-date", func() (found []relativeDate) {
		t.EachText(func(text string, line, column int) {
			for _, hit := range reldate.Find(text) {
				at, in := position(text, hit.From, line, column)
				found = append(found, relativeDate{hit, text, at, in, memory.OneLine(hit.Sentence)})
			}
		})
		return found
	})
}

// key is what the same words of the same sentence have in common, wherever that is.
func (d *relativeDate) key() string { return d.Text + "\n" + d.sentence }

// finding is an info, and an error for a new word such as "yesterday" whose date is known.
func (d *relativeDate) finding(v *view, n memory.Name, standing *memory.Snapshot, isNew bool) Finding {
	f := Finding{File: n.String(), Line: d.line, Column: d.column, Severity: Info, subject: d.key()}
	day, from := v.Now, "today"
	if !isNew {
		day, from = fileWrittenOn(standing, n, v.Now)
	} else if source, ok := v.sourceOf(d.Sentence); ok {
		day, from = fileWrittenOn(v.Before, source, v.Now)
	}
	t := v.After.Topics[n]
	old := d.quoted(t, d.Text)
	if from == "" || from == fileTime && d.namesOtherDay() {
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
	if from != "today" {
		from = day.Format(time.DateOnly) + ", " + from
	}
	f.Message = fmt.Sprintf("%q is %s %s, counted from %s", d.Text, likely, date, from)
	f.Hint = v.editCall(n, quoteJSON(old), quoteJSON(d.quoted(t, date)))
	if !d.IsDay() || !d.Sure || strings.HasSuffix(from, fileTime) || d.hasRival() || d.namesOtherDay() {
		f.Hint = "write the date if that is meant: " + v.editCall(n, quoteJSON(old), toFind)
	}
	return f
}

// namesOtherDay reports whether the paragraph or item names a day: the words may count from that.
func (d *relativeDate) namesOtherDay() bool {
	start, end := text.Block(d.text, d.From)
	_, dated := memory.FirstDate(d.text[start:end])
	return dated
}

// dayWord matches a word that names a day by another.
var dayWord = lazy.New(`(?i)\b(?:yesterday|today|tomorrow|tonight)\b`)

var codeSpan = lazy.New("`[^`]*`")

// hasRival reports whether the sentence has more than one such word, or the hit more than a few: then it is about days in general.
func (d *relativeDate) hasRival() bool {
	const few = 3
	return len(dayWord.FindAllString(codeSpan.ReplaceAllString(d.Sentence, ""), 2)) > 1 || len(strings.Fields(d.Text)) > few
}

// fileTime is how a day is known from the file alone.
const fileTime = "the time of the file"

// sourceOf returns the memory that held a sentence before, whatever its name: what a dream merges was
// not written today.
func (v *view) sourceOf(sentence string) (memory.Name, bool) {
	for _, n := range sortedNames(v.Before.Topics) {
		if strings.Contains(v.Before.Topics[n].Body(), sentence) {
			return n, true
		}
	}
	return memory.Name{}, false
}

// datedAbove matches a heading, and a line that says when its section was written.
var datedAbove = lazy.New(`(?i)^[ \t>]*#|^[^\pL]*(?:date|(?:last )?updated|added|created|written|datum|fecha|日期|날짜)\b[*_ ]*[:：]`)

// saysDay reports whether the text itself says on which day the words were written, so that a reader knows what they mean: a
// date at the beginning of their paragraph or item, in a line such as "Date: …" above in their section, or in the nearest
// heading above with one.
func (d *relativeDate) saysDay(now time.Time) bool {
	const near = 24 // bytes of a block's beginning
	isPast := func(text string) bool {
		day, ok := memory.FirstDate(text)
		return ok && !day.After(now)
	}
	start, end := text.Block(d.text, d.From)
	block := strings.TrimLeft(d.text[start:end], "-*+#>| \t")
	if isPast(block[:min(len(block), near)]) {
		return true
	}
	inSection := true
	for _, line := range slices.Backward(strings.Split(d.text[:start], "\n")) {
		isHeading := strings.HasPrefix(strings.TrimLeft(line, " \t>"), "#")
		if datedAbove.MatchString(line) && (isHeading || inSection) && isPast(line) {
			return true
		}
		inSection = inSection && !isHeading
	}
	return false
}

// fileWrittenOn returns the day on which a file was written: what it says of itself, and last the time of the file,
// which a checkout changes.
func fileWrittenOn(s *memory.Snapshot, n memory.Name, now time.Time) (day time.Time, from string) {
	if day, ok := s.Topics[n].WrittenOn(n, now); ok {
		return day, "when the memory was written"
	}
	if day := s.ModTimes[n]; !day.IsZero() && !day.After(now) {
		return day, fileTime
	}
	return time.Time{}, ""
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

// word matches what is between two spaces, or of a script without spaces a few characters.
var wordBefore, wordAfter = lazy.New(`\S{0,20}\s*$`), lazy.New(`^\s*\S{0,20}`)

// wider returns a span with one more word at each side.
func wider(text string, from, to int) (int, int) {
	before := text[max(0, from-maxEditText):from]
	return from - len(wordBefore.FindString(before)), to + len(wordAfter.FindString(text[to:min(len(text), to+maxEditText)]))
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
