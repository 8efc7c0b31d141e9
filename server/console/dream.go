package console

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"dream-mcp/consolidate"
	"dream-mcp/consolidate/host"
	"dream-mcp/consolidate/state"
	"dream-mcp/server/console/terminal"
	"dream-mcp/server/settings"
)

// Dream runs a dream in a host, shows it, and asks what lands. look is p opened for watching, installed are the hosts
// that can be started, and run starts one and returns when its dream has ended.
func (c *Command) Dream(ctx context.Context, p, look *consolidate.Project, setup settings.Setup, installed []string,
	run func(ctx context.Context, host ...string) error) error {
	defer look.Close("the program ended")
	if name := c.argument(); name != "" && len(setup.Limits.Command) > 0 {
		return usage("background_command in config.json says what runs a dream, so %q would be ignored", name)
	}
	var by []string
	if len(setup.Limits.Command) == 0 { // config.json names no program
		name, err := dreamHost(ctx, c, p, installed)
		if err != nil {
			return err
		}
		by = []string{name}
	}
	if err := c.print("Dreaming" + strings.Join(append([]string{""}, by...), " with ") + ". Nothing lands before your yes; ctrl-c ends it.\n"); err != nil {
		return err
	}
	before, err := p.Proposals.Reviews(ctx)
	if err != nil {
		return err
	}
	ctx, end := context.WithCancel(ctx)
	defer end()
	watching, stop := context.WithCancel(ctx)
	defer stop()
	ended := make(chan error, 1)
	go func() {
		defer stop()
		ended <- run(ctx, by...)
	}()
	watchErr := runWatch(watching, c, look, setup)
	switch {
	case errors.Is(watchErr, errCtrlC):
		end()
	case watchErr == nil && watching.Err() == nil:
		watchErr = c.print("The dream continues; ctrl-c ends it.\n")
	}
	err = <-ended
	if err != nil && ctx.Err() != nil {
		return cmp.Or[error](c.print("Interrupted: the dream has ended, and nothing has landed.\n"), &Failure{Code: 1})
	}
	if err != nil {
		return err
	}
	if watchErr != nil {
		return watchErr
	}
	waiting, err := p.Proposals.Reviews(ctx)
	if err != nil {
		return err
	}
	waiting = slices.DeleteFunc(waiting, func(r consolidate.Review) bool {
		return slices.ContainsFunc(before, func(known consolidate.Review) bool { return known.ID == r.ID })
	})
	if len(waiting) == 0 {
		return c.print("The dream changed nothing.\n")
	}
	return showReviews(ctx, c, p, setup, waiting)
}

// dreamHost returns the host that the person named, that of last time, or the only one. Otherwise it asks.
func dreamHost(ctx context.Context, c *Command, p *consolidate.Project, installed []string) (string, error) {
	if len(installed) == 0 {
		var dreamers []string
		for _, id := range host.IDs((*host.Host).Dreams) {
			dreamers = append(dreamers, host.Name(id))
		}
		return "", &Failure{"no installed program can run a dream", "install " + either(dreamers) + ", or set background_command in config.json", 1}
	}
	if name := c.argument(); name != "" {
		if !slices.Contains(installed, name) {
			return "", usage("%q cannot run a dream here; %s can", name, either(installed))
		}
		return name, state.DreamHost.Set(p.Store.Records.DB(), name) // for the next time
	}
	if last, err := state.DreamHost.Get(p.Store.Records.Look()); err == nil && slices.Contains(installed, last) {
		return last, nil
	}
	switch {
	case len(installed) == 1:
		return installed[0], nil
	case c.In == nil:
		return "", &Failure{"several programs can run a dream", "name one: dream-mcp dream " + strings.Join(installed, "|"), 2}
	}
	for i, name := range installed {
		fmt.Fprintf(c.Out, "%d  %s\n", i+1, name)
	}
	answer, err := c.ask(ctx, "Which one should dream? > ")
	if err != nil {
		return "", err
	}
	if n, err := strconv.Atoi(answer); err == nil && n > 0 && n <= len(installed) {
		answer = installed[n-1]
	}
	if !slices.Contains(installed, answer) {
		return "", &Failure{"nothing was started", "answer with a number or a name", 1}
	}
	return answer, state.DreamHost.Set(p.Store.Records.DB(), answer)
}

// either joins names with "or".
func either(names []string) string {
	last := len(names) - 1
	if last == 0 {
		return names[0]
	}
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// runStop ends the dream that is open in another process.
func runStop(ctx context.Context, c *Command, p *consolidate.Project, _ settings.Setup) error {
	reason := strings.Join(c.Args, " ")
	if reason == "" {
		reason = "a person asked for it in a terminal"
	}
	holder, err := p.RequestStop(ctx, reason)
	if err != nil {
		return err
	}
	return c.answer(map[string]string{"holder": holder, "reason": reason}, "", func(terminal.Ink) string {
		return fmt.Sprintf("Asked to stop: %s\nIt ends in a moment. Nothing lands; its stage is kept.\n", terminal.OneLine(holder))
	})
}
