package consolidate

import (
	"context"
	"errors"

	"dream-mcp/consolidate/forget"
	"dream-mcp/consolidate/share"
	"dream-mcp/memory"
)

// Forget replaces a text by forgotten.Mark in the memories, the archive, the quoted words, the records and whatever
// waits, and from then on in all that is shown of sessions. What is kept of the text is its length and a keyed hash. It
// cannot be undone. After a crash it was not begun, or FinishForgetting ends it. It fails with a *forget.UnreadError if
// files cannot be read; FinishForgetting tries them again.
func (p *Project) Forget(ctx context.Context, text string) error {
	defer p.Store.Lock()()
	if t := p.Store.Current(); t != nil {
		return t.Busy()
	}
	if err := p.Store.WithFileLock(ctx, func(*memory.Dir) error { return nil }); err != nil { // somebody dreams
		return err
	}
	memories := []string{p.Store.MemoryDir}
	if p.Person.Used() {
		memories = append(memories, share.PersonDir(p.Store.StateHome))
	}
	if err := forget.Begin(ctx, p.Store, text, memories); err != nil {
		return err
	}
	return p.finishBoth(ctx)
}

// FinishForgetting ends what Forget had begun when it was interrupted.
func (p *Project) FinishForgetting(ctx context.Context) error {
	defer p.Store.Lock()()
	return p.finishBoth(ctx)
}

// finishBoth forgets in the memory that the person has in all projects, from which the text would come back, and then
// in p's own.
func (p *Project) finishBoth(ctx context.Context) (err error) {
	if p.Person.Used() {
		o := p.options
		o.MemoryDir = share.PersonDir(o.StateHome)
		all := Open(o)
		err = errors.Join(all.FinishForgetting(ctx), all.Store.Records.Close())
		if _, unread := errors.AsType[*forget.UnreadError](err); err != nil && !unread {
			return err
		}
	}
	return errors.Join(err, forget.Finish(ctx, p.Store))
}
