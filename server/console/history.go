package console

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"dream-mcp/consolidate"
	"dream-mcp/consolidate/history"
	"dream-mcp/consolidate/lock"
	"dream-mcp/consolidate/ops"
	"dream-mcp/consolidate/transcript/said"
	"dream-mcp/memory"
	"dream-mcp/memory/diff"
	"dream-mcp/server/host"
)

func (c *Command) log(_ context.Context, p *consolidate.Project, _ host.Setup) error {
	if c.Background {
		return c.backgroundLog(p)
	}
	if c.Recalled {
		return c.recallLog(p)
	}
	entries, err := p.Store.Log()
	if err != nil {
		return err
	}
	undone := ops.UndoneBy(entries)
	slices.Reverse(entries)
	return answerAll(c, entries, func(ink paint) string { return renderLog(entries, undone, p.Store.Now(), ink) })
}

// renderLog lists the entries, the newest first. It omits the beginning of an operation that has ended.
func renderLog(entries []ops.LogEntry, undone map[string]bool, now time.Time, ink paint) string {
	if len(entries) == 0 {
		return "Nothing has happened yet.\n"
	}
	ended := make(map[string]bool)
	b := lines{ink: ink}
	for _, e := range entries {
		if e.Outcome != ops.Fired {
			ended[e.ID] = true
		} else if ended[e.ID] {
			continue
		}
		colour, outcome := yellow, string(e.Outcome)
		switch {
		case e.Outcome == ops.Committed && undone[e.ID]:
			outcome = "undone"
		case e.Outcome == ops.Committed:
			colour = green
		case e.Outcome == ops.Fired:
			colour, outcome = cyan, "begun"
		}
		fmt.Fprintf(&b, "%s  %s  %-7s  %s%s\n", minute(e.Time, now.Location()),
			ink.in(colour, fmt.Sprintf("%-9s", oneLine(outcome))), oneLine(string(e.Kind)), oneLine(e.ID), ink.in(dim, logDetail(e)))
		for _, words := range []string{e.Summary, e.Reason, strings.Join(e.Files, ", ")} {
			b.add(words != "", dim, "    %s", words)
		}
		for _, w := range e.Waived {
			b.add(true, dim, "    rule waived: %s for %s (%s)", w.Rule, w.File, w.Why)
		}
		for _, file := range slices.Sorted(maps.Keys(e.Accepted)) {
			b.add(true, dim, "    loss accepted: %s (%s)", file, e.Accepted[file])
		}
		b.add(len(e.Proposed) > 0, yellow, "    waits for you (dream-mcp review): %s", strings.Join(e.Proposed, ", "))
	}
	return b.String()
}

func logDetail(e ops.LogEntry) string {
	var parts []string
	add := func(when bool, s string) {
		if when {
			parts = append(parts, oneLine(s))
		}
	}
	add(len(e.Files) > 0, ops.Plural(len(e.Files), "file"))
	add(e.SessionsSince > 0, ops.Plural(e.SessionsSince, "session"))
	add(e.ToolCalls > 0, ops.Plural(e.ToolCalls, "call"))
	ended := e.Outcome == ops.Committed || e.Outcome == ops.Aborted // the time of a crash is unknown
	add(ended && e.Kind == lock.KindDream && !e.Started.IsZero() && e.Time.After(e.Started), "took "+ops.Lasted(e.Time.Sub(e.Started)))
	add(e.BytesSearched > 0, fmt.Sprintf("searched %.1f MB", float64(e.BytesSearched)/1e6))
	add(e.Forced, "forced")
	add(e.Resumed, "resumed")
	add(e.Unattended, "unattended")
	add(len(e.Waived) > 0, ops.Plural(len(e.Waived), "waiver"))
	add(len(e.Accepted) > 0, fmt.Sprintf("%d accepted as lost", len(e.Accepted)))
	add(e.Undoes != "", "of "+e.Undoes)
	add(e.Dream != "", "dream "+e.Dream)
	add(e.Turns > 0, ops.Plural(e.Turns, "turn"))
	add(e.Tokens.Sum() > 0, e.Tokens.String())
	add(e.CostUSD > 0, fmt.Sprintf("$%.2f", e.CostUSD))
	add(e.Host != "", "by "+e.Host)
	if len(parts) == 0 {
		return ""
	}
	return "  " + strings.Join(parts, ", ")
}

func (c *Command) diff(ctx context.Context, p *consolidate.Project, setup host.Setup) error {
	id, changes, err := p.History.Diff(c.argument())
	if err != nil {
		return err
	}
	if c.JSON {
		return c.printJSON(map[string]string{"id": id, "diff": string(changes)}, "")
	}
	shown := string(changes)
	if info, err := p.Store.Records.Op(id); err == nil && info.Commit != "" { // a merge: whose lines are they?
		shown = p.Share.Sign(ctx, info.Commit, shown)
	}
	return c.paged(setup, func(to *pager) error { return to.print(wrap(tilde(renderDiff(id, shown, to.ink)), to.width)) })
}

// renderDiff prints a diff after a line with the ID, which tools that read diffs ignore.
func renderDiff(id, changes string, ink paint) string {
	if changes == "" {
		return fmt.Sprintf("%s changed nothing\n", id)
	}
	return ink.in(bold, id) + "\n" + paintDiff(changes, ink)
}

// paintDiff colours the lines of a diff, and the words that differ between similar lines, and makes characters visible.
func paintDiff(text string, ink paint) string {
	var all []diff.Line
	for line := range strings.Lines(said.Visible(text)) {
		line = strings.TrimSuffix(line, "\n")
		l := diff.Line{Op: diff.Same, Text: line}
		if colour := diffColour(line); colour == green || colour == red {
			l = diff.Line{Op: rune(line[0]), Text: line[1:]}
		}
		all = append(all, l)
	}
	diff.Pair(all)
	var b strings.Builder
	for _, l := range all {
		colour := diffColour(string(l.Op))
		switch {
		case l.Op == diff.Same:
			b.WriteString(ink.in(diffColour(l.Text), l.Text))
		case l.Words == nil:
			b.WriteString(ink.in(colour, string(l.Op)+l.Text))
		default:
			b.WriteString(ink.in(colour, string(l.Op)))
		}
		for _, w := range l.Words {
			if w.Changed {
				b.WriteString(ink.in(colour+reverse, w.Text))
			} else {
				b.WriteString(ink.in(colour, w.Text))
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func diffColour(line string) string {
	switch {
	case strings.HasPrefix(line, "+++ "), strings.HasPrefix(line, "--- "):
		return bold
	case strings.HasPrefix(line, "# also changed: "):
		return dim
	case strings.HasPrefix(line, "@@"):
		return cyan
	case strings.HasPrefix(line, "+"):
		return green
	case strings.HasPrefix(line, "-"):
		return red
	}
	return ""
}

func (c *Command) undo(ctx context.Context, p *consolidate.Project, _ host.Setup) error {
	r, err := p.History.Undo(ctx, c.argument())
	if err != nil {
		return err
	}
	err = c.answer(r, "", func(ink paint) string { return renderUndo(r, ink) })
	if err == nil && len(r.Conflicts) > 0 {
		err = kept(r.Undone, len(r.Conflicts))
	}
	return err
}

// kept reports that an undo kept files that were changed later.
func kept(undone string, files int) *Failure {
	e := &Failure{Message: fmt.Sprintf("%d files were changed later and are kept as they are", files), Code: 1}
	if files == 1 {
		e.Message = "one file was changed later and is kept as it is"
	}
	e.Hint = fmt.Sprintf("dream-mcp diff %[1]s shows what it changed; dream-mcp restore FILE --at %[1]s restores a whole file as it was before", undone)
	return e
}

// renderUndo lists what was restored, and what was kept because somebody changed it later.
func renderUndo(r history.UndoResult, ink paint) string {
	b := lines{ink: ink}
	switch {
	case r.ID == "" && len(r.Conflicts) == 0:
		return fmt.Sprintf("Nothing to undo: all files are as they were before %s.\n", r.Undone)
	case r.ID == "":
		b.add(true, bold, "Nothing more to undo of %s", r.Undone)
	default:
		b.add(true, bold, "Undone: %s", r.Undone)
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
			b.add(true, green, "  %-10s  %s", group.says, file)
		}
	}
	for _, k := range r.Conflicts {
		b.add(true, yellow, "  %-10s  %s: changed later (%s when it landed, %s now)", "kept", k.Name, sumOr(k.Want), sumOr(k.Have))
	}
	b.add(len(r.Merged) > 0, "", "Merged: the lines that it changed are as before; lines that others changed later are kept.")
	b.add(r.GivenBack != "", "", "The time gate is as it was before: %s.", r.GivenBack)
	b.add(r.ID != "", "", "To undo this too: dream-mcp undo %s", r.ID)
	b.add(r.Redo != "", "", "Each undo goes one step further back. To redo the step before: dream-mcp undo %s", r.Redo)
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

func (c *Command) stop(ctx context.Context, p *consolidate.Project, _ host.Setup) error {
	reason := strings.Join(c.Args, " ")
	if reason == "" {
		reason = "a person asked for it in a terminal"
	}
	holder, err := p.RequestStop(ctx, reason)
	if err != nil {
		return err
	}
	return c.answer(map[string]string{"holder": holder, "reason": reason}, "", func(paint) string {
		return fmt.Sprintf("Asked to stop: %s\nIt ends in a moment. Nothing lands; its stage is kept.\n", oneLine(holder))
	})
}

// argument returns the only argument, or "".
func (c *Command) argument() string {
	if len(c.Args) == 0 {
		return ""
	}
	return c.Args[0]
}
