package console

import (
	"cmp"
	"context"
	"errors"
	"time"

	"dream-mcp/consolidate"
	"dream-mcp/consolidate/ops"
	"dream-mcp/consolidate/share"
	"dream-mcp/memory/phrase"
	"dream-mcp/server/console/terminal"
	"dream-mcp/server/settings"
)

// shareOptions are the flags of share.
type shareOptions struct {
	status, stop, now, team, yes, person bool
	name                                 string
}

// runShare keeps the memory the same on several machines.
func runShare(ctx context.Context, c *Command, p *consolidate.Project, setup settings.Setup) (err error) {
	o := c.share
	if o.person && (len(c.Args) == 2 || len(c.Args) == 0 && !o.status && !o.now && !o.stop) {
		return runPerson(ctx, c, p)
	}
	if o.person {
		flags := c.Flags
		flags.MemoryDir = share.PersonDir(p.Store.StateHome)
		if p, setup, err = c.Open(flags); err != nil {
			return err
		}
		defer p.Close("")
		o.name = cmp.Or(o.name, "person")
	}
	switch {
	case o.stop:
		if err := p.Share.Stop(ctx); err != nil {
			return err
		}
		return c.print("No longer shared. The memory on this machine and what the remote has stay as they are.\n")
	case o.now:
		_, stop := c.working(ctx, "Syncing")
		err = p.Share.Sync(ctx, o.yes)
		stop()
	case c.argument() != "" || o.team && !o.status:
		request := share.JoinRequest{Remote: c.argument(), Project: setup.Root, Name: o.name, Team: o.team}
		_, stop := c.working(ctx, "Fetching")
		err = p.Share.Join(ctx, request, func(preview share.Preview) error {
			stop()
			err := agreeToShare(ctx, c, preview)
			_, stop = c.working(ctx, "Sending")
			return err
		})
		stop()
	}
	if err != nil {
		return err
	}
	s, t, err := p.Shared(ctx)
	if errors.Is(err, share.ErrNotShared) && !c.json {
		if o.person {
			return c.print("Your memories of all projects are not shared with other machines. To share them: dream-mcp share --person REMOTE\n")
		}
		return c.print("This memory is not shared. To share it through a git remote of yours: dream-mcp share REMOTE\n")
	}
	if err != nil && !errors.Is(err, share.ErrNotShared) {
		return err
	}
	return c.answer(struct {
		Shared bool `json:"shared"`
		share.State
		share.Traffic
	}{err == nil, s, t}, "  ", func(terminal.Ink) string { return renderShare(s, t, p.Store.Now()) })
}

// agreeToShare shows the person what sharing would do and asks, unless they agreed beforehand.
func agreeToShare(ctx context.Context, c *Command, preview share.Preview) error {
	if !c.json {
		if err := c.print(renderPreview(preview)); err != nil {
			return err
		}
	}
	switch {
	case c.share.yes:
		return nil
	case c.In == nil:
		return ops.Refuse("nothing was shared", "in a terminal it asks; --yes agrees")
	}
	answer, err := c.ask(ctx, "Share it? [y/N] ")
	if err == nil && !isYes(answer) {
		err = cmp.Or[error](c.print("Nothing was shared.\n"), &Failure{}) // they chose so
	}
	return err
}

func renderPreview(p share.Preview) string {
	var b terminal.Lines
	b.Add(true, "", "Remote:  %s", p.Remote)
	b.Add(true, "", "Project: %s", p.Identity)
	b.Add(p.New, "", "The remote has no memory of this project yet.")
	for _, id := range p.Alike {
		b.Add(true, "", "! The remote has a memory of a similar project. If it is this one, share that instead: dream-mcp share %s --name %s", ops.Quoted(p.Remote), id)
	}
	b.Add(!p.New, "", "The remote has the memory of this project, from %s.", p.Authors)
	b.Add(len(p.Here) > 0, "", "Changes on this machine: %s: %s", phrase.Plural(len(p.Here), "file"), phrase.Few(p.Here, share.MaxNamed))
	for _, clash := range p.Notes {
		b.Add(true, "", "! %s: %s", clash.Name, clash.Why)
	}
	b.Add(len(p.Sent) > 0, "", "Will be sent: %s: %s", phrase.Plural(len(p.Sent), "file"), phrase.Few(p.Sent, share.MaxNamed))
	b.Add(p.Team, "", "Only memories of the types project and reference are shared, without their sources.")
	b.Add(len(p.Sent) > 0, "", "What is sent stays in the remote's history. No known kind of credential was found in it.")
	return b.String()
}

func renderShare(s share.State, t share.Traffic, now time.Time) string {
	var b terminal.Lines
	b.Add(true, "", "Shared through %s", s.Remote)
	b.Add(true, "", "  project: %s", s.Identity)
	b.Add(true, "", "  this machine: %s", s.MachineName)
	b.Add(s.Team, "", "  with a team: memories of the types project and reference")
	b.Add(s.Last.IsZero(), "", "  last sync: none yet")
	b.Add(!s.Last.IsZero(), "", "  last sync: %s", phrase.Ago(now, s.Last))
	b.Add(len(t.Waiting) > 0, "", "  to send: %s: %s", phrase.Plural(len(t.Waiting), "file"), phrase.Few(t.Waiting, share.MaxNamed))
	b.Add(len(t.Pulled) > 0, "", "  pulled %s from %s: %s (dream-mcp diff %s)", phrase.Ago(now, t.At), t.From, phrase.Few(t.Pulled, share.MaxNamed), t.ID)
	b.Add(!s.OtherDream.IsZero(), "", "  another machine's dream: by %s, seen %s", s.OtherName, phrase.Ago(now, s.OtherDream))
	for _, clash := range s.Notes {
		b.Add(true, "", "! %s: %s", clash.Name, clash.Why)
	}
	b.Add(len(t.Staying) > 0, "", "! %s", share.StayingHere(t.Staying))
	b.Add(s.Pending != "", "", "! not sent yet: %s", s.Pending)
	b.Add(s.Stopped != "", "", "! nothing is synced: %s", s.Stopped)
	return b.String()
}
