package terminal

import (
	"fmt"
	"strings"
)

// Lines is a text that is built line by line.
type Lines struct {
	strings.Builder
	Ink Ink
}

// Add adds a line in a colour, which may be "", unless there is nothing to say. Line breaks in what is said become ";
// ".
func (b *Lines) Add(when bool, colour, format string, args ...any) {
	if when {
		b.WriteString(b.Ink.In(colour, OneLine(fmt.Sprintf(format, args...))) + "\n")
	}
}
