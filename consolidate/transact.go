package consolidate

import (
	"context"
	"errors"
	"time"

	"dream-mcp/consolidate/lock"
	"dream-mcp/memory"
	"dream-mcp/memory/landing"
)

// transact stages what fill does, and the index that it returns, and lands it under our lock alone:
// Claude Code's lock and the gates are left as they are. Nothing to land is no transaction: id is "".
// Where nobody watches it is refused, but for a merge: of single changes none is too many.
func (p *Project) transact(ctx context.Context, info Info, fill func(*dream) (*indexEdit, error)) (id string, a *landing.Archive, err error) {
	if p.o.Unattended && info.Kind != lock.KindSync {
		return "", nil, errUnattended
	}
	now := p.o.Now()
	dir, err := p.makeDir()
	if err != nil {
		return "", nil, err
	}
	l, err := p.lockWait(ctx, dir, momentWait)
	if err != nil {
		return "", nil, errors.Join(err, dir.Close())
	}
	if err := lock.HostFree(dir.Root(), now); err != nil {
		return "", nil, errors.Join(err, l.Release(), dir.Close())
	}
	info.ID, info.Host, info.Session, info.Started, info.LastCall = newID(now), p.o.Host, p.o.Session, now, now
	d, err := p.begin(l, dir, info)
	if err != nil {
		return "", nil, errors.Join(err, l.Release(), dir.Close())
	}
	edit, err := fill(d)
	landed := false
	if err == nil && (len(d.stage.Changes) > 0 || edit != nil && edit.changed()) {
		landed, err = true, p.land(d, edit, now)
	}
	var half *HalfError
	if errors.As(err, &half) {
		return "", nil, errors.Join(err, d.close())
	}
	if err != nil || !landed {
		// Nothing has landed, and nobody will ask for it again.
		err = errors.Join(err, d.lock.Clear(), d.folder.Close()) // an open folder can't be moved everywhere
		if len(d.stage.Displaced) == 0 {
			err = errors.Join(err, p.discard(d.ID))
		}
		return "", nil, errors.Join(err, d.close())
	}
	d.Outcome, d.Ended = Committed, now
	if d.Restamp != nil {
		p.step("restamp")
		if _, err := p.restampNow(d.dir, *d.Restamp); err != nil {
			return "", nil, errors.Join(&HalfError{ID: d.ID, Why: err}, d.close())
		}
	}
	if err = errors.Join(d.save(), p.log(d, Committed, now)); err == nil {
		if err = d.lock.Clear(); err == nil {
			p.pruneAfter(d, now)
		}
	}
	if err = errors.Join(err, d.close()); err != nil {
		return "", nil, &HalfError{ID: d.ID, Why: err} // the record stays: recovery writes what is missing
	}
	return d.ID, d.stage.Archive, err
}

// land makes the changes of d, and the index as edit has it, the memory's own. With a *HalfError it
// has begun; with any other error the memory is untouched.
func (p *Project) land(d *dream, edit *indexEdit, now time.Time) (err error) {
	var content []byte
	var base memory.Sum
	if edit != nil && edit.changed() {
		content, base = edit.index.Bytes(), edit.base
	}
	waived := d.Waived
	d.Waived = d.needed
	defer func() {
		if half := (*HalfError)(nil); err != nil && !errors.As(err, &half) {
			d.Waived = waived // it may be tried again
		}
	}()
	if err := d.save(); err != nil { // so that a recovery can tell of it
		return err
	}
	p.step("plan")
	if err := d.checkFolder(); err != nil {
		return err
	}
	plan, err := d.stage.Plan(now, content, base)
	if err != nil {
		return err
	}
	if err := d.lock.Check(d.dir.Root()); err != nil {
		return errors.Join(err, plan.Cancel())
	}
	if d.Kind == lock.KindDream {
		// Seen as late as can be: where Claude Code has taken over, nothing lands.
		if err := lock.HoldsHost(d.dir.Root(), d.record.PID); err != nil {
			return errors.Join(err, plan.Cancel())
		}
	}
	d.record.Committing = true
	p.step("mark")
	if err := d.lock.Write(d.record); err != nil {
		d.record.Committing = false
		return errors.Join(err, plan.Cancel())
	}
	p.step("land")
	if err = plan.Land(p.step); err != nil {
		err = plan.Land(p.step) // what failed once for want of a moment's luck
	}
	if err != nil {
		return &HalfError{ID: d.ID, Why: err}
	}
	p.step("landed")
	return nil
}
