package rule

import (
	"fmt"
	"strings"

	"dream-mcp/memory"
	"dream-mcp/memory/rule/reldate"
	"dream-mcp/memory/text"
)

// findRelativeDates refuses a word such as "yesterday" in new text: its day is known as long as it is being written. Of
// a week, a month or a weekday it warns. A sentence that any memory held before is not new, and where the text or the
// name of the file says the day there is nothing to find, nor in a question.
func findRelativeDates(v *view, n memory.Name, t *memory.Topic) (findings []Finding) {
	if _, dated := memory.FirstDate(n.String()); dated || v.Before == nil {
		return nil
	}
	t.EachText(func(body string, line, column int) {
		for _, hit := range reldate.Find(body) {
			sentence := memory.OneLine(hit.Sentence)
			asked := strings.HasSuffix(sentence, "?") || strings.HasSuffix(sentence, "？")
			if asked || !hit.IsDay() && !hit.IsLonger() || saysDay(body, hit.From) || v.stood(sentence) {
				continue
			}
			at, in := position(body, hit.From, line, column)
			date, severity := hit.Date(v.Now), Warning
			if hit.IsDay() {
				severity = Error
			}
			findings = append(findings, Finding{
				Severity: severity,
				File:     n.String(), Line: at, Column: in, subject: hit.Text + "\n" + sentence,
				Message: fmt.Sprintf("%q is %s, counted from today", hit.Text, date),
				Hint:    fmt.Sprintf("write %s for %q", date, hit.Text),
			})
		}
	})
	return findings
}

// stood reports whether a memory held a sentence before the change.
func (v *view) stood(sentence string) bool {
	for _, t := range v.Before.Topics {
		if strings.Contains(memory.OneLine(t.Description()+"\n"+t.Body()), sentence) {
			return true
		}
	}
	return false
}

// saysDay reports whether the paragraph or item around a place, or a heading above it, holds a date.
func saysDay(body string, at int) bool {
	start, end := text.Block(body, at)
	_, dated := memory.FirstDate(body[start:end])
	for heading := range text.Headings(body, at) {
		if dated {
			break
		}
		_, dated = memory.FirstDate(heading)
	}
	return dated
}
