package console

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"dream-mcp/consolidate"
	"dream-mcp/server/host"
)

// proposals lists what waits for the person, and does what they decide.
func (c *Command) proposals(ctx context.Context, p *consolidate.Project, _ host.Setup) error {
	switch {
	case len(c.Args) == 0:
		return c.listProposals(p)
	case len(c.Args) == 2 && c.Args[0] == "accept":
		return c.acceptProposal(ctx, p, c.Args[1])
	case len(c.Args) == 2 && c.Args[0] == "reject":
		m, err := p.Reject(c.Args[1])
		if err != nil {
			return err
		}
		if c.JSON {
			return c.printJSON(decision{Rejected: m.ID, Path: m.Path}, "")
		}
		_, err = fmt.Fprintf(c.Out, "Forgotten: %s stays as it is.\n", oneLine(m.Path))
		return err
	}
	return usage("proposals is followed by nothing, or by accept or reject and an ID")
}

// decision is what became of a proposal.
type decision struct {
	Accepted string `json:"accepted,omitempty"`
	Rejected string `json:"rejected,omitempty"`
	Path     string `json:"path"`
	Action   string `json:"action,omitempty"`
	Undo     string `json:"undo,omitempty"`
}

func (c *Command) acceptProposal(ctx context.Context, p *consolidate.Project, id string) error {
	m, res, err := p.Accept(ctx, id)
	if err != nil {
		return err
	}
	if c.JSON {
		return c.printJSON(decision{Accepted: m.ID, Path: m.Path, Action: res.Action, Undo: res.Undo}, "")
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", strings.ToUpper(res.Action[:1])+res.Action[1:], oneLine(m.Path))
	if res.Undo != "" {
		fmt.Fprintf(&b, "To take it back: %s\n", res.Undo)
	}
	_, err = io.WriteString(c.Out, b.String())
	return err
}

func (c *Command) listProposals(p *consolidate.Project) error {
	waiting, err := p.Proposals()
	if err != nil {
		return err
	}
	if c.JSON {
		return c.printJSON(waiting, "  ")
	}
	_, err = io.WriteString(c.Out, renderProposals(waiting, p.Now(), paintFor(c.Out)))
	return err
}

func renderProposals(waiting []consolidate.Proposal, now time.Time, ink paint) string {
	if len(waiting) == 0 {
		return "Nothing waits for you.\n"
	}
	var b strings.Builder
	for _, m := range waiting {
		what, origin := "change", "dream "+oneLine(m.Dream)
		if m.Dream == "" {
			origin = "outside a dream"
		}
		if m.Delete {
			what = "delete"
		}
		fmt.Fprintf(&b, "%s  %s %s  %s\n", ink.in(bold, m.ID), what, oneLine(m.Path), ink.in(dim, ago(now, m.Made)+", "+origin))
		fmt.Fprintf(&b, "  %s\n", oneLine(m.Reason))
		if m.Stale {
			fmt.Fprintf(&b, "  %s\n", ink.in(yellow, "the memory was changed since: it can only be rejected"))
			continue
		}
		b.WriteString(paintDiff(m.Diff, "  ", ink))
	}
	b.WriteString("Decide: dream-mcp proposals accept ID, or dream-mcp proposals reject ID\n")
	return b.String()
}
