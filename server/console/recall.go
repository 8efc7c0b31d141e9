package console

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"dream-mcp/consolidate"
	"dream-mcp/consolidate/host"
	"dream-mcp/consolidate/ops"
	"dream-mcp/consolidate/recall"
	"dream-mcp/consolidate/state"
	"dream-mcp/memory/phrase"
	"dream-mcp/server/console/terminal"
	"dream-mcp/server/install"
	"dream-mcp/server/settings"
)

// recalls describes what each level shows beside the one before it.
var recalls = map[string]string{
	recall.Start:  "the index, when a session begins",
	recall.Prompt: "passages that name what a prompt names",
}

// recallText describes what a level shows in a host. Claude Code loads the index itself.
func recallText(hostID, level string) string {
	var all []string
	for _, l := range recall.Levels {
		if recalls[l] != "" && recall.Includes(level, l) && (l != recall.Start || hostID != settings.ClaudeCode) {
			all = append(all, recalls[l])
		}
	}
	return cmp.Or(strings.Join(all, "; "), "nothing")
}

// chooseRecall sets the level of recall for a host: from the flag, from the person at a terminal, or as it is.
func chooseRecall(ctx context.Context, c *Command, h *host.Host, removing bool) error {
	setup, _ := settings.Resolve(settings.Process(), c.Flags) // without a project it has the person's settings
	now := setup.RecallIn(h.ID).Value
	switch {
	case c.Guard && h.Shows() && !h.Guards():
		return ops.Refuse("dream-mcp cannot have "+h.Name+" deny tools", "leave --guard out")
	case (c.install.recall != "" && c.install.recall != recall.Off || c.Guard) && !h.Shows():
		return ops.Refuse(h.Name+" has no hooks that dream-mcp supports", "omit --recall and --guard")
	case removing:
		c.install.recall = recall.Off
	case c.install.recall != "" || !h.Shows():
	case c.In == nil || c.install.dryRun || c.install.print || c.json || now != recall.Off || h.ID == settings.ClaudeCode: // which loads the index itself
		c.install.recall = now
	default:
		proposed := recall.Start
		fmt.Fprintf(c.Out, "dream-mcp can show memories of a project to the model of %s automatically.\n"+
			"The vendor of the model then reads them.\n  off     nothing\n", h.Name)
		for n, level := range recall.Levels[1:] {
			fmt.Fprintf(c.Out, "  %-7s %s%s\n", level, strings.Repeat("also ", min(n, 1)), recalls[level])
		}
		for !slices.Contains(recall.Levels, c.install.recall) { // an answer such as "y" is asked again
			answer, err := c.ask(ctx, fmt.Sprintf("Which? [%s] ", proposed))
			if err != nil {
				return err
			}
			c.install.recall = cmp.Or(answer, proposed)
		}
	}
	return nil
}

// setRecall writes the level of recall for a host into config.json if it differs, and returns the level in force.
func setRecall(ctx context.Context, c *Command, i install.Installer, h *host.Host) (level string, err error) {
	setup, _ := settings.Resolve(i.Env, c.Flags)
	if setup.RecallIn(h.ID).Value == c.install.recall {
		return c.install.recall, nil
	}
	if setup.ConfigFile == "" {
		return "", fmt.Errorf("no home directory is known, so there is no config.json")
	}
	keys := []string{"recall", h.ID}
	if c.Verb == "uninstall" {
		_, err = i.Unset(ctx, setup.ConfigFile, keys)
	} else {
		_, err = i.Set(ctx, setup.ConfigFile, keys, c.install.recall)
	}
	if err != nil {
		return "", err
	}
	setup, _ = settings.Resolve(i.Env, c.Flags)
	return setup.RecallIn(h.ID).Value, nil
}

// renderRecall lists the hosts whose models are shown memories.
func renderRecall(setup settings.Setup) string {
	var b terminal.Lines
	for _, h := range install.Hosts() {
		level := setup.RecallIn(h.ID).Value
		b.Add(level != recall.Off && h.Shows(), "", "  %-12s %s", h.Name, recallText(h.ID, level))
	}
	if b.Len() == 0 {
		return "no memories are shown to models automatically (dream-mcp install HOST --recall start)\n"
	}
	return "memories shown to models automatically (recall in config.json):\n" + b.String()
}

// recallLog lists the memories that were shown to models automatically, the newest first.
func recallLog(c *Command, p *consolidate.Project) error {
	pushes, err := p.Recall.Pushes()
	if err != nil {
		return err
	}
	pushes = slices.DeleteFunc(pushes, func(p state.Push) bool { return !recall.Shows(p) })
	slices.Reverse(pushes)
	return answerAll(c, pushes, func(ink terminal.Ink) string {
		b := terminal.Lines{Ink: ink}
		b.Add(len(pushes) == 0, "", "No memory was shown automatically yet.")
		for _, push := range pushes {
			b.Add(true, "", "%s  %-8s %-12s %-8.8s  %s", minute(push.Time, p.Store.Now().Location()), push.Event, push.Host, push.Session, phrase.Few(push.Files, maxFiles))
		}
		return b.String()
	})
}
