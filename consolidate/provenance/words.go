// Package provenance traces a memory to its sources: the cited words, who said them and when, and the operations that
// changed it.
//
// Cited words are copied into the database when the memory is written, since hosts remove transcripts after a
// month.
package provenance

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"time"

	"dream-mcp/consolidate/ops"
	"dream-mcp/consolidate/state"
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

const (
	maxWords  = 2_000               // bytes of text; the longest real corrections have a fifth of that
	wordsKept = 90 * 24 * time.Hour // how long words are kept that nothing cites
)

// byPerson reports whether the words are the person's.
func byPerson(w state.Words) bool { return w.Speaker == said.User }

// wordsOf copies an utterance.
func wordsOf(u said.Utterance, allowed secret.Allowed) state.Words {
	text := u.Text
	if u.Speaker == said.Memory {
		text = fmt.Sprintf("%s remembers, in %s: %s", u.Host, u.Branch, text)
	}
	text = strings.TrimSpace(said.Visible(allowed.Mask(text))) // masked before it is cut
	text = visible.Cut(text, maxWords-len("…"))
	return state.Words{Source: u.Source(), Session: u.Session, Speaker: u.Speaker, Said: u.Time.UTC(), Text: text}
}

// Keep copies cited words into the database. It is called before a change that cites them is staged. Words that are
// already kept under their source stay. The caller holds the mutex.
func (r *Sources) Keep(cited []state.Words) error {
	if len(cited) == 0 {
		return nil
	}
	r.Store.Step("words")
	return r.Store.Records.DB().Quotes().Keep(cited)
}

// Kept returns the kept words of a source. The caller holds the mutex.
func (r *Sources) Kept(source string) (w state.Words, ok bool) {
	w, ok, _ = r.Store.Records.Look().Quotes().Get(source)
	return w, ok
}

// Sweep removes words that are older than wordsKept and that no memory, stage or archived text cites. If any of those
// cannot be read, it removes nothing. The caller holds the mutex and the file lock.
func (r *Sources) Sweep(dir *memory.Dir) {
	db := r.Store.Records.DB()
	sources, err := db.Quotes().Old(r.Store.Now().Add(-wordsKept))
	if err != nil || len(sources) == 0 {
		return
	}
	old := make(map[string]bool, len(sources))
	for _, source := range sources {
		old[source] = true
	}
	current, err := dir.Snapshot()
	if err != nil || current.Limited {
		return
	}
	for _, t := range current.Topics {
		spare(old, t)
	}
	ids, err := r.Store.Records.Look().Operations().IDs()
	for _, id := range ids {
		if err == nil && len(old) > 0 {
			err = r.spareArchived(id, old)
		}
	}
	if err == nil && len(old) > 0 {
		_ = db.Quotes().Remove(slices.Collect(maps.Keys(old)))
	}
}

// spare removes the words that a memory cites from old.
func spare(old map[string]bool, t *memory.Topic) {
	for _, source := range t.Sources() {
		delete(old, source)
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
