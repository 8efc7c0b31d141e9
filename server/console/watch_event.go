package console

import (
	"strings"

	"dream-mcp/consolidate"
	"dream-mcp/consolidate/ops"
	"dream-mcp/server/console/terminal"
)

// eventLines are the lines of events. TEXT is the text of an event, COUNT its number of hits.
var eventLines = map[consolidate.EventKind]struct{ colour, line, hit string }{
	consolidate.EventBegun:   {terminal.Bold, "the dream begins", ""},
	consolidate.EventMap:     {"", "looked at the map: COUNT to review", "session"},
	consolidate.EventSearch:  {"", "searched “TEXT”: COUNT", "hit"},
	consolidate.EventListed:  {"", "read what was said: COUNT so far", "utterance"},
	consolidate.EventContext: {"", "read around TEXT", ""},
	consolidate.EventRead:    {"", "read TEXT", ""},
	consolidate.EventStaged:  {terminal.Green, "staged: TEXT", ""},
	consolidate.EventRefused: {terminal.Yellow, "refused: TEXT", ""},
	consolidate.EventDryRun:  {"", "finalize_index, dry run", ""},
	consolidate.EventLanding: {terminal.Green, "landing the changes", ""},
	consolidate.EventEnded:   {terminal.Bold, "ended: TEXT", ""},
}

// event formats an event as a line.
func (v watchView) event(e consolidate.Event) string {
	row, known := eventLines[e.Kind]
	if !known { // of a newer version
		row.line = strings.TrimSpace(terminal.OneLine(string(e.Kind)) + " TEXT")
	}
	line := strings.NewReplacer("TEXT", terminal.OneLine(e.Text), "COUNT", ops.Plural(e.Hits, row.hit)).Replace(row.line)
	return v.ink.In(terminal.Dim, e.Time.In(v.zone).Format("15:04:05")) + " " + v.ink.In(row.colour, strings.TrimSpace(line))
}
