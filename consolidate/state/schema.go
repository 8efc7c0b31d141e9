package state

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"time"
)

// applicationID marks our databases in SQLite's header.
const applicationID = 0x64726d31

//go:embed migrations/*.sql
var migrations embed.FS

// prepare sets the journal and brings the schema up to date.
func (db *DB) prepare() error {
	version, err := db.version()
	if err != nil {
		return err
	}
	var mode string
	if err := db.sql.QueryRow("PRAGMA journal_mode").Scan(&mode); err != nil {
		return db.wrap(err)
	}
	for deadline := time.Now().Add(busy); mode != "wal"; {
		err := db.sql.QueryRow("PRAGMA journal_mode=wal").Scan(&mode)
		if err == nil {
			break // also where it is still a rollback journal
		}
		if err = db.wrap(err); !errors.Is(err, ErrBusy) || time.Now().After(deadline) {
			return err
		}
		time.Sleep(10 * time.Millisecond)
	}
	files, err := migrations.ReadDir("migrations")
	if err != nil {
		return err
	}
	if version == len(files) {
		return nil
	}
	return db.update(func(tx *Tx) error {
		version, err := tx.version() // again: another process may have been faster
		if err != nil {
			return err
		}
		for i := version; i < len(files); i++ {
			statements, err := migrations.ReadFile("migrations/" + files[i].Name())
			if err == nil {
				_, err = tx.Exec(string(statements))
			}
			if err != nil {
				return fmt.Errorf("%s: %w", files[i].Name(), err)
			}
		}
		_, err = tx.Exec(fmt.Sprintf("PRAGMA application_id=%d; PRAGMA user_version=%d", applicationID, len(files)))
		if err == nil && version == 0 && db.again {
			err = Gone.write(tx, tx.now)
		}
		return err
	})
}

// checkVersion fails if this program cannot read the database.
func (db *DB) checkVersion() error {
	version, err := db.version()
	if err != nil {
		return err
	}
	if files, _ := migrations.ReadDir("migrations"); version != len(files) {
		return fmt.Errorf("it has version %d, not %d, and cannot be brought up to date: %w", version, len(files), ErrReadOnly)
	}
	return nil
}

// version returns the number of migrations that the database has.
func (db *DB) version() (version int, err error) {
	err = db.view(func(tx *Tx) error {
		version, err = tx.version()
		return err
	})
	return version, err
}

func (tx *Tx) version() (version int, err error) {
	var id, objects int
	err = cmp.Or(
		tx.QueryRow("PRAGMA user_version").Scan(&version),
		tx.QueryRow("PRAGMA application_id").Scan(&id),
		tx.QueryRow("SELECT count(*) FROM sqlite_schema").Scan(&objects))
	files, _ := migrations.ReadDir("migrations")
	switch {
	case err != nil:
		return 0, err
	case id != applicationID && (id != 0 || version != 0 || objects != 0):
		return 0, ErrForeign
	case version > len(files):
		return 0, fmt.Errorf("%w (%d, this one knows %d)", ErrNewer, version, len(files))
	}
	return version, nil
}
