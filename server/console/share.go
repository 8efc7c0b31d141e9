package console

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"dream-mcp/consolidate"
	"dream-mcp/consolidate/share"
	"dream-mcp/consolidate/store"
	"dream-mcp/server/host"
)

// ShareOptions are the flags of share.
type ShareOptions struct {
	Status, Stop, Now, Team, Yes bool
	Name                         string
}

const maxShown = 10 // files that are named

// share keeps the memory the same on several machines.
func (c *Command) share(ctx context.Context, p *consolidate.Project, setup host.Setup) error {
	o := c.Share
	switch {
	case o.Stop:
		if err := p.StopSharing(ctx); err != nil {
			return err
		}
		_, err := io.WriteString(c.Out, "No longer shared. The memory here and what the remote has stay as they are.\n")
		return err
	case o.Now:
		if err := p.Exchange(ctx); err != nil {
			return err
		}
	case c.argument() != "" || o.Team && !o.Status:
		if err := c.join(ctx, p, setup); err != nil {
			return err
		}
	}
	return c.shareStatus(p)
}

func (c *Command) join(ctx context.Context, p *consolidate.Project, setup host.Setup) error {
	if state, err := p.Shared(); err == nil && state.Stopped == "" {
		return &store.RequestError{Message: "this memory is shared already, by " + state.Remote, Hint: "dream-mcp share --now exchanges what changed; dream-mcp share --stop ends it"}
	}
	r := consolidate.JoinRequest{Remote: c.argument(), Identity: share.Identity{Name: c.Share.Name}, Team: c.Share.Team}
	unnamed := func(err error) error {
		if why, ok := errors.AsType[*share.IdentityError](err); ok {
			return &store.RequestError{Message: why.Why, Hint: "give the remote and a name, the same on every machine: dream-mcp share REMOTE --name NAME"}
		}
		return err
	}
	var err error
	if r.Remote == "" {
		if r.Remote, err = share.Origin(ctx, setup.Root); err != nil {
			return unnamed(err)
		}
	}
	if _, err := os.Stat(r.Remote); err == nil { // a path means the same wherever it is named
		if r.Remote, err = filepath.Abs(r.Remote); err != nil {
			return err
		}
	}
	if c.Share.Name == "" {
		if r.Identity, err = share.Identify(ctx, setup.Root); err != nil {
			return unnamed(err)
		}
	}
	name, _ := os.Hostname()
	r.Machine, _, _ = strings.Cut(name, ".")
	return p.Join(ctx, r, func(preview share.Preview) error {
		if c.JSON {
			return c.agree()
		}
		if _, err := io.WriteString(c.Out, renderPreview(r, preview)); err != nil {
			return err
		}
		return c.agree()
	})
}

// agree has the person agree, where they sit at a terminal or said so.
func (c *Command) agree() error {
	if c.Share.Yes {
		return nil
	}
	refused := &store.RequestError{Message: "nothing was shared", Hint: "with --yes nothing is asked"}
	if c.In == nil {
		return refused
	}
	if _, err := io.WriteString(c.Out, "Share it? y: yes; anything else: no > "); err != nil {
		return err
	}
	lines := bufio.NewScanner(c.In)
	lines.Scan()
	if answer := strings.ToLower(strings.TrimSpace(lines.Text())); answer != "y" && answer != "yes" {
		return refused
	}
	return lines.Err()
}

func renderPreview(r consolidate.JoinRequest, preview share.Preview) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Remote:  %s\nProject: %s\n", oneLine(r.Remote), oneLine(r.Identity.String()))
	files := func(what string, names []string) {
		if len(names) == 0 {
			return
		}
		shown := names[:min(len(names), maxShown)]
		fmt.Fprintf(&b, "%s %s: %s", what, count(len(names), "file"), oneLine(strings.Join(shown, ", ")))
		if n := len(names) - len(shown); n > 0 {
			fmt.Fprintf(&b, " and %d more", n)
		}
		b.WriteByte('\n')
	}
	if preview.New {
		b.WriteString("The remote has no memory of this project yet.\n")
	} else {
		fmt.Fprintf(&b, "The remote has the memory of this project, from %s.\n", oneLine(preview.Authors))
	}
	files("Changes here, in", preview.Here)
	files("Changed on both sides, so that both texts stand, in", preview.Kept)
	files("Is sent:", preview.Sent)
	if r.Team {
		b.WriteString("Only memories of the types project and reference are shared, without their sources.\n")
	}
	b.WriteString("What was sent stays in the remote's history. No credentials that are known were found in it.\n")
	return b.String()
}

func (c *Command) shareStatus(p *consolidate.Project) error {
	s, err := p.Shared()
	notShared := errors.Is(err, share.ErrNotShared)
	if err != nil && !notShared {
		return err
	}
	if c.JSON {
		return c.printJSON(struct {
			Shared bool `json:"shared"`
			share.State
		}{!notShared, s}, "  ")
	}
	if notShared {
		_, err := io.WriteString(c.Out, "This memory is not shared. To share it by a git remote of yours: dream-mcp share REMOTE\n")
		return err
	}
	_, err = io.WriteString(c.Out, renderShare(s, p.Now()))
	return err
}

func renderShare(s share.State, now time.Time) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Shared by %s\n  project: %s\n  this machine: %s\n", oneLine(s.Remote), oneLine(s.Identity.String()), oneLine(s.MachineName))
	if s.Team {
		b.WriteString("  with a team: memories of the types project and reference\n")
	}
	if s.Last.IsZero() {
		b.WriteString("  exchanged: not yet\n")
	} else {
		fmt.Fprintf(&b, "  exchanged: %s\n", ago(now, s.Last))
	}
	if !s.Dreamed.IsZero() {
		fmt.Fprintf(&b, "  another machine's dream: %s, seen %s\n", oneLine(s.DreamedBy), ago(now, s.Dreamed))
	}
	for _, note := range s.Notes {
		fmt.Fprintf(&b, "! %s\n", oneLine(note.File+": "+note.Why))
	}
	if s.Pending != "" {
		fmt.Fprintf(&b, "! not sent yet: %s\n", oneLine(s.Pending))
	}
	if s.Stopped != "" {
		fmt.Fprintf(&b, "! nothing is exchanged: %s\n", oneLine(s.Stopped))
	}
	return b.String()
}
