package ops

import (
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"dream-mcp/memory"
	"dream-mcp/memory/atomicfile"
)

// Records are the records of all operations in the state folder, their texts, and the log.
type Records struct{ Folder }

// recordPath returns the path of the record of operation id.
func (s *Records) recordPath(id string) string {
	return filepath.Join(s.StateDir(), filepath.FromSlash(FileOf(id, RecordFile)))
}

// IDs returns the IDs of all operations, the oldest first.
func (s *Records) IDs() ([]string, error) {
	root, err := s.Root()
	if err != nil {
		return nil, err
	}
	entries, _, err := memory.ReadFolder(root, opsFolder, math.MaxInt32)
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, e := range entries {
		if id, is := strings.CutSuffix(e.Name(), RecordFile); is && ValidID(id) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids, nil
}

// Content returns a text of an operation; nil for the sum "". A text that does not have its sum is an error.
func (s *Records) Content(sum memory.Sum) ([]byte, error) {
	root, err := s.Root()
	if err != nil {
		return nil, err
	}
	return texts{root, textsFolder}.read(sum)
}

// Size returns the number of bytes of a text. It fails with fs.ErrNotExist if the archive has lost it.
func (s *Records) Size(sum memory.Sum) (int64, error) {
	root, err := s.Root()
	if err != nil {
		return 0, err
	}
	return texts{root, textsFolder}.size(sum)
}

// Match returns the one ID that is id or begins with it.
func (s *Records) Match(id string) (string, error) {
	ids, err := s.IDs()
	if err != nil {
		return "", err
	}
	if slices.Contains(ids, id) {
		return id, nil
	}
	found := slices.DeleteFunc(ids, func(known string) bool { return !strings.HasPrefix(known, id) })
	switch len(found) {
	case 0:
		return "", fmt.Errorf("%w: %q", ErrUnknown, id)
	case 1:
		return found[0], nil
	}
	return "", Refuse(fmt.Sprintf("%q is the beginning of %d IDs: %s", id, len(found), strings.Join(found, ", ")), "give more of the ID")
}

// Discard removes an operation. Its texts stay until Collect.
func (s *Records) Discard(id string) error {
	root, err := s.Root()
	if err != nil {
		return err
	}
	s.Step("discard")
	for _, end := range []string{RecordFile, StopFile} { // the record first: without it there is no operation
		if err := root.Remove(FileOf(id, end)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	db, err := s.Look()
	if err != nil || db == nil {
		return err
	}
	return db.RemoveEvents(id)
}

// RecordSize returns the number of bytes of the record of an operation; 0 if it cannot be read.
func (s *Records) RecordSize(id string) int64 {
	root, err := s.Root()
	if err != nil {
		return 0
	}
	info, err := root.Lstat(FileOf(id, RecordFile))
	if err != nil {
		return 0
	}
	return info.Size()
}

// Sizes returns the size of each operation of a list, the oldest first: of its record and of the texts that no later one has.
func (s *Records) Sizes(all []Op) ([]int64, error) {
	root, err := s.Root()
	if err != nil {
		return nil, err
	}
	sums, err := texts{root, textsFolder}.sums()
	sizes := make([]int64, len(all))
	for i, o := range slices.Backward(all) {
		sizes[i] = s.RecordSize(o.ID)
		for _, sum := range o.texts() {
			sizes[i] += sums[sum]
			delete(sums, sum)
		}
	}
	return sizes, err
}

// orphansFile notes the texts that no operation needed at a pruning, and since when.
const orphansFile = "orphans.json"

// orphansKept is how long a text stays that no operation needs. Somebody may have moved the records away for a while.
const orphansKept = 7 * 24 * time.Hour

// Collect removes the texts of discarded operations that no other needs, what no operation has needed for a week, and old
// temporaries. While a record cannot be read, all texts stay. The caller holds the lock.
func (s *Records) Collect(discarded []Op, now time.Time) {
	root, err := s.Root()
	if err != nil {
		return
	}
	yesterday := now.Add(-24 * time.Hour)
	atomicfile.SweepOld(root, yesterday)
	if home, err := os.OpenRoot(s.StateHome); err == nil { // that of all memories, each of which sweeps its own folder
		defer home.Close()
		var names []string
		entries, _ := fs.ReadDir(home.FS(), ".")
		for _, e := range entries {
			names = append(names, e.Name())
		}
		atomicfile.SweepOld(home, yesterday, names...)
	}
	ids, err := s.IDs()
	if err != nil {
		return
	}
	all := texts{root, textsFolder}
	unneeded, err := all.sums()
	if err != nil {
		return
	}
	for _, id := range ids {
		o, err := s.Op(id)
		if err != nil {
			return
		}
		for _, sum := range o.texts() {
			delete(unneeded, sum)
		}
	}
	if len(discarded) > 0 {
		atomicfile.SyncFolder(root, opsFolder) // the records that went are gone before their texts
	}
	s.Step("collect")
	for _, o := range discarded {
		for _, sum := range o.texts() {
			if _, is := unneeded[sum]; is {
				root.Remove(all.file(sum))
				delete(unneeded, sum)
			}
		}
	}
	before, orphans := make(map[memory.Sum]time.Time), make(map[memory.Sum]time.Time)
	s.Note(orphansFile, &before)
	for sum := range unneeded {
		since, known := before[sum]
		if known && now.Sub(since) > orphansKept {
			root.Remove(all.file(sum))
			continue
		}
		orphans[sum] = cmp.Or(since, now)
	}
	switch {
	case len(orphans) > 0 && !maps.Equal(orphans, before):
		s.SetNote(orphansFile, orphans)
	case len(orphans) == 0 && len(before) > 0:
		root.Remove(orphansFile)
	}
}

// idTime is the format of the time at the beginning of an ID, by which IDs sort.
const idTime = "20060102-150405"

// NewID returns the ID of a new operation.
func NewID(now time.Time) string {
	var b [3]byte
	rand.Read(b[:])
	return now.UTC().Format(idTime) + "-" + hex.EncodeToString(b[:])
}

// Beginning returns the time in an ID, when the operation began.
func Beginning(id string) (time.Time, bool) {
	t, err := time.Parse(idTime, id[:min(len(id), len(idTime))])
	return t, err == nil
}

// ValidID reports whether id has only the characters of an ID, so that it names a folder and not another path.
func ValidID(id string) bool {
	return id != "" && strings.Trim(id, "0123456789abcdef-") == ""
}
