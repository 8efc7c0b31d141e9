package console

import (
	"context"
	"strings"

	"dream-mcp/consolidate"
	"dream-mcp/consolidate/forget"
	"dream-mcp/consolidate/ops"
	"dream-mcp/memory/forgotten"
	"dream-mcp/memory/lazy"
	"dream-mcp/server/console/terminal"
	"dream-mcp/server/host"
)

// utteranceID is the form of the IDs that search and said print.
var utteranceID = lazy.New(`^[0-9A-Za-z_-]+:\d+(\.\d+)?$`)

// forget removes a text from everything of ours, after asking.
func (c *Command) forget(ctx context.Context, p *consolidate.Project, _ host.Setup) error {
	if err := p.FinishForgetting(ctx); err != nil {
		return err
	}
	text := strings.Join(c.Args, " ")
	if utteranceID.MatchString(text) {
		said, err := p.Transcripts.Lookup(ctx, text)
		if err != nil {
			return err
		}
		text = said.Text
	}
	at, err := forget.WhereIs(ctx, p.Store, p.Transcripts, text)
	if err != nil {
		return err
	}
	if !c.JSON {
		if err := c.print(renderPlaces(at)); err != nil {
			return err
		}
	}
	answer := "y"
	switch {
	case c.Yes:
	case c.In == nil:
		return &Failure{"nothing was forgotten", "in a terminal it asks; --yes agrees", 1}
	default:
		if answer, err = c.ask(ctx, "Forget it? It cannot be undone. [y/N] "); err != nil {
			return err
		}
	}
	if !isYes(answer) {
		return c.print("Nothing was forgotten.\n")
	}
	if err := p.Forget(ctx, text); err != nil {
		return err
	}
	return c.answer(at, "  ", func(terminal.Ink) string { return "Forgotten. " + forgotten.Mark + " is in its place.\n" })
}

func renderPlaces(at forget.Places) string {
	var b terminal.Lines
	none := len(at.Memories)+at.Archived+at.Quoted+at.Records == 0
	b.Add(none, "", "It is in no memory and in nothing that dream-mcp keeps.")
	b.Add(len(at.Memories) > 0, "", "memories:     %s", ops.Few(at.Memories, maxFiles))
	b.Add(at.Archived > 0, "", "archive:      %s, with those of dreams that wait", ops.Plural(at.Archived, "text"))
	b.Add(at.Quoted > 0, "", "quoted words: %d", at.Quoted)
	b.Add(at.Records > 0, "", "records:      %s", ops.Plural(at.Records, "file"))
	b.Add(true, "", "sessions:     %s; not shown or read any more, but the transcripts are the host's: delete them there", ops.Plural(at.Hits, "place"))
	b.Add(len(at.Stays) > 0, "", "! stays in %s, or in its name: change it by hand", ops.Few(at.Stays, maxFiles))
	b.WriteString("Not reached: other projects' memories, CLAUDE.md, what models were shown, backups, and the history of a git remote.\n")
	return b.String()
}
