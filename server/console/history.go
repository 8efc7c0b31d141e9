package console

import (
	"cmp"
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
	"dream-mcp/consolidate/state"
	"dream-mcp/memory/phrase"
	html "dream-mcp/server/console/report"
	"dream-mcp/server/console/terminal"
	"dream-mcp/server/settings"
)

func runLog(ctx context.Context, c *Command, p *consolidate.Project, _ settings.Setup) error {
	if c.log.background {
		return backgroundLog(c, p)
	}
	if c.log.recalled {
		return recallLog(c, p)
	}
	defer p.Store.Lock()()
	if err := p.Store.Complete(ctx); err != nil {
		return err
	}
	var entries []ops.LogEntry
	for e, err := range p.Store.Records.Newest(state.LogQuery{}) {
		if err != nil {
			return err
		}
		if e.Proposed != nil { // not what was answered since
			held := p.Proposals.Held(e.ID)
			e.Proposed = slices.DeleteFunc(slices.Clone(e.Proposed), func(file string) bool { return !slices.Contains(held, file) })
		}
		if entries = append(entries, e); len(entries) > maxLog && !c.log.all && !c.json {
			break
		}
	}
	return answerAll(c, entries, func(ink terminal.Ink) string {
		if len(entries) > maxLog && !c.log.all {
			return renderLog(entries[:maxLog], p.Store.Now(), ink) + "\nEarlier ones: dream-mcp log --all\n"
		}
		return renderLog(entries, p.Store.Now(), ink)
	})
}

// maxLog is how many entries the log shows, unless all are asked for.
const maxLog = 60

// renderLog lists the operations, the newest first: a sentence, and below it what it was and its ID. It omits the
// beginning of an operation that has ended, and a proposal that was answered. The run of a dream that ended well is
// part of the dream's entry.
func renderLog(entries []ops.LogEntry, now time.Time, ink terminal.Ink) string {
	if len(entries) == 0 {
		return "Nothing has happened yet.\n"
	}
	sentences, runs := make(map[string]string), make(map[string]ops.LogEntry)
	for _, e := range entries {
		if sentences[e.ID] == "" && e.Outcome != ops.Fired {
			sentences[e.ID] = logSentence(e)
		}
		if e.Kind == lock.KindBackground && (e.Outcome == ops.Committed || e.Outcome == ops.Proposed) {
			runs[e.Dream] = e
		}
	}
	shown := make(map[string]bool)
	b := terminal.Lines{Ink: ink}
	for _, e := range entries {
		if shown[e.ID] && (e.Outcome == ops.Fired || e.Outcome == ops.Proposed) || e.ID == runs[e.Dream].ID && sentences[e.Dream] != "" {
			continue
		}
		if run, ok := runs[e.ID]; ok {
			e.Turns, e.Tokens, e.CostUSD, e.Host = run.Turns, run.Tokens, run.CostUSD, cmp.Or(e.Host, run.Host)
		}
		shown[e.ID] = true
		says := cmp.Or(sentences[e.ID], "A dream is open.")
		if before := sentences[e.Undoes]; before != "" {
			says = "Undone: " + before
		}
		colour, outcome := outcomeOf(e, e.Undone)
		fmt.Fprintf(&b, "%s  %s\n", minute(e.Time, now.Location()), ink.In(colour, terminal.OneLine(says)))
		detail := append([]string{fmt.Sprintf("%s %s", e.Kind, outcome)}, logDetail(e)...)
		b.Add(true, terminal.Dim, "    %s  %s", strings.Join(detail, ", "), e.ID)
		b.Add(len(e.Files) > 0, terminal.Dim, "    %s", phrase.Few(e.Files, maxFiles))
		for _, w := range e.Waived {
			b.Add(true, terminal.Dim, "    rule waived: %s for %s (%s)", w.Rule, w.File, w.Why)
		}
		for _, file := range slices.Sorted(maps.Keys(e.Accepted)) {
			b.Add(true, terminal.Dim, "    loss accepted: %s (%s)", file, e.Accepted[file])
		}
		b.Add(len(e.Proposed) > 0, terminal.Yellow, "    waits for you (dream-mcp review): %s", strings.Join(e.Proposed, ", "))
	}
	return b.String()
}

// logSentence says what an operation did, in its own words if it has any.
func logSentence(e ops.LogEntry) string {
	switch {
	case e.Summary != "":
		return e.Summary
	case e.Kind == lock.KindRestore:
		return "Restored " + e.Reason
	case e.Reason != "":
		return sentence(e.Reason)
	case e.Outcome == ops.Crashed:
		return "Interrupted: its process was killed"
	case e.Changes == ops.Counts{} && len(e.Files) > 0: // of an older version
		return "Changed " + phrase.Plural(len(e.Files), "file")
	}
	return sentence(e.Changes.String())
}

// outcomeOf returns the colour and the word for what became of an operation.
func outcomeOf(e ops.LogEntry, undone bool) (colour, outcome string) {
	switch {
	case e.Outcome == ops.Committed && undone:
		return terminal.Yellow, "undone"
	case e.Outcome == ops.Committed:
		return terminal.Green, "landed"
	case e.Outcome == ops.Fired:
		return terminal.Cyan, "begun"
	case e.Outcome == ops.Crashed, strings.HasPrefix(e.Reason, ops.Interrupted):
		return terminal.Yellow, "interrupted"
	}
	return terminal.Yellow, string(e.Outcome)
}

// logDetail returns the numbers of an operation, and who ran it.
func logDetail(e ops.LogEntry) (parts []string) {
	add := func(when bool, s string) {
		if when {
			parts = append(parts, s)
		}
	}
	add(e.SessionsSince > 0, phrase.Plural(e.SessionsSince, "session"))
	add(e.ToolCalls > 0, phrase.Plural(e.ToolCalls, "call"))
	ended := e.Outcome == ops.Committed || e.Outcome == ops.Aborted // the time of a crash is unknown
	add(ended && e.Kind == lock.KindDream && e.Time.Sub(e.Started) >= time.Second && !e.Started.IsZero(), "took "+phrase.Lasted(e.Time.Sub(e.Started)))
	add(e.BytesSearched >= 50_000, fmt.Sprintf("searched %.1f MB", float64(e.BytesSearched)/1e6))
	add(e.Forced, "forced")
	add(e.Resumed, "resumed")
	add(e.Unattended && !e.Forced, "unattended") // a forced one was asked for at a terminal
	add(e.Undoes != "", "of "+e.Undoes)
	add(e.Dream != "", "dream "+e.Dream)
	add(e.Turns > 0, phrase.Plural(e.Turns, "turn"))
	add(e.Tokens.Sum() > 0, e.Tokens.String())
	add(e.CostUSD > 0, fmt.Sprintf("$%.2f", e.CostUSD))
	add(e.Host != "", "by "+e.Host)
	return parts
}

// diffOptions are the flags of diff.
type diffOptions struct {
	open bool   // open the page in the browser
	out  string // the file to write the page to; - is standard output
}

// runDiff shows what one operation changed, or would change: as text, as a page, or as JSON.
func runDiff(ctx context.Context, c *Command, p *consolidate.Project, setup settings.Setup) error {
	r, err := p.Report(ctx, c.argument())
	if err != nil {
		return err
	}
	if c.diff.open || c.diff.out != "" {
		return writeReport(ctx, c, p, setup, r, c.diff.open)
	}
	id, changes, err := p.History.Diff(ctx, r.Entry.ID)
	if err != nil {
		return err
	}
	if c.json {
		return c.printJSON(struct {
			ID   string `json:"id"`
			Diff string `json:"diff"`
			history.Report
		}{id, string(changes), r}, "  ")
	}
	shown := html.FoldedDiff(r.Files)
	if info, err := p.Store.Records.Op(id); err == nil && info.Commit != "" { // a merge: whose lines are they?
		shown = p.Share.Sign(ctx, info.Commit, shown)
	}
	return c.paged(setup, func(to *pager) error {
		return to.print(terminal.Wrap(terminal.Tilde(renderDiff(r, shown, p.Store.Now(), to.ink)), to.width))
	})
}

// renderDiff prints a diff below what the operation was, which tools that read diffs ignore.
func renderDiff(r history.Report, changes string, now time.Time, ink terminal.Ink) string {
	b := terminal.Lines{Ink: ink}
	_, outcome := outcomeOf(r.Entry, r.Undone)
	if r.Waits {
		outcome = "waits for your yes: dream-mcp review"
	}
	b.Add(true, terminal.Bold, "%s", logSentence(r.Entry))
	b.Add(true, terminal.Dim, "%s %s, %s, %s", r.Entry.Kind, outcome, minute(r.Entry.Time, now.Location()), r.Entry.ID)
	b.Add(changes == "", "", "It changed nothing.")
	return b.String() + terminal.PaintDiff(changes, ink)
}

// argument returns the only argument, or "".
func (c *Command) argument() string {
	if len(c.Args) == 0 {
		return ""
	}
	return c.Args[0]
}
