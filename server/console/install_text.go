package console

import (
	"encoding/json"
	"fmt"
	"strings"

	"dream-mcp/consolidate/host"
	"dream-mcp/consolidate/recall"
	"dream-mcp/server/console/terminal"
	"dream-mcp/server/install"
)

// installJSON is the output of install and uninstall with --json.
type installJSON struct {
	Host   string     `json:"host"`
	DryRun bool       `json:"dry_run"`
	Parts  []partJSON `json:"parts"`
	Twice  []string   `json:"twice,omitempty"`  // plugins that contain the same parts
	Recall string     `json:"recall,omitempty"` // which memories the host's model is shown unasked
}

// partJSON is a part before the change, and what was done.
type partJSON struct {
	install.Part
	install.Done
}

// hostJSON is a row of install --json without a host.
type hostJSON struct {
	Host    string            `json:"host"`
	Name    string            `json:"name"`
	Present bool              `json:"present"` // the host seems to be on this machine
	Parts   map[string]string `json:"parts"`   // the states of "server" and "hook"
	File    string            `json:"file"`
	Error   string            `json:"error,omitempty"` // why the states are unknown
}

// renderNext says how to ask each host for a dream, and what it asks first.
func renderNext(all []*host.Host, names []string) string {
	var b terminal.Lines
	b.WriteString("\n")
	b.Add(true, "", "Restart %s. To ask for a dream, type in a session there:", strings.Join(names, ", "))
	for _, h := range all {
		b.Add(true, "", "  %-12s %s", h.Name, h.Asks())
	}
	for _, h := range all {
		b.Add(note(h) != "", "", "%s", note(h))
	}
	return b.String()
}

// note returns what a person must do before the hooks of a host run.
func note(h *host.Host) string {
	if h.Hooks == nil {
		return ""
	}
	return h.Hooks.Note
}

// memoriesKept is what uninstall says at its end.
const memoriesKept = "Memories, the archive and the log are kept."

// renderInstall prints what was done, or what would be done.
func renderInstall(h *host.Host, answer installJSON, removing, changed bool) string {
	var b terminal.Lines
	for _, p := range answer.Parts {
		if removing && p.Name == install.Permissions && p.State == install.Absent {
			continue // they were not wanted
		}
		b.Add(true, "", "%s, %s: %s", h.Name, p.Name, outcome(p, removing, answer.DryRun))
		b.WriteString(p.Diff)
	}
	b.Add(changed && removing, "", memoriesKept)
	b.Add(changed && !removing, "", "Restart %s. To ask for a dream there, type %s. dream-mcp uninstall %s undoes this.", h.Name, h.Asks(), h.ID)
	b.Add(changed && !removing && note(h) != "", "", "%s", note(h))
	b.Add(!removing && answer.Recall != "" && answer.Recall != recall.Off, "", "Shown to its model automatically: %s.", recallText(h.ID, answer.Recall))
	for _, plugin := range answer.Twice {
		b.Add(true, "", "! Claude Code has dream-mcp by the plugin %s, too.", plugin)
		b.Add(true, "", "  One is enough: dream-mcp uninstall claude-code, or claude plugin uninstall %s", plugin)
	}
	return b.String()
}

// outcome describes what was done to a part, or what would be done.
func outcome(p partJSON, removing, dry bool) string {
	said := "added to "
	switch {
	case removing && p.State == install.Absent:
		return "not installed in " + p.File
	case !removing && p.State == install.Installed:
		return "already installed in " + p.File
	case dry:
		return "would be done by this edit:"
	case !p.Changed:
		return "done by another install in " + p.File
	case removing:
		said = "removed from "
	case p.State == install.Outdated:
		said = "updated in "
	}
	if said += p.File; p.Backup != "" {
		said += "; the old text is in " + p.Backup
	}
	return said
}

// renderHosts lists the hosts that are on this machine or connected, and names the others in one line.
func renderHosts(rows []hostJSON) string {
	var b terminal.Lines
	var absent []string
	for _, r := range rows {
		var have []string
		for _, name := range []string{install.Server, install.Skill, install.Hook, install.Permissions} {
			if r.Parts[name] == install.Installed {
				have = append(have, name)
			}
		}
		state, connect := "", "dream-mcp install "+r.Host
		if host.Find(r.Host).Settings.Nowhere {
			connect += " --project DIR"
		}
		switch {
		case r.Error != "":
			state = "unknown: " + r.Error
		case len(have) == len(r.Parts), len(have) == len(r.Parts)-1 && r.Parts[install.Permissions] == install.Absent: // they are the person's choice
			state = "connected: " + strings.Join(have, ", ")
		case len(have) > 0:
			state = "partly connected: " + strings.Join(have, ", ") + "; " + connect + " adds the rest"
		case r.Present:
			state = "found, not connected yet: " + connect
		default:
			absent = append(absent, r.Host)
			continue
		}
		b.Add(true, "", "%-15s %s", r.Host, state)
	}
	b.Add(len(absent) > 0, "", "Not found here: %s", strings.Join(absent, ", "))
	return b.String()
}

// renderNoHost says what a person can do where no agent was found.
func renderNoHost(self string) string {
	entry, _ := json.Marshal(map[string]any{"mcpServers": map[string]any{"dream": map[string]any{"command": self}}})
	var b terminal.Lines
	b.Add(true, "", "\nNo agent that dream-mcp knows is on this machine. You can:")
	var get []string
	for _, h := range host.List {
		if h.Get != "" {
			get = append(get, fmt.Sprintf("%s (%s)", h.Name, h.Get))
		}
	}
	b.Add(true, "", "  get one, such as %s, and run this again", strings.Join(get, " or "))
	b.Add(true, "", "  add this to the settings of any other MCP client:")
	b.WriteString("    " + string(entry) + "\n")
	b.Add(true, "", "  look at a memory that you have: dream-mcp lint DIR, dream-mcp status --memory-dir DIR")
	b.Add(true, "", "  see what a dream does: dream-mcp demo")
	return b.String()
}
