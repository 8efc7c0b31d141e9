package console

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"dream-mcp/consolidate"
	"dream-mcp/consolidate/provenance"
	"dream-mcp/server/console/terminal"
	"dream-mcp/server/settings"
)

func runWhy(ctx context.Context, c *Command, p *consolidate.Project, _ settings.Setup) error {
	w, err := p.Sources.Why(ctx, strings.Join(c.Args, " "))
	if err != nil {
		return err
	}
	return c.answer(w, "  ", func(ink terminal.Ink) string { return renderWhy(w, p.Store.Now().Location(), ink) })
}

// whyWords is the number of characters of a source that are shown.
const whyWords = 400

// renderWhy describes where a memory comes from: who said it, and when it was written.
func renderWhy(w provenance.Why, zone *time.Location, ink terminal.Ink) string {
	b := terminal.Lines{Ink: ink}
	fmt.Fprintf(&b, "%s %s\n", ink.In(terminal.Bold, terminal.OneLine(w.Path)), ink.In(terminal.Dim, terminal.OneLine(w.Description)))
	b.Add(w.Deleted, "", "It is deleted. Its versions: dream-mcp undo --list %s", w.Path)
	b.Add(len(w.Sources) == 0 && !w.Deleted, "", "It has no source: it was written without evidence, or not by dream-mcp.")
	b.Add(len(w.Sources) > 0, "", "Sources, the newest last:")
	for _, o := range slices.SortedStableFunc(slices.Values(w.Sources), func(a, b provenance.Origin) int { return a.Said.Compare(b.Said) }) {
		b.Add(true, "", "%s", o.Line(whyWords))
	}
	b.Add(len(w.History) > 0, "", "Changes made through dream-mcp, the newest first:")
	for _, h := range w.History {
		undone, colour := "", ""
		if h.Undone {
			undone, colour = "  later undone", terminal.Yellow
		}
		b.Add(true, colour, "  %s  %s  %s%s", minute(h.Time, zone), h.Kind, h.ID, undone)
		for _, v := range h.Waived {
			b.Add(true, terminal.Dim, "    rule waived: %s: %s", v.Rule, v.Why)
		}
		b.Add(h.Loss != "", terminal.Dim, "    loss accepted: %s", h.Loss)
		b.Add(h.Summary != "", terminal.Dim, "    %s", h.Summary)
	}
	return b.String()
}
