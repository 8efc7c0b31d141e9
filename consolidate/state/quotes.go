package state

import (
	"time"

	"dream-mcp/consolidate/transcript/said"
)

// Words are the words at a source of a memory. They are kept as long as a memory, a stage or an archived text cites
// them: before the change that cites them is staged, and never changed. After a crash between the two nothing cites
// them, and a later dream removes them.
type Words struct {
	Source  string       `json:"source"` // as in the metadata of a memory: SESSION:LINE, SESSION:LINE.N, or one of these and ~SUM of the text
	Session string       `json:"session,omitempty"`
	Speaker said.Speaker `json:"speaker,omitempty"`
	Said    time.Time    `json:"said,omitzero"`
	Text    string       `json:"text,omitempty"` // masked and visible
}

// Keep keeps words. Those that are already kept under their source stay.
func (t Quotes) Keep(words []Words) error {
	return t.db.update(func(tx *Tx) error {
		return each(tx, words, func(w Words) []any {
			return []any{w.Source, w.Session, string(w.Speaker), nanos(w.Said), w.Text, nanos(tx.now)}
		}, "INSERT OR IGNORE INTO words (source, session, speaker, said, text, kept) VALUES (?, ?, ?, ?, ?, ?)")
	})
}

// Get returns the words of a source, if they are kept.
func (t Quotes) Get(source string) (w Words, kept bool, err error) {
	err = t.db.view(func(tx *Tx) error {
		kept, err = found(tx.QueryRow("SELECT source, session, speaker, said, text FROM words WHERE source = ?", source).
			Scan(&w.Source, &w.Session, &w.Speaker, (*nanos)(&w.Said), &w.Text))
		return err
	})
	return w, kept, err
}

// Old returns the sources of words that were kept before a time.
func (t Quotes) Old(before time.Time) ([]string, error) {
	return t.db.ids("SELECT source FROM words WHERE kept < ?", nanos(before))
}

// Remove removes the words of sources.
func (t Quotes) Remove(sources []string) error {
	return t.db.update(func(tx *Tx) error { return each(tx, sources, value, "DELETE FROM words WHERE source = ?") })
}
