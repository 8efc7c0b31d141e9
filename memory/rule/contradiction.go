package rule

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"dream-mcp/memory"
	"dream-mcp/memory/lazy"
	"dream-mcp/memory/rule/reldate"
	"dream-mcp/memory/text"
)

var (
	prescribed = lazy.New("(?i)\\b(?:always|must(?: always)?|immer)[*_]*\\s+(?:use|run|pass|add|call|set|write|keep|commit|mit)?[*_\\s]*`([^`]{2,80})`")
	forbidden  = lazy.New("(?i)\\b(?:never|do not|don't|must not|must never|niemals|nie)[*_]*\\s+" +
		"(?:use|run|pass|add|call|set|write|keep|commit|ever use|mit)?[*_\\s]*`([^`]{2,80})`")
	conditional = lazy.New(`(?i)\b(?:when|if|unless|except|only|until|before|after|while|during|without|outside` +
		`|inside|instead|for|in|on|at|from|with|wenn|falls|außer|nur|beim?|vor|nach|ohne)\b`)

	// valued matches a name and its value: --workers 4, PORT=3000, 412 tests.
	valued = lazy.New(`(--\pL[\w-]*)[ =](\d[\w.]*)|\b([A-Z][A-Z0-9_]{2,}) ?= ?(\d[\w.]*)|(?:^|[\s*])(\d[\d,]*)\** (?:\pL+ )?(tests)\b`)
	// history matches what says that a value was another, or that there are several.
	history = lazy.New(`(?i)\b(?:was|were|had|now|then|before|after|earlier|previous(?:ly)?|former(?:ly)?|used to|old|new|until|since|instead` +
		`|versus|vs|than|up|down|raised|lowered|increased|reduced|dropped|each|per|if|when|or|war|waren|jetzt|bisher|vorher)\b` +
		`|[→⇒~≈±|]|->|曾|原|已|이전|기존|以前`)
)

// saying is a line that says something of a name: prescribes or forbids it, or gives its value.
type saying struct {
	file   memory.Name
	line   int
	column int
	text   string
	value  string
}

func findOpposites(v *view) (findings []Finding) {
	does, forbids := make(map[string]saying), make(map[string]saying) // the first of each
	values := make(map[string]saying)                                 // by all that a sentence says but the value
	for _, n := range v.sortedNames() {
		for _, statement := range statements(v.After.Topics[n]) {
			if !strings.ContainsAny(statement.text, "`=") && !strings.Contains(statement.text, "tests") {
				continue // most lines
			}
			at := 0
			for _, sentence := range text.Sentences(statement.text) {
				say := func(in int) saying {
					line, column := statement.place(at + in)
					return saying{n, line, column, cutText(memory.OneLine(sentence), maxQuoted), ""}
				}
				for words, said := range map[*lazy.Regexp]map[string]saying{prescribed: does, forbidden: forbids} {
					m := words.FindStringSubmatchIndex(sentence)
					if m != nil && said[sentence[m[2]:m[3]]].line == 0 && !conditional.MatchString(codeSpan.ReplaceAllString(sentence, "")) {
						said[sentence[m[2]:m[3]]] = say(m[2] - 1)
					}
				}
				if in, value, name, rest := valueIn(sentence); name != "" {
					b := say(in)
					b.value = value
					if a, known := values[rest]; !known {
						values[rest] = b
					} else if a.value != value {
						findings = append(findings, b.against(a, name, fmt.Sprintf("%q is %s here (“%s”) and %s", name, value, b.text, a.value)))
					}
				}
				at += len(sentence)
			}
		}
	}
	for span, b := range forbids {
		if a := does[span]; a.line > 0 && a.text != b.text {
			findings = append(findings, b.against(a, span, fmt.Sprintf("%q is forbidden here (“%s”) and prescribed", span, b.text)))
		}
	}
	return findings
}

// valueIn returns the value that a sentence gives, its place and its name, and the words of the rest. A name is "" where it
// gives none, or says when or how far it holds.
func valueIn(sentence string) (at int, value, name, rest string) {
	m := valued.FindStringSubmatchIndex(sentence)
	if m == nil || history.MatchString(sentence) || reldate.HoldsDate(sentence) {
		return 0, "", "", ""
	}
	at, end := max(m[4], m[8], m[10]), max(m[5], m[9], m[11]) // of the one alternative that matches
	words := memory.WordSet(sentence[:at] + sentence[end:])
	maps.DeleteFunc(words, func(word string, _ bool) bool { return ordinary[word] })
	least := 4 // of a variable, which each service has its own of
	switch {
	case m[2] >= 0: // a flag
		least = 3
	case m[10] >= 0: // tests
		least = 1
	}
	if len(words) < least {
		return 0, "", "", ""
	}
	return at, sentence[at:end], sentence[max(m[2], m[6], m[12]):max(m[3], m[7], m[13])], strings.Join(slices.Sorted(maps.Keys(words)), " ")
}

func (s saying) against(other saying, subject, message string) Finding {
	return Finding{
		File: s.file.String(), Line: s.line, Column: s.column, subject: subject,
		Message: fmt.Sprintf("%s in %s:%d (“%s”)", message, other.file.String(), other.line, other.text),
		Hint:    "find out which holds, and correct or delete the other; where both do, write when each holds",
	}
}

var codeSpan = lazy.New("`[^`]*`")
