package ops

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"

	"dream-mcp/memory"
	"dream-mcp/memory/atomicfile"
)

// The progress of a landing is a file with a byte for each change, in their order. It is made before
// the first change lands and then written in place, so that a full disk does not stop a landing.
const (
	pending = '.'
	begun   = '+' // the change has landed, or was landing when the process died
)

// openProgress opens the progress of a's landing and returns what it says.
func (a *Archive) openProgress(flag int) (*os.File, []byte, error) {
	progress := bytes.Repeat([]byte{pending}, len(a.Changes))
	f, err := memory.OpenRegular(a.root, progressFile, flag)
	if err != nil {
		return nil, progress, err
	}
	if _, err := f.ReadAt(progress, 0); err != nil && err != io.EOF {
		return nil, nil, errors.Join(err, f.Close())
	}
	return f, progress, nil
}

// Recover ends what a crash left of the dream whose folder root is. With begun, its landing had begun
// and is carried on; else the memory is as it was, and what lies beside it is swept.
func Recover(dir *memory.Dir, root *os.Root, begun bool) (*Archive, error) {
	if dir.ReadOnly() {
		return nil, errReadOnly
	}
	a, err := OpenArchive(root)
	if err != nil {
		return nil, err
	}
	p := &Plan{Archive: a, dir: dir}
	switch {
	case a.State == Landed:
		return a, atomicfile.Sweep(dir, p.keepDisplaced) // what the end of the commit, the stamp, left beside it
	case a.State == Staged || !begun:
		return a, p.Cancel() // what is staged has not begun to land, whatever the record says
	}
	return a, p.Land(nil)
}

// Land carries the plan out. It may be called again after an error or a crash: what has landed is
// left, what has not lands now. A file that is neither what the plan replaces nor what it puts there
// belongs to somebody else: it is left alone and noted. step, if not nil, is called before each
// change and before the end.
func (p *Plan) Land(step func(string)) error {
	if p.State == Landed {
		return nil
	}
	p.LeftAlone = nil // of an attempt before: it is seen again, or it has gone
	if err := p.landAll(step); err != nil {
		return err
	}
	if step != nil {
		step("sweep")
	}
	if err := atomicfile.Sweep(p.dir, p.keepDisplaced); err != nil {
		return err
	}
	for _, c := range p.Changes {
		if folder := path.Dir(c.Name.String()); c.After == "" && folder != "." {
			p.dir.Root().Remove(folder) // fails, as it should, where something lies in it
		}
	}
	landing := p.Manifest
	p.Changes = slices.DeleteFunc(slices.Clone(p.Changes), p.leftAlone) // they have not landed
	p.State = Landed
	if err := p.save(); err != nil {
		p.Manifest = landing // nobody else knows that it has landed: to be called again
		return err
	}
	p.root.Remove(progressFile)
	return nil
}

func (p *Plan) landAll(step func(string)) error {
	f, progress, err := p.openProgress(os.O_RDWR | os.O_CREATE)
	if err != nil {
		return err
	}
	defer f.Close()
	for i, c := range p.Changes {
		if step != nil {
			step(c.Action() + " " + c.Name.String())
		}
		begin := func() error {
			if _, err := f.WriteAt([]byte{begun}, int64(i)); err != nil {
				return err
			}
			return f.Sync()
		}
		if err := p.land(c, progress[i] == begun, begin); err != nil {
			return fmt.Errorf("landing %s: %w", c.Name, err)
		}
	}
	return nil
}

func (p *Plan) leftAlone(c Change) bool {
	return slices.ContainsFunc(p.LeftAlone, func(l Conflict) bool { return l.Name == c.Name })
}

// land makes c the memory's own. It calls begin first; hasBegun says that an earlier attempt did.
func (p *Plan) land(c Change, hasBegun bool, begin func() error) error {
	disk, err := readOrForeign(p.dir, c.Name)
	if err != nil {
		return err
	}
	switch {
	case disk.Sum == c.After:
		return nil
	case disk.Sum != c.Before && hasBegun:
		return nil // it landed, and somebody changed it since
	case disk.Sum != c.Before:
		p.LeftAlone = append(p.LeftAlone, Conflict{Name: c.Name, Want: c.Before, Have: disk.Sum, Lost: c.After})
		return p.save()
	}
	if err := begin(); err != nil {
		return err
	}
	if c.After == "" {
		return atomicfile.Take(p.dir, c.Name.String(), p.keepDisplaced)
	}
	temp := p.temps[c.Name]
	if temp == "" {
		if err := atomicfile.MakeFolder(p.dir, c.Name.String()); err != nil {
			return err
		}
		if temp, err = p.writeAfter(c); err != nil {
			return err
		}
	}
	delete(p.temps, c.Name)
	return atomicfile.Put(p.dir, c.Name.String(), temp, p.keepDisplaced)
}
