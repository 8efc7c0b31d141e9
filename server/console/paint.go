package console

import (
	"io"
	"os"
	"runtime"

	"golang.org/x/term"

	"dream-mcp/memory/secret"
)

// paint colours words on a terminal, and nowhere else. NO_COLOR is respected (no-color.org).
type paint bool

const (
	bold   = "1"
	dim    = "2"
	red    = "31"
	green  = "32"
	yellow = "33"
	cyan   = "36"
)

// colours are the sequences that paint writes, for a *secret.Writer to let through.
var colours = func() (sequences []string) {
	for _, colour := range []string{"0", bold, dim, red, green, yellow, cyan} {
		sequences = append(sequences, "\x1b["+colour+"m")
	}
	return sequences
}()

// shown returns the writer that makes what is written to out safe to show.
func shown(out io.Writer, allowed secret.Allowed) *secret.Writer {
	w := &secret.Writer{Out: out, Allowed: allowed}
	if paintFor(out) {
		w.Colours = colours
	}
	return w
}

func paintFor(w io.Writer) paint {
	if masks, ok := w.(*secret.Writer); ok {
		w = masks.Out
	}
	f, ok := w.(*os.File)
	if !ok || os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" || !term.IsTerminal(int(f.Fd())) {
		return false
	}
	// Older consoles of Windows print the sequences instead of obeying them.
	return runtime.GOOS != "windows" || os.Getenv("WT_SESSION") != ""
}

// in returns s in a colour; "" is none.
func (p paint) in(colour, s string) string {
	if !p || colour == "" || s == "" {
		return s
	}
	return "\x1b[" + colour + "m" + s + "\x1b[0m"
}
