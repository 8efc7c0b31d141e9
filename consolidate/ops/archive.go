package ops

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"dream-mcp/memory"
	"dream-mcp/memory/atomicfile"
)

// Records are the records of all operations in the state folder, their stages and archives, and the journal.
type Records struct{ Folder }

// FolderOf returns the path of the folder of operation id.
func (s *Records) FolderOf(id string) string { return filepath.Join(s.StateDir(), dreamFolder, id) }

// IDs returns the IDs of all operations that have a folder, the oldest first.
func (s *Records) IDs() ([]string, error) {
	root, err := s.Root()
	if err != nil {
		return nil, err
	}
	entries, _, err := memory.ReadFolder(root, dreamFolder, math.MaxInt32)
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, e := range entries {
		if e.IsDir() {
			ids = append(ids, e.Name())
		}
	}
	slices.Sort(ids)
	return ids, nil
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
	return "", fmt.Errorf("%q is the beginning of %d IDs: %s", id, len(found), strings.Join(found, ", "))
}

// OpenFolder opens the folder of operation id.
func (s *Records) OpenFolder(id string) (*os.Root, error) {
	if !ValidID(id) {
		return nil, ErrUnknown
	}
	root, err := s.Root()
	if err != nil {
		return nil, err
	}
	return memory.OpenBelow(root, path.Join(dreamFolder, id))
}

// openArchive reads the manifest of operation id as it is on disk. The caller closes it.
func (s *Records) openArchive(id string) (*Archive, error) {
	folder, err := s.OpenFolder(id)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w in the archive: %s", ErrUnknown, id)
	}
	if err != nil {
		return nil, err
	}
	a, err := OpenArchive(folder)
	if err != nil {
		folder.Close()
	}
	return a, err
}

// removedFolder holds folders that are being removed. They are moved there in one step, so that the archive has only whole
// folders after a crash.
const removedFolder = "removed"

// SetAside moves operation id out of the archive in one step.
func (s *Records) SetAside(id string) error {
	root, err := s.Root()
	if err != nil {
		return err
	}
	if err := root.Mkdir(removedFolder, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	s.Step("set aside")
	return root.Rename(path.Join(dreamFolder, id), path.Join(removedFolder, id))
}

// Discard removes the folder of an operation.
func (s *Records) Discard(id string) error {
	err := s.SetAside(id)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = s.root.RemoveAll(path.Join(removedFolder, id))
	}
	return err
}

// Torn reports whether a crash left the folder of operation id without content, and since when.
func (s *Records) Torn(id string) (since time.Time, torn bool) {
	info, err := s.root.Lstat(path.Join(dreamFolder, id))
	if err != nil {
		return since, false
	}
	_, err = s.root.Lstat(path.Join(dreamFolder, id, "blobs"))
	return info.ModTime(), errors.Is(err, fs.ErrNotExist)
}

// Size returns the size of operation id on disk, in bytes; 0 if the state folder cannot be opened.
func (s *Records) Size(id string) (size int64) {
	root, err := s.Root()
	if err != nil {
		return 0
	}
	fs.WalkDir(root.FS(), path.Join(dreamFolder, id), func(_ string, e fs.DirEntry, err error) error {
		if err != nil {
			return nil // removed or unreadable
		}
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			size += info.Size()
		}
		return nil
	})
	return size
}

// Empty removes what SetAside moved, and temporaries older than a day.
func (s *Records) Empty(now time.Time) {
	atomicfile.SweepOld(s.root, now.Add(-24*time.Hour), DigestFolder)
	atomicfile.SyncFolder(s.root, dreamFolder)
	s.Step("empty")
	s.root.RemoveAll(removedFolder)
}

// DigestFolder holds the digests of transcripts. Package digest sweeps it.
const DigestFolder = "digests"

// StopFile in the folder of a dream asks it to stop.
const StopFile = "stop"

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
