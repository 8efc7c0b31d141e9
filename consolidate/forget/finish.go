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

// maxUnread bounds the files that an error names.
const maxUnread = 5

// An UnreadError says which files could not be read, from which a text is to be removed. It is removed from all else.
type UnreadError struct{ *ops.RequestError }

func (e *UnreadError) Unwrap() error { return e.RequestError }

// readAll reads the files of a memory in which a text can be replaced. What is not a file, or is too large, is left out: WhereIs reports
// that it stays. unread is a *UnreadError if another file cannot be read.
func readAll(dir *memory.Dir) (files []memory.File, unread, err error) {
	l, err := dir.List()
	var failed []string
	for _, e := range l.Files {
		f, err := dir.Read(e.Name)
		switch {
		case !changeable(e.Name), errors.Is(err, fs.ErrNotExist), errors.Is(err, memory.ErrNotRegular), errors.Is(err, memory.ErrTooLarge):
		case err != nil:
			failed = append(failed, err.Error())
		default:
			files = append(files, f)
		}
	}
	for _, o := range l.Other {
		if o.Why == memory.Unreadable {
			failed = append(failed, o.Path+": "+o.Why)
		}
	}
	if failed != nil {
		unread = &UnreadError{&ops.RequestError{Message: "what cannot be read may still have the text: " + phrase.Few(failed, maxUnread),
			Hint: "it is forgotten everywhere else; make it readable, then: dream-mcp forget --list"}}
	}
	return files, unread, err
}

// Finish replaces in a memory the texts that Begin added for it. It fails with a *UnreadError if files cannot be read; it is to be
// called again. The caller holds the mutex of the store.
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
		if err := stillUnread(ctx, store); err != nil {
			return err
		}
	}
	unread, err := replace(ctx, store, list)
	if err == nil {
		err = store.WithFileLock(ctx, func(*memory.Dir) error {
			_, err := store.Records.Redact(list.Redact, false)
			return err
		})
	}
	if err != nil {
		return err
	}
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

// stillUnread fails if files of a memory cannot be read.
func stillUnread(ctx context.Context, store *ops.Store) error {
	dir, err := store.Dir(ctx)
	if err != nil || dir == nil {
		return err
	}
	_, unread, err := readAll(dir)
	return errors.Join(err, unread, dir.Close())
}

// replace replaces what is in list in the files of a memory, but for those that cannot be read.
func replace(ctx context.Context, store *ops.Store, list *forgotten.List) (unread, err error) {
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
