package rule

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"dream-mcp/memory"
)

// longDescription is the length in characters from which on a description is reported.
const longDescription = 250

func findPoorDescription(_ *view, n memory.Name, t *memory.Topic) []Finding {
	description, line, ok := t.Field("description")
	description = strings.TrimSpace(description)
	if !ok || description == "" || isFolderIndex(n) {
		return nil
	}
	f := Finding{File: n.String(), Line: line, Column: columnIn(t, line, description), subject: description}
	length := utf8.RuneCountInString(memory.OneLine(description))
	switch {
	case length > longDescription:
		f.Message = fmt.Sprintf("the description has %d characters, and should have at most %d", length, longDescription)
		f.Hint = "say in one line when this memory is needed; the rest belongs in its text"
	case repeats(description, n.String()+" "+t.Title()):
		f.Message = fmt.Sprintf("the description %.80q says no more than the name does", description)
		f.Hint = "say what the memory holds, in the words that somebody who needs it would use"
	default:
		return nil
	}
	return []Finding{f}
}

// emptyWords are those that a description can be made of without saying anything.
var emptyWords = memory.WordSet(`a an and about details documentation for general in info information it its memory misc my note notes of on or our
	overview some stuff the things this various`)

// repeats reports whether a text has words, and none that is neither in the name nor empty.
func repeats(text, name string) bool {
	known, said := memory.WordSet(name), memory.WordSet(text)
	for w := range said {
		if !known[w] && !emptyWords[w] {
			return false
		}
	}
	return len(said) > 0
}
