// Package recall chooses the memories that a host's model is shown unasked, and renders them.
//
// It promises that its text has at most 1,500 bytes, no credential and no invisible character. The text is between
// marks that the reader of transcripts removes, so that a memory does not become evidence of itself. It chooses nothing
// if nothing fits well. A memory is shown once in a session, whatever the number of processes. The package asks no
// model, runs no program and reads nothing but the memories and its own log.
//
// After a crash the log may lack the last pushes, or have pushes that the host never showed. The log keeps some
// thousand pushes.
//
// It finds a passage by the words that the prompt has too (package related), and is silent if they are few or common:
// most of what a colleague would mention it does not find.
package recall

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"dream-mcp/consolidate/state"
	"dream-mcp/memory"
)

// maxBytes bounds what is shown at once.
const maxBytes = 1500

// The levels of "recall" in config.json. Each includes the one before.
const (
	Off    = "off"
	Start  = "start"  // the index, at a session's start
	Prompt = "prompt" // passages that a prompt calls for
)

// Levels are all levels, the weakest first.
var Levels = []string{Off, Start, Prompt}

// Includes reports whether level shows all that least shows.
func Includes(level, least string) bool {
	return slices.Index(Levels, level) >= slices.Index(Levels, least)
}

// A Memory is a topic that may be shown.
type Memory struct {
	Path        string // below the memory directory
	Type        string
	Description string
	Body        string
	Author      string
	Modified    time.Time
	Doubt       string // what the last lint found; "" for nothing
}

// memories returns the topics of s, sorted by path, with the doubts that are valid.
func memories(s *memory.Snapshot, doubts map[string]state.Doubt) []Memory {
	all := make([]Memory, 0, len(s.Topics))
	for n, t := range s.Topics {
		body := t.Body()
		m := Memory{
			Path: n.String(), Type: t.Type(), Description: t.Description(), Body: strings.TrimSpace(body),
			Author: field(t, "metadata.author", "author"), Modified: s.ModTimes[n],
		}
		if d, ok := doubts[m.Path]; ok && memory.SumOf(t.Bytes()).Short() == d.Sum {
			m.Doubt = d.Message
		}
		if stamp, err := time.Parse(time.RFC3339, field(t, "metadata.modified", "modified")); err == nil {
			m.Modified = stamp
		}
		if m.Description == "" {
			m.Description, _, _ = strings.Cut(m.Body, "\n")
		}
		all = append(all, m)
	}
	slices.SortFunc(all, func(a, b Memory) int { return cmp.Compare(a.Path, b.Path) })
	return all
}

func field(t *memory.Topic, keys ...string) string {
	for _, key := range keys {
		if value, _, ok := t.Field(key); ok {
			return value
		}
	}
	return ""
}
