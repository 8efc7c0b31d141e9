package console

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"strings"
	"time"

	"dream-mcp/consolidate"
	"dream-mcp/consolidate/transcript/said"
	"dream-mcp/memory/phrase"
	"dream-mcp/server/console/terminal"
	"dream-mcp/server/settings"
)

// statusJSON is the output of status --json: that of dream_status, and the setup.
type statusJSON struct {
	consolidate.Status
	Sessions []consolidate.HostSessions `json:"sessions"`
	Setup    setupJSON                  `json:"setup"`
}

type setupJSON struct {
	Client      string                      `json:"client"` // "" if unknown
	Project     string                      `json:"project"`
	Root        string                      `json:"root"`
	Worktrees   []string                    `json:"worktrees"`
	MemoryWhy   string                      `json:"memory_why"`
	Candidates  []settings.Candidate        `json:"candidates"`
	Mode        string                      `json:"mode"`
	MinHours    float64                     `json:"min_hours"`
	MinSessions int                         `json:"min_sessions"`
	CleanupDays int                         `json:"cleanup_days"`
	Settings    map[string]settings.Setting `json:"settings"`
	StateDir    string                      `json:"state_dir"`
}

func runStatus(ctx context.Context, c *Command, p *consolidate.Project, setup settings.Setup) error {
	if c.status.watch {
		return runWatch(ctx, c, p, setup)
	}
	s, err := p.Status(ctx)
	if err != nil {
		return err
	}
	found, err := p.Sessions.Hosts(ctx)
	if err != nil {
		return err
	}
	object := statusObject(s, found, setup, p.Store.Records.StateDir())
	return c.answer(object, "  ", func(ink terminal.Ink) string {
		return renderStatus(s, found, setup, p.Sessions.Folders(), p.Store.Now(), ink)
	})
}

func statusObject(s consolidate.Status, found []consolidate.HostSessions, setup settings.Setup, state string) statusJSON {
	o := statusJSON{Status: s, Sessions: append([]consolidate.HostSessions{}, found...), Setup: setupJSON{
		Client: setup.Client, Project: setup.Project, Root: setup.Root, Worktrees: append([]string{}, setup.Worktrees...),
		MemoryWhy: setup.MemoryWhy, Candidates: append([]settings.Candidate{}, setup.Candidates...), Mode: setup.Mode, MinHours: setup.MinHours,
		MinSessions: setup.MinSessions, CleanupDays: setup.CleanupDays, Settings: map[string]settings.Setting{}, StateDir: state,
	}}
	maps.Copy(o.Setup.Settings, setup.Settings)
	return o
}

// renderStatus prints whether a dream is due, and where everything is.
func renderStatus(
	s consolidate.Status, found []consolidate.HostSessions, setup settings.Setup, folders []said.Folder, now time.Time, ink terminal.Ink,
) string {
	rows := places(setup, folders)
	for i, h := range found {
		r := place{name: "sessions", value: h.Line(now)}
		if source := setup.Settings["hosts"].Source; i == 0 && source != "default" {
			r.why = "of the hosts in " + source
		}
		rows = append(rows, r)
	}
	if s.Unattended {
		rows = append(rows, place{"unattended", "nobody watches: stricter rules apply to dreams", setup.Settings["unattended"].Source, ""})
	}
	if s.Shared != "" {
		rows = append(rows, place{name: "shared", value: s.Shared, why: "dream-mcp share"})
	}
	if s.HeldBy != "" {
		rows = append(rows, place{name: "lock", value: s.HeldBy})
	}
	if d := s.Dream; d != nil {
		rows = append(rows, place{"open dream", fmt.Sprintf("%s in another process, begun %s", d.ID, phrase.Ago(now, d.Started)), dreamDetail(d, now), ""})
	}
	what, summary := lastDream(s.Last, now)
	rows = append(rows, place{"last dream", what, summary, ""})

	b := terminal.Lines{Ink: ink}
	state, next := headline(s.State)
	b.WriteString(strings.TrimSpace(ink.In(terminal.Bold, state)+" "+next) + "\n\n")
	for _, g := range shownGates(s.Gates) {
		fmt.Fprintf(&b, "  %s\n", renderGate(g, now.Location(), ink))
	}
	b.WriteByte('\n')
	for i, r := range rows {
		label, why := r.name, cmp.Or(r.problem, r.why)
		if i > 0 && rows[i-1].name == r.name {
			label = ""
		}
		fmt.Fprintf(&b, "%s  %s\n", ink.In(terminal.Dim, fmt.Sprintf("%-11s", label)), terminal.OneLine(r.value))
		b.Add(why != "", terminal.Dim, "%13s%s", "", why)
	}
	if len(s.Warnings) > 0 {
		b.WriteByte('\n')
	}
	for _, w := range s.Warnings {
		fmt.Fprintf(&b, "%s %s\n", ink.In(terminal.Yellow, "!"), localTimes(terminal.OneLine(w), now.Location()))
	}
	return b.String()
}

func dreamDetail(d *consolidate.OpenDream, now time.Time) string {
	parts := []string{string(d.Phase), phrase.Plural(d.ToolCalls, "call")}
	if len(d.Staged) > 0 {
		parts = append(parts, "staged "+phrase.Few(d.Staged, maxFiles))
	}
	return strings.TrimPrefix(strings.Join(append(parts, "expires "+d.Expires.In(now.Location()).Format("15:04")), ", "), ", ")
}
