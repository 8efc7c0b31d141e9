package console

import (
	"context"
	"fmt"
	"slices"
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
	return c.answer(w, "  ", func(ink paint) string { return renderWhy(w, p.Store.Now().Location(), ink) })
}

// whyWords is the number of characters of a source that are shown.
const whyWords = 400

// renderWhy describes where a memory comes from: who said it, and when it was written.
func renderWhy(w provenance.Why, zone *time.Location, ink paint) string {
	b := lines{ink: ink}
	fmt.Fprintf(&b, "%s %s\n", ink.in(bold, oneLine(w.Path)), ink.in(dim, oneLine(w.Description)))
	b.add(len(w.Sources) == 0, "", "It has no source: it was written without evidence, or not by dream-mcp.")
	b.add(len(w.Sources) > 0, "", "Sources, the newest last:")
	for _, o := range slices.SortedStableFunc(slices.Values(w.Sources), func(a, b provenance.Origin) int { return a.Said.Compare(b.Said) }) {
		b.add(true, "", "%s", o.Line(whyWords))
	}
	b.add(len(w.History) > 0, "", "Changes made through dream-mcp, the newest first:")
	for _, h := range w.History {
		undone, colour := "", ""
		if h.Undone {
			undone, colour = "  later undone", yellow
		}
		b.add(true, colour, "  %s  %s  %s%s", minute(h.Time, zone), h.Kind, h.ID, undone)
		for _, v := range h.Waived {
			b.add(true, dim, "    rule waived: %s: %s", v.Rule, v.Why)
		}
		b.add(h.Loss != "", dim, "    loss accepted: %s", h.Loss)
		b.add(h.Summary != "", dim, "    %s", h.Summary)
	}
	return b.String()
}
