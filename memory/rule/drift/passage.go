package drift

import (
	"strings"

	"dream-mcp/memory/lazy"
	"dream-mcp/memory/rule/prose"
	"dream-mcp/memory/text"
)

// passage is a code span or a line of a fence of shell commands.
type passage struct {
	from, to int
	kind     prose.Kind
}

func (s *passage) text(all string) string { return all[s.from:s.to] }

// passages returns what may name something of the project.
func passages(text string) []passage {
	var found []passage
	spans := prose.Spans(text)
	for _, s := range spans {
		switch {
		case s.Kind == prose.Code:
			found = append(found, passage{from: s.Inner, to: s.InnerTo, kind: prose.Code})
		case s.Kind == prose.Fence && shells[s.Language]:
			found = append(found, commands(text, s.Inner, s.InnerTo)...)
		}
	}
	return found[:min(len(found), maxPassages)]
}

// shells are the languages of fences that hold commands.
var shells = prose.Set("sh bash zsh shell console fish shell-session")

// command matches a line of a shell, beside its prompt and its comment.
var command = lazy.New(`(?m)^[ \t>]*(?:[$%] )?([^\s#].*?)[ \t]*(?: #.*)?\r?$`)

func commands(text string, from, to int) (found []passage) {
	for _, m := range command.FindAllStringSubmatchIndex(text[from:to], maxPassages) {
		found = append(found, passage{from: from + m[2], to: from + m[3], kind: prose.Fence})
	}
	return found
}

// around is what is said around a passage. The insides of code spans are blanked.
type around struct {
	before, after string // the rest of its sentence
	struck        bool   // ~~struck through~~
	scope         string // the heading and the lead ("Removed:") above it
}

func (s *passage) around(body string) around {
	from, to := text.Block(body, s.from)
	c := around{scope: text.Lead(body, s.from)}
	for heading := range text.Headings(body, from) {
		c.scope = heading + c.scope
		break
	}
	if s.kind == prose.Fence {
		return c
	}
	blanked := []byte(body[from:to])
	for _, span := range prose.Spans(body[from:to]) {
		for i := span.Inner; i < span.InnerTo; i++ {
			blanked[i] = 'x'
		}
	}
	words := string(blanked)
	start, end := text.Sentence(words, s.from-from, min(s.to-from, len(words)))
	c.before, c.after = words[start:s.from-from], words[min(s.to-from, end):end]
	c.struck = strings.Count(words[:s.from-from], "~~")%2 == 1
	if i := strings.LastIndex(c.before, "; "); i >= 0 {
		c.before = c.before[i:]
	}
	c.after, _, _ = strings.Cut(c.after, "; ")
	return c
}
