package console

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"dream-mcp/consolidate"
	"dream-mcp/consolidate/ops"
	"dream-mcp/consolidate/transcript/said"
	"dream-mcp/memory/lazy"
	"dream-mcp/memory/phrase"
	"dream-mcp/server/console/terminal"
	"dream-mcp/server/settings"
)

// claudeDreams is all that Claude Code's lock file can show: its dream does not release the file when it succeeds.
const claudeDreams = "Claude Code itself dreams, or finished within the last hour"

// headline returns a sentence about the state of a memory, and what to do next.
func headline(s consolidate.State) (state, next string) {
	switch {
	case s.Dream != nil:
		return "A dream is open.", ""
	case s.HeldBy != "":
		return claudeDreams + ".", "Another dream can begin when it has ended, at the latest in an hour."
	case s.Waits:
		return "A dream waits for your yes.", "To see and answer: dream-mcp review"
	case s.Due:
		return "A dream is due.", "Ask your agent for one, or run: dream-mcp dream"
	case s.ClosedGate != "":
		return "No dream is due.", closedGates[s.ClosedGate]
	}
	return "No dream is open.", ""
}

// closedGates says why no dream is due, by the closed gate.
var closedGates = map[string]string{
	"enabled":  "Dreams are off.",
	"time":     "It is too early.",
	"throttle": "The sessions were counted a moment ago.",
	"sessions": "There are too few new sessions.",
	"lock":     "Something else comes first.",
}

// shownGates returns the gates that a person is shown: the throttle concerns hooks, so only if it has something to say.
func shownGates(gates []consolidate.Gate) (shown []consolidate.Gate) {
	for _, g := range gates {
		if g.Name == "throttle" {
			g.Name = "hook"
			if g.Why == "no wait" || g.Open == nil {
				continue
			}
		}
		shown = append(shown, g)
	}
	return shown
}

func renderGate(g consolidate.Gate, zone *time.Location, ink terminal.Ink) string {
	mark := ink.In(terminal.Dim, "·")
	if g.Open != nil && *g.Open {
		mark = ink.In(terminal.Green, "●")
	} else if g.Open != nil {
		mark = ink.In(terminal.Yellow, "○")
	}
	return fmt.Sprintf("%s %-9s %s", mark, g.Name, localTimes(terminal.OneLine(g.Why), zone))
}

// lastDream describes the last dream, what is left of it, and returns its summary.
func lastDream(l *consolidate.LastDream, now time.Time) (what, summary string) {
	if l == nil {
		return "none yet", ""
	}
	did := cmp.Or(l.Changes, "landed")
	if l.Outcome != ops.Committed {
		did = string(l.Outcome) + ", nothing landed"
	}
	if len(l.Files) > 0 {
		did += " (" + phrase.Few(l.Files, maxFiles) + ")"
	}
	if l.Undone {
		did += "; undone since"
	}
	what = phrase.Ago(now, l.Ended) + ": " + did
	return terminal.OneLine(what + "  " + l.ID), terminal.OneLine(l.Summary)
}

// place is a folder or setting that is used, and why.
type place struct{ name, value, why, problem string }

// places returns the project, its folders and the mode.
func places(setup settings.Setup, folders []said.Folder) []place {
	project := setup.Project
	if setup.Root != setup.Project {
		project += ", in the repository " + setup.Root
	}
	why := strings.ReplaceAll(setup.MemoryWhy, fmt.Sprintf("%q", setup.Project), "this project")
	all := []place{{name: "project", value: project}, {name: "memory", value: setup.MemoryDir, why: why}}
	for _, f := range folders {
		p := place{name: "transcripts", value: f.Path}
		if filepath.Dir(setup.MemoryDir) == f.Path {
			p.value = "in the folder that holds the memory"
		}
		if f.Problem != "" {
			p.problem = "cannot be read: " + f.Problem
		}
		all = append(all, p)
	}
	if len(folders) == 0 {
		all = append(all, place{name: "transcripts", value: "none found", problem: "no session of this project is recorded"})
	}
	return append(all, place{name: "mode", value: setup.Mode, why: setup.ModeSource})
}

var utc = lazy.New(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z`)

// localTimes replaces the UTC times in a text by local times, followed by UTC.
func localTimes(text string, zone *time.Location) string {
	return utc.ReplaceAllStringFunc(text, func(stamp string) string {
		t, err := time.Parse(time.RFC3339, stamp)
		if err != nil {
			return stamp
		}
		if _, offset := t.In(zone).Zone(); offset == 0 {
			return minute(t, zone) + " UTC"
		}
		return fmt.Sprintf("%s (%s UTC)", minute(t, zone), t.Format("15:04"))
	})
}

// maxFiles bounds the files that a line names.
const maxFiles = 6

// minute formats a time to the minute.
func minute(t time.Time, zone *time.Location) string { return t.In(zone).Format("2006-01-02 15:04") }
