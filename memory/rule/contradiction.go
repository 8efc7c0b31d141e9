package rule

import (
	"fmt"
	"regexp"
	"strings"

	"dream-mcp/memory"
)

var (
	prescribed  = regexp.MustCompile("(?i)\\b(?:always|must(?: always)?|immer)[*_]*\\s+(?:use|run|pass|add|call|set|write|keep|commit|mit)?[*_\\s]*`([^`]{2,80})`")
	forbidden   = regexp.MustCompile("(?i)\\b(?:never|do not|don't|must not|must never|niemals|nie)[*_]*\\s+(?:use|run|pass|add|call|set|write|keep|commit|ever use|mit)?[*_\\s]*`([^`]{2,80})`")
	conditional = regexp.MustCompile(`(?i)\b(?:when|if|unless|except|only|until|before|after|while|during|without|outside|inside|instead|for|in|on|at|from|with|wenn|falls|außer|nur|beim?|vor|nach|ohne)\b`)
)

// saying is a line that prescribes or forbids something.
type saying struct {
	file memory.Name
	line int
	at   int // the column
	text string
}

func findOpposites(v *view) []Finding {
	does, forbids := make(map[string]saying), make(map[string]saying) // the first of each
	for _, n := range v.sortedNames() {
		for _, statement := range statements(v.after.Topics[n]) {
			if !strings.Contains(statement.text, "`") {
				continue
			}
			for _, sentence := range sentences(statement.text) {
				for words, said := range map[*regexp.Regexp]map[string]saying{prescribed: does, forbidden: forbids} {
					m := words.FindStringSubmatch(sentence)
					if m == nil || said[m[1]].line > 0 || conditional.MatchString(codeSpan.ReplaceAllString(sentence, "")) {
						continue
					}
					line, column := statement.place(strings.Index(statement.text, "`"+m[1]+"`"))
					said[m[1]] = saying{n, line, column, cutText(memory.OneLine(sentence), maxQuoted)}
				}
			}
		}
	}
	var findings []Finding
	for span, b := range forbids {
		if a := does[span]; a.line > 0 && a.text != b.text {
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
