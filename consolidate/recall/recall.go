// Package recall chooses the memories that a host's model is shown unasked, writes them, and counts them.
//
// It promises that what it writes is within MaxBytes, holds no credential and no invisible character, and lies between marks that
// the reader of transcripts takes away, so that a memory does not become evidence of itself; that it chooses nothing where nothing fits well;
// and that a memory is shown once in a session, whatever the number of processes. It asks no model, runs no program and
// reads no file but its own log.
//
// After a crash the log lacks the last pushes, or has them though the host never showed them. The log keeps some thousands of
// pushes: the counts are of those.
//
// It does not promise to understand: a prompt and a memory that share no word, or are in two languages, do not find each other.
package recall

import (
	"cmp"
	"path"
	"slices"
	"strings"
	"time"

	"dream-mcp/memory"
)

// MaxBytes bounds what is shown at once.
const MaxBytes = 1500

// The levels of config.json's "recall". Each shows what the one before shows, and more.
const (
	Off    = "off"
	Start  = "start"  // the index, at a session's start
	Prompt = "prompt" // memories that a prompt calls for
	All    = "all"    // feedback that names what a tool is about to touch
)

// Levels are all levels, the weakest first.
var Levels = []string{Off, Start, Prompt, All}

// Includes reports whether level shows what least shows.
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

// Memories returns the topics of s, by path. doubts are what rules found, by path.
func Memories(s *memory.Snapshot, doubts map[string]string) []Memory {
	all := make([]Memory, 0, len(s.Topics))
	for n, t := range s.Topics {
		body := t.Body()
		m := Memory{
			Path: n.String(), Type: t.Type(), Description: t.Description(), Body: strings.TrimSpace(body),
			Author: field(t, "metadata.author", "author"), Modified: s.ModTimes[n], Doubt: doubts[n.String()],
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

// head is what a memory is chosen by before its body: the words of its name, and its description.
func (m *Memory) head() string { return m.name() + "\n" + m.Description }

// lead is the first words of a memory's description, or of a script without spaces the first characters.
func (m *Memory) lead() string {
	words := strings.Fields(m.Description)
	if len(words) == 1 {
		runes := []rune(m.Description)
		return string(runes[:min(len(runes), 8)])
	}
	return strings.Join(words[:min(len(words), 4)], " ")
}

// name is the words of a memory's name.
func (m *Memory) name() string {
	stem := strings.TrimSuffix(path.Base(m.Path), ".md")
	if prefix, rest, ok := strings.Cut(stem, "_"); ok && prefix == m.Type {
		stem = rest
	}
	return strings.Map(func(r rune) rune {
		if r == '-' || r == '_' {
			return ' '
		}
		return r
	}, stem)
}
