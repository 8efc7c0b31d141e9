package console

import (
	"fmt"
	"strings"
)

// lines is a text that is built line by line.
type lines struct {
	strings.Builder
	ink paint
}

// add adds a line in a colour, which may be "", unless there is nothing to say. Line breaks in what is said become "; ".
func (b *lines) add(when bool, colour, format string, args ...any) {
	if when {
		b.WriteString(b.ink.in(colour, oneLine(fmt.Sprintf(format, args...))) + "\n")
	}
}
