package share

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"dream-mcp/consolidate/lock"
	"dream-mcp/consolidate/ops"
	"dream-mcp/consolidate/state"
	"dream-mcp/memory"
	"dream-mcp/memory/merge"
)

// Person keeps the memories of one person the same in all their projects on this machine. A copy is an ordinary memory of the
// project that says "scope: person". The state folder holds another memory, with the same texts: each project merges with it when it
// is used, and no project opens the folder of another.
//
// It promises that only a person makes a memory theirs, that no other memory is changed or overwritten, and that a memory
// that a project deletes, or that loses its scope, stays elsewhere until the person decides. After a crash the next exchange does
// what is missing.
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

// A copyState is what is known of the copy that a project has of a memory.
type copyState = state.Copy

// NewPerson returns what the memory of store shares with the person's other projects. It touches no file.
func NewPerson(store *ops.Store, project string, mayWrite func() error) *Person {
	o := *store.Options
	o.MemoryDir, o.Ended, o.Landed = PersonDir(o.StateHome), nil, nil
	return &Person{Store: store, Project: cmp.Or(project, store.MemoryDir), MayWrite: mayWrite, all: ops.Open(o)}
}

// Close closes the state folder of the memory of all projects.
func (p *Person) Close() error { return p.all.Records.Close() }

// Used reports whether this project has a memory, and it or the person has something to exchange. What cannot be looked at may be
// there: the exchange says why not.
func (p *Person) Used() bool {
	there := func(path string) bool { _, err := os.Stat(path); return !errors.Is(err, fs.ErrNotExist) }
	return p.all.MemoryDir != p.Store.MemoryDir && there(p.Store.MemoryDir) &&
		(there(p.all.MemoryDir) || len(p.known()) > 0)
}

// Sync exchanges what changed here and elsewhere. While a dream is open, and where the memory is switched off, it does
// nothing. The caller holds the mutex of the store.
func (p *Person) Sync(ctx context.Context) error {
	if !p.Used() || p.Store.LookOnly || p.Store.Current() != nil || p.MayWrite() != nil {
		return nil
	}
	root, err := memory.OpenRoot(p.Store.MemoryDir)
	if err != nil {
		return err
	}
	defer root.Close()
	if r, err := lock.Read(root); err != nil || r.Dream != "" && !r.Dead() {
		return err // a dream runs: this would wait for it
	}
	return p.alone(ctx, p.exchange)
}

// Shared reports whether the memories of the person are shared with other machines.
func (p *Person) Shared() bool {
	if !p.Used() {
		return false
	}
	s, err := (&Share{Store: p.all}).State()
	return err == nil && s.Stopped == ""
}

// An exchanging uses what this project has, and the memories of all with their index.
type exchanging func(ctx context.Context, known map[string]copyState, theirs Files, index *memory.Index) error

// alone calls do with what this project has and the memories of all, while no other process exchanges.
func (p *Person) alone(ctx context.Context, do exchanging) error {
	unlock, err := p.all.Records.LockNote(ctx, personLock, ops.Wait)
	if err != nil {
		return err
	}
	theirs, index, err := p.texts()
	if err == nil {
		err = do(ctx, p.known(), theirs, index)
	}
	return errors.Join(err, unlock())
}

// known returns the copies of this project. Without them they are recognised by their texts.
func (p *Person) known() map[string]copyState {
	if known, err := p.Store.Records.Look().Copies(); err == nil {
		return known
	}
	return make(map[string]copyState)
}

// setKnown notes the copies of this project.
func (p *Person) setKnown(known map[string]copyState) error {
	db, err := p.Store.Records.DB()
	if err != nil {
		return err
	}
	return db.SetCopies(known)
}

// texts returns the memories of all projects and their index. The index is nil if the folder does not exist.
func (p *Person) texts() (all Files, index *memory.Index, err error) {
	err = p.all.View(func(dir *memory.Dir) error {
		if all, index = (Files{}), nil; dir == nil {
			return nil
		}
		all, err = readFiles(dir)
		index = memory.ParseIndex(all[memory.IndexName])
		delete(all, memory.IndexName)
		return err
	})
	return all, index, err
}

// here returns those of some memories that the project has.
func (p *Person) here(names []memory.Name) (files Files, err error) {
	err = p.Store.View(func(dir *memory.Dir) error {
		files = Files{}
		if dir == nil {
			return nil
		}
		for _, n := range names {
			f, err := dir.Read(n)
			if err == nil {
				files[n] = f.Data
			} else if !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
		return nil
	})
	return files, err
}

// exchange merges the copies of this project with the memories of all. It lands here first, then there, and then notes what both have:
// after a crash between two of these the next exchange finds what landed on both sides, and merges it to the same.
func (p *Person) exchange(ctx context.Context, known map[string]copyState, theirs Files, index *memory.Index) error {
	names := slices.Collect(maps.Keys(theirs))
	for file := range known {
		if n, err := memory.ParseName(file); err == nil && theirs[n] == nil {
			names = append(names, n)
		}
	}
	ours, err := p.here(names)
	if err != nil {
		return err
	}
	x := exchange{p: p, ours: ours, next: maps.Clone(known), toHere: Files{}, toAll: Files{}}
	for _, n := range names {
		all, isTheirs := theirs[n]
		if err := x.add(n, all, isTheirs); err != nil {
			return err
		}
	}
	if len(x.toHere) > 0 {
		if err := land(ctx, p.Store, ours, x.toHere, index, "a memory of all your projects, changed last "+p.writer()); err != nil {
			return err
		}
	}
	if len(x.toAll) > 0 {
		if err := land(ctx, p.all, theirs, x.toAll, p.lines(), "in "+p.Project); err != nil {
			return err
		}
	}
	if maps.Equal(x.next, known) {
		return nil
	}
	return p.setKnown(x.next)
}

// An exchange is what one exchange will change.
type exchange struct {
	p             *Person
	ours          Files                // this project's memories of the names
	next          map[string]copyState // what both have afterwards
	toHere, toAll Files                // what changes; nil: it goes
}

// add adds what becomes of n, which has the text all in the memories of all, if it isTheirs.
func (x *exchange) add(n memory.Name, all []byte, isTheirs bool) error {
	was, isKnown := x.next[n.String()]
	if !isKnown || string(all) != was.Text {
		recorded, damaged, err := x.p.damaged(n, all)
		if err != nil {
			return err
		}
		if damaged {
			all, isTheirs = recorded, recorded != nil
		}
		if recorded != nil {
			x.toAll[n] = recorded
		}
	}
	text, isHere := x.ours[n]
	takesPart := isHere && memory.ParseTopic(text).IsPersons()
	switch {
	case !isTheirs:
		return x.addEnded(n, was, text, takesPart)
	case isKnown && takesPart && !was.Except:
		return x.merge(n, was, text, all)
	case !isKnown && !isHere:
		x.toHere[n] = all
		x.next[n.String()] = copyState{Text: string(all)}
	case !isKnown && string(withoutSources(text)) == string(all): // it landed before a crash, or came by another way
		x.next[n.String()] = copyState{Text: string(all)}
	}
	return nil
}

// merge merges the copy text of this project with the text of all.
func (x *exchange) merge(n memory.Name, was copyState, text, all []byte) error {
	here, merged, err := mergeCopy(n, was, text, all)
	if err != nil {
		return err
	}
	if string(here) != string(text) {
		x.toHere[n] = here
	}
	if string(merged) != string(all) || x.toAll[n] != nil {
		x.toAll[n] = merged
	}
	x.next[n.String()] = copyState{Text: string(merged), Ours: was.Ours}
	return nil
}

// addEnded adds what becomes of n where the memories of all lack it: it is new there, or it was ended.
func (x *exchange) addEnded(n memory.Name, was copyState, text []byte, takesPart bool) error {
	last, ended, err := x.p.ended(n)
	switch {
	case err != nil:
		return err
	case takesPart && (was.New || !ended && !was.Except):
		x.toAll[n] = withoutSources(text)
		x.next[n.String()] = copyState{Text: string(x.toAll[n]), Ours: was.Ours}
		return nil
	case !ended && !was.New:
		return nil // another project has a copy, or none has
	case takesPart && !was.Ours && string(withoutSources(text)) == was.Text:
		x.toHere[n] = nil
	case takesPart:
		if last != nil && !was.Except {
			text, _, err = mergeCopy(n, was, text, last)
		}
		t := memory.ParseTopic(text)
		t.ClearPersons()
		if x.toHere[n] = t.Bytes(); err != nil {
			return err
		}
	}
	delete(x.next, n.String())
	return nil
}

// lastChange returns the last change of n in the memories of all; nil if none is recorded.
func (p *Person) lastChange(n memory.Name) (*ops.Change, error) {
	if err := p.all.Complete(); err != nil {
		return nil, err
	}
	for e, err := range p.all.Records.Newest(state.LogQuery{File: n.String()}) {
		if err != nil {
			return nil, err
		}
		if e.Outcome != ops.Committed {
			continue
		}
		o, err := p.all.Records.Op(e.ID)
		if err != nil {
			return nil, ignoreMissing(err)
		}
		c, _ := o.Change(n)
		return &c, nil
	}
	return nil, nil
}

// ended reports whether an operation deleted n from the memories of all, and returns the text that it deleted; nil if the archive lost it.
func (p *Person) ended(n memory.Name) (last []byte, ended bool, err error) {
	c, err := p.lastChange(n)
	if err != nil || c == nil || c.After != "" {
		return nil, false, err
	}
	last, err = p.all.Records.Content(c.Before)
	return last, true, ignoreMissing(err)
}

// damaged reports whether the file of n, which has this text, is not as an operation left it in the memories of all, and returns the
// text that it left; nil if the archive lost it. Damage is not an answer of another project.
func (p *Person) damaged(n memory.Name, text []byte) (recorded []byte, damaged bool, err error) {
	c, err := p.lastChange(n)
	if err != nil || c == nil || c.After == "" || text != nil && c.After == memory.SumOf(text) {
		return nil, false, err
	}
	recorded, err = p.all.Records.Content(c.After)
	return recorded, true, ignoreMissing(err)
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// writer says which project last changed what is in all.
func (p *Person) writer() (where string) {
	for e, err := range p.all.Records.Newest(state.LogQuery{}) {
		if err != nil || e.Reason != "" {
			return e.Reason // without it the texts are merged all the same
		}
	}
	return ""
}

// mergeCopy merges the copy text of a project with all, which is without sources. It returns the new copy, which keeps its sources, and
// what was merged.
func mergeCopy(n memory.Name, was copyState, text, all []byte) (here, merged []byte, err error) {
	mine := withoutSources(text)
	if merged, err = mergeOne(n, []byte(was.Text), mine, all); err != nil || string(merged) == string(mine) {
		return text, merged, err
	}
	here, err = mergeOne(n, mine, text, merged)
	return here, merged, err
}

// mergeOne merges one memory.
func mergeOne(n memory.Name, base, a, b []byte) ([]byte, error) {
	merged, _, err := merge.Files(Files{n: base}, Files{n: a}, Files{n: b})
	return merged[n], err
}

// land lands changes of what was in a memory; nil deletes. A new memory gets the line that it has in index, and one that goes loses its line.
func land(ctx context.Context, s *ops.Store, was, changes Files, index *memory.Index, why string) error {
	after := maps.Clone(was)
	maps.Copy(after, changes)
	maps.DeleteFunc(after, func(_ memory.Name, data []byte) bool { return data == nil })
	if err := judge(s, was, after, "nothing is exchanged"); err != nil {
		return err
	}
	info := s.New(lock.KindPerson)
	info.Reason = why
	landed, err := s.Change(ctx, info, func(t *ops.Tx) (none ops.NewIndex, err error) {
		f, err := t.Dir.Read(memory.IndexName)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return none, err
		}
		x := memory.ParseIndex(f.Data)
		for _, n := range changed(was, after) {
			data, base := after[n], ""
			if had, is := was[n]; is {
				base = string(memory.SumOf(had))
			}
			if _, err := t.Stage.Write(n, base, data, nil); err != nil {
				return none, err
			}
			switch _, linked := x.ByFile()[n.String()]; {
			case data == nil:
				x.Remove(n.String())
			case base == "" && !linked:
				e := memory.Entry{Title: memory.StemOf(n.String()), Hook: memory.OneLine(memory.ParseTopic(data).Description())}
				if index != nil {
					e = cmp.Or(index.ByFile()[n.String()], e)
				}
				if x.HasRoom("- [](): " + e.Title + n.String() + e.Hook) { // else a dream makes room
					x.Upsert(n, e.Title, e.Hook, "")
				}
			}
		}
		if content := x.Bytes(); string(content) != string(f.Data) {
			return ops.NewIndex{Content: content, Base: f.Sum}, nil
		}
		return none, nil
	})
	if err == nil && len(landed.LeftAlone) > 0 {
		err = fmt.Errorf("%s was changed meanwhile; the next exchange merges it again", landed.LeftAlone[0].Name)
	}
	return err
}
