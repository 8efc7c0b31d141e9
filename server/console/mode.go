package console

import (
	"context"
	"fmt"
	"slices"

	"dream-mcp/consolidate"
	"dream-mcp/server/console/terminal"
	"dream-mcp/server/install"
	"dream-mcp/server/settings"
)

// modeJSON is the output of mode --json.
type modeJSON struct {
	Mode    string `json:"mode"`   // the mode in force
	Source  string `json:"source"` // a flag, a variable, a file, or "default"
	File    string `json:"file"`   // the config.json that mode sets
	Changed bool   `json:"changed"`

	Connected []string `json:"connected"` // the hosts whose hooks call us: without one nothing happens by itself
}

// modes describes each mode.
var modes = map[string]string{
	settings.ModeOff:     "nothing is offered or started, and dreams are off",
	settings.ModeSuggest: "a dream that is due is offered at the start of a session",
	settings.ModeApprove: "a dream that is due runs in the background, and waits for your yes before it lands",
	settings.ModeAuto:    "a dream that is due runs in the background and lands by itself",
}

// runMode shows the mode, or sets it in config.json: for this project if it has a mode of its own there, else for all.
func runMode(ctx context.Context, c *Command, _ *consolidate.Project, setup settings.Setup) error {
	var changed bool
	wanted := setup.Mode
	if len(c.Args) > 0 {
		if wanted = c.Args[0]; modes[wanted] == "" {
			return oneOf("mode", wanted, settings.Modes)
		}
		env := settings.Process()
		if setup.ConfigFile == "" {
			return fmt.Errorf("no home directory is known, so there is no config.json")
		}
		var err error
		if changed, err = (install.Installer{Env: env}).Set(ctx, setup.ConfigFile, setup.ModeKeys, wanted); err != nil {
			return err
		}
		if setup, err = settings.Resolve(env, c.Flags); err != nil {
			return err
		}
	}
	connected := connected(install.Installer{Env: settings.Process(), Self: c.Self})
	err := c.answer(modeJSON{setup.Mode, setup.ModeSource, setup.ConfigFile, changed, connected}, "  ", func(ink terminal.Ink) string {
		return renderMode(setup, len(c.Args) > 0, connected, ink)
	})
	if err != nil {
		return err
	}
	if wanted != setup.Mode {
		return &Failure{
			fmt.Sprintf("%s is set, but %s applies here (%s)", wanted, setup.Mode, setup.ModeSource),
			"the source in brackets overrides config.json: change the mode there; dream-mcp doctor shows what is ignored", 1,
		}
	}
	return nil
}

// connected returns the hosts whose hooks, or plugins, call us.
func connected(i install.Installer) []string {
	hosts := []string{}
	if len(install.Plugins(i.Env, "")) > 0 {
		hosts = append(hosts, settings.ClaudeCode)
	}
	for _, h := range install.Hosts() {
		parts, _ := i.Parts(h, true)
		for _, p := range parts {
			if p.Name == install.Hook && p.State == install.Installed && !slices.Contains(hosts, h.ID) {
				hosts = append(hosts, h.ID)
			}
		}
	}
	return hosts
}

func renderMode(setup settings.Setup, set bool, connected []string, ink terminal.Ink) string {
	b := terminal.Lines{Ink: ink}
	for _, m := range settings.Modes {
		mark, colour := " ", ""
		if m == setup.Mode {
			mark, colour = "●", terminal.Green
		}
		b.Add(true, colour, "%s %-8s %s", mark, m, modes[m])
	}
	b.Add(true, "", "set by: %s", setup.ModeSource)
	b.Add(set && len(setup.ModeKeys) == 1, "", "set for: all projects that have no mode of their own in config.json")
	b.Add(set && len(setup.ModeKeys) > 1, "", "set for: this project alone")
	b.Add(setup.Mode != settings.ModeOff && !setup.Enabled.On, "", "but dreams are off: %s", setup.Enabled.Why)
	b.Add(setup.Mode != settings.ModeOff && len(connected) == 0, terminal.Yellow, "but no program that could start a dream is connected: dream-mcp install HOST")
	return b.String() + renderRecall(setup)
}
