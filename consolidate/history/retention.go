package history

import (
	"time"

	"dream-mcp/consolidate/ops"
	"dream-mcp/consolidate/state"
)

// The archive keeps an operation that is among the newest, or young enough. Above the limit of bytes it removes the
// oldest, but never the newest dream, the newest operation, or what may be the only copy of something deleted within
// a month.
const (
	keptNewest  = 20                  // dreams; and as many single writes, undos and restores
	keptFor     = 90 * 24 * time.Hour // since it landed
	deletedKept = 30 * 24 * time.Hour // since its deletion landed

	// DefaultMaxArchive is the default limit in bytes. The largest of 33 real memories had 1.5 MB, so this
	// is enough for hundreds of dreams that rewrite all of it.
	DefaultMaxArchive = 1 << 30

	StageKept    = 7 * 24 * time.Hour  // the stage of a dream that did not land
	ProposalKept = 30 * 24 * time.Hour // a proposal that waits for the person
)

// PruneAfter prunes the archive after an operation has landed, if it is the first of this process or the archive has
// exceeded its limit. An archive that cannot be pruned below the limit is pruned again after it has grown by a 64th of
// the limit. The caller holds the mutex and the file lock.
func (h *History) PruneAfter() {
	use, err := h.Use()
	if err != nil || h.pruned && (use.Bytes <= h.MaxArchive || use.Bytes-h.left <= h.MaxArchive/64) {
		return
	}
	h.Prune(h.Store.Now())
}

// Prune removes stages of dreams that did not land and are older than a week, and operations that retention does not
// keep. What cannot be removed is left for the next time. The caller holds the mutex and the file lock.
func (h *History) Prune(now time.Time) {
	h.pruned = true
	db := h.Store.Records.Look()
	if db == nil {
		return
	}
	h.Store.Step("discard")
	h.left, _ = db.Operations().Prune(h.retention(), asOf(db, now))
	ops.SweepTemps(h.Store.Records, now)
}

// retention is the policy of this memory.
func (h *History) retention() state.Retention {
	return state.Retention{Newest: keptNewest, For: keptFor, Deletions: deletedKept, Stages: StageKept, Proposals: ProposalKept, MaxBytes: h.MaxArchive}
}

// asOf returns the time from which ages are counted: the beginning of the newest operation that is at least a day
// old, or now if there is none. So a clock that is wrong for less than a day removes nothing.
func asOf(db *state.DB, now time.Time) time.Time {
	id, _ := db.Operations().Last(ops.IDAfter(now.Add(-24 * time.Hour)))
	if began, ok := ops.Beginning(id); ok {
		return began
	}
	return now
}

// Use returns the size of the archive. The caller holds the mutex.
func (h *History) Use() (state.Use, error) {
	return h.Store.Records.Look().Operations().Use()
}
