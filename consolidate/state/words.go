package state

import (
	"time"

	"dream-mcp/consolidate/transcript/said"
)

// Words are the words at a source of a memory.
type Words struct {
	Source  string       `json:"source"` // as in the metadata of a memory: SESSION:LINE, SESSION:LINE.N, or one of these and ~SUM of the text
	Session string       `json:"session,omitempty"`
	Speaker said.Speaker `json:"speaker,omitempty"`
	Said    time.Time    `json:"said,omitzero"`
	Text    string       `json:"text,omitempty"` // masked and visible
}

// KeepWords keeps words. Those that are already kept under their source stay.
func (db *DB) KeepWords(words []Words) error {
	return db.update(func(tx *Tx) error {
		return each(tx, words, func(w Words) []any {
			return []any{w.Source, w.Session, string(w.Speaker), stamp(w.Said), w.Text, stamp(tx.now)}
		}, "INSERT OR IGNORE INTO words (source, session, speaker, said, text, kept) VALUES (?, ?, ?, ?, ?, ?)")
	})
}

// Words returns the words of a source, if they are kept.
func (db *DB) Words(source string) (w Words, kept bool, err error) {
	err = db.view(func(tx *Tx) error {
		kept, err = found(tx.QueryRow("SELECT source, session, speaker, said, text FROM words WHERE source = ?", source).
			Scan(&w.Source, &w.Session, &w.Speaker, (*stamp)(&w.Said), &w.Text))
		return err
	})
	return w, kept, err
}

// OldWords returns the sources of words that were kept before a time.
func (db *DB) OldWords(before time.Time) ([]string, error) {
	return db.ids("SELECT source FROM words WHERE kept < ?", stamp(before))
}

// RemoveWords removes the words of sources.
func (db *DB) RemoveWords(sources []string) error {
	return db.update(func(tx *Tx) error { return each(tx, sources, value, "DELETE FROM words WHERE source = ?") })
}
