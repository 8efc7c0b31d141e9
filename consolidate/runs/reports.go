package runs

import (
	"errors"
	"slices"
	"time"

	"dream-mcp/consolidate/lock"
	"dream-mcp/consolidate/ops"
	"dream-mcp/consolidate/state"
)

// maxReports is the number of pending reports. Older ones are only in the log.
const maxReports = 5

// delivering is how long a process may take to deliver reports, before another delivers them.
const delivering = 2 * time.Second

// Queue queues a report on an unattended dream for the person. If it cannot, the report is only in the log. It needs no
// mutex.
func (r *Runs) Queue(i ops.Op, changes []state.Change) {
	answered := i.Request != nil && i.Outcome == ops.Committed
	if i.Kind != lock.KindDream || !i.Unattended || answered || i.Outcome != ops.Proposed && (i.Outcome != ops.Committed || len(changes) == 0) {
		return
	}
	_ = r.Store.Records.DB().Reports().Queue(state.Report{Dream: i.ID, Outcome: string(i.Outcome), Report: ops.Notice(changes, i),
		Decisions: r.Store.AllowSecrets.Show(i.Decisions()).Text}, maxReports)
}

// DeliverReports calls deliver with the pending reports, the oldest first. If deliver returns nil, they are removed. Of
// several processes only one delivers a report; if it dies in deliver, another delivers it again.
func (r *Runs) DeliverReports(deliver func(reports []state.Report) error) error {
	defer r.Store.Lock()()
	db := r.Store.Records.DB()
	taken, err := db.Reports().Take(delivering)
	if err != nil {
		return errors.Join(err, deliver(nil))
	}
	reports := slices.DeleteFunc(slices.Clone(taken), func(t state.Report) bool {
		if undone, _ := r.Store.Records.Undone(t.Dream); undone[t.Dream] {
			return true
		}
		info, err := r.Store.Records.Op(t.Dream)
		return t.Outcome == string(ops.Proposed) && (err != nil || !info.Waits()) // the person has already answered
	})
	err = deliver(reports)
	return errors.Join(err, db.Reports().End(taken, err == nil))
}

// HasReports reports whether there may be something to deliver. It needs no mutex.
func (r *Runs) HasReports() bool {
	wait, _ := r.Store.Records.Look().Reports().Waiting()
	return wait
}
