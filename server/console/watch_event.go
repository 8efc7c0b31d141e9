package console

import (
	"strings"

	"dream-mcp/consolidate/ops"
	"dream-mcp/consolidate/trail"
	"dream-mcp/server/console/terminal"
)

// eventLines are the lines of events. TEXT is the text of an event, COUNT its number of hits.
var eventLines = map[trail.EventKind]struct{ colour, line, hit string }{
	trail.EventBegun:   {terminal.Bold, "the dream begins", ""},
	trail.EventMap:     {"", "looked at the map: COUNT to review", "session"},
	trail.EventSearch:  {"", "searched “TEXT”: COUNT", "hit"},
	trail.EventListed:  {"", "read what was said: COUNT so far", "utterance"},
	trail.EventContext: {"", "read around TEXT", ""},
	trail.EventRead:    {"", "read TEXT", ""},
	trail.EventStaged:  {terminal.Green, "staged: TEXT", ""},
	trail.EventRefused: {terminal.Yellow, "refused: TEXT", ""},
	trail.EventDryRun:  {"", "finalize_index, dry run", ""},
	trail.EventLanding: {terminal.Green, "landing the changes", ""},
	trail.EventEnded:   {terminal.Bold, "ended: TEXT", ""},
}

// event formats an event as a line.
func (v watchView) event(e trail.Event) string {
	row, known := eventLines[e.Kind]
	if !known { // of a newer version
		row.line = strings.TrimSpace(terminal.OneLine(string(e.Kind)) + " TEXT")
	}
	line := strings.NewReplacer("TEXT", terminal.OneLine(e.Text), "COUNT", ops.Plural(e.Hits, row.hit)).Replace(row.line)
	return v.ink.In(terminal.Dim, e.Time.In(v.zone).Format("15:04:05")) + " " + v.ink.In(row.colour, strings.TrimSpace(line))
}
