package console

import (
	"strings"

	"dream-mcp/consolidate"
	"dream-mcp/consolidate/ops"
)

// eventLines are the lines of events. TEXT is the text of an event, COUNT its number of hits.
var eventLines = map[consolidate.EventKind]struct{ colour, line, hit string }{
	consolidate.EventBegun:   {bold, "the dream begins", ""},
	consolidate.EventMap:     {"", "looked at the map: COUNT to review", "session"},
	consolidate.EventSearch:  {"", "searched “TEXT”: COUNT", "hit"},
	consolidate.EventListed:  {"", "read what was said: COUNT so far", "utterance"},
	consolidate.EventContext: {"", "read around TEXT", ""},
	consolidate.EventRead:    {"", "read TEXT", ""},
	consolidate.EventStaged:  {green, "staged: TEXT", ""},
	consolidate.EventRefused: {yellow, "refused: TEXT", ""},
	consolidate.EventDryRun:  {"", "finalize_index, dry run", ""},
	consolidate.EventLanding: {green, "landing the changes", ""},
	consolidate.EventEnded:   {bold, "ended: TEXT", ""},
}

// event formats an event as a line.
func (v watchView) event(e consolidate.Event) string {
	row, known := eventLines[e.Kind]
	if !known { // of a newer version
		row.line = strings.TrimSpace(oneLine(string(e.Kind)) + " TEXT")
	}
	line := strings.NewReplacer("TEXT", oneLine(e.Text), "COUNT", ops.Plural(e.Hits, row.hit)).Replace(row.line)
	return v.ink.in(dim, e.Time.In(v.zone).Format("15:04:05")) + " " + v.ink.in(row.colour, strings.TrimSpace(line))
}
