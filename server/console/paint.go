package console

import (
	"io"
	"os"
	"runtime"

	"golang.org/x/term"

	"dream-mcp/memory/secret"
)

// paint colours words where the output is a terminal and NO_COLOR is not set (no-color.org).
type paint bool

const (
	bold   = "1"
	dim    = "2"
	red    = "31"
	green  = "32"
	yellow = "33"
	cyan   = "36"

	reverse = ";7" // added to a colour
)

// colours are the sequences that paint writes. A *secret.Writer leaves them as they are.
var colours = func() (sequences []string) {
	for _, colour := range []string{"0", bold, dim, red, green, yellow, cyan, red + reverse, green + reverse} {
		sequences = append(sequences, "\x1b["+colour+"m")
	}
	return sequences
}()

// shown returns a writer that masks credentials in what is written to out.
func shown(out io.Writer, allowed secret.Allowed) *secret.Writer {
	w := &secret.Writer{Out: out, Allowed: allowed}
	if paintFor(out) {
		w.Colours = colours
	}
	return w
}

// fileOf returns the file that v reads or writes, or nil.
func fileOf(v any) *os.File {
	if masks, ok := v.(*secret.Writer); ok {
		v = masks.Out
	}
	f, _ := v.(*os.File)
	return f
}

// IsTerminal reports whether v, a reader or a writer, is a terminal.
func IsTerminal(v any) bool {
	f := fileOf(v)
	return f != nil && term.IsTerminal(int(f.Fd()))
}

func paintFor(w io.Writer) paint {
	if os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" || !IsTerminal(w) {
		return false
	}
	// Older Windows consoles print the sequences as text.
	return runtime.GOOS != "windows" || os.Getenv("WT_SESSION") != ""
}

// in returns s in a colour, which may be "".
func (p paint) in(colour, s string) string {
	if !p || colour == "" || s == "" {
		return s
	}
	return "\x1b[" + colour + "m" + s + "\x1b[0m"
}
