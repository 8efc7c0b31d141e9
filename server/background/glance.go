package background

import (
	"context"
	"errors"
	"fmt"
	"io"

	"dream-mcp/consolidate"
	"dream-mcp/consolidate/ops"
	"dream-mcp/consolidate/transcript/said"
	"dream-mcp/memory/phrase"
	"dream-mcp/server/hook"
)

// Glance prints a word for a status bar, or nothing. It changes nothing, so Open must open projects to look only.
func (f Front) Glance(ctx context.Context) error {
	e, err := hook.Read(f.Args, f.In)
	if err != nil && !errors.Is(err, io.EOF) { // with nothing to read, it is asked about the folder that it is started in
		return nil // no host asks
	}
	ctx, cancel := context.WithTimeout(ctx, hook.Patience*3/4)
	defer cancel()
	setup, err := f.resolve(e)
	if err != nil {
		return err
	}
	p := f.Open(setup)
	defer p.Close("the glance ended")
	snapshot, _, err := p.Watch("").Look(ctx)
	if err != nil {
		return err
	}
	if word := wordOf(snapshot, setup.Enabled.On, setup.MinHours); word != "" {
		_, err = fmt.Fprintln(f.Out, said.Visible(word))
	}
	return err
}

// wordOf returns the word for a status bar: a dream runs, waits for the person or is due, or else what the last one
// did. It may be "".
func wordOf(p consolidate.Snapshot, enabled bool, minHours float64) string {
	if d := p.Dream; d != nil && !p.Dead && p.Time.Before(d.Expires) {
		switch {
		case d.Phase == "":
			return "dreaming"
		case len(d.Staged) > 0:
			return fmt.Sprintf("dreaming (%s, %d staged)", d.Phase, len(d.Staged))
		}
		return fmt.Sprintf("dreaming (%s)", d.Phase)
	}
	last := p.Last
	if last == nil {
		last = &consolidate.LastDream{}
	}
	switch {
	case last.Outcome == ops.Proposed:
		return "dream: waits for you (dream-mcp review)"
	case !enabled:
		return ""
	case p.Due:
		return "dream: due"
	case last.Outcome == ops.Committed && !last.Undone && p.Time.Sub(last.Ended).Hours() < minHours:
		return fmt.Sprintf("dreamed %s: %s", phrase.Ago(p.Time, last.Ended), last.Changes)
	}
	return ""
}
