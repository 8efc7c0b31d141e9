package terminal

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"time"

	"github.com/charmbracelet/x/ansi"

	"dream-mcp/consolidate/transcript/parallel"
)

// Working shows on a terminal what is being done, in one line that appears after a second and that stop removes.
// Nothing else may be written until then. The work must use the returned context.
func Working(ctx context.Context, out io.Writer, title string) (within context.Context, stop func()) {
	if !Is(out) {
		return ctx, func() {}
	}
	shown, width := false, cmp.Or(Width(out), TextWidth)-1
	within, end := parallel.Beat(ctx, title, time.Second, func(seconds int, message string) {
		shown = true
		fmt.Fprint(File(out), "\r"+ansi.Truncate(fmt.Sprintf("%s … %d s", message, seconds), width, "")+ansi.EraseLineRight)
	})
	return within, func() {
		if end(); shown {
			shown = false
			fmt.Fprint(File(out), "\r"+ansi.EraseLineRight)
		}
	}
}
