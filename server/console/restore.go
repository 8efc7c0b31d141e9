package console

import (
	"context"
	"fmt"
	"strings"
	"time"

	"dream-mcp/consolidate"
	"dream-mcp/consolidate/history"
	"dream-mcp/consolidate/store"
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
	return c.answer(r, "", func(ink paint) string { return renderRestore(r, p.Now().Location(), ink) })
}

// renderRestore describes the restored version, and how to undo.
func renderRestore(r history.RestoreResult, zone *time.Location, ink paint) string {
	var b strings.Builder
	says := map[string]string{"created": "Created again:", "updated": "Restored:"}[r.Action]
	if says == "" {
		return fmt.Sprintf("Nothing to do: %s is already as it was %s %s.\n", oneLine(r.From.File), r.From.When, r.From.ID)
	}
	fmt.Fprintf(&b, "%s %s\n", ink.in(bold, says), oneLine(r.From.File))
	fmt.Fprintf(&b, "  as it was %s %s, written %s, %s\n", r.From.When, r.From.ID, minute(r.From.Time, zone), store.Plural(int(r.From.Bytes), "byte"))
	if r.Index != "" {
		fmt.Fprintf(&b, "  in the index: %s\n", oneLine(r.Index))
	}
	fmt.Fprintf(&b, "To undo this: %s\n", r.Undo)
	return b.String()
}

func (c *Command) versions(p *consolidate.Project) error {
	versions, err := p.History.Versions(c.argument())
	if err != nil {
		return err
	}
	return answerAll(c, versions, func(ink paint) string { return renderVersions(versions, c.argument(), p.Now().Location(), ink) })
}

// renderVersions lists versions: of one file, or with file "" of all.
func renderVersions(versions []history.Version, file string, zone *time.Location, ink paint) string {
	if len(versions) == 0 {
		return "The archive is empty.\n"
	}
	var b strings.Builder
	for _, v := range versions {
		size := store.Plural(int(v.Bytes), "byte")
		if v.Bytes < 0 {
			size = "lost"
		}
		fmt.Fprintf(&b, "%s  %12s  %s  %-6s %s", minute(v.Time, zone), size, v.Sum, v.When, v.ID)
		if file == "" {
			b.WriteString("  " + oneLine(v.File))
		}
		if v.Held {
			b.WriteString(ink.in(green, "  current"))
		}
		b.WriteByte('\n')
	}
	if file == "" {
		b.WriteString(ink.in(dim, "The newest version of each; dream-mcp restore --list FILE shows the others.") + "\n")
	} else {
		b.WriteString(ink.in(dim, "Without --at, restore brings back the first that is not current; with --at ID, the version before ID.") + "\n")
	}
	return b.String()
}
