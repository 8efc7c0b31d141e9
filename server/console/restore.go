package console

import (
	"context"
	"fmt"
	"time"

	"dream-mcp/consolidate"
	"dream-mcp/consolidate/history"
	"dream-mcp/memory/phrase"
	"dream-mcp/server/console/terminal"
)

// restoreFile brings one memory back.
func restoreFile(ctx context.Context, c *Command, p *consolidate.Project) error {
	r, err := p.History.Restore(ctx, c.argument(), c.undo.at)
	if err != nil {
		return err
	}
	return c.answer(r, "", func(ink terminal.Ink) string { return renderRestore(r, p.Store.Now().Location(), ink) })
}

// renderRestore describes the restored version, and how to undo.
func renderRestore(r history.RestoreResult, zone *time.Location, ink terminal.Ink) string {
	says := map[string]string{"created": "Created again", "updated": "Restored"}[r.Action]
	if says == "" {
		return fmt.Sprintf("Nothing to do: %s is already as it was %s %s.\n", terminal.OneLine(r.From.File), r.From.When, r.From.ID)
	}
	b := terminal.Lines{Ink: ink}
	b.Add(true, terminal.Bold, "%s: %s", says, r.From.File)
	b.Add(true, "", "  as it was %s %s, written %s, %s", r.From.When, r.From.ID, minute(r.From.Time, zone), phrase.Plural(int(r.From.Bytes), "byte"))
	b.Add(r.Index != "", "", "  in the index: %s", r.Index)
	b.Add(r.Note != "", terminal.Yellow, "  %s", r.Note)
	b.Add(true, "", "To undo this: %s", r.Undo)
	return b.String()
}

func listVersions(ctx context.Context, c *Command, p *consolidate.Project) error {
	versions, err := p.History.Versions(ctx, c.argument())
	if err != nil {
		return err
	}
	return answerAll(c, versions, func(ink terminal.Ink) string {
		return renderVersions(versions, c.argument(), p.Store.Now().Location(), ink)
	})
}

// renderVersions lists versions: of one file, or with file "" of all.
func renderVersions(versions []history.Version, file string, zone *time.Location, ink terminal.Ink) string {
	if len(versions) == 0 {
		return "The archive is empty.\n"
	}
	b := terminal.Lines{Ink: ink}
	for _, v := range versions {
		size, name, held, colour := phrase.Plural(int(v.Bytes), "byte"), "", "", ""
		if v.Bytes < 0 {
			size = "lost"
		}
		if file == "" {
			name = "  " + v.File
		}
		if v.Held {
			held, colour = "  current", terminal.Green
		}
		b.Add(true, colour, "%s  %12s  %s  %-6s %s%s%s", minute(v.Time, zone), size, v.Sum, v.When, v.ID, name, held)
	}
	b.Add(file == "", terminal.Dim, "The newest version of each; dream-mcp undo --list FILE shows the others.")
	b.Add(file != "", terminal.Dim, "dream-mcp undo FILE brings back the first that is not current; with --at ID, the version before ID.")
	return b.String()
}
