package state

import (
	"time"

	"dream-mcp/memory/related"
)

// Left is what a dream left in the memory directory.
type Left struct {
	Dream   string
	Time    time.Time
	Files   map[string]string // by file, the marks of its passages, without their text
	Project string            // as it is named to the person
	Folder  string            // the memory directory
	About   []related.Document
}

// Left returns what the last two dreams left, the newest first.
func (db *DB) Left() (dreams []Left, err error) {
	return list(db, func(l *Left) []any {
		return []any{&l.Dream, (*stamp)(&l.Time), inJSON{&l.Files}, &l.Project, &l.Folder, inJSON{&l.About}}
	}, "SELECT dream, time, files, project, folder, about FROM left_by_dreams ORDER BY rowid DESC")
}

// SetLeft notes what a dream left, in place of an earlier note of it.
func (db *DB) SetLeft(l Left) error {
	return db.update(func(tx *Tx) error {
		_, err := tx.Exec("INSERT OR REPLACE INTO left_by_dreams (dream, time, files, project, folder, about) VALUES (?, ?, ?, ?, ?, ?)",
			l.Dream, stamp(l.Time), inJSON{l.Files}, l.Project, l.Folder, inJSON{l.About})
		if err == nil {
			_, err = tx.Exec("DELETE FROM left_by_dreams WHERE rowid NOT IN (SELECT rowid FROM left_by_dreams ORDER BY rowid DESC LIMIT 2)")
		}
		return err
	})
}

// Declined returns the memories that the person does not want in all projects.
func (db *DB) Declined() (map[string]bool, error) {
	files, err := db.ids("SELECT file FROM declined")
	declined := make(map[string]bool, len(files))
	for _, file := range files {
		declined[file] = true
	}
	return declined, err
}

// Decline notes that the person does not want a memory in all projects.
func (db *DB) Decline(file string) error {
	return db.exec("INSERT OR IGNORE INTO declined (file) VALUES (?)", file)
}
