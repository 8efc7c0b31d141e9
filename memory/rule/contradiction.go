package rule

import (
	"cmp"
	"dream-mcp/memory"
	"fmt"
	"regexp"
	"strings"
)

var contradictionRule = rule{
	doc: Doc{
		Name:     "contradiction",
		Summary:  "no two lines of the memory prescribe and forbid the same command, flag or path",
		Severity: Info,
		Catches:  "\"always use `--update-env`\" in one line, \"never use `--update-env`\" in another, of one memory or two",
		Leaves:   "what holds under a condition (when, if, unless, except, only, in …, without …); what is said without always, must, never or the like; two values for one name",
		Bad:      "-- a.md --\nAlways pass `--update-env` to PM2.\n-- b.md --\nNever pass `--update-env` to PM2.",
		Good:     "-- a.md --\nAlways pass `--update-env` to PM2.\n-- b.md --\nNever pass `--update-env` on the build server. Pass `--no-cache`.",
	},
	whole: findOpposites,
}

var (
	prescribed  = regexp.MustCompile("(?i)\\b(?:always|must(?: always)?|immer)\\s+(?:use|run|pass|add|call|set|write|keep|commit|mit)?\\s*`([^`]{2,80})`")
	forbidden   = regexp.MustCompile("(?i)\\b(?:never|do not|don't|must not|must never|niemals|nie)\\s+(?:use|run|pass|add|call|set|write|keep|commit|ever use|mit)?\\s*`([^`]{2,80})`")
	conditional = regexp.MustCompile(`(?i)\b(?:when|if|unless|except|only|until|before|after|while|during|without|outside|inside|instead|for|in|on|from|with|wenn|falls|außer|nur|beim?|vor|nach|ohne)\b`)
)

// saying is a line that prescribes or forbids something.
type saying struct {
	file memory.Name
	line int
	at   int // the column
	text string
}

func findOpposites(v *view) []Finding {
	type sides struct{ does, forbids []saying }
	said := make(map[string]*sides)
	var order []string
	for _, n := range v.sortedNames() {
		for _, statement := range statements(v.after.Topics[n]) {
			if !strings.Contains(statement.text, "`") {
				continue
			}
			for _, sentence := range sentences(statement.text) {
				never, always := forbidden.FindStringSubmatch(sentence), prescribed.FindStringSubmatch(sentence)
				m := cmp.Or(len(never), len(always))
				if m == 0 || len(never)*len(always) > 0 || conditional.MatchString(codeSpan.ReplaceAllString(sentence, "")) {
					continue
				}
				span := strings.Join(append(never, always...)[1:], "")
				if said[span] == nil {
					said[span], order = &sides{}, append(order, span)
				}
				line, column := statement.place(strings.Index(statement.text, "`"+span+"`"))
				s := saying{n, line, column, cutText(memory.OneLine(sentence), maxQuoted)}
				if len(never) > 0 {
					said[span].forbids = append(said[span].forbids, s)
				} else {
					said[span].does = append(said[span].does, s)
				}
			}
		}
	}
	var findings []Finding
	for _, span := range order {
		if does, forbids := said[span].does, said[span].forbids; len(does) > 0 && len(forbids) > 0 {
			a, b := does[0], forbids[0]
			findings = append(findings, Finding{
				File: b.file.String(), Line: b.line, Column: b.at, subject: span,
				Message: fmt.Sprintf("%q is forbidden here (“%s”) and prescribed in %s:%d (“%s”)", span, b.text, a.file.String(), a.line, a.text),
				Hint:    "find out which holds, and correct or delete the other; where both do, write when each holds",
			})
		}
	}
	return findings
}

var codeSpan = regexp.MustCompile("`[^`]*`")
