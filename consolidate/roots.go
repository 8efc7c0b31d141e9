package consolidate

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"slices"

	"dream-mcp/memory"
	"dream-mcp/memory/atomicfile"
)

// rootsFile holds the roots that the sessions of a project had: a worktree that is removed leaves its sessions.
const rootsFile = "roots.json"

// maxRoots bounds them.
const maxRoots = 1000

// goneRoots returns the roots that the project had before and that are gone, and remembers those of now. A path that exists
// again is not one of them: it may be another project's. The sessions call it, with or without the mutex. If roots cannot be
// remembered, the next process tries again.
func (p *Project) goneRoots() (gone []string) {
	now := p.Transcripts.Options.Roots
	several := slices.ContainsFunc(now, func(root string) bool { return root != now[0] })
	folder := p.Store.Records.StateDir()
	if several && !p.Store.LookOnly {
		_ = os.MkdirAll(folder, 0o700)
	}
	root, err := memory.OpenRoot(folder)
	if err != nil {
		return nil
	}
	defer root.Close()
	var seen []string
	if data, err := memory.ReadBounded(root, rootsFile, maxRoots<<10); err == nil {
		_ = json.Unmarshal(data, &seen)
	}
	for _, path := range seen {
		if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) && !slices.Contains(now, path) {
			gone = append(gone, path)
		}
	}
	missing := slices.DeleteFunc(slices.Clone(now), func(path string) bool { return slices.Contains(seen, path) })
	if several && len(missing) > 0 && !p.Store.LookOnly {
		seen = append(seen, missing...)
		data, _ := json.Marshal(seen[max(0, len(seen)-maxRoots):])
		_ = atomicfile.Cache(root, rootsFile, data)
	}
	return gone
}
