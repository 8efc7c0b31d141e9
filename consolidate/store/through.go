package store

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
	"dream-mcp/memory/landing"
)

// Interrupted is a commit that was cut off, as recovery will leave it. Who only reads sees the memory
// and the archive through it, and changes nothing.
type Interrupted struct {
	Archive *landing.Archive // to be closed

	record lock.Record
	info   Info
}

// Interrupted returns the commit of dir that was cut off, or nil. Where its plan is lost there is nothing to
// read through: the files are as they are, and doctor says so.
func (s *Store) Interrupted(dir *memory.Dir) (*Interrupted, error) {
	r, err := lock.Read(dir.Root())
	if err == nil && !r.Committing {
		return nil, nil
	}
	if _, err := os.Stat(s.StateDir()); err != nil {
		return nil, nil // lost; opening it would make it
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
	a, err := landing.OpenArchive(folder)
	if err != nil || a.State == landing.Staged {
		return nil, folder.Close()
	}
	if err := a.Foresee(dir); err != nil {
		return nil, errors.Join(err, a.Close())
	}
	return &Interrupted{a, r, info}, nil
}

// stamp is the time of the last consolidation once the commit has been carried on, where Claude Code's lock
// was read as n.
func (i *Interrupted) stamp(n lock.Host) lock.Stamp {
	switch r := i.info.Restamp; {
	case i.record.Kind == lock.KindDream && i.record.PID == n.PID:
		return i.info.consolidatedAt(i.Archive.Landed, i.record.Prior)
	case r != nil && n.PID == 0 && n.Near(r.From):
		return r.To
	}
	return n.Stamp
}

// Archive opens the archive of an operation; that of a commit that was cut off as recovery will leave it.
// The caller closes it.
func (s *Store) Archive(id string) (*landing.Archive, error) {
	a, err := s.openArchive(id)
	if err != nil || a.State != landing.Landing {
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

// Since returns the time of the last consolidation. While one of our dreams is open, the lock file's own time is that of its last call,
// and its record has the time before. dir is nil where there is no memory directory.
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
	// A file with a PID: a process dreams, has finished, or has crashed. If it is ours, the record has the time before.
	if r, err := lock.Read(dir.Root()); err == nil && n.PID != 0 && r.Kind == lock.KindDream && r.PID == n.PID {
		return r.Prior, nil
	}
	return n.Stamp, nil
}

// Unfinished returns the dreams of entries, all but the open one, whose stage was left with changes in it, the newest first. It looks
// at no others: there may be thousands that have landed.
func (s *Store) Unfinished(entries []LogEntry, open string) ([]Info, error) {
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
		info, err := s.Info(e.ID)
		if err != nil || info.Kind != lock.KindDream || info.ID == open || info.Outcome == Committed || info.Request != nil {
			continue
		}
		a, err := s.openArchive(e.ID)
		if err != nil {
			continue
		}
		if a.State == landing.Staged && len(a.Changes) > 0 {
			info.Outcome = cmp.Or(info.Outcome, Crashed) // without one it was ended by somebody who could not write into our folder
			left = append(left, info)
		}
		a.Close()
	}
	return left, nil
}

// RequestStop asks the process that has a dream open to end it before its next step, and says which it is; ErrNoDream where none is.
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
		return "", err // nobody dreams, and what a crash left can't be ended
	}
	r, readErr := lock.Read(dir.Root())
	if readErr != nil || r.Kind != lock.KindDream {
		return "", err
	}
	if _, err := s.Info(r.Dream); err != nil {
		return "", fmt.Errorf("the state folder of %s is not ours: %w", r, err)
	}
	return r.String(), landing.Replace(s.root, path.Join(dreamFolder, r.Dream, StopFile), []byte(reason), time.Time{})
}

// StopAsked reports whether t was asked to stop, and why.
func (t *Tx) StopAsked() (reason string, asked bool) {
	why, err := memory.ReadBounded(t.Folder, StopFile, 1<<10)
	return "stopped: " + strings.TrimSpace(string(why)), err == nil
}
