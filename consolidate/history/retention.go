package history

import (
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
type ArchiveUse = state.ArchiveUse

// PruneAfter prunes the archive after the operation of info has landed, if it is the first of this process or the
// archive has exceeded its limit. An archive that cannot be pruned below the limit is pruned again after it has grown
// by a 64th of the limit. The caller holds the lock.
func (h *History) PruneAfter(info ops.Op) {
	use, measured := h.Use()
	add(&use, info, info.Bytes+h.Store.Records.RecordSize(info.ID))
	use.MaxBytes = h.MaxArchive
	if !h.pruned || !measured || use.Bytes > use.MaxBytes && (use.Pruned <= use.MaxBytes || use.Bytes-use.Pruned > use.MaxBytes/64) {
		h.Prune(h.Store.Now())
		return
	}
	h.setUse(use)
}

// setUse notes the size of the archive, so that a status need not measure it.
func (h *History) setUse(use ArchiveUse) {
	if db, err := h.Store.Records.DB(); err == nil {
		_ = db.SetArchiveUse(use)
	}
}

// Prune removes stages of dreams that did not land and are older than a week, and archives that retention does not
// keep. What cannot be removed is left for the next time. The caller holds the lock.
func (h *History) Prune(now time.Time) {
	h.pruned = true
	ids, err := h.Store.Records.IDs()
	if err != nil {
		return
	}
	now = asOf(ids, now)
	var discarded []ops.Op
	discard := func(o ops.Op) bool {
		err := h.Store.Records.Discard(o.ID)
		if err == nil {
			discarded = append(discarded, o)
		}
		return err == nil
	}
	for _, id := range ids {
		if o, err := h.Store.Records.Op(id); err == nil && isStale(o, now) {
			discard(o)
		}
	}
	if all, sizes, err := h.sized(); err == nil {
		use := ArchiveUse{MaxBytes: h.MaxArchive}
		for i, keep := range all.kept(sizes, h.MaxArchive, now) {
			if keep || !discard(all[i]) {
				add(&use, all[i], sizes[i])
			}
		}
		use.Pruned = use.Bytes
		h.setUse(use)
	}
	h.Store.Records.Collect(discarded, now)
}

// asOf returns the time from which ages are counted: the beginning of the newest operation that is at least a day
// old, or now if there is none. So a clock that is wrong for less than a day removes nothing.
func asOf(ids []string, now time.Time) time.Time {
	for _, id := range slices.Backward(ids) {
		if began, ok := ops.Beginning(id); ok && now.Sub(began) >= 24*time.Hour {
			return began
		}
	}
	return now
}

// isStale reports whether o is a stage older than a week. An operation that has begun to land, or that displaced files, is
// not.
func isStale(o ops.Op, now time.Time) bool {
	kept := StageKept
	if o.Waits() {
		kept = ProposalKept
	}
	return o.Outcome != ops.Committed && now.Sub(o.LastCall) > kept && o.State == ops.Staged && len(o.Displaced) == 0
}

func add(u *ArchiveUse, o ops.Op, size int64) {
	if o.Kind == lock.KindDream {
		u.Dreams++
	} else {
		u.Others++
	}
	u.Bytes += size
}

// kept reports for each operation whether the archive keeps it.
func (all landings) kept(sizes []int64, limit int64, now time.Time) []bool {
	keep := make([]bool, len(all))
	needed := make([]bool, len(all)) // above the limit too
	var total int64
	newest := map[bool]int{} // how many are newer, among dreams and among others
	for i, l := range slices.Backward(all) {
		dream := l.Kind == lock.KindDream
		needed[i] = i == len(all)-1 || dream && newest[dream] == 0 || mayBeOnlyCopy(l, now)
		keep[i] = needed[i] || newest[dream] < keptNewest || now.Sub(l.Landed) < keptFor
		newest[dream]++
		if keep[i] {
			total += sizes[i]
		}
	}
	for i := range all {
		if total > limit && keep[i] && !needed[i] {
			keep[i] = false
			total -= sizes[i]
		}
	}
	return keep
}

// mayBeOnlyCopy reports whether o deleted something within the last month, or displaced a file of somebody else.
func mayBeOnlyCopy(o ops.Op, now time.Time) bool {
	deletes := slices.ContainsFunc(o.Changes, func(c ops.Change) bool { return c.After == "" })
	return (deletes || len(o.Displaced)+len(o.LeftAlone) > 0) && now.Sub(o.Landed) < deletedKept
}

// sized is Landed with the size of each operation.
func (h *History) sized() (all landings, sizes []int64, err error) {
	if all, err = h.Landed(); err == nil {
		sizes, err = h.Store.Records.Sizes(all)
	}
	return all, sizes, err
}

// Use returns the last measured size of the archive; false if there is none.
func (h *History) Use() (use ArchiveUse, ok bool) {
	if db, err := h.Store.Records.Look(); err == nil {
		use, ok, _ = db.ArchiveUse()
	}
	return use, ok
}

// Measure measures the archive.
func (h *History) Measure() (ArchiveUse, error) {
	use := ArchiveUse{MaxBytes: h.MaxArchive}
	all, sizes, err := h.sized()
	for i, size := range sizes {
		add(&use, all[i], size)
	}
	return use, err
}
