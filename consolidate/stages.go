package consolidate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"dream-mcp/consolidate/lock"
	"dream-mcp/memory"
	"dream-mcp/memory/landing"
)

// unfinished returns the dreams of the journal, all but the open one, whose stage was left with changes
// in it, the newest first. It looks at no others: there may be thousands that have landed. One without an outcome was ended by somebody who could not write into our folder.
func (p *Project) unfinished(entries []LogEntry, open string) ([]Info, error) {
	state, err := p.openState()
	if err != nil {
		return nil, err
	}
	var left []Info
	seen := make(map[string]bool)
	for _, e := range slices.Backward(entries) {
		if seen[e.ID] || e.Kind != lock.KindDream {
			continue
		}
		seen[e.ID] = true
		if e.Outcome == Committed {
			continue
		}
		info, err := readInfo(state, e.ID)
		if err != nil || info.Kind != lock.KindDream || info.ID == open || info.Outcome == Committed || info.Request != nil {
			continue
		}
		a, err := openArchive(state, e.ID)
		if err != nil {
			continue
		}
		if a.State == landing.Staged && len(a.Changes) > 0 {
			info.Outcome = cmp.Or(info.Outcome, Crashed)
			left = append(left, info)
		}
		a.Close()
	}
	return left, nil
}

// dreamIDs returns the IDs of all dreams that have a folder, the oldest first.
func dreamIDs(state *os.Root) ([]string, error) {
	f, err := memory.OpenFolder(state, dreamFolder)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	entries, err := f.ReadDir(-1)
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

// validID keeps what a lock file or a person says from being more than a folder's name.
func validID(id string) bool {
	return id != "" && strings.Trim(id, "0123456789abcdef-") == ""
}

// openArchive reads the manifest of dream id. The caller closes it.
func openArchive(state *os.Root, id string) (*landing.Archive, error) {
	if !validID(id) {
		return nil, ErrUnknown
	}
	folder, err := memory.OpenBelow(state, path.Join(dreamFolder, id))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w in the archive any more: %s", ErrUnknown, id)
	}
	if err != nil {
		return nil, err
	}
	a, err := landing.OpenArchive(folder)
	if err != nil {
		folder.Close()
	}
	return a, err
}

// RequestStop asks the process that has a dream open to end it before its next step, and says which
// it is.
func (p *Project) RequestStop(ctx context.Context, reason string) (holder string, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	dir, err := p.openDisk()
	if err != nil || dir == nil {
		return "", errors.Join(err, ErrNoDream)
	}
	defer dir.Close()
	l, err := p.lockWait(ctx, dir, 0)
	if err == nil {
		return "", errors.Join(ErrNoDream, l.Release())
	}
	var busy *lock.BusyError
	if !errors.As(err, &busy) {
		return "", err // nobody dreams, and what a crash left can't be ended
	}
	r, readErr := lock.Read(dir.Root())
	if readErr != nil || r.Kind != lock.KindDream {
		return "", err
	}
	state, err := p.openState()
	if err != nil {
		return "", err
	}
	if _, err := readInfo(state, r.Dream); err != nil {
		return "", fmt.Errorf("the state folder of %s is not ours: %w", r, err)
	}
	return r.String(), landing.Replace(state, path.Join(dreamFolder, r.Dream, stopFile), []byte(reason), time.Time{})
}
