package history

import (
	"cmp"
	"slices"
	"time"

	"dream-mcp/consolidate/lock"
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

// ArchiveUse is the size of the archive.
type ArchiveUse struct {
	Dreams   int   `json:"dreams"`
	Others   int   `json:"others"` // single writes, undos, restores
	Bytes    int64 `json:"bytes"`
	MaxBytes int64 `json:"max_bytes"`
}

// PruneAfter prunes the archive after an operation has landed, if it is the first of this process or the archive has exceeded its
// limit. An archive that cannot be pruned below the limit is pruned again after it has grown by a 64th of the limit. The caller
// holds the lock.
func (h *History) PruneAfter() {
	use, err := h.Use()
	if err != nil || h.pruned && (use.Bytes <= use.MaxBytes || use.Bytes-h.left <= use.MaxBytes/64) {
		return
	}
	h.Prune(h.Store.Now())
}

// Prune removes stages of dreams that did not land and are older than a week, and operations that retention does not keep. What
// cannot be removed is left for the next time. The caller holds the lock.
func (h *History) Prune(now time.Time) {
	h.pruned = true
	all, err := h.brief()
	if err != nil {
		return
	}
	now = asOf(all, now)
	var discarded []string
	for _, o := range all {
		if isStale(o, now) {
			discarded = append(discarded, o.ID)
		}
	}
	landed := landedOf(all)
	h.left = 0
	for i, keep := range kept(landed, h.MaxArchive, now) {
		if keep {
			h.left += landed[i].Bytes
		} else {
			discarded = append(discarded, landed[i].ID)
		}
	}
	if len(discarded) > 0 {
		h.Store.Records.Discard(discarded...)
	}
	ops.SweepTemps(h.Store.Records, now)
}

// brief returns all operations, without their records and changes.
func (h *History) brief() ([]state.Operation, error) {
	db, err := h.Store.Records.Look()
	if err != nil {
		return nil, err
	}
	return db.Brief()
}

// landedOf returns the operations that have landed.
func landedOf(all []state.Operation) []state.Operation {
	return slices.DeleteFunc(slices.Clone(all), func(o state.Operation) bool { return o.State != string(ops.Landed) })
}

// asOf returns the time from which ages are counted: the beginning of the newest operation that is at least a day
// old, or now if there is none. So a clock that is wrong for less than a day removes nothing.
func asOf(all []state.Operation, now time.Time) (of time.Time) {
	for _, o := range all {
		if began, ok := ops.Beginning(o.ID); ok && now.Sub(began) >= 24*time.Hour && began.After(of) {
			of = began
		}
	}
	return cmp.Or(of, now)
}

// isStale reports whether o is a stage older than a week. An operation that has begun to land, or that displaced files, is
// not.
func isStale(o state.Operation, now time.Time) bool {
	kept := StageKept
	if o.Waits {
		kept = ProposalKept
	}
	return now.Sub(o.LastCall) > kept && o.State == string(ops.Staged) && !o.OnlyCopy
}

// kept reports for each operation whether the archive keeps it.
func kept(all []state.Operation, limit int64, now time.Time) []bool {
	keep := make([]bool, len(all))
	needed := make([]bool, len(all)) // above the limit too
	var total int64
	newest := map[bool]int{} // how many are newer, among dreams and among others
	for i, l := range slices.Backward(all) {
		dream := l.Kind == string(lock.KindDream)
		onlyCopy := l.OnlyCopy && now.Sub(l.Landed) < deletedKept
		needed[i] = i == len(all)-1 || dream && newest[dream] == 0 || onlyCopy
		keep[i] = needed[i] || newest[dream] < keptNewest || now.Sub(l.Landed) < keptFor
		newest[dream]++
		if keep[i] {
			total += l.Bytes
		}
	}
	for i := range all {
		if total > limit && keep[i] && !needed[i] {
			keep[i] = false
			total -= all[i].Bytes
		}
	}
	return keep
}

// Use returns the size of the archive.
func (h *History) Use() (ArchiveUse, error) {
	use := ArchiveUse{MaxBytes: h.MaxArchive}
	all, err := h.brief()
	for _, o := range landedOf(all) {
		if o.Kind == string(lock.KindDream) {
			use.Dreams++
		} else {
			use.Others++
		}
		use.Bytes += o.Bytes
	}
	return use, err
}
