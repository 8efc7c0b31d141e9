package console

import (
	"context"
	"fmt"
	"strings"
	"time"

	"dream-mcp/consolidate"
	"dream-mcp/consolidate/provenance"
	"dream-mcp/server/host"
)

func (c *Command) why(ctx context.Context, p *consolidate.Project, _ host.Setup) error {
	w, err := p.Sources.Why(ctx, strings.Join(c.Args, " "))
	if err != nil {
		return err
	}
	return c.answer(w, "  ", func(ink paint) string { return renderWhy(w, p.Now().Location(), ink) })
}

// whyWords is the number of characters of a source that are shown.
const whyWords = 400

// renderWhy describes where a memory comes from: who said it, and when it was written.
func renderWhy(w provenance.Why, zone *time.Location, ink paint) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s\n", ink.in(bold, oneLine(w.Path)), ink.in(dim, oneLine(w.Description)))
	if len(w.Sources) == 0 {
		b.WriteString("It has no source: it was written without evidence, or not by dream-mcp.\n")
	} else {
		b.WriteString("Sources, the newest last:\n")
	}
	for _, o := range w.Sources {
		b.WriteString(oneLine(o.Line(whyWords)) + "\n")
	}
	if len(w.History) > 0 {
		b.WriteString("Changes made through dream-mcp, the newest first:\n")
	}
	for _, h := range w.History {
		fmt.Fprintf(&b, "  %s  %s  %s", minute(h.Time, zone), oneLine(string(h.Kind)), oneLine(h.ID))
		if h.Undone {
			b.WriteString(ink.in(yellow, "  later undone"))
		}
		b.WriteByte('\n')
		for _, v := range h.Waived {
			fmt.Fprintf(&b, "    %s\n", ink.in(dim, oneLine("rule waived: "+v.Rule+": "+v.Why)))
		}
		if h.Loss != "" {
			fmt.Fprintf(&b, "    %s\n", ink.in(dim, oneLine("loss accepted: "+h.Loss)))
		}
		if h.Summary != "" {
			fmt.Fprintf(&b, "    %s\n", ink.in(dim, oneLine(h.Summary)))
		}
	}
	return b.String()
}
