package ops

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"dream-mcp/memory"
	"dream-mcp/memory/atomicfile"
)

// Plan is a stage whose changes are to land. All that can fail has been done before it exists: the
// contents that it will replace stand in the archive, the new ones lie beside their targets.
type Plan struct {
	*Archive
	dir   *memory.Dir
	temps map[memory.Name]string
}

// A ConflictError says which files somebody else changed since they were read.
type ConflictError struct{ Conflicts []Conflict }

func (e *ConflictError) Error() string {
	parts := make([]string, len(e.Conflicts))
	for i, c := range e.Conflicts {
		parts[i] = c.String()
	}
	return "changed by somebody else meanwhile: " + strings.Join(parts, "; ")
}

// Plan makes the plan to land the stage's changes, and index as the new index over the one with the
// sum indexBase (index nil: the index stays). It fails with a *ConflictError, or whatever the disk
// says, and the memory is untouched. Afterwards either Land or Cancel must be called.
func (s *Stage) Plan(now time.Time, index []byte, indexBase memory.Sum) (*Plan, error) {
	p := &Plan{Archive: s.Archive, dir: s.dir, temps: make(map[memory.Name]string)}
	var err error
	if index != nil {
		_, err = s.put(memory.IndexName, indexBase, index, time.Time{})
	}
	if err == nil {
		err = p.prepare(now)
	}
	if err != nil {
		return nil, errors.Join(err, p.Cancel())
	}
	return p, nil
}

func (p *Plan) prepare(now time.Time) error {
	if p.dir.ReadOnly() {
		return errReadOnly
	}
	if p.dir.Moved() {
		return fmt.Errorf("%s is no longer the directory that was opened", p.dir.Path())
	}
	slices.SortFunc(p.Changes, order)
	p.Landed = now
	var conflicts []Conflict
	for i := range p.Changes {
		c := &p.Changes[i]
		if c.AfterTime.IsZero() {
			c.AfterTime = now
		}
		have, err := p.archiveBefore(c)
		if err != nil {
			return err
		}
		if have != c.Before {
			conflicts = append(conflicts, Conflict{Name: c.Name, Want: c.Before, Have: have})
		}
	}
	if conflicts != nil {
		return &ConflictError{conflicts}
	}
	if p.find(memory.IndexName) < 0 { // an undo knows by its sum whether others changed it
		disk, err := readOrForeign(p.dir, memory.IndexName)
		if err != nil {
			return err
		}
		p.Index = disk.Sum
	}
	if err := p.layOut(); err != nil {
		return err
	}
	if err := atomicfile.Replace(p.root, progressFile, bytes.Repeat([]byte{pending}, len(p.Changes)), time.Time{}); err != nil {
		return err
	}
	p.State = Landing
	return p.save()
}

// layOut writes the new contents beside their targets.
func (p *Plan) layOut() error {
	// Which folders are to be made is written down before they are: who finds them after a crash knows them for ours.
	for i := range p.Changes {
		c := &p.Changes[i]
		_, err := p.dir.Root().Lstat(path.Dir(c.Name.String()))
		c.NewFolder = c.After != "" && errors.Is(err, fs.ErrNotExist)
	}
	if slices.ContainsFunc(p.Changes, func(c Change) bool { return c.NewFolder }) {
		if err := p.save(); err != nil {
			return err
		}
	}
	for _, c := range p.Changes {
		if c.After == "" {
			continue
		}
		err := atomicfile.MakeFolder(p.dir, c.Name.String())
		if err != nil {
			return err
		}
		if p.temps[c.Name], err = p.writeAfter(c); err != nil {
			return err
		}
	}
	return nil
}

// archiveBefore keeps what c will replace, if that is what c was based on, and returns its sum.
func (p *Plan) archiveBefore(c *Change) (memory.Sum, error) {
	disk, err := readOrNothing(p.dir, c.Name)
	if err != nil || disk.Sum != c.Before || c.Before == "" {
		return disk.Sum, err
	}
	// Seen before anything lands: a commit that can't be carried on would stop every write.
	fixed, err := atomicfile.Fixed(p.dir.Root(), c.Name.String())
	if err == nil && fixed {
		err = fmt.Errorf("%s: %w", c.Name, memory.ErrFixed)
	}
	if err != nil {
		return "", err
	}
	info, err := p.dir.Stat(c.Name.String())
	if err != nil {
		return "", err
	}
	c.BeforeTime, c.BeforeMode = info.ModTime(), info.Mode().Perm()
	return p.Keep(disk.Data)
}

// writeAfter writes the new content of c beside its target.
func (p *Plan) writeAfter(c Change) (string, error) {
	data, err := p.Content(c.After)
	if err != nil {
		return "", err
	}
	perm := fs.FileMode(0o600)
	if c.BeforeMode != 0 {
		perm = c.BeforeMode
	}
	return atomicfile.WriteTemp(p.dir.Root(), path.Dir(c.Name.String()), data, perm, c.AfterTime)
}

// Cancel gives a plan up of which nothing has landed: the topics are staged again, as they were, and
// what was laid beside them is swept.
func (p *Plan) Cancel() error {
	if p.State == Landed {
		return errors.New("it has landed")
	}
	err := atomicfile.Sweep(p.dir, p.keepDisplaced)
	for i := range p.Changes {
		c := &p.Changes[i]
		if c.NewFolder {
			p.dir.Root().Remove(path.Dir(c.Name.String())) // fails, as it should, where something lies in it
			c.NewFolder = false
		}
	}
	p.temps = nil
	p.unplan()
	return errors.Join(err, p.save())
}

// unplan makes the changes what they were before a plan was made of them.
func (a *Archive) unplan() {
	for i := range a.Changes {
		if c := &a.Changes[i]; c.AfterTime.Equal(a.Landed) {
			c.AfterTime = time.Time{}
		}
	}
	// Each plan makes the index from the one on disk.
	a.Changes = slices.DeleteFunc(a.Changes, func(c Change) bool { return c.Name.IsIndex() })
	a.State, a.Landed, a.Index = Staged, time.Time{}, ""
}
