package consolidate

import (
	"errors"
	"os"

	"dream-mcp/consolidate/lock"
	"dream-mcp/memory"
	"dream-mcp/memory/landing"
)

// interrupted is a commit that was cut off, as recovery will leave it. Whoever only reads sees the memory
// and the archive through it, and changes nothing.
type interrupted struct {
	record  lock.Record
	info    Info
	archive *landing.Archive // to be closed
}

// cutOff returns the commit of dir that was cut off, or nil. Where its plan is lost there is nothing to
// read through: the files are as they lie, and doctor says so.
func (p *Project) cutOff(dir *memory.Dir) (*interrupted, error) {
	r, err := lock.Read(dir.Root())
	if err == nil && !r.Committing {
		return nil, nil
	}
	if _, err := os.Stat(p.StateDir()); err != nil {
		return nil, nil // lost; opening it would make it
	}
	if err != nil {
		r = p.guess()
	}
	if !r.Committing {
		return nil, nil
	}
	folder, info, err := p.openLeft(r)
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
	return &interrupted{r, info, a}, nil
}

// stamp is the time of the last consolidation once the commit has been carried on, where Claude Code's lock
// was read as n.
func (i *interrupted) stamp(n lock.Host) lock.Stamp {
	switch r := i.info.Restamp; {
	case i.record.Kind == lock.KindDream && i.record.PID == n.PID:
		return i.info.consolidatedAt(i.archive.Landed, i.record.Prior)
	case r != nil && n.PID == 0 && n.Near(r.From):
		return r.To
	}
	return n.Stamp
}

// archive opens the archive of an operation; that of a commit that was cut off as recovery will leave it.
// The caller closes it.
func (p *Project) archive(id string) (*landing.Archive, error) {
	state, err := p.openState()
	if err != nil {
		return nil, err
	}
	a, err := openArchive(state, id)
	if err != nil || a.State != landing.Landing {
		return a, err
	}
	dir, err := p.openDisk()
	if err != nil || dir == nil {
		return a, err
	}
	defer dir.Close()
	cut, err := p.cutOff(dir)
	if err != nil || cut == nil {
		return a, err
	}
	if cut.record.Dream != id {
		return a, cut.archive.Close()
	}
	return cut.archive, a.Close()
}
