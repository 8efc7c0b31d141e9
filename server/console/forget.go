package console

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"dream-mcp/consolidate"
	"dream-mcp/consolidate/forget"
	"dream-mcp/consolidate/ops"
	"dream-mcp/consolidate/transcript/said"
	"dream-mcp/consolidate/transcript/sessions"
	"dream-mcp/memory/forgotten"
	"dream-mcp/memory/phrase"
	"dream-mcp/server/console/terminal"
	"dream-mcp/server/settings"
)

// forgetOptions are the flags of forget.
type forgetOptions struct {
	yes, list bool // do not ask; list when something was forgotten
	drop      int  // the entry of the list to take back
}

// runForget removes a text from everything of ours, after asking.
func runForget(ctx context.Context, c *Command, p *consolidate.Project, _ settings.Setup) error {
	err := p.FinishForgetting(ctx)
	if _, unread := errors.AsType[*forget.UnreadError](err); err != nil && !unread { // Forget tries those again
		return err
	}
	if c.forget.drop > 0 {
		if err := forget.Drop(ctx, p.Store, c.forget.drop); err != nil {
			return err
		}
		return c.print("Dropped. Sessions that have the text show it again; memories keep " + forgotten.Mark + ".\n")
	}
	if c.forget.list {
		return cmp.Or(listForgotten(c, p), err)
	}
	text := strings.Join(c.Args, " ")
	var unknown error
	if id := said.CutID(text); id != nil && said.IsKey(id[1]) {
		u, err := p.Transcripts.Lookup(ctx, text)
		switch {
		case err == nil:
			text = u.Text
		case errors.Is(err, sessions.ErrNotFound): // it may be a text, such as the name of a host with its port
			unknown = err
		default:
			return err
		}
	}
	within, stop := c.working(ctx, "Searching")
	at, err := forget.WhereIs(within, p.Store, p.Transcripts, text)
	stop()
	if err == nil && at.None() && len(at.Said) == 0 {
		err = unknown
	}
	if err != nil {
		return err
	}
	if !c.json {
		if err := c.print(renderPlaces(at) + stillOnRemote(p)); err != nil {
			return err
		}
	}
	answer := "y"
	switch {
	case c.forget.yes:
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
	return c.answer(at, "  ", func(terminal.Ink) string { return renderForgotten(at) })
}

// renderForgotten says what became of a text that was at these places.
func renderForgotten(at forget.Places) string {
	if at.None() && len(at.Said) == 0 {
		return "From now on it is kept out.\n"
	}
	return "Forgotten. " + forgotten.Mark + " is in its place.\n"
}

// listForgotten lists what was forgotten.
func listForgotten(c *Command, p *consolidate.Project) error {
	type entry struct {
		Number     int       `json:"number"`
		At         time.Time `json:"at"`
		Characters int       `json:"characters"`
	}
	texts, err := forget.Entries(p.Store)
	if err != nil {
		return err
	}
	entries := make([]entry, len(texts))
	for i, t := range texts {
		entries[i] = entry{i + 1, t.At, t.Runes}
	}
	return answerAll(c, entries, func(terminal.Ink) string {
		var b terminal.Lines
		b.Add(len(entries) == 0, "", "Nothing was forgotten.")
		for _, e := range entries {
			b.Add(true, "", "%d  %s  %s", e.Number, phrase.Ago(p.Store.Now(), e.At), phrase.Plural(e.Characters, "character"))
		}
		b.Add(len(entries) > 0, "", "The texts themselves are not kept. To take an entry back: dream-mcp forget --drop NUMBER")
		return b.String()
	})
}

// stillOnRemote names the git remote of a memory that is shared, and what to run; "" if it is not shared.
func stillOnRemote(p *consolidate.Project) string {
	s, err := p.Share.State()
	if err != nil {
		return ""
	}
	var b terminal.Lines
	b.Add(true, "", "! The history of the remote %s keeps it, and so does each other machine. On each machine: dream-mcp forget TEXT", s.Remote)
	named := ""
	if s.Identity.Name != "" {
		named = " --name " + ops.Quoted(s.Identity.Name)
	}
	b.Add(true, "", "  To remove the history, dream-mcp share --stop on each machine, then:")
	b.Add(true, "", "    git push %s :%s", ops.Quoted(s.Remote), s.MemoryRef())
	b.Add(true, "", "  and on each machine again: dream-mcp share %s%s", ops.Quoted(s.Remote), named)
	return b.String()
}

func renderPlaces(at forget.Places) string {
	var b terminal.Lines
	b.Add(at.None(), "", "It is in no memory and in nothing that dream-mcp keeps.")
	b.Add(len(at.Memories) > 0, "", "memories:     %s", phrase.Plural(len(at.Memories), "place"))
	for _, m := range at.Memories {
		b.Add(true, "", "  %s:%d: %s", m.File, m.Line, m.Text)
	}
	b.Add(at.Archived > 0, "", "archive:      %s, with those of dreams that wait", phrase.Plural(at.Archived, "text"))
	b.Add(at.Quoted > 0, "", "quoted words: %d", at.Quoted)
	b.Add(at.Records > 0, "", "records:      %s", phrase.Plural(at.Records, "file"))
	b.Add(len(at.Said) == 0, "", "sessions:     none")
	b.Add(len(at.Said) > 0, "", "sessions:     %s; not shown or read any more, but the transcripts are the host's: delete them there", phrase.Plural(len(at.Said), "place"))
	for _, id := range at.Said {
		b.Add(true, "", "  %s", id)
	}
	b.Add(len(at.Stays) > 0, "", "! stays in %s, or in its name: change it by hand", phrase.Few(at.Stays, maxFiles))
	b.WriteString("Not reached: other projects' memories, CLAUDE.md, what models were shown, and backups.\n")
	return b.String()
}
