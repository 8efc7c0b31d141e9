package consolidate

import (
	"context"
	"fmt"
	"time"

	"dream-mcp/consolidate/transcript/said"
	"dream-mcp/memory"
	"dream-mcp/memory/phrase"
	"dream-mcp/memory/visible"
)

// The warning about sessions that the host will remove before a dream reviews them.
const (
	sweepWarning = 7 * 24 * time.Hour // time before the removal
	sweepWords   = 60                 // characters of the session that is removed first
)

// describeSweep warns of sessions since the last consolidation that the host will remove within a week, and names the
// first. Hosts remove transcripts that were not modified for some days (in Claude Code, cleanupPeriodDays). If the last
// consolidation is younger, nothing is read.
func (s *Status) describeSweep(ctx context.Context, p *Project, dir *memory.Dir, now time.Time) error {
	kept := time.Duration(p.options.CleanupDays) * 24 * time.Hour
	since, err := p.Store.Since(dir)
	before := now.Add(sweepWarning - kept)
	if err != nil || kept == 0 || since.Exists && since.Time.After(before) {
		return nil // the gate "time" reports an error
	}
	aging, err := p.Transcripts.Aging(ctx, since.Time, before)
	if err != nil || len(aging) == 0 {
		return err
	}
	first, verb := aging[0], "are"
	if len(aging) == 1 {
		verb = "is"
	}
	words := visible.EscapeTags(visible.Short(said.Visible(p.Store.AllowSecrets.Mask(first.First)), sweepWords))
	s.Warnings = append(s.Warnings, fmt.Sprintf("%s that no dream has reviewed %s removed by the host after %d days "+
		"(cleanupPeriodDays), the first %s (%s, “%s”). Run a dream before, or increase that setting",
		phrase.Plural(len(aging), "session"), verb, p.options.CleanupDays, sweepTime(first.ModTime.Add(kept), now),
		first.Last.UTC().Format(time.DateOnly), words))
	return nil
}

// sweepTime describes when a transcript is removed.
func sweepTime(at, now time.Time) string {
	if !at.After(now) {
		return "at its next start"
	}
	return "on " + at.UTC().Format(time.DateOnly)
}
