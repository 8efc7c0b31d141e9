package consolidate

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"time"

	"dream-mcp/consolidate/host"
	"dream-mcp/consolidate/transcript/said"
	"dream-mcp/consolidate/transcript/sessions"
	"dream-mcp/memory/phrase"
	"dream-mcp/memory/visible"
)

// HostSessions are the sessions that a host keeps on this machine.
type HostSessions struct {
	Host     string     `json:"host"`
	Path     string     `json:"path"`
	Sessions int        `json:"sessions"`           // of this project
	Memories int        `json:"memories,omitempty"` // what its model remembers of the project and the person
	Last     *time.Time `json:"last,omitempty"`     // of these
	Version  string     `json:"version,omitempty"`  // of the host, or of its form, that wrote the newest of these
	Tried    string     `json:"tried,omitempty"`    // the newest version that the reader was tried with
}

// Hosts returns the hosts that keep sessions on this machine, of any project. It needs no mutex.
func (s *Sessions) Hosts(ctx context.Context) (all []HostSessions, err error) {
	found, _, err := s.p.Transcripts.Sessions(ctx, time.Time{}) // the newest first
	if err != nil {
		return nil, err
	}
	remembered, err := s.p.Transcripts.Remembered(ctx)
	if err != nil {
		return nil, err
	}
	o := s.p.Transcripts.Options
	for _, h := range host.List {
		one := HostSessions{Host: h.ID, Tried: h.Tried}
		if _, err := os.Stat(o.Projects); err == nil && h.ID == string(said.ClaudeCode) {
			one.Path = o.Projects
		}
		for _, other := range o.Homes {
			if string(other.Format.Host) == h.ID && one.Path == "" && other.Exists(o.Roots) {
				one.Path = other.Home
			}
		}
		for _, of := range found {
			if string(of.Host) != h.ID {
				continue
			}
			if one.Sessions++; one.Sessions == 1 {
				one.Last, one.Version = &of.Last, said.FormVersion(of.File)
			}
		}
		for _, of := range remembered {
			if string(of.Host) == h.ID {
				one.Memories++
			}
		}
		if one.Path != "" {
			all = append(all, one)
		}
	}
	return all, nil
}

// Line says it in a sentence.
func (h HostSessions) Line(now time.Time) string {
	line := fmt.Sprintf("%s: %s of this project", host.Name(h.Host), phrase.Plural(h.Sessions, "session"))
	if h.Last != nil {
		line += ", the last " + phrase.Ago(now, *h.Last)
	}
	if h.Memories > 0 {
		line += fmt.Sprintf(", and %s in its own memory", phrase.Plural(h.Memories, "entry"))
	}
	if h.Version != "" {
		line += ", of version " + h.Version
	}
	if line += "; in " + h.Path; h.Tried != "" {
		line += "; last tried with version " + h.Tried
	}
	return line
}

// Unread says in a sentence for each what could not be read of the sessions of a host, and why.
func Unread(all []sessions.Unread) (sentences []string) {
	for _, u := range all {
		what := phrase.Plural(u.Files, "file")
		if u.Lines > 0 {
			what = phrase.Plural(u.Lines, "line")
		}
		sentences = append(sentences, fmt.Sprintf("%s: %s could not be read: %s (%s)",
			host.Name(string(u.Host)), what, visible.Cut(said.Visible(u.Reason), 200), said.Visible(u.Path)))
	}
	return sentences
}

// recentSessions is how far back Recent looks.
const recentSessions = 30 * 24 * time.Hour

// Recent returns the short IDs of the sessions of the last 30 days, the newest first, without the caller's own. It does
// not count as a call. It needs no mutex.
func (s *Sessions) Recent(ctx context.Context) ([]string, error) {
	sessions, _, err := s.p.Transcripts.Sessions(ctx, s.p.Store.Now().Add(-recentSessions))
	var ids []string
	seen := map[string]bool{}
	for _, s := range sessions {
		if id := s.Short(); !s.Current && !seen[id] {
			seen[id] = true
			ids = append(ids, id)
		}
	}
	return ids, err
}

// OtherHost returns the ID of a session's host, or "" if it is the caller's. An unknown caller counts as Claude Code.
// It needs no mutex.
func (s *Sessions) OtherHost(h said.HostID) said.HostID {
	if h == cmp.Or(said.HostID(s.p.Store.Host), said.ClaudeCode) {
		return ""
	}
	return h
}
