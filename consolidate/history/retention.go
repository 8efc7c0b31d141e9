package history

import (
	"errors"
	"io/fs"
	"slices"
	"time"

	"dream-mcp/consolidate/lock"
	"dream-mcp/consolidate/store"
	"dream-mcp/memory/landing"
)

// How long the archive keeps what has landed. What any of the first two keeps is kept, until the limit
// of bytes is reached: then the oldest goes, but never what may be the only copy of something that was
// deleted within the last month, nor the newest dream and the newest operation, which can be undone.
const (
	keptNewest  = 20                  // dreams; and as many single writes, undos and restores
	keptFor     = 90 * 24 * time.Hour // since it landed
	deletedKept = 30 * 24 * time.Hour // since its deletion landed

	// DefaultMaxArchive is the limit of bytes. A memory of the largest kind in the census has 1.5 MB
	// (CENSUS 3), so this is hundreds of dreams that rewrite all of it.
	DefaultMaxArchive = 1 << 30

	StageKept    = 7 * 24 * time.Hour  // the stage of a dream that did not land
	ProposalKept = 30 * 24 * time.Hour // what waits for the person
)

// ArchiveUse is what the archive holds.
type ArchiveUse struct {
	Dreams   int   `json:"dreams"`
	Others   int   `json:"others"` // single writes, undos, restores
	Bytes    int64 `json:"bytes"`
	MaxBytes int64 `json:"max_bytes"`
	Pruned   int64 `json:"pruned"` // Bytes after the last pruning
}

// useFile keeps the ArchiveUse, so that a status need not measure.
const useFile = "archive.json"

// PruneAfter prunes the archive where the operation of info, which has landed, is the first of this process, or
// has brought the archive over its limit. An archive that cannot be pruned below its limit is pruned again
// only when it has grown by a 64th of it. The caller holds the lock.
func (h *History) PruneAfter(info store.Info) {
	var use ArchiveUse
	measured := h.Note(useFile, &use)
	l := Landed{ID: info.ID, Kind: info.Kind}
	use.add(l, h.sizes(landings{l})[0])
	use.MaxBytes = h.MaxArchive
	if !h.pruned || !measured || use.Bytes > use.MaxBytes && (use.Pruned <= use.MaxBytes || use.Bytes-use.Pruned > use.MaxBytes/64) {
		h.Prune(h.Now())
		return
	}
	h.SetNote(useFile, use) // without it a status says less
}

// Prune removes what need not be kept any longer: the stages of dreams that did not land and are older
// than a week, and of what landed, what retention lets go. What cannot be removed is left for the next
// time. The caller holds the lock, and the dream that it has open is young.
func (h *History) Prune(now time.Time) {
	h.pruned = true
	ids, err := h.IDs()
	if err != nil {
		return
	}
	now = asOf(ids, now)
	for _, id := range ids {
		if h.isStale(id, now) {
			h.SetAside(id)
		}
	}
	if all, err := h.Landed(); err == nil {
		use := h.pruneLanded(all, now)
		use.Pruned = use.Bytes
		h.SetNote(useFile, use)
	}
	h.Empty(now)
}

// asOf is the time from which ages are counted: when the newest of the operations began that are a day old at now;
// now itself where none is. A clock that is a year ahead for a day ages nothing, and what has grown old goes with
// the first operation that a day of use lies before.
func asOf(ids []string, now time.Time) time.Time {
	for _, id := range slices.Backward(ids) {
		if began, ok := store.Beginning(id); ok && now.Sub(began) >= 24*time.Hour {
			return began
		}
	}
	return now
}

// isStale reports whether id is a stage that is older than a week, or what a crash left of a beginning.
// What has begun to land, or keeps what it displaced, is neither.
func (h *History) isStale(id string, now time.Time) bool {
	a, err := h.Archive(id)
	if errors.Is(err, fs.ErrNotExist) { // the manifest is the first that is written
		begun, empty := h.Torn(id)
		return empty && now.Sub(begun) > StageKept
	}
	if err != nil {
		return false
	}
	a.Close()
	info, err := h.Info(id)
	kept := StageKept
	if info.Waits() {
		kept = ProposalKept
	}
	return err == nil && info.Outcome != store.Committed && now.Sub(info.LastCall) > kept && a.State == landing.Staged && len(a.Displaced) == 0
}

// pruneLanded removes what retention lets go, and returns what is left.
func (h *History) pruneLanded(all landings, now time.Time) ArchiveUse {
	sizes := h.sizes(all)
	use := ArchiveUse{MaxBytes: h.MaxArchive}
	keep := all.kept(sizes, h.MaxArchive, now)
	for i, l := range all {
		if !keep[i] && h.SetAside(l.ID) == nil {
			continue
		}
		use.add(l, sizes[i])
	}
	return use
}

func (u *ArchiveUse) add(l Landed, size int64) {
	if l.Kind == lock.KindDream {
		u.Dreams++
	} else {
		u.Others++
	}
	u.Bytes += size
}

// kept says of each operation whether the archive keeps it.
func (all landings) kept(sizes []int64, limit int64, now time.Time) []bool {
	keep := make([]bool, len(all))
	needed := make([]bool, len(all)) // above the limit too
	var total int64
	newest := map[bool]int{} // by whether it is a dream: how many are newer
	for i, l := range slices.Backward(all) {
		dream := l.Kind == lock.KindDream
		needed[i] = i == len(all)-1 || dream && newest[dream] == 0 || l.mayBeOnlyCopy(now)
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

// mayBeOnlyCopy reports whether l deleted something within the last month, or holds what somebody else
// had put in its way.
func (l Landed) mayBeOnlyCopy(now time.Time) bool {
	deletes := slices.ContainsFunc(l.Changes, func(c landing.Change) bool { return c.After == "" })
	return (deletes || len(l.Displaced)+len(l.LeftAlone) > 0) && now.Sub(l.Landed) < deletedKept
}

// sizes returns how many bytes each operation takes up.
func (h *History) sizes(all landings) []int64 {
	sizes := make([]int64, len(all))
	for i, l := range all {
		sizes[i] = h.Size(l.ID)
	}
	return sizes
}

// Use returns what the archive held when it was last measured; false where it was not.
func (h *History) Use() (use ArchiveUse, ok bool) {
	ok = h.Note(useFile, &use)
	return use, ok
}

// Measure returns what the archive holds.
func (h *History) Measure() (ArchiveUse, error) {
	use := ArchiveUse{MaxBytes: h.MaxArchive}
	all, err := h.Landed()
	for i, size := range h.sizes(all) {
		use.add(all[i], size)
	}
	return use, err
}
