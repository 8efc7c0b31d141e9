package transcript

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// staleTemporary is when a digest that was never finished is nobody's any more.
const staleTemporary = time.Hour

// sweep removes the digests whose transcripts are gone, what a crash left, and the oldest beyond
// maxDigests.
func (ds *digests) sweep() {
	if ds.folder == "" {
		return
	}
	entries, _, err := readFolder(ds.folder)
	if err != nil {
		return
	}
	type lying struct {
		path    string
		size    int64
		modTime time.Time
	}
	var all []lying
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
			all = append(all, lying{path, stat.Size(), stat.ModTime()})
			total += stat.Size()
		}
	}
	slices.SortFunc(all, func(a, b lying) int { return a.modTime.Compare(b.modTime) })
	for _, l := range all {
		if total <= maxDigests {
			return
		}
		os.Remove(l.path)
		total -= l.size
	}
}
