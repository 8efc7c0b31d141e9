package console

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"dream-mcp/consolidate"
	"dream-mcp/consolidate/transcript/said"
	"dream-mcp/memory/phrase"
	"dream-mcp/memory/rule"
	"dream-mcp/server/console/terminal"
	"dream-mcp/server/settings"
)

// reviewOptions are the flags of review.
type reviewOptions struct {
	accept, reject bool     // land it, or discard it
	only           []string // with accept: the files to land
}

// runReview shows what waits for the person. On a terminal it asks whether it lands; --accept and --reject decide.
func runReview(ctx context.Context, c *Command, p *consolidate.Project, setup settings.Setup) error {
	switch {
	case c.review.accept:
		return acceptReview(ctx, c, p, c.argument())
	case c.review.reject:
		return rejectReview(ctx, c, p, c.argument())
	}
	waiting, err := p.Proposals.Reviews(ctx)
	unreadable := p.Proposals.Unreadable()
	switch {
	case err != nil:
		return err
	case c.json:
		return cmp.Or(c.printJSON(waiting, "  "), unreadable)
	case len(waiting) == 0 && unreadable == nil:
		return c.print("Nothing is waiting for your answer.\n")
	}
	return cmp.Or(showReviews(ctx, c, p, setup, waiting), unreadable)
}

// showReviews shows each proposal and asks about it.
func showReviews(ctx context.Context, c *Command, p *consolidate.Project, setup settings.Setup, waiting []consolidate.Review) error {
	for _, r := range waiting {
		if err := c.print(renderReview(r, p.Store.Now(), terminal.InkFor(c.Out))); err != nil {
			return err
		}
		if err := askReview(ctx, c, p, setup, r); err != nil {
			return err
		}
	}
	return nil
}

// askReview asks whether a proposal lands. Without a terminal it prints the commands.
func askReview(ctx context.Context, c *Command, p *consolidate.Project, setup settings.Setup, r consolidate.Review) error {
	if c.In == nil {
		return c.print(fmt.Sprintf("\nTo land it: dream-mcp review --accept %s (of some files: --only FILE). "+
			"To reject it: dream-mcp review --reject %s\n", r.ID, r.ID))
	}
	answer, err := c.ask(ctx, "\nLand it? y: yes, n: no, reject it; p: its page; anything else: later > ")
	switch {
	case err != nil:
		return err
	case isYes(answer):
		return acceptReview(ctx, c, p, r.ID)
	case strings.EqualFold(answer, "n"), strings.EqualFold(answer, "no"):
		return rejectReview(ctx, c, p, r.ID)
	case strings.EqualFold(answer, "p"):
		if err := openReport(ctx, c, p, setup, r.ID); err != nil {
			return err
		}
		return askReview(ctx, c, p, setup, r)
	}
	return c.print("It continues to wait.\n")
}

func acceptReview(ctx context.Context, c *Command, p *consolidate.Project, id string) error {
	res, err := p.Proposals.Accept(ctx, id, c.review.only)
	if err != nil {
		return err
	}
	return c.answer(res, "", func(terminal.Ink) string {
		text := res.Report + "\n"
		if res.Undo != "" {
			text += "To undo it: " + res.Undo + "\n"
		}
		return said.Visible(text)
	})
}

func rejectReview(ctx context.Context, c *Command, p *consolidate.Project, id string) error {
	id, err := p.Proposals.Reject(ctx, id)
	if err != nil {
		return err
	}
	return c.answer(map[string]string{"rejected": id}, "", func(terminal.Ink) string {
		return fmt.Sprintf("Rejected: %s. The memory is as it was.\n", id)
	})
}

func renderReview(r consolidate.Review, now time.Time, ink terminal.Ink) string {
	b := terminal.Lines{Ink: ink}
	what := "Dream "
	if len(r.Held) > 0 {
		what = "Changes "
	}
	fmt.Fprintf(&b, "%s  %s\n", ink.In(terminal.Bold, what+r.ID), ink.In(terminal.Dim, "proposed "+phrase.Ago(now, r.Made)))
	b.Add(true, "", "If it lands: %s", r.Report)
	b.Add(r.Summary != "", "", "Its summary: %s", r.Summary)
	for _, file := range slices.Sorted(maps.Keys(r.Held)) {
		b.Add(true, "", "Only you may change %s: %s", file, r.Held[file])
	}
	for _, k := range r.Conflicts {
		b.Add(true, terminal.Yellow, "! %s was changed later (%s when it was read, %s now): this can only be rejected", k.Name, sumOr(k.Want), sumOr(k.Have))
	}
	b.Add(r.Refused != "", terminal.Yellow, "! refused as the memory is now: %s", r.Refused)
	for _, f := range r.Findings {
		b.Add(f.Severity != rule.Info, terminal.Dim, "%s: %s: %s", f.File, f.Rule, f.Message)
	}
	b.WriteByte('\n')
	return b.String() + terminal.PaintDiff(r.Diff, ink)
}

// maxLogShown bounds how much of the log of a background dream is read. The log itself is smaller.
const maxLogShown = 4 << 20

// backgroundLog prints the log of the last background dream.
func backgroundLog(c *Command, p *consolidate.Project) error {
	data, err := settings.ReadFile(filepath.Join(p.Store.Records.StateDir(), settings.BackgroundLog), maxLogShown)
	if errors.Is(err, fs.ErrNotExist) {
		return c.print("No dream has run in the background yet.\n")
	}
	if err != nil {
		return err
	}
	return c.print(string(data))
}

// runHook fails: a host, which is not a terminal, never gets here.
func runHook(context.Context, *Command, *consolidate.Project, settings.Setup) error {
	return usage("hook is started by a host, which writes an event to standard input")
}
