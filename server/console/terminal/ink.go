// Package terminal reads from and formats text for a terminal: colours, width, wrapping between words, diffs, and
// questions.
//
// Where the output is not a terminal, there are no colours and nothing is wrapped. It keeps no state. Credentials are
// masked only by the writer that Masked returns.
package terminal

import (
	"io"
	"os"
	"runtime"

	"golang.org/x/term"

	"dream-mcp/memory/secret"
)

// Ink colours words where the output is a terminal and NO_COLOR is not set (no-color.org).
type Ink bool

// Colours of Ink.In.
const (
	Bold   = "1"
	Dim    = "2"
	Red    = "31"
	Green  = "32"
	Yellow = "33"
	Cyan   = "36"

	reverse = ";7" // added to a colour
)

// Colours are the sequences that Ink writes. A *secret.Writer leaves them as they are.
var Colours = func() (sequences []string) {
	for _, colour := range []string{"0", Bold, Dim, Red, Green, Yellow, Cyan, Red + reverse, Green + reverse} {
		sequences = append(sequences, "\x1b["+colour+"m")
	}
	return sequences
}()

// Masked returns a writer that masks credentials in what is written to out.
func Masked(out io.Writer, allowed secret.Allowed) *secret.Writer {
	w := &secret.Writer{Out: out, Allowed: allowed}
	if InkFor(out) {
		w.Colours = Colours
	}
	return w
}

// File returns the file that v reads or writes, or nil.
func File(v any) *os.File {
	if masks, ok := v.(*secret.Writer); ok {
		v = masks.Out
	}
	f, _ := v.(*os.File)
	return f
}

// Is reports whether v, a reader or a writer, is a terminal.
func Is(v any) bool {
	f := File(v)
	return f != nil && term.IsTerminal(int(f.Fd()))
}

// InkFor returns the ink for what is written to w.
func InkFor(w io.Writer) Ink {
	if os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" || !Is(w) {
		return false
	}
	// Older Windows consoles print the sequences as text.
	return runtime.GOOS != "windows" || os.Getenv("WT_SESSION") != ""
}

// In returns s in a colour, which may be "".
func (p Ink) In(colour, s string) string {
	if !p || colour == "" || s == "" {
		return s
	}
	return "\x1b[" + colour + "m" + s + "\x1b[0m"
}
