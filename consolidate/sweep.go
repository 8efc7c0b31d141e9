package consolidate

import (
	"context"
	"fmt"
	"strings"
	"time"

	"dream-mcp/consolidate/store"
	"dream-mcp/consolidate/transcript"
	"dream-mcp/memory"
)

// How a status reports sessions that the host sweeps before they were reviewed.
const (
	sweepWarning  = 7 * 24 * time.Hour     // before it does
	sweepNamed    = 5                      // sessions
	sweepWords    = 60                     // characters of each
	sweepPatience = 200 * time.Millisecond // for what they hold to be known
)

// warnOfSweep says which sessions since the last consolidation the host will sweep within a week: it
// removes transcripts that were not touched for so many days (FACTS 1.7). While the last consolidation
// is younger than those there are none, and nothing is read.
func (p *views) warnOfSweep(ctx context.Context, s *Status, dir *memory.Dir, now time.Time) error {
	kept := time.Duration(p.o.CleanupDays) * 24 * time.Hour
	since, err := p.Since(dir)
	before := now.Add(sweepWarning - kept)
	if err != nil || kept == 0 || since.Exists && since.Time.After(before) {
		return nil // what is wrong with the time is reported by its gate
	}
	aging, err := p.o.Transcripts.Aging(ctx, since.Time, before)
	if err != nil || len(aging) == 0 {
		return err
	}
	first := aging[0].ModTime.Add(kept)
	limited, cancel := context.WithTimeout(ctx, sweepPatience)
	defer cancel()
	ranked, err := rankSessions(limited, p.o.Transcripts, aging)
	if err != nil {
		return err
	}
	var named []string
	for _, r := range ranked[:min(len(ranked), sweepNamed)] {
		words := cutText(transcript.Visible(p.AllowSecrets.Mask(r.First)), sweepWords)
		named = append(named, fmt.Sprintf("%s “%s” (%s)", r.Last.UTC().Format(time.DateOnly), words, goes(r.ModTime.Add(kept), now)))
	}
	if more := len(ranked) - len(named); more > 0 {
		named = append(named, fmt.Sprintf("and %d more", more))
	}
	verb := "are"
	if len(ranked) == 1 {
		verb = "is"
	}
	s.Warnings = append(s.Warnings, fmt.Sprintf("%s that no dream has reviewed %s swept by the host after %d days (cleanupPeriodDays), the first %s: %s. Dream before, or let it keep them longer",
		store.Plural(len(ranked), "session"), verb, p.o.CleanupDays, goes(first, now), strings.Join(named, "; ")))
	return nil
}

// goes says when a transcript is swept.
func goes(at, now time.Time) string {
	if !at.After(now) {
		return "at its next start"
	}
	return "on " + at.UTC().Format(time.DateOnly)
}
