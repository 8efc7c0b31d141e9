package background

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"time"

	"dream-mcp/consolidate/lock"
	"dream-mcp/consolidate/store"
	"dream-mcp/memory/landing"
)

// Files of what a person is shown when a session begins, and the lock under which they change.
const (
	reportsFile = "untold.json"
	reportsLock = "reports.lock"
)

// DreamReport is what a dream did that nobody watched.
type DreamReport struct {
	ID        string        `json:"id"`
	Outcome   store.Outcome `json:"outcome"`
	Report    string        `json:"report"`
	Decisions string        `json:"decisions,omitempty"` // with reasons in a model's own words, masked: not for another model to follow
}

// maxReports is as much as a person reads at once; older ones are in the journal.
const maxReports = 5

// reportsWait is how long a hook waits for another process that queues or delivers reports.
const reportsWait = 200 * time.Millisecond

// Queue keeps what an unattended dream did for the person's next session. What cannot be kept is in the journal alone.
func (r *Room) Queue(i store.Info, changes []landing.Change) {
	answered := i.Request != nil && i.Outcome == store.Committed
	if i.Kind != lock.KindDream || !i.Unattended || answered || i.Outcome != store.Proposed && (i.Outcome != store.Committed || len(changes) == 0) {
		return
	}
	unlock, err := r.LockNote(context.Background(), reportsLock, store.Wait)
	if err != nil {
		return
	}
	defer unlock()
	var reports []DreamReport
	r.Note(reportsFile, &reports)
	reports = slices.DeleteFunc(reports, func(known DreamReport) bool { return known.ID == i.ID })
	reports = append(reports, DreamReport{ID: i.ID, Outcome: i.Outcome, Report: store.Report(changes, i), Decisions: r.AllowSecrets.Show(i.Decisions()).Text})
	_ = r.SetNote(reportsFile, reports[max(0, len(reports)-maxReports):])
}

// DeliverReports calls deliver once: with what unattended dreams did, the oldest first, and with what the end of the last session
// taught ("" where there is nothing to tell the model of session). When deliver returns nil they are forgotten. Of several processes
// at once one delivers a report; one that dies in deliver leaves it for the next.
func (r *Room) DeliverReports(ctx context.Context, session string, deliver func(reports []DreamReport, ended string) error) error {
	r.Lock()
	defer r.Unlock()
	unlock, err := r.LockNote(ctx, reportsLock, reportsWait)
	if err != nil {
		return errors.Join(err, deliver(nil, ""))
	}
	defer unlock()
	var reports []DreamReport
	r.Note(reportsFile, &reports)
	reports = slices.DeleteFunc(reports, func(t DreamReport) bool {
		info, err := r.Info(t.ID)
		return t.Outcome == store.Proposed && (err != nil || !info.Waits()) // the person has answered
	})
	var kept keptEnd
	ended := ""
	if r.Note(endedFile, &kept) {
		ended = kept.suggestionFor(session, r.Now())
	}
	if err := deliver(reports, ended); err != nil {
		return err
	}
	r.RemoveNote(reportsFile)
	r.RemoveNote(endedFile)
	return nil
}

// HasReports reports whether DeliverReports may have something to deliver.
func (r *Room) HasReports() bool {
	for _, file := range []string{reportsFile, endedFile} {
		if _, err := os.Lstat(filepath.Join(r.StateDir(), file)); err == nil {
			return true
		}
	}
	return false
}
