package console

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"dream-mcp/consolidate"
	"dream-mcp/consolidate/transcript"
	"dream-mcp/memory/rule"
	"dream-mcp/server/host"
)

// review shows what waits for the person: dreams that were proposed, and single changes that a dream was not allowed to
// make. With --accept or --reject it answers; on a terminal it asks.
func (c *Command) review(ctx context.Context, p *consolidate.Project, _ host.Setup) error {
	switch {
	case c.Accept:
		return c.acceptDream(ctx, p, c.argument())
	case c.Reject:
		return c.rejectDream(ctx, p, c.argument())
	}
	dreams, err := p.Reviews(ctx)
	if err != nil {
		return err
	}
	changes, err := p.Proposals()
	if err != nil {
		return err
	}
	if c.JSON {
		return c.printJSON(struct {
			Dreams    []consolidate.Review   `json:"dreams"`
			Proposals []consolidate.Proposal `json:"proposals"`
		}{dreams, changes}, "  ")
	}
	if len(dreams)+len(changes) == 0 {
		_, err := io.WriteString(c.Out, "Nothing waits for you.\n")
		return err
	}
	ink := paintFor(c.Out)
	for _, r := range dreams {
		if _, err := io.WriteString(c.Out, renderReview(r, p.Now(), ink)); err != nil {
			return err
		}
		if err := c.askDream(ctx, p, r); err != nil {
			return err
		}
	}
	if len(changes) > 0 {
		_, err = io.WriteString(c.Out, renderProposals(changes, p.Now(), ink))
	}
	return err
}

// askDream has the person answer, where they sit at a terminal; else it says how to.
func (c *Command) askDream(ctx context.Context, p *consolidate.Project, r consolidate.Review) error {
	if c.In == nil {
		_, err := fmt.Fprintf(c.Out, "\nTo land it: dream-mcp review --accept %s. To forget it: dream-mcp review --reject %s\n", r.ID, r.ID)
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
			return c.acceptDream(ctx, p, r.ID)
		case "n", "no":
			return c.rejectDream(ctx, p, r.ID)
		}
		_, err := io.WriteString(c.Out, "It goes on waiting.\n")
		return err
	}
}

func (c *Command) acceptDream(ctx context.Context, p *consolidate.Project, id string) error {
	res, err := p.AcceptDream(ctx, id)
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

func (c *Command) rejectDream(ctx context.Context, p *consolidate.Project, id string) error {
	id, err := p.RejectDream(ctx, id)
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
	fmt.Fprintf(&b, "%s  %s\n", ink.in(bold, "Dream "+r.ID), ink.in(dim, "proposed "+ago(now, r.Made)))
	fmt.Fprintf(&b, "It would be: %s\n", oneLine(r.Report))
	if r.Summary != "" {
		fmt.Fprintf(&b, "It says: %s\n", oneLine(r.Summary))
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

// hook tells a person what the verb is for: a host, which is no terminal, is answered before it comes here.
func (c *Command) hook(context.Context, *consolidate.Project, host.Setup) error {
	return usage("hook is started by a host, which says on standard input what has happened")
}
