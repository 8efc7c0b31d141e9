package consolidate

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path"
	"slices"
	"time"

	"dream-mcp/consolidate/lock"
	"dream-mcp/memory"
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
)

// removedFolder holds what is being removed: it gets there in one step, so that what a killed process
// leaves in the archive is whole.
const removedFolder = "removed"

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

// pruneAfter prunes the archive where the operation d, which has landed, is the first of this process, or
// has brought the archive over its limit. An archive that cannot be pruned below its limit is pruned again
// only when it has grown by a 64th of it. The caller holds the lock.
func (p *Project) pruneAfter(d *dream, now time.Time) {
	use, measured := archiveUse(p.state)
	l := landedChanges{id: d.ID, kind: d.Kind}
	use.add(l, p.sizes(history{l})[0])
	use.MaxBytes = p.o.MaxArchive
	if !p.pruned || !measured || use.Bytes > use.MaxBytes && (use.Pruned <= use.MaxBytes || use.Bytes-use.Pruned > use.MaxBytes/64) {
		p.prune(now)
		return
	}
	p.writeUse(use)
}

// writeUse keeps a measured use; without it a status says less.
func (p *Project) writeUse(use ArchiveUse) {
	if data, err := json.Marshal(use); err == nil {
		landing.Replace(p.state, useFile, data, time.Time{})
	}
}

// prune removes what need not be kept any longer: the stages of dreams that did not land and are older
// than a week, and of what landed, what retention lets go. What can't be removed is left for the next
// time. The caller holds the lock, and the dream that it has open is young.
func (p *Project) prune(now time.Time) {
	state, err := p.openState()
	if err != nil {
		return
	}
	p.pruned = true
	ids, err := dreamIDs(state)
	if err != nil {
		return
	}
	now = asOf(ids, now)
	for _, id := range ids {
		if p.isStale(id, now) {
			p.setAside(id)
		}
	}
	if h, err := p.history(); err == nil {
		use := p.pruneLanded(h, now)
		use.Pruned = use.Bytes
		p.writeUse(use)
	}
	landing.SweepOld(state, now.Add(-24*time.Hour), digestFolder)
	landing.SyncFolder(state, dreamFolder)
	p.step("empty")
	state.RemoveAll(removedFolder)
}

// asOf is the time at which ages are told: when the newest of the operations began that are a day old at now;
// now itself where none is. A clock that is a year ahead for a day ages nothing, and what has grown old goes with
// the first operation that a day of use lies before.
func asOf(ids []string, now time.Time) time.Time {
	for _, id := range slices.Backward(ids) {
		if began, ok := beginning(id); ok && now.Sub(began) >= 24*time.Hour {
			return began
		}
	}
	return now
}

// isStale reports whether id is a stage that is older than a week, or what a crash left of a beginning.
// What has begun to land, or keeps what it displaced, is neither.
func (p *Project) isStale(id string, now time.Time) bool {
	a, err := openArchive(p.state, id)
	if errors.Is(err, fs.ErrNotExist) { // the manifest is the first that is written
		info, statErr := p.state.Lstat(path.Join(dreamFolder, id))
		_, blobsErr := p.state.Lstat(path.Join(dreamFolder, id, "blobs"))
		return statErr == nil && errors.Is(blobsErr, fs.ErrNotExist) && now.Sub(info.ModTime()) > stageKept
	}
	if err != nil {
		return false
	}
	a.Close()
	info, err := readInfo(p.state, id)
	kept := stageKept
	if info.waits() {
		kept = proposalKept
	}
	return err == nil && info.Outcome != Committed && now.Sub(info.LastCall) > kept && a.State == landing.Staged && len(a.Displaced) == 0
}

// pruneLanded removes what retention lets go, and returns what is left.
func (p *Project) pruneLanded(h history, now time.Time) ArchiveUse {
	sizes := p.sizes(h)
	use := ArchiveUse{MaxBytes: p.o.MaxArchive}
	keep := h.kept(sizes, p.o.MaxArchive, now)
	for i, l := range h {
		if !keep[i] && p.setAside(l.id) == nil {
			continue
		}
		use.add(l, sizes[i])
	}
	return use
}

func (u *ArchiveUse) add(l landedChanges, size int64) {
	if l.kind == lock.KindDream {
		u.Dreams++
	} else {
		u.Others++
	}
	u.Bytes += size
}

// kept says of each operation whether the archive keeps it.
func (h history) kept(sizes []int64, limit int64, now time.Time) []bool {
	keep := make([]bool, len(h))
	needed := make([]bool, len(h)) // above the limit too
	var total int64
	newest := map[bool]int{} // by whether it is a dream: how many are newer
	for i, l := range slices.Backward(h) {
		dream := l.kind == lock.KindDream
		needed[i] = i == len(h)-1 || dream && newest[dream] == 0 || l.mayBeOnlyCopy(now)
		keep[i] = needed[i] || newest[dream] < keptNewest || now.Sub(l.Landed) < keptFor
		newest[dream]++
		if keep[i] {
			total += sizes[i]
		}
	}
	for i := range h {
		if total > limit && keep[i] && !needed[i] {
			keep[i] = false
			total -= sizes[i]
		}
	}
	return keep
}

// mayBeOnlyCopy reports whether l deleted something within the last month, or holds what somebody else
// had put in its way.
func (l landedChanges) mayBeOnlyCopy(now time.Time) bool {
	deletes := slices.ContainsFunc(l.Changes, func(c landing.Change) bool { return c.After == "" })
	return (deletes || len(l.Displaced)+len(l.LeftAlone) > 0) && now.Sub(l.Landed) < deletedKept
}

// sizes returns how many bytes each operation takes up.
func (p *Project) sizes(h history) []int64 {
	sizes := make([]int64, len(h))
	for i, l := range h {
		fs.WalkDir(p.state.FS(), path.Join(dreamFolder, l.id), func(_ string, e fs.DirEntry, err error) error {
			if err != nil {
				return nil // gone, or not to be read: it can't be counted
			}
			if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
				sizes[i] += info.Size()
			}
			return nil
		})
	}
	return sizes
}

// setAside takes id out of the archive in one step.
func (p *Project) setAside(id string) error {
	if err := p.state.Mkdir(removedFolder, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	p.step("set aside")
	return p.state.Rename(path.Join(dreamFolder, id), path.Join(removedFolder, id))
}

// discard removes the folder of an operation that nobody will ask for.
func (p *Project) discard(id string) error {
	err := p.setAside(id)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = p.state.RemoveAll(path.Join(removedFolder, id))
	}
	return err
}

// archiveUse returns what the last pruning left; false where there was none.
func archiveUse(state *os.Root) (use ArchiveUse, ok bool) {
	data, err := memory.ReadBounded(state, useFile, 1<<10)
	return use, err == nil && json.Unmarshal(data, &use) == nil
}
