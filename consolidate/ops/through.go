package ops

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"dream-mcp/consolidate/lock"
	"dream-mcp/memory"
	"dream-mcp/memory/atomicfile"
)

// Interrupted is an interrupted commit, as recovery will leave it. Readers see the memory and the archive through it, and
// change nothing.
type Interrupted struct {
	Archive *Archive // the caller closes it

	record lock.Record
	info   Op
}

// Interrupted returns the interrupted commit of dir, or nil. It also returns nil if the plan of the commit is lost, which
// doctor reports.
func (s *Store) Interrupted(dir *memory.Dir) (*Interrupted, error) {
	r, err := lock.Read(dir.Root())
	if err == nil && !r.Committing {
		return nil, nil
	}
	if _, err := os.Stat(s.StateDir()); err != nil {
		return nil, nil // lost; opening it would create it
	}
	if err != nil {
		r = s.guess()
	}
	if !r.Committing {
		return nil, nil
	}
	folder, info, err := s.openLeft(r)
	if err != nil {
		return nil, nil
	}
	a, err := OpenArchive(folder)
	if err != nil || a.State == Staged {
		return nil, folder.Close()
	}
	if err := a.Foresee(dir); err != nil {
		return nil, errors.Join(err, a.Close())
	}
	return &Interrupted{a, r, info}, nil
}

// stamp returns the time of the last consolidation after recovery, if Claude Code's lock is n.
func (i *Interrupted) stamp(n lock.Host) lock.Stamp {
	switch r := i.info.Restamp; {
	case i.record.Kind == lock.KindDream && i.record.PID == n.PID:
		return i.info.consolidatedAt(i.Archive.Landed, i.record.Prior)
	case r != nil && n.PID == 0 && n.Near(r.From):
		return r.To
	}
	return n.Stamp
}

// Archive opens the archive of an operation, as recovery will leave it. The caller closes it.
func (s *Store) Archive(id string) (*Archive, error) {
	a, err := s.openArchive(id)
	if err != nil || a.State != Landing {
		return a, err
	}
	dir, err := s.Disk()
	if err != nil || dir == nil {
		return a, err
	}
	defer dir.Close()
	cut, err := s.Interrupted(dir)
	if err != nil || cut == nil {
		return a, err
	}
	if cut.record.Dream != id {
		return a, cut.Archive.Close()
	}
	return cut.Archive, a.Close()
}

// Since returns the time of the last consolidation. While one of our dreams is open, Claude Code's lock has the time of its
// last call, and the record of the dream has the time before. dir is nil if there is no memory directory.
func (s *Store) Since(dir *memory.Dir) (lock.Stamp, error) {
	if s.open != nil {
		return s.open.record.Prior, nil
	}
	if dir == nil {
		return lock.Stamp{}, nil
	}
	n, err := lock.ReadHost(dir.Root())
	if err != nil {
		return lock.Stamp{}, err
	}
	cut, err := s.Interrupted(dir)
	if err != nil {
		return lock.Stamp{}, err
	}
	if cut != nil {
		return cut.stamp(n), cut.Archive.Close()
	}
	// A PID in the file: that process dreams, has finished, or has crashed.
	if r, err := lock.Read(dir.Root()); err == nil && n.PID != 0 && r.Kind == lock.KindDream && r.PID == n.PID {
		return r.Prior, nil
	}
	return n.Stamp, nil
}

// Unfinished returns the dreams among entries, except the open one, that ended with changes in their stage, the newest
// first. It opens no dream that has landed, since there may be thousands.
func (s *Store) Unfinished(entries []LogEntry, open string) ([]Op, error) {
	var left []Op
	seen := make(map[string]bool)
	for _, e := range slices.Backward(entries) {
		if seen[e.ID] || e.Kind != lock.KindDream {
			continue
		}
		seen[e.ID] = true
		if e.Outcome == Committed {
			continue
		}
		info, err := s.Op(e.ID)
		if err != nil || info.Kind != lock.KindDream || info.ID == open || info.Outcome == Committed || info.Request != nil {
			continue
		}
		a, err := s.openArchive(e.ID)
		if err != nil {
			continue
		}
		if a.State == Staged && len(a.Changes) > 0 {
			info.Outcome = cmp.Or(info.Outcome, Crashed) // a recovery that could not write our folder leaves it empty
			left = append(left, info)
		}
		a.Close()
	}
	return left, nil
}

// RequestStop asks the process of the open dream to end it before its next step, and describes that process. It fails with
// ErrNoDream if no dream is open.
func (s *Store) RequestStop(ctx context.Context, reason string) (holder string, err error) {
	dir, err := s.Disk()
	if err != nil || dir == nil {
		return "", errors.Join(err, ErrNoDream)
	}
	defer dir.Close()
	l, err := s.take(ctx, dir, 0)
	if err == nil {
		return "", errors.Join(ErrNoDream, l.Release())
	}
	var busy *lock.BusyError
	if !errors.As(err, &busy) {
		return "", err // no dream is open, and recovery failed
	}
	r, readErr := lock.Read(dir.Root())
	if readErr != nil || r.Kind != lock.KindDream {
		return "", err
	}
	if _, err := s.Op(r.Dream); err != nil {
		return "", fmt.Errorf("the state folder of %s is not ours: %w", r, err)
	}
	return r.String(), atomicfile.Replace(s.root, path.Join(dreamFolder, r.Dream, StopFile), []byte(reason), time.Time{})
}

// StopAsked reports whether t was asked to stop, and the reason.
func (t *Tx) StopAsked() (reason string, asked bool) {
	why, err := memory.ReadBounded(t.Folder, StopFile, 1<<10)
	return "stopped: " + strings.TrimSpace(string(why)), err == nil
}
