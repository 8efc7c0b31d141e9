package console

import (
	"fmt"
	"slices"
	"strings"

	"dream-mcp/consolidate"
	"dream-mcp/server/console/terminal"
)

// shownEvents is what was printed of the pictures so far.
type shownEvents struct {
	dream    string // the dream of the events
	events   int
	state    string
	warnings []string
}

// next returns the lines for what is new in a snapshot.
func (s *shownEvents) next(v watchView, p consolidate.Snapshot) (lines []string) {
	if d := p.Dream; d != nil && d.ID != s.dream {
		s.dream, s.events = d.ID, 0
	}
	for i, e := range p.Events {
		if p.Before+i >= s.events {
			lines = append(lines, v.event(e))
		}
	}
	s.events = p.Before + len(p.Events)
	clock := v.ink.In(terminal.Dim, p.Time.In(v.zone).Format("15:04:05")) + " "
	if state, why := stateOf(p); state != s.state && (p.Dream != nil || !v.asked) {
		s.state = state
		lines = append(lines, clock+v.ink.In(terminal.Bold, state)+why)
	}
	for _, w := range p.Warnings {
		if !slices.Contains(s.warnings, w) {
			s.warnings = append(s.warnings, w)
			lines = append(lines, clock+v.ink.In(terminal.Yellow, "! "+terminal.OneLine(w)))
		}
	}
	return lines
}

// stateOf returns the state in a sentence, and its reason, which can change with the time alone.
func stateOf(p consolidate.Snapshot) (state, why string) {
	switch d := p.Dream; {
	case d != nil && p.Dead:
		return fmt.Sprintf("dream %s: its process has exited; the next command ends it", d.ID), ""
	case d != nil && p.Stopping:
		return fmt.Sprintf("dream %s: asked to stop", d.ID), ""
	case d != nil:
		return fmt.Sprintf("dream %s: %s", d.ID, d.Phase), ""
	}
	state, next := headline(p.State)
	for _, g := range p.Gates {
		if g.Name == p.ClosedGate {
			why = " " + localTimes(terminal.OneLine(g.Why), p.Time.Location())
		}
	}
	return strings.TrimSpace(state + " " + next), why
}
