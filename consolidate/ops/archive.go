package ops

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"dream-mcp/consolidate/lock"
	"dream-mcp/consolidate/state"
	"dream-mcp/memory"
	"dream-mcp/memory/atomicfile"
	"dream-mcp/memory/phrase"
)

// Path returns the path of the database.
func (s *Records) Path() string { return filepath.Join(s.StateDir(), state.File) }

// Renew sets a database aside that is damaged or not ours, and creates a new one. It does nothing if there is one that
// can be used.
func (s *Records) Renew() error {
	db := s.Look()
	if err := db.Err(); db != nil && !errors.Is(err, state.ErrDamaged) && !errors.Is(err, state.ErrForeign) {
		return err
	}
	if err := state.SetAside(s.StateDir(), s.Now()); err != nil {
		return err
	}
	return state.Gone.Set(s.DB(), time.Time{})
}

// Salvage puts a new database in the place of one that is damaged but can be opened: see state.Salvage. The caller
// holds the file lock.
func (s *Records) Salvage() error {
	if err := s.Close(); err != nil {
		return err
	}
	return state.Salvage(s.StateDir(), s.Now())
}

// Content returns a text of an operation; nil for the sum "". A text that does not have its sum is an error.
func (s *Records) Content(sum memory.Sum) ([]byte, error) {
	return s.Look().Text(sum)
}

// ContentIn is Content of a change of n. What an operation that has not landed would replace is not archived: it is in
// dir (nil: there is none), unless somebody has changed or removed it since.
func (s *Records) ContentIn(dir *memory.Dir, sum memory.Sum, n memory.Name) ([]byte, error) {
	data, err := s.Content(sum)
	if errors.Is(err, fs.ErrNotExist) && dir != nil {
		f, err := dir.ReadIfAny(n)
		return f.Data, err
	}
	return data, err
}

// Match returns the one ID that is id or begins with it.
func (s *Records) Match(id string) (string, error) {
	if !ValidID(id) {
		return "", fmt.Errorf("%w: %q", ErrUnknown, id)
	}
	db := s.Look()
	found, err := db.Operations().Beginning(id)
	if err != nil {
		return "", err
	}
	if slices.Contains(found, id) {
		return id, nil
	}
	switch len(found) {
	case 0:
		for e, err := range s.Newest(state.LogQuery{Kind: string(lock.KindForget)}) {
			if err == nil && strings.HasPrefix(e.ID, id) {
				return "", Refuse(e.ID+" removed a text everywhere: it cannot be shown or undone", "dream-mcp forget --list shows when texts were forgotten")
			}
		}
		return "", fmt.Errorf("%w: %q", ErrUnknown, id)
	case 1:
		return found[0], nil
	}
	return "", Ambiguous(id, found)
}

// maxNamed is how many IDs an error names.
const maxNamed = 10

// Ambiguous refuses a text that is the beginning of several IDs. It names the newest.
func Ambiguous(text string, ids []string) error {
	slices.SortFunc(ids, func(a, b string) int { return strings.Compare(b, a) })
	return Refuse(fmt.Sprintf("%q is the beginning of %d IDs: %s", text, len(ids), phrase.Few(ids, maxNamed)), "give more of the ID")
}

// Discard removes operations, and their texts that no other needs.
func (s *Records) Discard(ids ...string) error {
	s.Step("discard")
	return s.DB().Operations().Discard(ids...)
}

// SweepTemps removes old temporaries in the state folder.
func SweepTemps(s *Records, now time.Time) {
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
}

// idTime is the format of the time at the beginning of an ID, by which IDs sort.
const idTime = "20060102-150405"

// NewID returns the ID of a new operation.
func NewID(now time.Time) string {
	var b [3]byte
	rand.Read(b[:])
	return now.UTC().Format(idTime) + "-" + hex.EncodeToString(b[:])
}

// IDAfter returns a text that sorts after the IDs of operations that began at now or before, and before later ones.
func IDAfter(now time.Time) string { return now.UTC().Format(idTime) + "." }

// Beginning returns the time in an ID, when the operation began.
func Beginning(id string) (time.Time, bool) {
	t, err := time.Parse(idTime, id[:min(len(id), len(idTime))])
	return t, err == nil
}

// ValidID reports whether id has only the characters of an ID.
func ValidID(id string) bool {
	return id != "" && strings.Trim(id, "0123456789abcdef-") == ""
}
