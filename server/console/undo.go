package console

import (
	"context"
	"fmt"
	"slices"
	"time"

	"dream-mcp/consolidate"
	"dream-mcp/consolidate/history"
	"dream-mcp/consolidate/ops"
	"dream-mcp/memory"
	"dream-mcp/memory/lazy"
	"dream-mcp/memory/phrase"
	"dream-mcp/server/console/terminal"
	"dream-mcp/server/settings"
)

// anID matches an ID of an operation, and the beginnings of one.
var anID = lazy.New(`^[0-9][0-9a-f-]*$`)

// isFile reports whether an argument of undo names a memory, not an operation.
func isFile(argument string) bool { return argument != "" && !anID.MatchString(argument) }

// undoOptions are the flags of undo.
type undoOptions struct {
	at   string // the ID of the operation before which FILE is restored
	list bool   // list the versions in the archive
}

func runUndo(ctx context.Context, c *Command, p *consolidate.Project, _ settings.Setup) error {
	switch {
	case c.undo.list:
		return listVersions(ctx, c, p)
	case isFile(c.argument()):
		return restoreFile(ctx, c, p)
	}
	r, err := p.History.Undo(ctx, c.argument())
	if err != nil {
		return err
	}
	err = c.answer(r, "", func(ink terminal.Ink) string { return renderUndo(r, p.Store.Now().Location(), ink) })
	if err != nil || len(r.Conflicts) == 0 {
		return err
	}
	undone, err := p.Store.Records.Op(r.Undone)
	if err != nil {
		return err
	}
	return kept(undone, r.Conflicts)
}

// kept reports that an undo kept files that were changed later. Its hint offers to restore the first that existed
// before.
func kept(undone ops.Op, files []ops.Conflict) *Failure {
	hint := fmt.Sprintf("dream-mcp diff %s shows what it changed", undone.ID)
	for _, k := range files {
		if c, _ := undone.Change(k.Name); c.Before != "" {
			hint += fmt.Sprintf("; dream-mcp undo %s --at %s restores the whole file as it was before", k.Name, undone.ID)
			break
		}
	}
	return &Failure{"changed later, so not undone: " + phrase.Plural(len(files), "file"), hint, 1}
}

// renderUndo lists what was restored, and what was kept because somebody changed it later.
func renderUndo(r history.UndoResult, zone *time.Location, ink terminal.Ink) string {
	b := terminal.Lines{Ink: ink}
	switch {
	case r.ID == "" && len(r.Conflicts) == 0:
		return fmt.Sprintf("Nothing to undo: all files are as they were before %s.\n", r.Undone)
	case r.ID == "":
		b.Add(true, terminal.Bold, "Nothing more to undo of %s", r.Undone)
	default:
		b.Add(true, terminal.Bold, "Undone: %s", r.Undone)
	}
	for _, group := range []struct {
		says  string
		files []string
	}{
		{"as before", without(r.Files.Updated, r.Merged)},
		{"merged", r.Merged},
		{"restored", r.Files.Created},
		{"removed", r.Files.Deleted},
	} {
		for _, file := range group.files {
			b.Add(true, terminal.Green, "  %-10s  %s", group.says, file)
		}
	}
	for _, k := range r.Conflicts {
		b.Add(true, terminal.Yellow, "  %-10s  %s: changed later (%s when it landed, %s now)", "kept", k.Name, sumOr(k.Want), sumOr(k.Have))
	}
	b.Add(len(r.Merged) > 0, "", "Merged: the lines that it changed are as before; lines that others changed later are kept.")
	b.Add(r.GivenBack != "", "", "The time gate is as it was before: %s.", localTimes(r.GivenBack, zone))
	b.Add(r.ID != "", "", "To undo this too: dream-mcp undo %s", r.ID)
	b.Add(r.Redo != "", "", "Each undo goes one step further back. To redo the step before: dream-mcp undo %s", r.Redo)
	return b.String()
}

// without returns the files that are not in others.
func without(files, others []string) []string {
	return slices.DeleteFunc(slices.Clone(files), func(file string) bool { return slices.Contains(others, file) })
}

func sumOr(s memory.Sum) string {
	if s == "" {
		return "absent"
	}
	return s.Short()
}
