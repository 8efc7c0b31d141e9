package ops

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path"
	"slices"
	"time"

	"dream-mcp/consolidate/lock"
	"dream-mcp/memory"
	"dream-mcp/memory/atomicfile"
)

// StatusURI is the resource with the status.
const StatusURI = "dream://status"

// Tx is a transaction on the memory. It holds the lock until it ends.
type Tx struct {
	Op
	Dir    *memory.Dir
	Folder *os.Root
	Stage  *Stage
	Needed []Waiver // the waivers without which the last check would have refused

	s      *Store
	lock   *lock.Lock
	record lock.Record
}

// Current returns the dream that this process has open, or nil.
func (s *Store) Current() *Tx { return s.open }

// SetOpen makes t the open dream of this process, until it ends.
func (s *Store) SetOpen(t *Tx) { s.open = t }

// Begin takes the lock, recovers from a crash, and begins the operation that check returns. It fails with a *lock.BusyError if
// our lock or Claude Code's is held.
func (s *Store) Begin(ctx context.Context, check func(*memory.Dir) (Op, error)) (*Tx, error) {
	if s.open != nil {
		return nil, s.open.record.Busy()
	}
	dir, err := s.makeDir()
	if err != nil {
		return nil, err
	}
	l, err := s.take(ctx, dir, Wait)
	if err != nil {
		return nil, errors.Join(err, dir.Close())
	}
	var t *Tx
	info, err := check(dir)
	if err == nil {
		err = lock.HostFree(dir.Root(), s.Now())
	}
	if err == nil {
		t, err = s.begin(l, dir, info)
	}
	if err != nil {
		return nil, errors.Join(err, l.Release(), dir.Close())
	}
	return t, nil
}

// New returns the Op of an operation of this process that begins now.
func (s *Store) New(kind lock.Kind) Op {
	now := s.Now()
	return Op{Header: Header{ID: NewID(now), Kind: kind, Host: s.Host, Session: s.Session, Started: now}, LastCall: now}
}

// begin opens an operation under l, and writes its record into the lock file.
func (s *Store) begin(l *lock.Lock, dir *memory.Dir, info Op) (*Tx, error) {
	t, made, err := s.openTx(dir, info, info.Resumed)
	if err == nil {
		t.lock = l
		t.Folder.Remove(StopFile) // it stopped the earlier run
		if err = t.Save(); err == nil {
			err = t.claim()
		}
		if err == nil {
			return t, nil
		}
		t.Folder.Close()
	}
	if made {
		err = errors.Join(err, s.Discard(info.ID))
	}
	return nil, err
}

// openTx opens the folder and the stage of an operation: new ones or, with join, those that exist.
func (s *Store) openTx(dir *memory.Dir, info Op, join bool) (t *Tx, made bool, err error) {
	root, err := s.Root()
	if err != nil {
		return nil, false, err
	}
	name := path.Join(dreamFolder, info.ID)
	err = root.Mkdir(name, 0o700)
	if made = err == nil; made || join && errors.Is(err, fs.ErrExist) {
		err = atomicfile.SyncFolder(root, dreamFolder)
	}
	t = &Tx{Op: info, Dir: dir, s: s}
	if err == nil {
		t.Folder, err = memory.OpenBelow(root, name)
	}
	if err != nil {
		return nil, made, err
	}
	open := OpenStage
	if made {
		open = NewStage
	}
	if t.Stage, err = open(dir, t.Folder); err != nil {
		return nil, made, errors.Join(err, t.Folder.Close())
	}
	return t, made, nil
}

// claim writes the record into the lock file and, for a dream, takes Claude Code's lock. The record, with which recovery
// restores that lock, is on disk before the lock is taken.
func (t *Tx) claim() error {
	prior, err := lock.ReadHost(t.Dir.Root())
	if err != nil {
		return err
	}
	t.record = lock.NewRecord(t.ID, t.Kind, t.Started, prior.Stamp, t.s.FolderOf(t.ID))
	t.s.Step("record")
	if err := t.lock.Write(t.record); err != nil {
		return err
	}
	if t.Kind != lock.KindDream {
		return nil
	}
	t.s.Step("host")
	err = lock.ErrHeld // if it was taken after HostFree
	if !prior.Held(t.LastCall) {
		err = lock.TakeHost(t.Dir, prior, t.LastCall)
	}
	if err != nil {
		if errors.Is(err, lock.ErrHeld) {
			err = &lock.BusyError{Host: true, Holder: "Claude Code has just begun a dream"}
		}
		if back := t.stamp(Aborted); back != nil {
			return errors.Join(err, back) // the record stays, and recovery ends it
		}
		return errors.Join(err, t.lock.Clear())
	}
	t.s.Step("claimed")
	return nil
}

// Prior is the time of the last consolidation before t.
func (t *Tx) Prior() lock.Stamp { return t.record.Prior }

// Busy returns the error of an operation that must wait for t.
func (t *Tx) Busy() error { return t.record.Busy() }

// Renew renews Claude Code's lock. It fails with lock.ErrTaken if another process has taken it over.
func (t *Tx) Renew() error { return lock.RenewHost(t.Dir, t.record.PID, t.LastCall) }

// Save writes the record of t, with credentials masked.
func (t *Tx) Save() error {
	data, err := json.MarshalIndent(t.Op.shown(t.s.AllowSecrets), "", " ")
	if err != nil {
		return err
	}
	return atomicfile.Replace(t.Folder, InfoFile, data, time.Time{})
}

// Staged returns the names of the files that t changes.
func (t *Tx) Staged() []string { return namesOf(t.Stage.Changes) }

func namesOf(changes []Change) []string {
	files := make([]string, len(changes))
	for i, c := range changes {
		files[i] = c.Name.String()
	}
	slices.Sort(files)
	return files
}

// LogBegun journals that t has begun.
func (t *Tx) LogBegun() error { return t.s.Append(t.Entry(t.Stage.Manifest, Fired, t.Started)) }
