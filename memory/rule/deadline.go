package rule

import (
	"dream-mcp/memory"
	"fmt"
	"regexp"
	"time"
)

var deadlineRule = rule{
	doc: Doc{
		Name:     "deadline",
		Summary:  "a memory names no deadline that has passed: whoever reads it takes it for open",
		Severity: Info,
		Catches:  "\"frozen until 2026-05-04\", \"due 2026-05-04\", \"the certificate expires on 2026-05-04\", bis, 까지, 截止 … where that day is over",
		Leaves:   "what is to come; what the same line calls done, expired or past (was, were, ✅, [x], ~~…~~); a bare \"until\", which mostly says what was; ranges from … until …; code",
		Bad:      "Merges are frozen until 2026-05-04.",
		Good:     "Merges were frozen until 2026-05-04. The certificate expires on 2031-05-04. [x] renew the domain by 2026-03-01",
	},
	topic: findPassedDeadlines,
}

var (
	isoDay = `(\d{4}-\d{2}-\d{2})\b`
	// deadlineBefore is a word of a deadline and the day that it names; deadlineAfter has the word last.
	deadlineBefore = regexp.MustCompile(`(?i)(?:\b(?:(?:valid|frozen|freeze|blocked|paused|on hold|locked|open|free|available|maintained|supported|booked|out of office|on leave) (?:until|through|till)|due(?: date| by| on)?|deadline(?: is| was)?|expir(?:es|y|ation)(?: date)?(?: on| at)?|re-?apply (?:by|before|after)|renew(?:al)? (?:by|before|on)|(?:submit|finish|ship|deliver|migrate|remove|decide|cancel|reply|respond|pay|sign) by|no later than|spätestens(?: am)?|fällig(?: am)?|läuft ab(?: am)?|frist(?: bis)?|gültig bis|bis(?: zum)?|jusqu'au|avant le|hasta(?: el)?|vence(?: el)?)|截止(?:日期|到|至)?|期限は?|締切は?|마감일?은?)[*_:：\s(]{0,4}` + isoDay)
	deadlineAfter  = regexp.MustCompile(isoDay + `[)\s]?(?:까지|まで|前に|之前|以前|截止|마감|締切)`)
	// isOver marks a line that knows that the day is over, or says what was.
	isOver = regexp.MustCompile(`(?i)~~|✅|✓|☑|\[x\]|\b(?:was|were|had|been|did|done|finished|complete[d]?|expired|passed|ended|closed|shipped|merged|resolved|fixed|cancell?ed|renewed|extended|superseded|history|historical|since|from|between|backfill(?:ed)?|data|covers?|war|waren|wurde|erledigt|von|seit|était|fue|desde)\b|(?:^|\W)(?:완료|지남|됨|已|完了|済)`)
)

// longLine bounds, in bytes, the lines that are read for meaning.
const longLine = 2000

func findPassedDeadlines(v *view, n memory.Name, t *memory.Topic) []Finding {
	var found places
	for number, line := range statements(t) {
		if _, dated := memory.FirstDate(line); !dated || isOver.MatchString(line) {
			continue
		}
		m := deadlineBefore.FindStringSubmatchIndex(line)
		if m == nil {
			m = deadlineAfter.FindStringSubmatchIndex(line)
		}
		if m == nil {
			continue
		}
		day, err := time.Parse(time.DateOnly, line[m[2]:m[3]])
		if err != nil || !day.AddDate(0, 0, 1).Before(v.now) {
			continue
		}
		if found.full() {
			continue
		}
		found.add(Finding{
			File: n.String(), Line: number, Column: columnAt(line, m[0]), subject: line,
			Message: fmt.Sprintf("%q has passed", cutText(memory.OneLine(line[m[0]:m[1]]), 60)),
			Hint:    "write what came of it, or delete the line",
		})
	}
	return found.all("deadlines that have passed")
}

// statements yields the description and the lines of text outside code that are short enough to be read
// for meaning, with their number in the file.
func statements(t *memory.Topic) func(yield func(int, string) bool) {
	return func(yield func(int, string) bool) {
		if description, line, ok := t.Field("description"); ok && !yield(line, description) {
			return
		}
		for number, line := range t.ProseLines() {
			if len(line) <= longLine && !yield(number, line) {
				return
			}
		}
	}
}
