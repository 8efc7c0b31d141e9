// Package provenance traces a memory to its sources: the cited words, who said them and when, and the operations that
// changed it.
//
// Cited words are copied into the state folder when the memory is written, since hosts remove transcripts after a
// month.
package provenance

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path"
	"strings"
	"time"

	"dream-mcp/consolidate/ops"
	"dream-mcp/consolidate/transcript/said"
	"dream-mcp/consolidate/transcript/search"
	"dream-mcp/memory"
	"dream-mcp/memory/secret"
	"dream-mcp/memory/visible"
)

// Sources finds and keeps the words at the sources of memories.
type Sources struct {
	Store       *ops.Store
	Transcripts *search.Store
}

// Words are the words at a source of a memory. They are kept as long as a memory, a stage or an archived text cites
// them.
//
// Each is a file in the state folder, named by its source, that never changes. It is written before the change that
// cites it is staged. After a crash between the two nothing cites it, and a later dream removes it.
type Words struct {
	Source  string       `json:"source"` // as in the metadata of a memory: SESSION:LINE, SESSION:LINE.N, or one of these and ~SUM of the text
	Session string       `json:"session,omitempty"`
	Speaker said.Speaker `json:"speaker,omitempty"`
	Said    time.Time    `json:"said,omitzero"`
	Text    string       `json:"text,omitempty"` // masked and visible, at most maxWords bytes
}

const (
	wordsFolder = "words"
	maxWords    = 2_000               // bytes of text; the longest real corrections have a fifth of that
	wordsKept   = 90 * 24 * time.Hour // how long words are kept that nothing cites
	maxSwept    = 20_000              // files that one sweep reads
)

// own reports whether the words are the person's.
func (w Words) own() bool { return w.Speaker == said.User }

// wordsOf copies an utterance.
func wordsOf(u said.Utterance, allowed secret.Allowed) Words {
	text := strings.TrimSpace(said.Visible(allowed.Mask(u.Text))) // masked before it is cut
	text = visible.Cut(text, maxWords-len("…"))
	return Words{Source: u.Source(), Session: u.Session, Speaker: u.Speaker, Said: u.Time.UTC(), Text: text}
}

func wordsFile(source string) string {
	sum := sha256.Sum256([]byte(source))
	return path.Join(wordsFolder, hex.EncodeToString(sum[:16])+".json")
}

// Keep copies cited words into the state folder. It is called before a change that cites them is staged. Words that are already kept
// under their source stay.
func (r *Sources) Keep(cited []Words) error {
	for _, w := range cited {
		r.Store.Step("words")
		if _, known := r.Kept(w.Source); known {
			continue
		}
		if err := r.Store.Records.SetNote(wordsFile(w.Source), w); err != nil {
			return err
		}
	}
	return nil
}

// Kept returns the kept words of a source.
func (r *Sources) Kept(source string) (w Words, ok bool) {
	ok = r.Store.Records.Note(wordsFile(source), &w) && w.Source == source
	return w, ok
}

// Sweep removes words that are older than wordsKept and that no memory, stage or archived text cites. If any of those
// cannot be read, it removes nothing. The caller holds the lock.
func (r *Sources) Sweep(dir *memory.Dir) {
	state, err := r.Store.Records.Root()
	if err != nil {
		return
	}
	old, err := oldWords(state, r.Store.Now())
	if err != nil || len(old) == 0 {
		return
	}
	current, err := dir.Snapshot()
	if err != nil || current.Limited {
		return
	}
	for _, t := range current.Topics {
		spare(old, t)
	}
	ids, err := r.Store.Records.IDs()
	for _, id := range ids {
		if err == nil && len(old) > 0 {
			err = r.spareArchived(id, old)
		}
	}
	if err != nil {
		return
	}
	for file := range old {
		state.Remove(file)
	}
}

// oldWords returns the files of words that are old enough to be swept.
func oldWords(state *os.Root, now time.Time) (map[string]bool, error) {
	entries, _, err := memory.ReadFolder(state, wordsFolder, maxSwept)
	if err != nil {
		return nil, err
	}
	old := make(map[string]bool)
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && now.Sub(info.ModTime()) > wordsKept {
			old[path.Join(wordsFolder, e.Name())] = true
		}
	}
	return old, nil
}

// spare removes the words that a memory cites from old.
func spare(old map[string]bool, t *memory.Topic) {
	for _, source := range t.Sources() {
		delete(old, wordsFile(source))
	}
}

// spareArchived spares the words that the texts of an operation cite.
func (r *Sources) spareArchived(id string, old map[string]bool) error {
	o, err := r.Store.Records.Op(id)
	if err != nil {
		return err
	}
	for _, c := range o.Changes {
		for _, sum := range []memory.Sum{c.Before, c.After} {
			data, err := r.Store.Records.Content(sum)
			if errors.Is(err, fs.ErrNotExist) {
				continue // it cannot be restored
			}
			if err != nil {
				return err
			}
			spare(old, memory.ParseTopic(data))
		}
	}
	return nil
}
