package consolidate

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"time"

	"dream-mcp/consolidate/lock"
	"dream-mcp/memory/landing"
)

// Files of what a person is to be told when a session begins, and the lock under which they change.
const (
	reportsFile = "untold.json"
	reportsLock = "reports.lock"
)

// DreamReport is what a dream did that nobody watched.
type DreamReport struct {
	ID        string  `json:"id"`
	Outcome   Outcome `json:"outcome"`
	Report    string  `json:"report"`
	Decisions string  `json:"decisions,omitempty"` // with reasons in a model's own words, masked: not for another model to follow
}

// maxReports is as much as a person reads at once; older ones are in the journal.
const maxReports = 5

// reportsWait is how long a hook waits for another process that queues or delivers reports.
const reportsWait = 200 * time.Millisecond

// queueReport keeps what an unattended dream did for the person's next session. What cannot be kept is in the journal alone.
func (p *Project) queueReport(d *dream, outcome Outcome) {
	answered := d.Request != nil && outcome == Committed
	if d.Kind != lock.KindDream || !d.Unattended || answered || outcome != Proposed && (outcome != Committed || len(d.stage.Changes) == 0) {
		return
	}
	state, unlock, err := p.lockReports(context.Background(), momentWait)
	if err != nil {
		return
	}
	defer unlock()
	var reports []DreamReport
	readNote(state, reportsFile, &reports)
	reports = append(reports, DreamReport{ID: d.ID, Outcome: outcome, Report: report(d.stage.Changes, d.Info), Decisions: p.o.AllowSecrets.Show(d.decisions()).Text})
	if data, err := json.Marshal(reports[max(0, len(reports)-maxReports):]); err == nil {
		landing.Replace(state, reportsFile, data, time.Time{})
	}
}

// DeliverReports calls deliver once: with what unattended dreams did, the oldest first, and with what the end of the last session
// taught ("" where there is nothing to tell the model of session). When deliver returns nil they are forgotten. Of several processes
// at once one delivers a report; one that dies in deliver leaves it for the next.
func (p *Project) DeliverReports(ctx context.Context, session string, deliver func(reports []DreamReport, ended string) error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	state, unlock, err := p.lockReports(ctx, reportsWait)
	if err != nil {
		return errors.Join(err, deliver(nil, ""))
	}
	defer unlock()
	var reports []DreamReport
	readNote(state, reportsFile, &reports)
	reports = slices.DeleteFunc(reports, func(t DreamReport) bool {
		info, err := readInfo(state, t.ID)
		return t.Outcome == Proposed && (err != nil || !info.waits()) // the person has answered
	})
	var kept keptEnd
	ended := ""
	if readNote(state, endedFile, &kept) {
		ended = kept.suggestionFor(session, p.o.Now())
	}
	if err := deliver(reports, ended); err != nil {
		return err
	}
	state.Remove(reportsFile) // neither need be there
	state.Remove(endedFile)
	return nil
}

// HasReports reports whether DeliverReports may have something to deliver.
func (p *Project) HasReports() bool {
	for _, file := range []string{reportsFile, endedFile} {
		if _, err := os.Lstat(filepath.Join(p.StateDir(), file)); err == nil {
			return true
		}
	}
	return false
}

// lockReports excludes other processes that queue or deliver reports.
func (p *Project) lockReports(ctx context.Context, wait time.Duration) (state *os.Root, unlock func() error, err error) {
	if state, err = p.openState(); err != nil {
		return nil, nil, err
	}
	unlock, err = lock.Note(ctx, state, p.StateDir(), reportsLock, wait)
	return state, unlock, err
}
