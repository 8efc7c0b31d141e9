package console

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"strings"
	"time"

	"dream-mcp/consolidate"
	"dream-mcp/consolidate/recall"
	"dream-mcp/consolidate/store"
	"dream-mcp/consolidate/transcript"
	"dream-mcp/server/host"
)

// statusJSON is the output of status --json: that of dream_status, and the setup.
type statusJSON struct {
	consolidate.Status
	Setup    setupJSON    `json:"setup"`
	Recalled *recall.Uses `json:"recalled,omitempty"` // how often memories were shown unasked
}

type setupJSON struct {
	Client      string                  `json:"client"` // "" if unknown
	Project     string                  `json:"project"`
	Root        string                  `json:"root"`
	Worktrees   []string                `json:"worktrees"`
	MemoryWhy   string                  `json:"memory_why"`
	Candidates  []host.Candidate        `json:"candidates"`
	Mode        string                  `json:"mode"`
	MinHours    float64                 `json:"min_hours"`
	MinSessions int                     `json:"min_sessions"`
	CleanupDays int                     `json:"cleanup_days"`
	Settings    map[string]host.Setting `json:"settings"`
	StateDir    string                  `json:"state_dir"`
}

func (c *Command) status(ctx context.Context, p *consolidate.Project, setup host.Setup) error {
	s, err := p.Status(ctx)
	if err != nil {
		return err
	}
	object := statusObject(s, setup, p.StateDir())
	object.Recalled = usesOf(p)
	return c.answer(object, "  ", func(ink paint) string {
		return renderStatus(s, setup, p.Sessions.Folders(), p.Now(), ink) + renderUses(object.Recalled, p)
	})
}

func statusObject(s consolidate.Status, setup host.Setup, state string) statusJSON {
	o := statusJSON{Status: s, Setup: setupJSON{
		Client: setup.Client, Project: setup.Project, Root: setup.Root, Worktrees: append([]string{}, setup.Worktrees...),
		MemoryWhy: setup.MemoryWhy, Candidates: append([]host.Candidate{}, setup.Candidates...), Mode: setup.Mode, MinHours: setup.MinHours,
		MinSessions: setup.MinSessions, CleanupDays: setup.CleanupDays, Settings: map[string]host.Setting{}, StateDir: state,
	}}
	maps.Copy(o.Setup.Settings, setup.Settings)
	return o
}

// renderStatus prints whether a dream is due, and where everything is.
func renderStatus(s consolidate.Status, setup host.Setup, folders []transcript.Folder, now time.Time, ink paint) string {
	var b strings.Builder
	named := "" // the label of the last row, which is not repeated
	row := func(name, value, why string) {
		label := name
		if name == named {
			label = ""
		}
		named = name
		fmt.Fprintf(&b, "%s  %s\n", ink.in(dim, fmt.Sprintf("%-11s", label)), oneLine(value))
		if why != "" {
			fmt.Fprintf(&b, "%13s%s\n", "", ink.in(dim, oneLine(why)))
		}
	}
	state, next := headline(s.State)
	b.WriteString(strings.TrimSpace(ink.in(bold, state)+" "+next) + "\n\n")
	for _, g := range s.Gates {
		fmt.Fprintf(&b, "  %s\n", renderGate(g, now.Location(), ink))
	}
	b.WriteByte('\n')
	for _, p := range places(setup, folders, s.Hosts) {
		row(p.name, p.value, cmp.Or(p.problem, p.why))
	}
	if s.Unattended {
		row("unattended", "nobody watches: stricter rules apply to dreams", setup.Settings["unattended"].Source)
	}
	if s.HeldBy != "" {
		row("lock", s.HeldBy, "")
	}
	if d := s.Dream; d != nil {
		whose := "in another process"
		if d.Mine {
			whose = "in this process"
		}
		row("open dream", fmt.Sprintf("%s %s, begun %s", d.ID, whose, store.Ago(now, d.Started)), dreamDetail(d, now))
	}
	what, summary := lastDream(s.Last, now)
	row("last dream", what, summary)
	if len(s.Warnings) > 0 {
		b.WriteByte('\n')
	}
	for _, w := range s.Warnings {
		fmt.Fprintf(&b, "%s %s\n", ink.in(yellow, "!"), localTimes(oneLine(w), now.Location()))
	}
	return b.String()
}

func dreamDetail(d *consolidate.OpenDream, now time.Time) string {
	parts := []string{store.Plural(d.ToolCalls, "call")}
	if d.Phase != "" {
		parts = append([]string{d.Phase}, parts...)
	}
	if len(d.Staged) > 0 {
		parts = append(parts, "staged "+fileList(d.Staged))
	}
	return strings.Join(append(parts, "expires "+d.Expires.In(now.Location()).Format("15:04")), ", ")
}
