package console

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"dream-mcp/consolidate"
	"dream-mcp/server/host"
)

// statusJSON is the answer of dream_status, and what the host knows besides.
type statusJSON struct {
	consolidate.Status
	Setup setupJSON `json:"setup"`
}

type setupJSON struct {
	Client      string                 `json:"client"` // "" when the environment does not say
	Project     string                 `json:"project"`
	Root        string                 `json:"root"`
	Worktrees   []string               `json:"worktrees"`
	MemoryWhy   string                 `json:"memory_why"`
	Candidates  []candidateJSON        `json:"candidates"`
	Mode        string                 `json:"mode"`
	MinHours    float64                `json:"min_hours"`
	MinSessions int                    `json:"min_sessions"`
	CleanupDays int                    `json:"cleanup_days"`
	Settings    map[string]settingJSON `json:"settings"`
	StateDir    string                 `json:"state_dir"`
}

type candidateJSON struct {
	Path   string `json:"path"`
	Why    string `json:"why"`
	Exists bool   `json:"exists"`
	Topics int    `json:"topics"`
}

type settingJSON struct {
	Value  string `json:"value"`
	Source string `json:"source"`
}

func (c *Command) status(ctx context.Context, p *consolidate.Project, setup host.Setup) error {
	s, err := p.Status(ctx)
	if err != nil {
		return err
	}
	if c.JSON {
		return c.printJSON(statusObject(s, setup, p.StateDir()), "  ")
	}
	_, err = io.WriteString(c.Out, renderStatus(s, setup, p.Now(), paintFor(c.Out)))
	return err
}

func statusObject(s consolidate.Status, setup host.Setup, state string) statusJSON {
	if s.Warnings == nil {
		s.Warnings = []string{}
	}
	o := statusJSON{Status: s, Setup: setupJSON{
		Client: setup.Client, Project: setup.Project, Root: setup.Root, Worktrees: append([]string{}, setup.Worktrees...),
		MemoryWhy: setup.MemoryWhy, Candidates: []candidateJSON{}, Mode: setup.Mode, MinHours: setup.MinHours,
		MinSessions: setup.MinSessions, CleanupDays: setup.CleanupDays, Settings: map[string]settingJSON{}, StateDir: state,
	}}
	for _, c := range setup.Candidates {
		o.Setup.Candidates = append(o.Setup.Candidates, candidateJSON(c))
	}
	for name, v := range setup.Settings {
		o.Setup.Settings[name] = settingJSON(v)
	}
	return o
}

// claudeDreams is all that Claude Code's lock says: a dream that succeeded leaves it as it is.
const claudeDreams = "Claude Code itself dreams, or has finished within the hour"

// renderStatus tells a person how things stand: is a dream due, and where is everything.
func renderStatus(s consolidate.Status, setup host.Setup, now time.Time, ink paint) string {
	var b strings.Builder
	row := func(label, value, why string) {
		fmt.Fprintf(&b, "%s  %s\n", ink.in(dim, fmt.Sprintf("%-11s", label)), oneLine(value))
		if why != "" {
			fmt.Fprintf(&b, "%13s%s\n", "", ink.in(dim, oneLine(why)))
		}
	}
	switch {
	case s.Dream != nil:
		b.WriteString(ink.in(bold, "A dream is open.") + "\n\n")
	case s.HeldBy != "":
		b.WriteString(ink.in(bold, claudeDreams+".") + " Nothing of ours begins meanwhile, at most for an hour.\n\n")
	case s.Due:
		b.WriteString(ink.in(bold, "A dream is due.") + " Ask your agent for one: the prompt “dream”.\n\n")
	default:
		fmt.Fprintf(&b, "%s The gate “%s” is closed.\n\n", ink.in(bold, "No dream is due."), s.ClosedGate)
	}
	for _, g := range s.Gates {
		fmt.Fprintf(&b, "  %s\n", renderGate(g, ink))
	}
	b.WriteByte('\n')
	row("memory", s.MemoryDir, setup.MemoryWhy)
	for i, dir := range s.TranscriptDirs {
		row(map[bool]string{true: "transcripts"}[i == 0], dir, "")
	}
	if len(s.TranscriptDirs) == 0 {
		row("transcripts", "none found", "")
	}
	if len(s.Hosts) > 1 || len(s.Hosts) == 1 && s.Hosts[0] != host.ClaudeCode {
		row("hosts", strings.Join(s.Hosts, ", "), setup.Settings["hosts"].Source)
	}
	row("mode", setup.Mode, setup.ModeSource)
	if s.Unattended {
		row("unattended", "nobody watches: dreams keep to the stricter law", setup.Settings["unattended"].Source)
	}
	if s.HeldBy != "" {
		row("lock", s.HeldBy, "")
	}
	if d := s.Dream; d != nil {
		whose := "in another process"
		if d.Mine {
			whose = "in this process"
		}
		row("open dream", fmt.Sprintf("%s %s, begun %s", d.ID, whose, ago(now, d.Started)), dreamDetail(d, now))
	}
	if l := s.Last; l == nil {
		row("last dream", "none yet", "")
	} else {
		outcome := string(l.Outcome)
		if l.Undone {
			outcome += ", and undone since,"
		}
		row("last dream", fmt.Sprintf("%s %s %s: %s", l.ID, outcome, ago(now, l.Ended), fileList(l.Files)), l.Summary)
	}
	others := slices.DeleteFunc(slices.Clone(setup.Candidates), func(c host.Candidate) bool { return !c.Exists })
	for i, c := range others {
		row(map[bool]string{true: "also there"}[i == 0], c.Path, fmt.Sprintf("%s, %s", count(c.Topics, "topic"), c.Why))
	}
	if len(s.Warnings) > 0 {
		b.WriteByte('\n')
	}
	for _, w := range s.Warnings {
		fmt.Fprintf(&b, "%s %s\n", ink.in(yellow, "!"), oneLine(w))
	}
	return b.String()
}

func renderGate(g consolidate.Gate, ink paint) string {
	mark := ink.in(dim, "·")
	if g.Open != nil && *g.Open {
		mark = ink.in(green, "●")
	} else if g.Open != nil {
		mark = ink.in(yellow, "○")
	}
	return fmt.Sprintf("%s %-9s %s", mark, g.Name, oneLine(g.Why))
}

func dreamDetail(d *consolidate.OpenDream, now time.Time) string {
	parts := []string{count(d.ToolCalls, "call")}
	if d.Phase != "" {
		parts = append([]string{d.Phase}, parts...)
	}
	if len(d.Staged) > 0 {
		parts = append(parts, "staged "+fileList(d.Staged))
	}
	return strings.Join(append(parts, "expires "+d.Expires.In(now.Location()).Format("15:04")), ", ")
}

// fileList names some files, and counts the rest.
func fileList(files []string) string {
	const most = 6
	switch {
	case len(files) == 0:
		return "no files"
	case len(files) > most:
		return fmt.Sprintf("%s and %d more", strings.Join(files[:most], ", "), len(files)-most)
	}
	return strings.Join(files, ", ")
}

func count(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

// ago says how long before now t was, as roughly as a person would.
func ago(now, t time.Time) string {
	d := now.Sub(t)
	switch {
	case d < 0:
		return "in the future (is the clock right?)"
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return count(int(d.Minutes()), "minute") + " ago"
	case d < 48*time.Hour:
		return count(int(d.Hours()), "hour") + " ago"
	}
	return count(int(d.Hours()/24), "day") + " ago"
}
