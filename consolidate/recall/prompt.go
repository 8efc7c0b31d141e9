package recall

import (
	"regexp"
	"slices"
	"strings"

	"dream-mcp/consolidate/transcript/pasted"
	"dream-mcp/memory/related"
)

const (
	maxAsked  = 4000 // bytes of a prompt that are read
	maxTopics = 300  // that are read for a prompt, the newest
)

// A Note is a memory and the passage of it that a prompt touches.
type Note struct {
	*Memory
	Passage string
}

// notes returns the passages that a prompt is about. Mostly there are none. A description is none of them, since the
// index shows it.
func notes(prompt string, all []Memory) (notes []Note) {
	docs := make([]related.Document, len(all))
	for i, m := range all {
		docs[i] = related.Document{File: m.Path, Description: m.Description, Body: m.Body}
	}
	for _, p := range related.New(docs).About(prompt, nil) {
		m := &all[slices.IndexFunc(all, func(m Memory) bool { return m.Path == p.File })]
		if p.Text != m.Description {
			notes = append(notes, Note{m, p.Text})
		}
	}
	return notes
}

// longPath matches a path or URL up to its last element.
const longPath = `[^\s"'()\[\]]*[\\/][^\s"'()\[\]]*[\\/]`

// own returns what a person typed of a prompt: without pasted lines and code, and without the folders of paths, which
// match what names the same machine.
func own(prompt string) string {
	prompt = prompt[:min(len(prompt), maxAsked)]
	lines := strings.Split(prompt, "\n")
	var kept []string
	for i, l := range pasted.Lines(lines, maxAsked) {
		if l.Fenced == 0 && !l.Logged && !l.Printed {
			kept = append(kept, lines[i])
		}
	}
	return regexp.MustCompile(longPath).ReplaceAllString(strings.Join(kept, "\n"), "")
}
