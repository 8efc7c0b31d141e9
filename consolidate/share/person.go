package share

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"dream-mcp/consolidate/lock"
	"dream-mcp/consolidate/ops"
	"dream-mcp/consolidate/state"
	"dream-mcp/memory"
)

// Person keeps the memories of one person the same in all their projects on this machine. A copy is an ordinary memory
// of the project that says "scope: person". The state folder holds another memory, with the same texts: each project
// merges with it when it is used, and no project opens the folder of another.
//
// It promises that only a person makes a memory theirs, that no other memory is changed or overwritten, and that a
// memory that a project deletes, or that loses its scope, stays elsewhere until the person decides. After a crash the
// next exchange does what is missing.
type Person struct {
	Store    *ops.Store   // of the project
	Project  string       // its folder, as it is named to the person
	MayWrite func() error // fails where the memory is switched off

	all *ops.Store // of the memory of all projects
}

const (
	personFolder = "person" // in the state folder of all memories
	personLock   = "person.lock"
)

// PersonDir returns the folder of the memory of all projects.
func PersonDir(stateHome string) string { return filepath.Join(stateHome, personFolder, "memory") }

// NewPerson returns what the memory of store shares with the person's other projects. It touches no file.
func NewPerson(store *ops.Store, project string, mayWrite func() error) *Person {
	return &Person{Store: store, Project: cmp.Or(project, store.MemoryDir), MayWrite: mayWrite, all: store.Beside(PersonDir(store.StateHome))}
}

// Close closes the state folder of the memory of all projects. The caller holds the mutex.
func (p *Person) Close() error { return p.all.Records.Close() }

// Used reports whether this project has a memory, and it or the person has something to exchange. What cannot be looked
// at may be there: the exchange says why not. It needs no mutex.
func (p *Person) Used() bool {
	there := func(path string) bool { _, err := os.Stat(path); return !errors.Is(err, fs.ErrNotExist) }
	return p.all.MemoryDir != p.Store.MemoryDir && there(p.Store.MemoryDir) &&
		(there(p.all.MemoryDir) || len(p.known()) > 0)
}

// Sync exchanges what changed here and elsewhere. While a dream is open, and where the memory is switched off, it does
// nothing. The caller holds the mutex.
func (p *Person) Sync(ctx context.Context) error {
	if !p.Used() || p.Store.LookOnly || p.Store.Current() != nil || p.MayWrite() != nil {
		return nil
	}
	root, err := memory.OpenRoot(p.Store.MemoryDir)
	if err != nil {
		return err
	}
	defer root.Close()
	if r, err := lock.Read(root); err != nil || r.ID != "" && !r.Dead() {
		return err // a dream runs: this would wait for it
	}
	return p.alone(ctx, p.exchange)
}

// Shared reports whether the memories of the person are shared with other machines. It needs no mutex.
func (p *Person) Shared() bool {
	if !p.Used() {
		return false
	}
	s, err := (&Share{Store: p.all}).State()
	return err == nil && s.Stopped == ""
}

// An exchanging uses what this project has, and the memories of all with their index.
type exchanging func(ctx context.Context, known map[string]state.Copy, theirs Files) error

// alone calls do with what this project has and the memories of all, while no other process exchanges.
func (p *Person) alone(ctx context.Context, do exchanging) error {
	unlock, err := p.all.Records.LockFile(ctx, personLock, ops.Wait)
	if err != nil {
		return err
	}
	theirs, err := p.texts(ctx)
	if err == nil {
		err = do(ctx, p.known(), theirs)
	}
	return errors.Join(err, unlock())
}

// known returns the copies of this project. Without them they are recognised by their texts.
func (p *Person) known() map[string]state.Copy {
	if known, err := state.Copies.Get(p.Store.Records.Look()); err == nil && known != nil {
		return known
	}
	return make(map[string]state.Copy)
}

// setKnown notes the copies of this project.
func (p *Person) setKnown(known map[string]state.Copy) error {
	return state.Copies.Set(p.Store.Records.DB(), known)
}

// texts returns the memories of all projects, and their index.
func (p *Person) texts(ctx context.Context) (Files, error) { return (&Share{Store: p.all}).read(ctx) }

// here returns those of some memories that the project has.
func (p *Person) here(ctx context.Context, names []memory.Name) (files Files, err error) {
	err = p.Store.View(ctx, func(dir *memory.Dir) error {
		files = Files{}
		if dir == nil {
			return nil
		}
		for _, n := range names {
			f, err := dir.ReadIfAny(n)
			if err != nil {
				return err
			}
			if f.Sum != "" {
				files[n] = f.Data
			}
		}
		return nil
	})
	return files, err
}

// An exchange is what one exchange will change.
type exchange struct {
	p             *Person
	ours          Files                 // this project's memories of the names
	next          map[string]state.Copy // what both have afterwards
	toHere, toAll Files                 // what changes; nil: it goes
}
