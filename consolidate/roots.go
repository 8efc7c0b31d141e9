package consolidate

import (
	"errors"
	"io/fs"
	"os"
	"slices"

	"dream-mcp/consolidate/state"
)

// maxRoots bounds the roots that are remembered.
const maxRoots = 1000

// goneRoots returns the roots that the project had before and that are gone, and remembers those of now. A path that
// exists again is not one of them: it may be another project's. The sessions call it, with or without the mutex. If
// roots cannot be remembered, the next process tries again.
func (p *Project) goneRoots() (gone []string) {
	now := p.Transcripts.Options.Roots
	several := slices.ContainsFunc(now, func(root string) bool { return root != now[0] })
	db := p.Store.Records.Look()
	if several {
		db = p.Store.Records.DB() // to remember them
	}
	seen, _ := state.Roots.Get(db)
	for _, path := range seen {
		if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) && !slices.Contains(now, path) {
			gone = append(gone, path)
		}
	}
	missing := slices.DeleteFunc(slices.Clone(now), func(path string) bool { return slices.Contains(seen, path) })
	if several && len(missing) > 0 && !p.Store.LookOnly {
		_, _ = state.Roots.Change(db, func(roots *[]string) bool {
			all := append(*roots, slices.DeleteFunc(missing, func(path string) bool { return slices.Contains(*roots, path) })...)
			*roots = all[max(0, len(all)-maxRoots):]
			return true
		})
	}
	return gone
}
