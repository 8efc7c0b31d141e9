package console

import (
	"context"
	"fmt"
	"time"

	"dream-mcp/consolidate"
	"dream-mcp/consolidate/history"
	"dream-mcp/consolidate/ops"
	"dream-mcp/server/host"
)

func (c *Command) restore(ctx context.Context, p *consolidate.Project, _ host.Setup) error {
	if c.List {
		return c.versions(p)
	}
	r, err := p.History.Restore(ctx, c.argument(), c.At)
	if err != nil {
		return err
	}
	return c.answer(r, "", func(ink paint) string { return renderRestore(r, p.Store.Now().Location(), ink) })
}

// renderRestore describes the restored version, and how to undo.
func renderRestore(r history.RestoreResult, zone *time.Location, ink paint) string {
	says := map[string]string{"created": "Created again", "updated": "Restored"}[r.Action]
	if says == "" {
		return fmt.Sprintf("Nothing to do: %s is already as it was %s %s.\n", oneLine(r.From.File), r.From.When, r.From.ID)
	}
	b := lines{ink: ink}
	b.add(true, bold, "%s: %s", says, r.From.File)
	b.add(true, "", "  as it was %s %s, written %s, %s", r.From.When, r.From.ID, minute(r.From.Time, zone), ops.Plural(int(r.From.Bytes), "byte"))
	b.add(r.Index != "", "", "  in the index: %s", r.Index)
	b.add(r.Note != "", yellow, "  %s", r.Note)
	b.add(true, "", "To undo this: %s", r.Undo)
	return b.String()
}

func (c *Command) versions(p *consolidate.Project) error {
	versions, err := p.History.Versions(c.argument())
	if err != nil {
		return err
	}
	return answerAll(c, versions, func(ink paint) string { return renderVersions(versions, c.argument(), p.Store.Now().Location(), ink) })
}

// renderVersions lists versions: of one file, or with file "" of all.
func renderVersions(versions []history.Version, file string, zone *time.Location, ink paint) string {
	if len(versions) == 0 {
		return "The archive is empty.\n"
	}
	b := lines{ink: ink}
	for _, v := range versions {
		size, name, held, colour := ops.Plural(int(v.Bytes), "byte"), "", "", ""
		if v.Bytes < 0 {
			size = "lost"
		}
		if file == "" {
			name = "  " + v.File
		}
		if v.Held {
			held, colour = "  current", green
		}
		b.add(true, colour, "%s  %12s  %s  %-6s %s%s%s", minute(v.Time, zone), size, v.Sum, v.When, v.ID, name, held)
	}
	b.add(file == "", dim, "The newest version of each; dream-mcp restore --list FILE shows the others.")
	b.add(file != "", dim, "Without --at, restore brings back the first that is not current; with --at ID, the version before ID.")
	return b.String()
}
