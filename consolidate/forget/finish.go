package forget

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"

	"dream-mcp/consolidate/lock"
	"dream-mcp/consolidate/ops"
	"dream-mcp/consolidate/transcript/cache"
	"dream-mcp/memory"
	"dream-mcp/memory/forgotten"
	"dream-mcp/memory/phrase"
)

// maxUnread bounds what an error names.
const maxUnread = 5

// An UnreadError says which files and texts of the archive could not be read, from which a text is to be removed. It is
// removed from all else.
type UnreadError struct{ *ops.RequestError }

func (e *UnreadError) Unwrap() error { return e.RequestError }

// unreadError returns a *UnreadError for the files and texts that failed to be read, nil if there are none.
func unreadError(files []string, damaged []error) error {
	for _, err := range damaged {
		files = append(files, err.Error())
	}
	if files == nil {
		return nil
	}
	hint := "it is forgotten everywhere else; make it readable, then: dream-mcp forget --list"
	if damaged != nil {
		hint = "it is forgotten everywhere else; dream-mcp doctor --fix replaces the archive by what can be read of it, then: dream-mcp forget --list"
	}
	return &UnreadError{&ops.RequestError{Message: "what cannot be read may still have the text: " + phrase.Few(files, maxUnread), Hint: hint}}
}

// readAll reads the files of a memory in which a text can be replaced. What is not a file, or is too large, is left
// out: WhereIs reports that it stays. unread says which others cannot be read, and why.
func readAll(dir *memory.Dir) (files []memory.File, unread []string, err error) {
	l, err := dir.List()
	for _, e := range l.Files {
		f, err := dir.Read(e.Name)
		switch {
		case !changeable(e.Name), errors.Is(err, fs.ErrNotExist), errors.Is(err, memory.ErrNotRegular), errors.Is(err, memory.ErrTooLarge):
		case err != nil:
			unread = append(unread, err.Error())
		default:
			files = append(files, f)
		}
	}
	for _, o := range l.Other {
		if o.Why == memory.Unreadable {
			unread = append(unread, o.Path+": "+o.Why)
		}
	}
	return files, unread, err
}

// Finish replaces in a memory the texts that Begin added for it. It fails with a *UnreadError if something cannot be
// read; it is to be called again. The caller holds the mutex of the store.
func Finish(ctx context.Context, store *ops.Store) error {
	list, err := readList(store)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	key := filepath.Base(store.Records.StateDir())
	if !slices.ContainsFunc(list.Texts, func(t forgotten.Text) bool { return t.Open == key }) {
		return nil
	}
	if !slices.ContainsFunc(list.Texts, func(t forgotten.Text) bool { return t.Open == key && !t.Unread }) {
		if err := stillUnread(ctx, store, list); err != nil {
			return err
		}
	}
	files, err := replace(ctx, store, list)
	var damaged []error
	if err == nil {
		err = store.WithFileLock(ctx, func(*memory.Dir) error {
			_, damaged, err = store.Records.Redact(list.Redact, false)
			return err
		})
	}
	if err != nil {
		return err
	}
	unread := unreadError(files, damaged)
	store.Step("clear what was said")
	if err := cache.Clear(filepath.Join(store.StateHome, cache.FileName)); err != nil {
		return err
	}
	err = changeList(ctx, store, func(l *forgotten.List) error {
		for i := range l.Texts {
			if t := &l.Texts[i]; t.Open == key && unread != nil {
				t.Unread = true
			} else if t.Open == key {
				t.Open, t.Unread = "", false
			}
		}
		return nil
	})
	return errors.Join(err, unread)
}

// stillUnread fails as Finish does if something cannot be read. It changes nothing.
func stillUnread(ctx context.Context, store *ops.Store, list *forgotten.List) error {
	dir, err := store.Dir(ctx)
	if err != nil || dir == nil {
		return err
	}
	_, files, err := readAll(dir)
	if err := errors.Join(err, dir.Close()); err != nil {
		return err
	}
	_, damaged, err := store.Records.Redact(list.Redact, true)
	return errors.Join(err, unreadError(files, damaged))
}

// replace replaces what is in list in the files of a memory, but for those that cannot be read.
func replace(ctx context.Context, store *ops.Store, list *forgotten.List) (unread []string, err error) {
	store.Step("forget")
	info := store.New(lock.KindForget)
	info.Reason = "a text was forgotten"
	landed, err := store.Change(ctx, info, func(t *ops.Tx) (none ops.NewIndex, err error) {
		var files []memory.File
		files, unread, err = readAll(t.Dir)
		for _, f := range files {
			if now := list.Redact(string(f.Data)); err == nil && now != string(f.Data) {
				err = t.Stage.Restore(f.Name, []byte(now), f.ModTime)
			}
		}
		return none, err
	})
	if err == nil && landed.ID == "" {
		err = store.Records.Append(info.Entry(ops.Committed, store.Now()))
	}
	return unread, err
}
