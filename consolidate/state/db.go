// Package state keeps what is known of one memory beside its files, in an SQLite database: the texts of its operations,
// and what each of the other files of this package names.
//
// A transaction is durable when it has been committed (synchronous=FULL), and after a crash at any moment it is there
// whole or not at all. What is deleted is overwritten with zeros. Where a file system has no shared memory, a rollback
// journal takes the place of the write-ahead log.
//
// A database that is damaged, of a newer version or not ours is refused and never written. A database in a folder that
// cannot be written is read only, as it was when it was opened. Not promised: what a disk that lies about syncing
// loses.
package state

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
	"modernc.org/sqlite/vfs"
)

// File is the name of a database in its folder. SQLite keeps File+"-wal" and File+"-shm" beside it while it is open.
const File = "state.db"

// busy is how long a transaction waits for those of other processes.
const busy = 5 * time.Second

// The errors of a database. None of them has changed it.
var (
	ErrDamaged  = errors.New("the database is damaged")
	ErrForeign  = errors.New("it is not a database of dream-mcp")
	ErrNewer    = errors.New("the database is of a newer version of dream-mcp")
	ErrReadOnly = errors.New("the database cannot be written")
	ErrBusy     = errors.New("the database is in use")
	ErrReplaced = errors.New("the database was moved, replaced or removed")
)

// DB is an open database. Its methods may be called by several goroutines at a time.
type DB struct {
	path     string
	now      func() time.Time
	readOnly bool        // for want of permission, or as asked for
	again    bool        // of Options
	file     fs.FileInfo // of the file that was opened
	sql      *sql.DB
	vfs      *vfs.FS // where the folder cannot be written
	failed   error   // of Failed
}

// Failed returns a database that could not be opened: each of its methods fails with that error.
func Failed(err error) *DB { return &DB{failed: err} }

// Err returns the error of Failed.
func (db *DB) Err() error {
	if db == nil {
		return nil
	}
	return db.failed
}

// Close closes the database. It may be called again.
func (db *DB) Close() (err error) {
	if db.sql != nil {
		err = db.sql.Close()
	}
	if db.vfs != nil {
		err = errors.Join(err, db.vfs.Close())
	}
	db.sql, db.vfs = nil, nil
	return err
}

// Replaced reports whether another file, or none, has taken the place of the one that was opened.
func (db *DB) Replaced() bool {
	info, err := os.Lstat(db.path)
	return err != nil || !os.SameFile(info, db.file)
}

// The parts of a database. Each has the methods of its tables.
type (
	Operations struct{ db *DB }
	Log        struct{ db *DB }
	Quotes     struct{ db *DB } // the words that memories cite
	Reports    struct{ db *DB } // of unattended dreams
	Pushes     struct{ db *DB } // memories shown to models automatically
	Events     struct {         // of a dream
		db    *DB
		dream string
	}
)

func (db *DB) Operations() Operations       { return Operations{db} }
func (db *DB) Log() Log                     { return Log{db} }
func (db *DB) Quotes() Quotes               { return Quotes{db} }
func (db *DB) Reports() Reports             { return Reports{db} }
func (db *DB) Pushes() Pushes               { return Pushes{db} }
func (db *DB) Events(ofDream string) Events { return Events{db, ofDream} }

// Tx is a transaction.
type Tx struct {
	*sql.Tx
	now time.Time // when it began
}

// update runs do in a transaction that excludes other writers. It is committed if do returns nil.
func (db *DB) update(do func(*Tx) error) error {
	if db == nil {
		return ErrReadOnly
	}
	if db.failed != nil {
		return db.failed
	}
	if db.readOnly {
		return fmt.Errorf("%s: %w", db.path, ErrReadOnly)
	}
	if db.Replaced() {
		return fmt.Errorf("%s: %w", db.path, ErrReplaced)
	}
	return db.begin(db.sql, sql.TxOptions{}, do)
}

// view runs do in a transaction that sees the database as it is at its first query. A nil database is empty: do is not
// called.
func (db *DB) view(do func(*Tx) error) error {
	if db == nil || db.failed != nil {
		return db.Err()
	}
	return db.begin(db.sql, sql.TxOptions{ReadOnly: true}, do)
}

// cache is update for what can be found out again: it is not synced, and a power cut may lose it whole.
func (db *DB) cache(do func(*Tx) error) error {
	if db == nil || db.readOnly || db.sql == nil {
		return db.update(do)
	}
	ctx := context.Background()
	conn, err := db.sql.Conn(ctx) // the only one: nobody else commits without a sync
	if err != nil {
		return db.wrap(err)
	}
	defer conn.Close()
	defer conn.ExecContext(ctx, "PRAGMA synchronous=full")
	if _, err := conn.ExecContext(ctx, "PRAGMA synchronous=normal"); err != nil {
		return db.wrap(err)
	}
	return db.begin(conn, sql.TxOptions{}, do)
}

// A beginner is the database or a connection to it.
type beginner interface {
	BeginTx(context.Context, *sql.TxOptions) (*sql.Tx, error)
}

func (db *DB) begin(on beginner, options sql.TxOptions, do func(*Tx) error) error {
	if db.sql == nil {
		return fs.ErrClosed
	}
	tx, err := on.BeginTx(context.Background(), &options)
	if err != nil {
		return db.wrap(err)
	}
	defer tx.Rollback() // does nothing after a commit
	if err := do(&Tx{tx, db.now()}); err != nil {
		return db.wrap(err)
	}
	return db.wrap(tx.Commit())
}

// wrap makes an error of SQLite one that a caller can decide by. A full disk is syscall.ENOSPC.
func (db *DB) wrap(err error) error {
	of, is := errors.AsType[*sqlite.Error](err)
	if !is {
		return err
	}
	kind := map[int]error{
		sqlite3.SQLITE_CORRUPT:  ErrDamaged,
		sqlite3.SQLITE_NOTADB:   ErrDamaged,
		sqlite3.SQLITE_FULL:     syscall.ENOSPC,
		sqlite3.SQLITE_READONLY: ErrReadOnly,
		sqlite3.SQLITE_BUSY:     ErrBusy,
	}[of.Code()&0xff]
	if kind == nil {
		return fmt.Errorf("%s: %w", db.path, err)
	}
	return fmt.Errorf("%s: %w (%w)", db.path, kind, err)
}
