package ops

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"

	"dream-mcp/consolidate/lock"
	"dream-mcp/memory"
	"dream-mcp/memory/phrase"
)

// Since returns the time of the last consolidation. While one of our dreams is open, Claude Code's lock has the time of
// its last call, and the record of the dream has the time before. dir is nil if there is no memory directory.
func (s *Store) Since(dir *memory.Dir) (lock.Stamp, error) {
	if t := s.Current(); t != nil {
		return t.Prior(), nil
	}
	if dir == nil {
		return lock.Stamp{}, nil
	}
	n, err := lock.ReadHost(dir.Root())
	if err != nil {
		return lock.Stamp{}, err
	}
	// A PID in the file: that process dreams, has finished, or has crashed.
	if r, err := lock.Read(dir.Root()); err == nil && n.PID != 0 && r.Kind == lock.KindDream && r.PID == n.PID {
		return r.Prior, nil
	}
	return n.Stamp, nil
}

// Unreadable returns an error if staged operations have records that cannot be read: proposals, or unfinished dreams.
// It needs no mutex.
func (s *Records) Unreadable(proposals bool) error {
	ids, err := s.Look().Operations().Staged(proposals)
	n, what := 0, "unfinished dream"
	if proposals {
		what = "proposal"
	}
	for _, id := range ids {
		if _, err := s.Op(id); err != nil && !errors.Is(err, fs.ErrNotExist) {
			n++
		}
	}
	if n > 0 {
		err = Refuse(phrase.Plural(n, what)+" cannot be read: dream-mcp doctor", "dream-mcp doctor says what is wrong with the database")
	}
	return err
}

// Unfinished returns the dreams, except the open one, that ended with changes in their stage, the newest first.
func (s *Store) Unfinished(open string) ([]Op, error) {
	db := s.Records.Look()
	ids, err := db.Operations().Staged(false)
	var left []Op
	for _, id := range ids {
		o, err := s.Records.Op(id)
		if err != nil || o.Kind != lock.KindDream || o.ID == open || o.Request != nil || len(o.Changes) == 0 {
			continue
		}
		o.Outcome = cmp.Or(o.Outcome, Crashed) // a recovery that could not write our folder leaves it empty
		left = append(left, o)
	}
	return left, err
}

// RequestStop asks the process of the open dream to end it before its next step, and describes that process. It fails
// with ErrNoDream if no dream is open.
func (s *Store) RequestStop(ctx context.Context, reason string) (holder string, err error) {
	dir, err := s.Disk()
	if err != nil || dir == nil {
		return "", errors.Join(err, ErrNoDream)
	}
	defer dir.Close()
	l, err := s.lockAndRecover(ctx, dir, 0)
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
	if _, err := s.Records.Op(r.ID); err != nil {
		return "", fmt.Errorf("the state folder of %s is not ours: %w", r, err)
	}
	return r.String(), s.Records.DB().Operations().Stop(r.ID, reason)
}

// StopAsked reports whether t was asked to stop, and the reason.
func (t *Tx) StopAsked() (reason string, asked bool) {
	why, asked := t.Stage.db.Operations().StopAsked(t.ID)
	return "stopped: " + why, asked
}
