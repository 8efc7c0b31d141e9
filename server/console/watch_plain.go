package console

import (
	"fmt"
	"strings"

	"dream-mcp/consolidate"
)

// news finds what is new from picture to picture, line by line.
type news struct {
	dream  string // whose events are shown
	shown  int
	was    string // how things were: a line of its own when that changes
	warned map[string]bool
}

// of returns the lines of what is new in a picture.
func (n *news) of(v watchView, p consolidate.Picture) (lines []string) {
	v.picture = p
	if d := p.Dream; d != nil && d.ID != n.dream {
		n.dream, n.shown = d.ID, 0
	}
	clock := p.Time.In(v.zone).Format("15:04:05")
	for i, e := range p.Events {
		if p.Before+i >= n.shown {
			lines = append(lines, v.event(e))
		}
	}
	n.shown = p.Before + len(p.Events)
	if state, why := stateOf(p); state != n.was && (p.Dream != nil || !v.asked) {
		n.was = state
		lines = append(lines, v.ink.in(dim, clock)+" "+v.ink.in(bold, state)+why)
	}
	for _, w := range p.Warnings {
		if !n.warned[w] {
			if n.warned == nil {
				n.warned = map[string]bool{}
			}
			n.warned[w] = true
			lines = append(lines, v.ink.in(dim, clock)+" "+v.ink.in(yellow, "! "+oneLine(w)))
		}
	}
	return lines
}

// stateOf says how things are, and why, which changes with the clock.
func stateOf(p consolidate.Picture) (state, why string) {
	switch d := p.Dream; {
	case d != nil && p.Dead:
		return fmt.Sprintf("dream %s: its process has died; the next command ends it", d.ID), ""
	case d != nil && p.Stopping:
		return fmt.Sprintf("dream %s: asked to stop", d.ID), ""
	case d != nil:
		return fmt.Sprintf("dream %s: %s", d.ID, d.Phase), ""
	}
	state, next := headline(p.State)
	for _, g := range p.Gates {
		if g.Name == p.ClosedGate {
			why = " " + localTimes(oneLine(g.Why), p.Time.Location())
		}
	}
	return strings.TrimSpace(state + " " + next), why
}
