package digest

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"dream-mcp/consolidate/transcript/said"
	"dream-mcp/memory/atomicfile"
)

// staleTemporary is the age of a temporary file that nobody is writing any more.
const staleTemporary = time.Hour

// Sweep removes the digests whose transcripts are gone, what a crash left, and the oldest beyond maxDigests.
func (ds *Store) Sweep() {
	if ds.folder == "" {
		return
	}
	if root, err := os.OpenRoot(ds.folder); err == nil {
		atomicfile.SweepOld(root, time.Now().Add(-staleTemporary))
		root.Close()
	}
	entries, _, err := said.ReadFolder(ds.folder)
	if err != nil {
		return
	}
	var all []os.FileInfo
	total := int64(0)
	gone := ds.gone()
	for _, e := range entries {
		path := filepath.Join(ds.folder, e.Name())
		stat, err := e.Info()
		if err != nil || !stat.Mode().IsRegular() || !strings.HasSuffix(e.Name(), digestEnding) {
			continue
		}
		transcript, err := digestOf(path)
		if errors.Is(err, os.ErrNotExist) || errors.Is(err, errNoDigest) || err == nil && gone(transcript) {
			os.Remove(path)
			continue
		}
		all = append(all, stat)
		total += stat.Size()
	}
	slices.SortFunc(all, func(a, b os.FileInfo) int { return a.ModTime().Compare(b.ModTime()) })
	for _, stat := range all {
		if total <= maxDigests {
			return
		}
		os.Remove(filepath.Join(ds.folder, stat.Name()))
		total -= stat.Size()
	}
}
