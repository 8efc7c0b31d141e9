// Package forget removes a text that the person wants forgotten from the memories, the archive, the quoted words and the records.
//
// The list of what was forgotten is written first, so a crash loses nothing: Finish can be called again. Transcripts are the
// host's and are not changed; what is forgotten is not shown of them. It cannot be undone.
package forget

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"dream-mcp/consolidate/lock"
	"dream-mcp/consolidate/ops"
	"dream-mcp/consolidate/transcript/cache"
	"dream-mcp/consolidate/transcript/search"
	"dream-mcp/memory"
	"dream-mcp/memory/atomicfile"
	"dream-mcp/memory/forgotten"
)

// Places is where a text is that is to be forgotten.
type Places struct {
	Memories []string `json:"memories"` // FILE:LINE
	Archived int      `json:"archived"` // texts of the archive, and of what waits
	Quoted   int      `json:"quoted"`   // words that memories cite
	Records  int      `json:"records"`  // records, log and notes
	Stays    []string `json:"stays"`    // files of the memory directory that are not memories, or have it in their name
	Hits     int      `json:"hits"`     // hits in transcripts, which stay; at most maxHits
}

const (
	forgottenFile = "forgotten.json" // in the state folder of all memories
	forgottenLock = "forgotten.lock"

	maxHits        = 200 // hits that are counted
	maxWordsSought = 500 // bytes of the text
)

// ListFile is the path of what was forgotten.
func ListFile(stateHome string) string { return filepath.Join(stateHome, forgottenFile) }

// WhereIs returns where a text is. It changes nothing. It takes the mutex of the store.
func WhereIs(ctx context.Context, store *ops.Store, transcripts *search.Store, text string) (at Places, err error) {
	list := forgotten.New()
	if !list.Add(text, "", store.Now()) {
		return at, ops.Refuse("the text is too short or too long to be forgotten",
			fmt.Sprintf("give at least %d letters or digits, at most %d", forgotten.MinRunes, forgotten.MaxRunes))
	}
	words := strings.ToValidUTF8(text[:min(len(text), maxWordsSought)], "")
	res, err := transcripts.Search(ctx, search.Query{Pattern: words, CaseSensitive: new(bool), Limit: maxHits})
	if err != nil {
		return at, err
	}
	at.Hits = len(res.Hits)
	store.Lock()
	defer store.Unlock()
	dir, err := store.Dir()
	if err != nil {
		return at, err
	}
	if dir != nil {
		defer dir.Close()
		if at.Memories, at.Stays, err = findIn(dir, list); err != nil {
			return at, err
		}
	}
	found, err := store.Records.Redact(list.Redact, true)
	for folder, n := range found {
		switch folder {
		case "texts":
			at.Archived = n
		case "words":
			at.Quoted = n
		default:
			at.Records += n
		}
	}
	return at, err
}

// findIn returns the lines of the memories that have the text of list, and the files that keep it.
func findIn(dir *memory.Dir, list *forgotten.List) (lines, stays []string, err error) {
	l, err := dir.List()
	if err != nil {
		return nil, nil, err
	}
	for _, e := range l.Files {
		if name := e.Name.String(); list.Spans(name[:len(name)-len(filepath.Ext(name))]) != nil {
			stays = append(stays, name)
		}
		f, err := dir.Read(e.Name)
		if err != nil || !changeable(e.Name) {
			stays = append(stays, e.Name.String())
			continue
		}
		for _, s := range list.Spans(string(f.Data)) {
			line := fmt.Sprintf("%s:%d", e.Name, 1+bytes.Count(f.Data[:s.From], []byte("\n")))
			if !slices.Contains(lines, line) {
				lines = append(lines, line)
			}
		}
	}
	for _, o := range l.Other {
		if data, err := dir.Root().ReadFile(o.Path); err == nil && list.Spans(string(data)) != nil {
			stays = append(stays, o.Path)
		}
	}
	return lines, stays, nil
}

func changeable(n memory.Name) bool { return n.IsIndex() || n.Writable() == nil }

// Begin adds a text to the list of what is to be forgotten in memories. Finish forgets it in one of them.
func Begin(ctx context.Context, store *ops.Store, text string, memories []string) error {
	return changeList(ctx, store, func(l *forgotten.List) (added bool) {
		for _, dir := range memories { // in one change: a crash must not forget it in one of them alone
			added = l.Add(text, filepath.Base(ops.FolderOf(store.StateHome, dir, "")), store.Now())
		}
		return added
	})
}

// Finish replaces in a memory the texts that Begin added for it. The caller holds the mutex of the store.
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
	store.Step("forget")
	info := store.New(lock.KindForget)
	info.Reason = "a text was forgotten"
	landed, err := store.Change(ctx, info, func(t *ops.Tx) (none ops.NewIndex, err error) {
		l, err := t.Dir.List()
		for _, e := range l.Files {
			f, readErr := t.Dir.Read(e.Name)
			if err != nil || readErr != nil || !changeable(e.Name) {
				continue // WhereIs reports that it stays
			}
			if now := list.Redact(string(f.Data)); now != string(f.Data) {
				err = t.Stage.Restore(e.Name, []byte(now), f.ModTime)
			}
		}
		return none, err
	})
	if err == nil && landed.ID == "" {
		entry := info.Entry(ops.Committed, store.Now())
		err = store.Records.Append(entry)
	}
	if err == nil {
		err = store.Locked(ctx, func(*memory.Dir) error {
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
	return changeList(ctx, store, func(l *forgotten.List) bool {
		for i := range l.Texts {
			if l.Texts[i].Open == key {
				l.Texts[i].Open = ""
			}
		}
		return true
	})
}

// changeForgotten changes the list of what was forgotten, which all memories share.
func changeList(ctx context.Context, store *ops.Store, change func(*forgotten.List) bool) error {
	if _, err := store.Records.Root(); err != nil { // creates the folder
		return err
	}
	root, err := os.OpenRoot(store.StateHome)
	if err != nil {
		return err
	}
	defer root.Close()
	unlock, err := lock.Note(ctx, root, store.StateHome, forgottenLock, ops.Wait)
	if err != nil {
		return err
	}
	list, err := readList(store)
	if errors.Is(err, fs.ErrNotExist) {
		list, err = forgotten.New(), nil
	}
	if err == nil && !change(list) {
		err = ops.Refuse("the text is too short or too long to be forgotten", "give some words of it")
	}
	var data []byte
	if err == nil {
		data, err = json.Marshal(list)
	}
	if err == nil {
		store.Step("the list")
		err = atomicfile.Replace(root, forgottenFile, data, time.Time{})
	}
	if err == nil {
		forgotten.Use(ListFile(store.StateHome)) // without the wait for another process
	}
	return errors.Join(err, unlock())
}

// readForgotten reads the list of what was forgotten. If there is none, it is an error that is fs.ErrNotExist.
func readList(store *ops.Store) (*forgotten.List, error) {
	list, err := forgotten.Read(ListFile(store.StateHome))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		err = ops.Refuse(err.Error(), "dream-mcp doctor --fix puts it aside; then forget the texts again")
	}
	return list, err
}

// Damaged says that the list of what was forgotten cannot be read, or is "".
func Damaged() string {
	if err := forgotten.Damaged(); err != nil {
		return "what was forgotten is not kept out: " + err.Error()
	}
	return ""
}
