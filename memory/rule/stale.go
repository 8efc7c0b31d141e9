package rule

import (
	"dream-mcp/memory"
	"dream-mcp/memory/rule/reldate"
	"fmt"
	"regexp"
	"strings"
	"time"
)

// staleDays is the age, in days, from which "current" is doubtful.
const staleDays = 30

var staleRule = rule{
	doc: Doc{
		Name:     "stale",
		Summary:  "what a memory calls current, in progress or next has a date, or is not older than 30 days",
		Severity: Info,
		Catches:  "a heading or label \"Current status\", \"In progress\", \"Next steps\", \"START HERE\" without a date, in a memory whose newest date is older than 30 days",
		Leaves:   "a line with a date, in figures or in words, and what is below a heading with one; a memory that names no date at all; \"current\" within a sentence",
		Bad:      "-- shop.md --\n---\nname: shop\ndescription: the rewrite of the shop\nmetadata:\n  type: project\n  modified: 2026-05-04\n---\n## Current status\n\nThe cart is done, the till is next.",
		Good:     "-- shop.md --\n---\nname: shop\ndescription: the rewrite of the shop\nmetadata:\n  type: project\n  modified: 2026-05-04\n---\n## Status on 2026-05-04\n\nThe cart is done. Use the current branch.",
	},
	topic: findStale,
}

var nowLabel = regexp.MustCompile(`(?i)^[#>*\s_-]*(?:[^\w\s#*]{1,3}\s)?[*_]*((?:current(?:ly)?[ -](?:status|state|focus|work|task|phase|sprint|blockers?|position|progress|priorit(?:y|ies))|in[ -]progress|work in progress|wip|start here|resume here|next (?:steps?|session|up|actions?)|right now|as of now|aktueller stand|in arbeit|nächste schritte|état actuel|en cours|estado actual|en progreso)\b|当前状态|当前进度|进行中|下一步|現状|進行中|次のステップ|현재 상태|진행 중|다음 단계)`)

func findStale(v *view, n memory.Name, t *memory.Topic) []Finding {
	day, ok := newestDate(n, t, v.now)
	if !ok || v.now.Sub(day) < staleDays*24*time.Hour {
		return nil
	}
	var findings []Finding
	more, dated := 0, 0 // dated: the level of a heading above that has a date
	for number, line := range statements(t) {
		if memory.HeadingText(line) != line {
			if level := len(line) - len(strings.TrimLeft(line, "#")); reldate.HoldsDate(line) {
				dated = level
			} else if level <= dated {
				dated = 0
			}
		}
		m := nowLabel.FindStringSubmatch(line)
		if m == nil || dated > 0 || isOver.MatchString(line) || reldate.HoldsDate(line) {
			continue
		}
		if len(findings) > 0 {
			more++
			continue
		}
		findings = append(findings, Finding{
			File: n.String(), Line: number, Column: columnOf(line, m[1]), subject: m[1],
			Message: fmt.Sprintf("%q has no date, and the newest date of this memory is %s", m[1], day.Format(time.DateOnly)),
			Hint:    "look what is true now; write it with its date, or delete what is over",
		})
	}
	if more > 0 {
		findings[0].Message += fmt.Sprintf("; %d more lines are like it", more)
	}
	return findings
}

// newestDate returns the newest day, not in the future, that the memory or its name gives.
func newestDate(n memory.Name, t *memory.Topic, now time.Time) (newest time.Time, ok bool) {
	const size = len(time.DateOnly)
	for _, text := range []string{n.String(), string(t.Bytes())} {
		for at := strings.Index(text, "20"); at >= 0 && len(text) >= at+size; {
			if d, err := time.Parse(time.DateOnly, text[at:at+size]); err == nil && !d.After(now) && d.After(newest) {
				newest, ok = d, true
			}
			text = text[at+2:]
			at = strings.Index(text, "20")
		}
	}
	return newest, ok
}
