package rule

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"dream-mcp/memory"
	"dream-mcp/memory/lazy"
	"dream-mcp/memory/text"
)

var (
	isoDay = lazy.New(`\d{4}-\d{2}-\d{2}(?:T|\b)`)
	// deadlineBefore matches the words of a deadline before its day, deadlineAfter those after it. A bare "until" mostly says what was,
	// in every language: it needs another word.
	deadlineBefore = lazy.New(`(?i)(?:\b(?:(?:valid|frozen|freeze|blocked|paused|on hold|locked|open|free|available` +
		`|maintained|supported|booked|out of office|on leave) (?:until|through|till)|due(?: date| by| on| before)?` +
		`|deadline(?: is| was)?|expir(?:es|y|ation)(?: date)?(?: on| at)?|re-?apply (?:by|before|after)|renew(?:al)? (?:by` +
		`|before|on)|(?:submit|finish|ship|deliver|migrate|remove|decide|cancel|reply|respond|pay|sign) by|no later than` +
		`|spätestens(?: am| bis)?|fällig(?: am)?|läuft ab(?: am)?|\pL*frist|(?:\pL*frist|fällig|gültig|gesperrt|eingefroren` +
		`|offen|verlängern|einreichen|abgeben|\pL*-?stopp) bis(?: zum)?|date limite|(?:valable|valide|bloquée?s?` +
		`|gelée?s?) jusqu'au|(?:rendre|payer|envoyer|renouveler) avant le|fecha límite|(?:válid[oa]s?|vigente|plazo` +
		`|abiert[oa]s?) hasta(?: el)?|vence(?: el)?)` +
		`|截止(?:日期|时间|時間)|(?:提交|续期|續期|报名|報名|申请|申請|有效)[^。；]{0,12}?(?:截止|截至|到|至)+|期限は?|締切は?|마감일?은?|(?:기한|유효)[^.]{0,12}?)[*_:：~≈\s(]{0,5}$`)
	deadlineAfter = lazy.New(`(?i)^[)\s]?(?:까지[^.]{0,12}?(?:제출|마감|유효|갱신|연장)|までに|まで有効|前に|(?:之前|以前` +
		`|前)[^。，]{0,4}?(?:提交|完成|续期|續期|必须|必須)|截止$|마감|締切)`)
	untilBefore = lazy.New(`(?i)\buntil [*_~]*$`)
	orderAfter  = lazy.New(`(?i)^[*_]*,? (?:do not|don't|never|avoid|keep|use|assume|treat|(?:[\pL-]+ ){1,5}(?:should|must))\b`)
	// isOver marks a sentence that knows that the day is over, says what was, or gives a range.
	isOver = lazy.New(`(?i)(?:^|[^\pL\d-])(?:was|were|had|been|did|done|finished|completed?|expired|passed|ended` +
		`|closed|shipped|merged|resolved|fixed|cancell?ed|renewed|extended|superseded|history|historical|backfill(?:ed)?|covers?` +
		`|n/a|auto-?renew\pL*|war|waren|wurde|erledigt|était|fue)\b|(?:^|\PL)(?:완료|지남|됨|已|完了|済)` +
		`|\b(?:from|between|von|vom|desde)\s+\d{4}-|-\d{2}\s?(?:부터|から|bis\b|to\b)`)
	// isMarked marks a line as done, or as an example.
	isMarked = lazy.New(`(?i)~~|✅|✓|☑|\[x\]|\be\.g\.`)
)

// longLine bounds, in bytes, the lines that are read for meaning.
const longLine = 2000

// passedDate is a date that has passed, as a memory names it.
type passedDate struct {
	day  time.Time
	file string
	line int
	said string
}

// findPassedDates lists the deadlines that have passed, the newest first. What came of them is for the reader to say.
func findPassedDates(v *view) []Finding {
	var passed []passedDate
	for _, n := range v.sortedNames() {
		passed = append(passed, passedDates(n, v.After.Topics[n], v.Now)...)
	}
	if passed == nil {
		return nil
	}
	slices.SortStableFunc(passed, func(a, b passedDate) int { return b.day.Compare(a.day) })
	var list []string
	for _, p := range passed[:min(len(passed), maxContent)] {
		list = append(list, fmt.Sprintf("%s:%d %q", p.file, p.line, p.said))
	}
	if more := len(passed) - len(list); more > 0 {
		list = append(list, fmt.Sprintf("and %d more", more))
	}
	return []Finding{{File: passed[0].file, Line: passed[0].line, Message: "dates that have passed: " + strings.Join(list, ", "), Hint: "write what came of each, or delete the line"}}
}

// passedDates returns the deadlines of a memory that have passed.
func passedDates(n memory.Name, t *memory.Topic, now time.Time) (passed []passedDate) {
	seen := make(map[time.Time]bool) // a day is mostly one deadline, in the description and in the text
	for _, said := range statements(t) {
		line := said.text
		if _, dated := memory.FirstDate(line); !dated || isMarked.MatchString(line) {
			continue
		}
		for _, at := range isoDay.FindAllStringIndex(line, -1) {
			from, to, is := deadlineAround(line, at[0], at[1])
			day, err := time.Parse(time.DateOnly, line[at[0]:at[0]+len(time.DateOnly)])
			if !is || err != nil || seen[day] || !day.AddDate(0, 0, 1).Before(now) || isOver.MatchString(fromSentence(line, from)) {
				continue
			}
			seen[day] = true
			number, _ := said.place(from)
			passed = append(passed, passedDate{day, n.String(), number, cutText(memory.OneLine(line[from:to]), 60)})
			break
		}
	}
	return passed
}

// nearDay bounds, in bytes, what is looked at before and after a day.
const nearDay = 48

// deadlineAround returns the words of the deadline that a day of a line is, or false.
func deadlineAround(line string, from, to int) (start, end int, ok bool) {
	before, after := line[max(0, from-nearDay):from], line[to:min(len(line), to+nearDay)]
	if m := deadlineBefore.FindStringIndex(before); m != nil {
		return from - len(before) + m[0], to, true
	}
	if m := deadlineAfter.FindStringIndex(after); m != nil {
		return from, to + m[1], true
	}
	m := untilBefore.FindStringIndex(before)
	if order := orderAfter.FindStringIndex(after); m != nil && order != nil {
		return from - len(before) + m[0], to + order[1], true
	}
	return 0, 0, false
}

// fromSentence returns the line from the sentence that holds a place: what came of it is said after it.
func fromSentence(line string, at int) string {
	before := text.Sentences(line[:at])
	return line[at-len(before[len(before)-1]):]
}

// statement is a text that is read for meaning, and the place of its beginning in the file.
type statement struct {
	text         string
	line, column int
}

// place returns the line and the column of a byte of the text.
func (s statement) place(at int) (line, column int) { return position(s.text, at, s.line, s.column) }

// statements returns the description and the lines of text outside code that are short enough to be read
// for meaning.
func statements(t *memory.Topic) (found []statement) {
	t.EachText(func(text string, line, column int) {
		if line < t.BodyLine() {
			found = append(found, statement{text, line, column})
		}
	})
	for number, line := range t.ProseLines() {
		if len(line) <= longLine {
			found = append(found, statement{line, number, 1})
		}
	}
	return found
}
