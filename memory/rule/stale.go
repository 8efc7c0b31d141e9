package rule

import (
	"fmt"
	"strings"
	"time"

	"dream-mcp/memory"
	"dream-mcp/memory/lazy"
	"dream-mcp/memory/rule/reldate"
)

// staleDays is the age, in days, from which "current" is doubtful.
const staleDays = 30

var (
	nowLabel = lazy.New(`(?i)^[#>*\s_-]*(?:\d{1,2}[.)]\s+)?(?:[^\w\s#*]{1,3}\s)?[*_]*(` +
		`(?:current(?:ly)?[ -](?:project )?(?:status|state|focus|work|task|phase|sprint|blockers?|position|progress|priorit(?:y|ies))` +
		`|in[ -]progress|work in progress|wip|start here|resume here|next (?:steps?|session|up|actions?|priorit(?:y|ies)|tasks?|slice)` +
		`|what['’]s next|open todos?|not yet wired|right now|as of now` +
		`|aktueller stand|in arbeit|nächste schritte|nächster block|état actuel|en cours|estado actual|en progreso|próximos pas+os)\b` +
		`|当前状态|当前进度|进行中|开发中|開發中|待做|下一步|現状|進行中|次のステップ|현재 상태|현재 진행|진행 중|다음 단계|다음 할 일)`)
	// nowHeading is a word that is a label only as a heading of its own.
	nowHeading = lazy.New(`(?i)^\s*#+\s+(?:\d{1,2}[.)]\s+)?(?:[^\w\s#*]{1,3}\s)?[*_]*((?:status|remaining|pending` +
		`|pendientes?)(?: work| tasks?| items?)?)[*_:]*\s*$`)
	// isSettled is what follows a label of which nothing is left; isNothing is all that a line says.
	isSettled = lazy.New(`(?i)^[\s:：*_()—–-]*(?:all )?(?:done|finished|completed?|closed|shipped|merged|nothing` +
		`|none|n/a|erledigt|keine?|rien|nada|无|無|なし|없음)(?:\PL|$)`)
	isNothing = lazy.New(`(?i)^[\s*_()>.-]*(?:nothing|none|n/a|keine?|rien|nada|无|無|なし|없음)[\s*_().。]*$`)
)

func findStale(v *view, n memory.Name, t *memory.Topic) []Finding {
	day, ok := newestDate(n, t, v.Now)
	if !ok || v.Now.Sub(day) < staleDays*24*time.Hour {
		return nil
	}
	var findings []Finding
	dated, last := 0, false // the level of a heading above that has a date; the line before is a label
	for number, line := range t.ProseLines() {
		if len(line) > longLine || strings.TrimSpace(line) == "" {
			continue
		}
		if last && (isNothing.MatchString(line) || memory.BulletMarker(line) == "" && isSettled.MatchString(line)) {
			findings = findings[:len(findings)-1]
		}
		last = false
		if memory.HeadingText(line) != line {
			if level := len(line) - len(strings.TrimLeft(line, "#")); reldate.HoldsDate(line) {
				dated = level
			} else if level <= dated {
				dated = 0
			}
		}
		m := nowLabel.FindStringSubmatchIndex(line)
		if m == nil {
			m = nowHeading.FindStringSubmatchIndex(line)
		}
		if m == nil || dated > 0 || isMarked.MatchString(line) || isSettled.MatchString(line[m[3]:]) || reldate.HoldsDate(line) {
			continue
		}
		label := line[m[2]:m[3]]
		last = true
		findings = append(findings, Finding{
			File: n.String(), Line: number, Column: columnAt(line, m[2]), subject: label,
			Message: fmt.Sprintf("%q is as old as this memory, whose newest date is %s", label, day.Format(time.DateOnly)),
			Hint:    "look what is true now; write it with its date, or delete what is over",
		})
	}
	if more := len(findings) - 1; more > 0 {
		findings = findings[:1]
		findings[0].Message += fmt.Sprintf("; more labels like it: %d", more)
	}
	return findings
}

var isoDate = lazy.New(`20\d\d-\d\d-\d\d`)

// newestDate returns the newest day, not in the future, that the memory or its name gives.
func newestDate(n memory.Name, t *memory.Topic, now time.Time) (newest time.Time, ok bool) {
	for _, text := range isoDate.FindAllString(n.String()+"\n"+string(t.Bytes()), -1) {
		if day, err := time.Parse(time.DateOnly, text); err == nil && !day.After(now) && day.After(newest) {
			newest, ok = day, true
		}
	}
	return newest, ok
}
