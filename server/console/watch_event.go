package console

import (
	"fmt"
	"strings"

	"dream-mcp/consolidate"
	"dream-mcp/consolidate/store"
)

// event formats an event as a line.
func (v watchView) event(e consolidate.Event) string {
	return v.ink.in(dim, e.Time.In(v.zone).Format("15:04:05")) + " " + v.ink.in(eventColour(e.Kind), eventText(e))
}

func eventColour(k consolidate.EventKind) string {
	switch k {
	case consolidate.EventStaged, consolidate.EventLanding:
		return green
	case consolidate.EventRefused:
		return yellow
	case consolidate.EventEnded, consolidate.EventBegun:
		return bold
	}
	return ""
}

func eventText(e consolidate.Event) string {
	text := oneLine(e.Text)
	switch e.Kind {
	case consolidate.EventBegun:
		return "the dream begins"
	case consolidate.EventMap:
		return "looked at the map: " + store.Plural(e.Hits, "session") + " to review"
	case consolidate.EventSearch:
		return fmt.Sprintf("searched “%s”: %s", text, store.Plural(e.Hits, "hit"))
	case consolidate.EventListed:
		return "read what was said: " + store.Plural(e.Hits, "utterance") + " so far"
	case consolidate.EventContext:
		return "read around " + text
	case consolidate.EventRead:
		return "read " + text
	case consolidate.EventStaged:
		return "staged: " + text
	case consolidate.EventRefused:
		return "refused: " + text
	case consolidate.EventDryRun:
		return "finalize_index, dry run"
	case consolidate.EventLanding:
		return "landing the changes"
	case consolidate.EventEnded:
		return "ended: " + text
	}
	return strings.TrimSpace(oneLine(string(e.Kind)) + " " + text) // a kind of a newer version
}
