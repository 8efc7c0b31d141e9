package drift

import (
	"strings"

	"dream-mcp/memory/lazy"
	"dream-mcp/memory/rule/prose"
	"dream-mcp/memory/text"
)

// passages returns the insides of what may name something of the project: code spans, and the lines of fences of shell
// commands.
func passages(text string) (found []prose.Span) {
	for _, s := range prose.Spans(text) {
		switch {
		case s.Kind == prose.Code:
			found = append(found, s)
		case s.Kind == prose.Fence && shells[s.Language]:
			for _, m := range command.FindAllStringSubmatchIndex(text[s.Inner:s.InnerTo], maxPassages) {
				found = append(found, prose.Span{Inner: s.Inner + m[2], InnerTo: s.Inner + m[3], Kind: prose.Fence})
			}
		}
	}
	return found[:min(len(found), maxPassages)]
}

// shells are the languages of fences that hold commands.
var shells = prose.Set("sh bash zsh shell console fish shell-session")

// command matches a line of a shell, beside its prompt and its comment.
var command = lazy.New(`(?m)^[ \t>]*(?:[$%] )?([^\s#].*?)[ \t]*(?: #.*)?\r?$`)

// boldLead begins a line: "- **Fixed:** …".
var boldLead = lazy.New(`^[ \t>]*(?:[-*+]|\d+\.)?[ \t]*\*\*[^*\n]{1,80}\*\*`)

// around is what is said around a passage. The insides of code spans are blanked.
type around struct {
	before, after string // the rest of its sentence
	struck        bool   // ~~struck through~~
	scope         string // the heading and the lead ("Removed:") above it
	next          string // the sentence after its own, if that names nothing itself
}

func aroundOf(s prose.Span, body string) around {
	from, to := text.Block(body, s.Inner)
	c := around{scope: text.Lead(body, s.Inner)}
	for heading := range text.Headings(body, from) {
		c.scope = heading + c.scope
		break
	}
	line := body[strings.LastIndexByte(body[:s.Inner], '\n')+1 : s.Inner]
	c.scope += boldLead.FindString(line)
	if s.Kind == prose.Fence {
		return c
	}
	blanked := []byte(body[from:to])
	for _, span := range prose.Spans(body[from:to]) {
		for i := span.Inner; i < span.InnerTo; i++ {
			blanked[i] = 'x'
		}
	}
	words := string(blanked)
	start, end := text.Sentence(words, s.Inner-from, min(s.InnerTo-from, len(words)))
	c.before, c.after = words[start:s.Inner-from], words[min(s.InnerTo-from, end):end]
	if end < len(words) {
		_, next := text.Sentence(words, end+1, end+1)
		if c.next = words[end:next]; strings.Contains(c.next, "`") {
			c.next = ""
		}
	}
	c.struck = strings.Count(words[:s.Inner-from], "~~")%2 == 1
	if i := strings.LastIndex(c.before, "; "); i >= 0 {
		c.before = c.before[i:]
	}
	c.after, _, _ = strings.Cut(c.after, "; ")
	return c
}
