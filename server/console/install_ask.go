package console

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"dream-mcp/consolidate/host"
	"dream-mcp/consolidate/ops"
	"dream-mcp/server/console/terminal"
	"dream-mcp/server/install"
	"dream-mcp/server/settings"
)

// chooseAllow sets whether the host asks before our quiet tools: as the flag says, or as the person says at a terminal.
func chooseAllow(ctx context.Context, c *Command, i *install.Installer, h *host.Host) error {
	rules := install.Rules(h)
	i.Allow = c.install.allow || !c.install.print && !i.Asks(h)
	switch {
	case c.Verb == "uninstall":
	case c.install.allow && rules == nil:
		return ops.Refuse(h.Name+" has no list of allowed tools that dream-mcp supports", "leave --allow out")
	case c.install.allow, c.In == nil, c.install.dryRun, c.install.print, c.json, !i.Asks(h):
	default:
		var b terminal.Lines
		b.Add(true, "", "\n%s asks before each call of a tool. These tools change no memory, so you may want to allow them:", h.Name)
		for _, rule := range rules {
			b.Add(true, "", "  %s", rule)
		}
		answer, err := c.ask(ctx, b.String()+"Allow them in its settings? [Y/n] ")
		if err != nil {
			return err
		}
		i.Allow = answer == "" || isYes(answer)
	}
	return nil
}

// chooseProject sets the project for a host that starts servers outside of any, unless the flags name one or a memory.
// On a terminal it asks, and proposes the working directory; else it refuses: the server would not know which memory is
// meant.
func chooseProject(ctx context.Context, c *Command, h *host.Host) error {
	if c.Flags.Project != "" || c.Flags.MemoryDir != "" {
		return nil
	}
	refusal := ops.Refuse(h.Name+" starts servers outside any project, so it needs the name of one",
		"dream-mcp install "+h.ID+" --project DIR names the folder that you work in; --memory-dir DIR is a memory without a project")
	if c.In == nil || c.install.print || c.json {
		return refusal
	}
	proposed, err := os.Getwd()
	if home, _ := os.UserHomeDir(); err != nil || proposed == home || filepath.Dir(proposed) == proposed {
		proposed = ""
	}
	answer, err := c.ask(ctx, fmt.Sprintf("%s starts servers outside any project. Whose memory is meant?\nThe folder that you work in [%s] ", h.Name, proposed))
	if c.Flags.Project = cmp.Or(answer, proposed); err != nil || c.Flags.Project != "" {
		return err
	}
	return refusal
}

// resolveProject makes the flags that name a project and its memory absolute, and fails if they are not valid.
func resolveProject(c *Command) error {
	f := &c.Flags
	if f.Project == "" && f.MemoryDir == "" {
		return nil
	}
	setup, err := settings.Resolve(settings.Process(), *f)
	if err != nil {
		return err
	}
	if f.Project != "" {
		f.Project = setup.Project
	}
	if f.MemoryDir != "" {
		f.MemoryDir = setup.MemoryDir
	}
	for i, folder := range f.Transcripts {
		if f.Transcripts[i], err = filepath.Abs(folder); err != nil {
			return err
		}
	}
	return nil
}
