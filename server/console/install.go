package console

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"dream-mcp/consolidate"
	"dream-mcp/consolidate/host"
	"dream-mcp/consolidate/ops"
	"dream-mcp/consolidate/recall"
	"dream-mcp/memory/phrase"
	"dream-mcp/server/console/terminal"
	"dream-mcp/server/install"
	"dream-mcp/server/settings"
)

// notInstalled reports that the install into a host failed, or the uninstall.
func notInstalled(c *Command, h *host.Host, err error) *Failure {
	e := &Failure{h.Name + ": " + err.Error(), "the file is unchanged; dream-mcp install " + h.ID + " --print shows what to add by hand", 1}
	if c.Verb == "uninstall" {
		e.Hint = "the file is unchanged; remove what starts dream-mcp from it by hand"
	}
	var taken *install.TakenError
	switch {
	case errors.Is(err, install.ErrTemporary):
		e.Hint = "build it with go install . and run the installed dream-mcp"
	case errors.Is(err, install.ErrName):
		e.Hint = "rename the program to dream-mcp, then install again"
	case errors.Is(err, install.ErrBusy):
		e.Hint = "try again in a moment"
	case errors.As(err, &taken):
		e.Hint = "rename or remove that server in the file first; the file is unchanged"
	}
	return e
}

// installOptions are the flags of install and uninstall.
type installOptions struct {
	dryRun, print bool   // show what would change; show what to paste
	allow         bool   // the host asks nothing before our quiet tools
	recall        string // which memories the model is shown unasked
}

func runInstall(ctx context.Context, c *Command, _ *consolidate.Project, _ settings.Setup) error {
	c.Out = terminal.Masked(c.Out, nil) // a diff may show the keys of other servers
	i := install.Installer{Env: settings.Process(), Self: c.Self}
	if i.Env.Home == "" {
		return ops.Refuse("no home directory is known, so the settings of the programs cannot be found", "set HOME")
	}
	if len(c.Args) == 0 {
		i.Args = installedFlags(c)
		return installFound(ctx, c, i)
	}
	h := host.Find(c.Args[0])
	switch {
	case h == nil:
		return oneOf("host", c.Args[0], install.IDs())
	case !h.Configured():
		return &Failure{"where " + h.Name + " lists its servers is not known to dream-mcp",
			"if it takes MCP servers, add one by hand: its command is " + c.Self + ", without arguments", 2}
	}
	removing := c.Verb == "uninstall"
	if !removing && i.Lost(h) {
		if err := chooseProject(ctx, c, h); err != nil {
			return err
		}
	}
	if err := resolveProject(c); err != nil {
		return err
	}
	i.Args = installedFlags(c)
	if err := chooseRecall(ctx, c, h, removing); err != nil {
		return err
	}
	return installIn(ctx, c, i, h, true)
}

// installedFlags returns the flags with which a host calls us.
func installedFlags(c *Command) []string {
	args := c.Options()
	if c.Flags.Mode != "" {
		args = append(args, "--mode", c.Flags.Mode)
	}
	if c.Flags.Unattended {
		args = append(args, "--unattended")
	}
	return args
}

// installIn adds the parts of a host, or removes them. With next it also prints what to do next.
func installIn(ctx context.Context, c *Command, i install.Installer, h *host.Host, next bool) error {
	removing := c.Verb == "uninstall"
	i.Recall, i.Guard = c.install.recall, c.Guard
	if err := chooseAllow(ctx, c, &i, h); err != nil {
		return err
	}
	if c.install.print {
		return printParts(c, i, h)
	}
	parts, err := i.Parts(h, removing)
	if err != nil {
		return notInstalled(c, h, err)
	}
	rows, changed, failed := applyParts(ctx, c, i, parts)
	answer := installJSON{Host: h.ID, DryRun: c.install.dryRun, Parts: rows}
	if h.Shows() && !c.install.dryRun && failed == nil {
		if answer.Recall, err = setRecall(ctx, c, i, h); err != nil {
			failed = err
		}
	}
	if removing && !c.install.dryRun {
		i.Leave()
	}
	if h.ID == settings.ClaudeCode && !removing {
		answer.Twice = install.Plugins(i.Env, "")
	}
	err = c.answer(answer, "  ", func(terminal.Ink) string { return renderInstall(h, answer, removing, next && changed && failed == nil) })
	if failed != nil {
		return notInstalled(c, h, failed)
	}
	return err
}

// installFound lists the hosts. On a terminal it also asks whether to install into those that are on this machine, and
// then shows what the server can see of this project; or whether to uninstall from those that have it.
func installFound(ctx context.Context, c *Command, i install.Installer) error {
	removing := c.Verb == "uninstall"
	found, names, ids := changeable(i, removing)
	switch {
	case removing && len(found) == 0:
		return &Failure{"no program that dream-mcp knows is connected", "dream-mcp doctor shows what starts it in this project", 2}
	case removing && (c.json || c.In == nil || c.install.dryRun):
		return &Failure{"uninstall needs a host", "connected: " + strings.Join(ids, ", "), 2}
	}
	here, err := listHosts(c, i)
	if err != nil || c.json {
		return err
	}
	if !here && !removing {
		return cmp.Or[error](c.print(renderNoHost(c.Self)), &Failure{Code: 1})
	}
	if c.In == nil && !c.install.dryRun {
		return nil
	}
	if err := install.Installable(i.Self); err != nil && !removing {
		return notInstalled(c, &host.Host{Name: "dream-mcp"}, err)
	}
	if len(found) == 0 {
		return firstLook(ctx, c)
	}
	if !c.install.dryRun {
		if agreed, err := agreeToAll(ctx, c, names, removing); !agreed || err != nil {
			return err
		}
	}
	for _, h := range found {
		if setup, _ := settings.Resolve(i.Env, c.Flags); !c.install.dryRun {
			c.install.recall = setup.RecallIn(h.ID).Value
		}
		if removing {
			c.install.recall = recall.Off
		}
		if err := installIn(ctx, c, i, h, false); err != nil {
			return err
		}
	}
	switch {
	case c.install.dryRun:
		return nil
	case removing:
		return c.print(memoriesKept + "\n")
	}
	if err := firstLook(ctx, c); err != nil {
		return err
	}
	setup, _ := settings.Resolve(i.Env, c.Flags)
	return c.answer(nil, "", func(terminal.Ink) string { return renderNext(found, names) + sentence(renderRecall(setup)) })
}

// changeable returns the hosts on this machine that an install would change, or an uninstall, with their names and IDs.
func changeable(i install.Installer, removing bool) (found []*host.Host, names, ids []string) {
	for _, h := range install.Hosts() {
		parts, err := i.Parts(h, removing)
		pending := slices.ContainsFunc(parts, func(p install.Part) bool { return p.Pending() })
		if err == nil && pending && (removing || i.Present(h) && !i.Lost(h)) {
			found, names, ids = append(found, h), append(names, h.Name), append(ids, h.ID)
		}
	}
	return found, names, ids
}

// agreeToAll asks whether to install into the named hosts, or to uninstall from them, and says so where nothing is
// changed.
func agreeToAll(ctx context.Context, c *Command, names []string, removing bool) (agreed bool, err error) {
	question, none := "\nAdd dream-mcp to %s? uninstall removes exactly what this adds. [Y/n] ", "Nothing was added.\n"
	if removing {
		question, none = "\nRemove dream-mcp from %s? [y/N] ", "Nothing was removed.\n"
	}
	answer, err := c.ask(ctx, terminal.Wrap(fmt.Sprintf(question, strings.Join(names, ", ")), terminal.TextWidth))
	if err != nil || isYes(answer) || answer == "" && !removing {
		return err == nil, err
	}
	return false, c.print(none)
}

// lastSessions is how many sessions firstLook shows.
const lastSessions = 3

// firstLook shows what the server can see of the project that the person is in, if there is one.
func firstLook(ctx context.Context, c *Command) error {
	p, setup, err := c.Open(c.Flags)
	if err != nil {
		return nil // no project here
	}
	defer p.Close("the program ended")
	within, stop := c.working(ctx, "Reading")
	sessions, _, err := p.Transcripts.Sessions(within, time.Time{})
	stop()
	if err != nil || len(sessions) == 0 {
		return err
	}
	topics, err := p.Topics(ctx)
	if err != nil {
		return err
	}
	c.Out = terminal.Masked(terminal.File(c.Out), setup.AllowSecrets)
	b := terminal.Lines{Ink: terminal.InkFor(c.Out)}
	b.Add(true, terminal.Bold, "\nIn %s: %s, %s. When the last ones ended, and how you began them:", setup.Project, phrase.Plural(len(sessions), "session"), phrase.Plural(len(topics), "memory"))
	shown := 0
	for _, s := range sessions { // the newest first
		if s.First == "" || shown == lastSessions {
			continue
		}
		shown++
		b.Add(true, "", "  %s  %s", minute(s.Last, p.Store.Now().Location()), ansi.Truncate(terminal.OneLine(s.First), terminal.TextWidth-20, "…"))
	}
	b.Add(true, "", "dream-mcp said lists what you said since the last dream; dream-mcp search WORDS finds what anybody said.")
	return c.answer(nil, "", func(terminal.Ink) string { return b.String() })
}

// applyParts applies the parts, the others too where one fails. In a dry run it only lists them.
func applyParts(ctx context.Context, c *Command, i install.Installer, parts []install.Part) (rows []partJSON, changed bool, failed error) {
	rows = []partJSON{}
	for _, p := range parts {
		row := partJSON{Part: p}
		if !c.install.dryRun {
			row.Diff = ""
			var err error
			if row.Done, err = i.Apply(ctx, p); err != nil {
				failed = errors.Join(failed, err)
				continue
			}
			changed = changed || row.Changed
		}
		rows = append(rows, row)
	}
	return rows, changed, failed
}

// printParts prints what to paste by hand.
func printParts(c *Command, i install.Installer, h *host.Host) error {
	parts, err := i.Blank(h)
	if err != nil {
		return notInstalled(c, h, err)
	}
	var b terminal.Lines
	for _, p := range parts {
		text, err := p.Text()
		if err != nil {
			return notInstalled(c, h, err)
		}
		b.Add(true, "", "%s, %s: in %s:", h.Name, p.Name, p.File)
		b.WriteString(text + "\n")
	}
	return c.paste(strings.TrimSuffix(b.String(), "\n"))
}

// listHosts lists the hosts, and which parts each has. It reports whether any is on this machine or connected.
func listHosts(c *Command, i install.Installer) (here bool, err error) {
	var rows []hostJSON
	for _, h := range install.Hosts() {
		row := hostJSON{Host: h.ID, Name: h.Name, Present: i.Present(h), Parts: map[string]string{}}
		parts, err := i.Parts(h, true) // as for an uninstall: whatever path the entries name
		if err != nil {
			row.Error = err.Error()
		}
		for _, p := range parts {
			row.Parts[p.Name] = p.State
			if p.Name == install.Server {
				row.File = p.File
			}
			here = here || p.State != install.Absent
		}
		here = here || row.Present || row.Error != ""
		rows = append(rows, row)
	}
	return here, c.answer(map[string]any{"hosts": rows}, "  ", func(terminal.Ink) string { return renderHosts(rows) })
}
