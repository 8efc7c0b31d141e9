package console

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"dream-mcp/consolidate"
	"dream-mcp/consolidate/state"
	"dream-mcp/consolidate/transcript/said"
	"dream-mcp/memory/phrase"
	"dream-mcp/server/console/terminal"
)

// Numbers of rows.
const (
	mostWords    = 3
	mostSessions = 4
	onceEvents   = 20 // where there is no screen
)

// watchView draws a snapshot. Its lines depend only on its fields.
type watchView struct {
	snapshot      consolidate.Snapshot
	width, height int       // of the screen, in cells; 0: unlimited
	scrolled      int       // rows by which the body is scrolled down, from where it is by itself
	asking        bool      // x was pressed; the view asks whether to stop
	note          string    // the result of the last key
	asked         bool      // the person asked for this dream, so the gates are not shown
	began         time.Time // when they asked
	ink           terminal.Ink
	zone          *time.Location
}

// phases are the phases of a dream, in order.
var phases = []string{consolidate.Orienting, consolidate.Gathering, consolidate.Consolidating, consolidate.Finalizing}

// lines draws the view: at most height rows of at most width cells each.
func (v watchView) lines() []string {
	out, foot := v.head(), v.foot()
	body, from, last := v.body()
	if v.height > 0 {
		out = out[:min(len(out), max(0, v.height-1-len(foot)))]
		from = min(max(0, from+v.scrolled), last) // the screen or the snapshot may have changed
		body = body[from:min(len(body), from+v.room())]
	}
	out = append(out, body...)
	for len(out) < v.height-len(foot) {
		out = append(out, "")
	}
	out = append(out, foot...)
	for i, line := range out {
		if v.width > 0 {
			out[i] = ansi.Truncate(line, v.width, "…")
		}
	}
	return out
}

func (v watchView) head() []string {
	b := terminal.Lines{Ink: v.ink}
	if v.snapshot.Dream != nil {
		v.dreaming(&b)
	} else {
		v.idle(&b)
	}
	return strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
}

// room is how many rows of a screen the body has.
func (v watchView) room() int { return max(0, v.height-len(v.head())-len(v.foot())) }

// body draws the activity, and below it the diff. Unless it is scrolled, a screen begins with row from, so that the
// newest events fill its upper half. Row last is the last that can be its first.
func (v watchView) body() (rows []string, from, last int) {
	events, diff := v.snapshot.Events, v.diff()
	if v.snapshot.Dream == nil && len(events) == 0 {
		return nil, 0, 0
	}
	rows = append(rows, v.rule("activity", len(events)))
	if v.height == 0 {
		events = events[max(0, len(events)-onceEvents):]
	}
	for _, e := range events {
		rows = append(rows, v.event(e))
	}
	newest := len(rows)
	if len(diff) > 0 {
		rows = append(append(rows, v.rule("diff so far", len(diff))), diff...)
	}
	last = max(0, len(rows)-v.room())
	return rows, min(max(0, newest-v.room()/2), last), last
}

// scroll scrolls the body.
func (v *watchView) scroll(by int) {
	_, from, last := v.body()
	v.scrolled = min(max(-from, v.scrolled+by), last-from)
}

// dreaming is the head of the view while a dream is open.
func (v watchView) dreaming(b *terminal.Lines) {
	p, d := v.snapshot, v.snapshot.Dream
	b.WriteString(v.title("dream "+d.ID, d.Started) + "\n" + v.steps(d.Phase) + "\n")
	parts := []string{phrase.Plural(d.ToolCalls, "call"), fmt.Sprintf("%d staged", len(d.Staged)), phrase.Plural(d.Sessions, "session")}
	if d.Unattended {
		parts = append(parts, "unattended")
	}
	if p.Host != "" {
		parts = append(parts, "by "+p.Host)
	}
	b.Add(true, "", "%s", strings.Join(parts, " · "))
	b.Add(p.Dead, terminal.Yellow, "! its process has exited: the next command ends it, and nothing lands")
	b.Add(p.Stopping && !p.Dead, terminal.Yellow, "! asked to stop: it ends before its next step")
	v.warnings(b)
	if words := strings.Join(strings.Fields(said.Visible(p.Words)), " "); words != "" {
		rows := strings.Split(ansi.Wrap("“"+words+"”", v.width, ""), "\n")
		if most := v.rowsOf(mostWords); len(rows) > most {
			rows = append(rows[:most-1:most-1], rows[most-1]+" …")
		}
		for _, row := range rows {
			b.Add(true, terminal.Cyan, "%s", row)
		}
	}
	for _, s := range p.Reviewed[:min(len(p.Reviewed), v.rowsOf(mostSessions))] {
		when := "  " + s.Last.In(v.zone).Format("01-02 15:04") + "  "
		if s.Host != "" {
			when += terminal.OneLine(s.Host) + "  "
		}
		b.WriteString(v.ink.In(terminal.Dim, when) + cmp.Or(terminal.OneLine(s.First), terminal.OneLine(s.ID)) + "\n")
	}
}

// steps draws the phases and marks the present one.
func (v watchView) steps(phase string) string {
	now := max(0, slices.Index(phases, phase))
	steps := make([]string, len(phases))
	for i, phase := range phases {
		switch {
		case i < now:
			steps[i] = v.ink.In(terminal.Dim, "✓ "+phase)
		case i == now:
			steps[i] = v.ink.In(terminal.Bold, "● "+phase)
		default:
			steps[i] = v.ink.In(terminal.Dim, "· "+phase)
		}
	}
	if v.width > 0 && v.width < ansi.StringWidth(strings.Join(steps, "  ")) {
		return steps[now]
	}
	return strings.Join(steps, "  ")
}

// rowsOf returns how many rows a part may have: most, or fewer on a small screen.
func (v watchView) rowsOf(most int) int {
	switch {
	case v.height == 0 || v.height >= 24:
		return most
	case v.height >= 16:
		return most / 2
	}
	return most / 3
}

// idle is the head of the view while no dream is open.
func (v watchView) idle(b *terminal.Lines) {
	p := v.snapshot
	if v.asked {
		n := len(p.Events)
		ended := n > 0 && p.Events[n-1].Kind == state.EventEnded
		b.Add(ended, "", "The dream has ended; its program is closing.")
		if !ended {
			b.WriteString(v.title("Waiting for the program to begin.", v.began) + "\n")
		}
		return
	}
	state, next := headline(p.State)
	b.WriteString(strings.TrimSpace(v.ink.In(terminal.Bold, state)+" "+next) + "\n")
	b.Add(p.HeldBy != "", "", "%s", p.HeldBy)
	for _, g := range shownGates(p.Gates) {
		b.WriteString("  " + renderGate(g, v.zone, v.ink) + "\n")
	}
	what, summary := lastDream(p.Last, p.Time)
	b.Add(p.Last != nil, "", "last dream %s", what)
	b.Add(summary != "", terminal.Dim, "  %s", summary)
	v.warnings(b)
}

func (v watchView) warnings(b *terminal.Lines) {
	for _, w := range v.snapshot.Warnings {
		b.Add(true, terminal.Yellow, "! %s", w)
	}
}

// title draws the first row: a title, and on the right the time since its start.
func (v watchView) title(what string, since time.Time) string {
	right := v.snapshot.Time.Sub(since).Truncate(time.Second).String()
	gap := max(1, v.width-ansi.StringWidth(what)-ansi.StringWidth(right))
	if v.width == 0 {
		gap = 2
	}
	return v.ink.In(terminal.Bold, what) + strings.Repeat(" ", gap) + right
}

// diff draws what would land. Long lines are wrapped.
func (v watchView) diff() (rows []string) {
	for line := range strings.Lines(said.Visible(v.snapshot.Diff)) {
		line = strings.ReplaceAll(strings.TrimSuffix(line, "\n"), "\t", "    ")
		colour := terminal.DiffColour(line)
		for row := range strings.SplitSeq(ansi.Wrap(line, v.width, ""), "\n") {
			rows = append(rows, v.ink.In(colour, row))
		}
	}
	return rows
}

func (v watchView) rule(what string, n int) string {
	label := fmt.Sprintf("── %s (%d)", what, n)
	if v.width > 0 {
		label += " " + strings.Repeat("─", max(0, v.width-ansi.StringWidth(label)-1))
	}
	return v.ink.In(terminal.Cyan, label)
}

// foot draws the last row of a screen: the keys, or a question.
func (v watchView) foot() []string {
	if v.height == 0 {
		return nil
	}
	switch {
	case v.asking:
		return []string{v.ink.In(terminal.Yellow, "Stop this dream? y: yes, nothing lands · any other key: no")}
	case v.note != "":
		return []string{v.ink.In(terminal.Yellow, terminal.OneLine(v.note))}
	case v.snapshot.Dream == nil && v.asked:
		return []string{v.ink.In(terminal.Dim, "ctrl-c ends the dream · q leaves this view")}
	case v.snapshot.Dream == nil:
		return []string{v.ink.In(terminal.Dim, "q quit")}
	case v.width < 50:
		return []string{v.ink.In(terminal.Dim, "x stop  ↑↓ scroll  q quit")}
	}
	return []string{v.ink.In(terminal.Dim, "x stop the dream · ↑↓ pgup pgdn home end scroll · q quit")}
}
