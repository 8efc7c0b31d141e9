package console

import (
	"strings"

	"dream-mcp/consolidate/state"
	"dream-mcp/memory/phrase"
	"dream-mcp/server/console/terminal"
)

// eventLines are the lines of events. TEXT is the text of an event, COUNT its number of hits.
var eventLines = map[state.EventKind]struct{ colour, line, hit string }{
	state.EventBegun:   {terminal.Bold, "the dream begins", ""},
	state.EventMap:     {"", "looked at the map: COUNT to review", "session"},
	state.EventSearch:  {"", "searched “TEXT”: COUNT", "hit"},
	state.EventListed:  {"", "read what was said: COUNT so far", "utterance"},
	state.EventContext: {"", "read around TEXT", ""},
	state.EventRead:    {"", "read TEXT", ""},
	state.EventStaged:  {terminal.Green, "staged: TEXT", ""},
	state.EventRefused: {terminal.Yellow, "refused: TEXT", ""},
	state.EventDryRun:  {"", "finalize_index, dry run", ""},
	state.EventLanding: {terminal.Green, "landing the changes", ""},
	state.EventEnded:   {terminal.Bold, "ended: TEXT", ""},
}

// event formats an event as a line.
func (v watchView) event(e state.Event) string {
	row, known := eventLines[e.Kind]
	if !known { // of a newer version
		row.line = strings.TrimSpace(terminal.OneLine(string(e.Kind)) + " TEXT")
	}
	line := strings.NewReplacer("TEXT", terminal.OneLine(e.Text), "COUNT", phrase.Plural(e.Hits, row.hit)).Replace(row.line)
	return v.ink.In(terminal.Dim, e.Time.In(v.zone).Format("15:04:05")) + " " + v.ink.In(row.colour, strings.TrimSpace(line))
}
