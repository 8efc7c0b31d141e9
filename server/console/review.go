package console

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"dream-mcp/consolidate"
	"dream-mcp/consolidate/transcript"
	"dream-mcp/memory/rule"
	"dream-mcp/server/host"
)

// review shows what waits for the person. With --accept or --reject it answers; on a terminal it asks.
func (c *Command) review(ctx context.Context, p *consolidate.Project, _ host.Setup) error {
	switch {
	case c.Accept:
		return c.acceptReview(ctx, p, c.argument())
	case c.Reject:
		return c.rejectReview(ctx, p, c.argument())
	}
	waiting, err := p.Reviews(ctx)
	if err != nil {
		return err
	}
	if c.JSON {
		return c.printJSON(waiting, "  ")
	}
	if len(waiting) == 0 {
		_, err := io.WriteString(c.Out, "Nothing waits for you.\n")
		return err
	}
	return c.showReviews(ctx, p, waiting)
}

// showReviews shows what waits, one after the other, and asks about each.
func (c *Command) showReviews(ctx context.Context, p *consolidate.Project, waiting []consolidate.Review) error {
	for _, r := range waiting {
		if _, err := io.WriteString(c.Out, renderReview(r, p.Now(), paintFor(c.Out))); err != nil {
			return err
		}
		if err := c.askReview(ctx, p, r); err != nil {
			return err
		}
	}
	return nil
}

// askReview has the person answer, where they sit at a terminal; else it says how to.
func (c *Command) askReview(ctx context.Context, p *consolidate.Project, r consolidate.Review) error {
	if c.In == nil {
		_, err := fmt.Fprintf(c.Out, "\nTo land it: dream-mcp review --accept %s (of some files: --only FILE). To forget it: dream-mcp review --reject %s\n", r.ID, r.ID)
		return err
	}
	lines := bufio.NewScanner(c.In)
	for {
		if _, err := io.WriteString(c.Out, "\nLand it? y: yes, n: no, forget it; anything else: later > "); err != nil {
			return err
		}
		if !lines.Scan() {
			return lines.Err()
		}
		switch strings.ToLower(strings.TrimSpace(lines.Text())) {
		case "y", "yes":
			return c.acceptReview(ctx, p, r.ID)
		case "n", "no":
			return c.rejectReview(ctx, p, r.ID)
		}
		_, err := io.WriteString(c.Out, "It goes on waiting.\n")
		return err
	}
}

func (c *Command) acceptReview(ctx context.Context, p *consolidate.Project, id string) error {
	res, err := p.Accept(ctx, id, c.Only)
	if err != nil {
		return err
	}
	if c.JSON {
		return c.printJSON(res, "")
	}
	text := res.Report + "\n"
	if res.Undo != "" {
		text += "To take it back: " + res.Undo + "\n"
	}
	_, err = io.WriteString(c.Out, transcript.Visible(text))
	return err
}

func (c *Command) rejectReview(ctx context.Context, p *consolidate.Project, id string) error {
	id, err := p.Reject(ctx, id)
	if err != nil {
		return err
	}
	if c.JSON {
		return c.printJSON(struct {
			Rejected string `json:"rejected"`
		}{id}, "")
	}
	_, err = fmt.Fprintf(c.Out, "Forgotten: %s. The memory is as it was.\n", id)
	return err
}

func renderReview(r consolidate.Review, now time.Time, ink paint) string {
	var b strings.Builder
	what := "Dream "
	if len(r.Held) > 0 {
		what = "Changes "
	}
	fmt.Fprintf(&b, "%s  %s\n", ink.in(bold, what+r.ID), ink.in(dim, "proposed "+ago(now, r.Made)))
	fmt.Fprintf(&b, "It would be: %s\n", oneLine(r.Report))
	if r.Summary != "" {
		fmt.Fprintf(&b, "It says: %s\n", oneLine(r.Summary))
	}
	for _, file := range slices.Sorted(maps.Keys(r.Held)) {
		fmt.Fprintf(&b, "Only you may change %s: %s\n", oneLine(file), oneLine(r.Held[file]))
	}
	for _, k := range r.Conflicts {
		fmt.Fprintf(&b, "%s\n", ink.in(yellow, oneLine(fmt.Sprintf("! %s was changed since (%s when it was read, %s now): it can only be rejected", k.Name, sumOr(k.Want), sumOr(k.Have)))))
	}
	if r.Refused != "" {
		fmt.Fprintf(&b, "%s\n", ink.in(yellow, "! it would be refused now: "+oneLine(r.Refused)))
	}
	for _, f := range r.Findings {
		if f.Severity != rule.Info {
			fmt.Fprintf(&b, "%s\n", ink.in(dim, oneLine(fmt.Sprintf("%s: %s: %s", f.File, f.Rule, f.Message))))
		}
	}
	b.WriteByte('\n')
	return b.String() + paintDiff(r.Diff, "", ink)
}

// maxLogShown bounds what is shown of the log of a background dream, which is bounded where it is written.
const maxLogShown = 4 << 20

// backgroundLog shows what the background dream that ran last did, or does.
func (c *Command) backgroundLog(p *consolidate.Project) error {
	data, err := host.ReadFile(filepath.Join(p.StateDir(), host.BackgroundLog), maxLogShown)
	if errors.Is(err, fs.ErrNotExist) {
		_, err = io.WriteString(c.Out, "No dream has run in the background yet.\n")
		return err
	}
	if err != nil {
		return err
	}
	_, err = c.Out.Write(data)
	return err
}

// hook says what the verb is for: a host, which is not a terminal, is answered before it comes here.
func (c *Command) hook(context.Context, *consolidate.Project, host.Setup) error {
	return usage("hook is started by a host, which says on standard input what has happened")
}
