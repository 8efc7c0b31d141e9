package digest

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"dream-mcp/consolidate/transcript/said"
)

const (
	// staleTemporary is the age of a temporary file that nobody is writing any more.
	staleTemporary = time.Hour

	// formerFolder is where versions before this one kept their digests, beside ours. It is removed when none of them has
	// written there for formerAge.
	formerFolder = "digests"
	formerAge    = 30 * 24 * time.Hour
)

// removeFormer removes what former versions kept, unless one of them is in use.
func (ds *Store) removeFormer() {
	folder := filepath.Join(filepath.Dir(ds.folder), formerFolder)
	stat, err := os.Lstat(folder)
	if err != nil || folder == ds.folder || !stat.IsDir() || time.Since(stat.ModTime()) < formerAge {
		return
	}
	for _, names := range []string{"*" + digestEnding, temporaryName, "heads"} {
		paths, _ := filepath.Glob(filepath.Join(folder, names))
		for _, path := range paths {
			os.Remove(path)
		}
	}
	os.Remove(folder)
}

// Sweep removes the digests whose transcripts are gone, what a crash left, and the oldest beyond maxDigests.
func (ds *Store) Sweep() {
	if ds.folder == "" {
		return
	}
	ds.removeFormer()
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
		if err != nil || !stat.Mode().IsRegular() {
			continue
		}
		switch {
		case strings.HasPrefix(e.Name(), strings.TrimSuffix(temporaryName, "*")):
			if time.Since(stat.ModTime()) > staleTemporary {
				os.Remove(path)
			}
		case strings.HasSuffix(e.Name(), digestEnding):
			transcript, err := digestOf(path)
			if errors.Is(err, os.ErrNotExist) || errors.Is(err, errNoDigest) || err == nil && gone(transcript) {
				os.Remove(path)
				continue
			}
			all = append(all, stat)
			total += stat.Size()
		}
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
