// Package forget removes a text that the person wants forgotten from the memories, the archive, the quoted words and
// the records.
//
// The list of what was forgotten is written first, so a crash loses nothing: Finish can be called again. Transcripts
// are the host's and are not changed; what is forgotten is not shown of them. It cannot be undone.
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
	"strings"
	"time"
	"unicode"

	"dream-mcp/consolidate/lock"
	"dream-mcp/consolidate/ops"
	"dream-mcp/consolidate/transcript/search"
	"dream-mcp/memory"
	"dream-mcp/memory/atomicfile"
	"dream-mcp/memory/forgotten"
	"dream-mcp/memory/related"
)

// A Place is a line that has a text.
type Place struct {
	File string `json:"file"`
	Line int    `json:"line"`
	Text string `json:"text"` // the line
}

// Places is where a text is that is to be forgotten.
type Places struct {
	Memories []Place  `json:"memories"`
	Archived int      `json:"archived"` // texts of the archive, and of what waits
	Quoted   int      `json:"quoted"`   // words that memories cite
	Records  int      `json:"records"`  // records, log and notes
	Stays    []string `json:"stays"`    // files of the memory directory that are not memories, or have it in their name
	Said     []string `json:"said"`     // IDs of utterances in transcripts, which stay; at most maxHits

	passages, having int // of the memories: all, and those that have the text
}

// None reports whether it is in no memory and in nothing of ours.
func (at Places) None() bool { return len(at.Memories)+at.Archived+at.Quoted+at.Records == 0 }

const (
	forgottenFile = "forgotten.json" // in the state folder of all memories
	forgottenLock = "forgotten.lock"

	maxHits        = 200 // hits that are counted
	maxWordsSought = 500 // bytes of the text

	common      = 10 // a word in more than one of so many passages is refused
	leastCommon = 3  // passages
)

// ListFile is the path of what was forgotten.
func ListFile(stateHome string) string { return filepath.Join(stateHome, forgottenFile) }

// WhereIs returns where a text is. It changes nothing. It takes the mutex of the store.
func WhereIs(ctx context.Context, store *ops.Store, transcripts *search.Store, text string) (at Places, err error) {
	list := forgotten.New()
	if forgotten.IsTooShort(text) || !list.Add(text, "", store.Now()) {
		return at, ops.Refuse("the text is too short or too long to be forgotten",
			fmt.Sprintf("give at least %d characters, at most %d", forgotten.MinCharacters, forgotten.MaxRunes))
	}
	words := strings.ToValidUTF8(text[:min(len(text), maxWordsSought)], "")
	res, err := transcripts.Search(ctx, search.Query{Pattern: words, CaseSensitive: new(bool), Limit: maxHits})
	if err != nil {
		return at, err
	}
	for _, hit := range res.Hits {
		at.Said = append(at.Said, hit.ID)
	}
	defer store.Lock()()
	dir, err := store.Dir(ctx)
	if err != nil {
		return at, err
	}
	if dir != nil {
		defer dir.Close()
		if err := at.findIn(dir, list); err != nil {
			return at, err
		}
		if !strings.ContainsFunc(strings.TrimSpace(text), unicode.IsSpace) && at.having >= leastCommon && at.having*common > at.passages {
			return at, ops.Refuse(fmt.Sprintf("this word is in %d of %d passages of the memories: too many to be forgotten", at.having, at.passages),
				"give more of the text, such as the words around it")
		}
	}
	found, _, err := store.Records.Redact(list.Redact, true)
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

// maxOther bounds the files that are not memories, in bytes. A longer one is not looked at.
const maxOther = 64 << 20

// findIn adds the lines of the memories that have the text of list, and the files that keep it.
func (at *Places) findIn(dir *memory.Dir, list *forgotten.List) error {
	s, err := dir.Snapshot()
	if err != nil {
		return err
	}
	for _, d := range related.Documents(s) {
		for _, p := range d.Passages() {
			at.passages++
			if list.Spans(p.Text) != nil {
				at.having++
			}
		}
	}
	l, err := dir.List()
	for _, e := range l.Files {
		if name := e.Name.String(); list.Spans(name[:len(name)-len(filepath.Ext(name))]) != nil {
			at.Stays = append(at.Stays, name)
		}
		f, err := dir.Read(e.Name)
		if err != nil || !changeable(e.Name) {
			at.Stays = append(at.Stays, e.Name.String())
			continue
		}
		lines, last := strings.Split(string(f.Data), "\n"), 0
		for _, s := range list.Spans(string(f.Data)) {
			if line := 1 + bytes.Count(f.Data[:s.From], []byte("\n")); line > last {
				at.Memories, last = append(at.Memories, Place{e.Name.String(), line, strings.TrimSpace(lines[line-1])}), line
			}
		}
	}
	for _, o := range l.Other {
		if data, err := memory.ReadBounded(dir.Root(), o.Path, maxOther); err == nil && list.Spans(string(data)) != nil {
			at.Stays = append(at.Stays, o.Path)
		}
	}
	return err
}

func changeable(n memory.Name) bool { return n.IsIndex() || n.Writable() == nil }

// Begin adds a text to the list of what is to be forgotten in memories. Finish forgets it in one of them.
func Begin(ctx context.Context, store *ops.Store, text string, memories []string) error {
	return changeList(ctx, store, func(l *forgotten.List) error {
		for _, dir := range memories { // in one change: a crash must not forget it in one of them alone
			if !l.Add(text, filepath.Base(ops.FolderOf(store.StateHome, dir, "")), store.Now()) {
				return ops.Refuse("the text is too short or too long to be forgotten", "give some words of it")
			}
		}
		return nil
	})
}

// Entries returns what was forgotten, without the texts.
func Entries(store *ops.Store) ([]forgotten.Text, error) {
	list, err := readList(store)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return nil, err
	}
	return list.Entries(), nil
}

// Drop removes an entry of the list, by its number from 1: what has the text is shown again. What was replaced in
// memories stays replaced.
func Drop(ctx context.Context, store *ops.Store, number int) error {
	return changeList(ctx, store, func(l *forgotten.List) error {
		if !l.Drop(number) {
			return ops.Refuse(fmt.Sprintf("there is no entry %d", number), "dream-mcp forget --list shows the numbers")
		}
		return nil
	})
}

// changeList changes the list of what was forgotten, which all memories share.
func changeList(ctx context.Context, store *ops.Store, change func(*forgotten.List) error) error {
	if _, err := store.Records.Root(); err != nil { // creates the folder
		return err
	}
	root, err := os.OpenRoot(store.StateHome)
	if err != nil {
		return err
	}
	defer root.Close()
	unlock, err := lock.LockFile(ctx, root, store.StateHome, forgottenLock, ops.Wait)
	if err != nil {
		return err
	}
	list, err := readList(store)
	if errors.Is(err, fs.ErrNotExist) {
		list, err = forgotten.New(), nil
	}
	if err == nil {
		err = change(list)
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

// readList reads the list of what was forgotten. If there is none, it is an error that is fs.ErrNotExist.
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
