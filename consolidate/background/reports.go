package background

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"time"

	"dream-mcp/consolidate/lock"
	"dream-mcp/consolidate/ops"
)

// The reports that a person is shown at the next event where the host can, and their lock.
const (
	reportsFile = "untold.json"
	reportsLock = "reports.lock"
)

// DreamReport is a report on an unattended dream.
type DreamReport struct {
	ID        string      `json:"id"`
	Outcome   ops.Outcome `json:"outcome"`
	Report    string      `json:"report"`
	Decisions string      `json:"decisions,omitempty"` // masked; has reasons in a model's words, which must not be shown to another model
}

// maxReports is the number of pending reports. Older ones are only in the journal.
const maxReports = 5

// reportsWait is how long a hook waits for another process that queues or delivers reports.
const reportsWait = 200 * time.Millisecond

// Queue queues a report on an unattended dream for the person. If it cannot, the report is only in the
// journal.
func (r *Runs) Queue(i ops.Op, changes []ops.Change) {
	answered := i.Request != nil && i.Outcome == ops.Committed
	if i.Kind != lock.KindDream || !i.Unattended || answered || i.Outcome != ops.Proposed && (i.Outcome != ops.Committed || len(changes) == 0) {
		return
	}
	unlock, err := r.Store.Records.LockNote(context.Background(), reportsLock, ops.Wait)
	if err != nil {
		return
	}
	defer unlock()
	var reports []DreamReport
	r.Store.Records.Note(reportsFile, &reports)
	reports = slices.DeleteFunc(reports, func(known DreamReport) bool { return known.ID == i.ID })
	reports = append(reports, DreamReport{ID: i.ID, Outcome: i.Outcome, Report: ops.Report(changes, i), Decisions: r.Store.AllowSecrets.Show(i.Decisions()).Text})
	_ = r.Store.Records.SetNote(reportsFile, reports[max(0, len(reports)-maxReports):])
}

// DeliverReports calls deliver with the pending reports, the oldest first. If deliver returns nil, they are removed. Of
// several processes only one delivers a report; if it dies in deliver, the next delivers it again.
func (r *Runs) DeliverReports(ctx context.Context, deliver func(reports []DreamReport) error) error {
	r.Store.Lock()
	defer r.Store.Unlock()
	unlock, err := r.Store.Records.LockNote(ctx, reportsLock, reportsWait)
	if err != nil {
		return errors.Join(err, deliver(nil))
	}
	defer unlock()
	var reports []DreamReport
	r.Store.Records.Note(reportsFile, &reports)
	reports = slices.DeleteFunc(reports, func(t DreamReport) bool {
		info, err := r.Store.Records.Op(t.ID)
		return t.Outcome == ops.Proposed && (err != nil || !info.Waits()) // the person has already answered
	})
	if err := deliver(reports); err != nil {
		return err
	}
	r.Store.Records.RemoveNote(reportsFile)
	return nil
}

// HasReports reports whether there may be something to deliver.
func (r *Runs) HasReports() bool {
	_, err := os.Lstat(filepath.Join(r.Store.Records.StateDir(), reportsFile))
	return err == nil
}
