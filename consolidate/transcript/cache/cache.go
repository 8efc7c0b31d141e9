// Package cache keeps what people and the model said in sessions, in one SQLite database for all projects.
//
// It promises that what it returns is what reading the whole transcript gives, whether the transcript was read at once
// or as it grew; that a text is masked before it is written; and that the database can be deleted or damaged at any
// moment, and used by several processes: each costs the time to read the transcripts again. Where no database can be
// written, it is in memory.
//
// It does not promise to notice a transcript that was edited in its middle and then appended to in place: writers only
// append. A file that was replaced, cut, or changed without growing is read again. What tools were asked and answered
// is not kept.
package cache

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// FileName is the name of the database in its folder.
const FileName = "sessions.db"

// schemaVersion is of schema.sql. A database of an older one is made again; beside that of a newer program, ours is in
// memory.
const schemaVersion = 2

//go:embed schema.sql
var schema string

// A Mask hides what may not be kept. The zero value hides nothing.
type Mask struct {
	Text  func(text string) string
	Rules uint64 // another number for other rules: transcripts are then read again
}

func (m Mask) masked(text string) string {
	if m.Text == nil {
		return text
	}
	return m.Text(text)
}

// A DB is a database. It is opened when it is first used. It is safe for concurrent use.
type DB struct {
	path    string // "": in memory
	project string
	mask    Mask
	part    int // in a test, in place of maxPart

	mu     sync.Mutex
	conn   *sql.DB
	memory bool // conn is in memory, or will be
	again  bool // the file was made again
	said   bool // a problem was logged

	claims claims
	life   context.Context
	stop   context.CancelFunc
	done   sync.WaitGroup
}

// Open returns the database at a path, in memory if path is "". It touches no file. The project names who lists the
// sessions in other programs' databases.
func Open(path, project string, mask Mask) *DB {
	db := &DB{path: path, project: project, mask: mask}
	db.life, db.stop = context.WithCancel(context.Background())
	return db
}

// Close stops what is done in the background, waits for it, and closes the file. The next use opens it again.
func (db *DB) Close() {
	db.stop()
	db.done.Wait()
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.conn != nil {
		db.conn.Close()
	}
	db.conn = nil
}

// connected returns the open database.
func (db *DB) connected() (conn *sql.DB, err error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.conn != nil {
		return db.conn, nil
	}
	if !db.memory && db.path != "" {
		if db.conn, err = openFile(db.path); err == nil {
			return db.conn, nil
		}
		if db.failed(err); !db.memory {
			if db.conn, err = openFile(db.path); err == nil {
				return db.conn, nil
			}
			db.failed(err)
		}
	}
	db.memory = true
	db.conn, err = connect("file::memory:?", "memory", 1) // each connection has a database of its own
	return db.conn, err
}

// failed decides how to go on after an error of the file: it is made again, once, if it is damaged; else memory takes
// its place.
func (db *DB) failed(err error) {
	message := "reading sessions without " + FileName
	db.conn = nil // others may use it still: it is not closed
	if isDamaged(err) && !db.again {
		db.again, message = true, "making "+FileName+" again"
		removeFile(db.path)
	} else {
		db.memory = true
	}
	if !db.said && !errors.Is(err, errOlder) {
		db.said = true
		slog.Warn(message, "error", err)
	}
}

// do calls f with the database. If that fails because of the database, it is called again: with one that was made again
// if the file is damaged, else with one in memory.
func (db *DB) do(ctx context.Context, f func(*sql.DB) error) error {
	for {
		conn, err := db.connected()
		if err != nil {
			return err
		}
		err = f(conn)
		if !isOurs(err) || ctx.Err() != nil {
			return err
		}
		db.mu.Lock()
		if db.conn == conn {
			if db.memory {
				db.mu.Unlock()
				return err
			}
			db.failed(err)
		}
		db.mu.Unlock()
	}
}

// isOurs reports whether an error is of the database, and not of a transcript.
func isOurs(err error) bool {
	of, is := errors.AsType[*sqlite.Error](err)
	return is && of.Code()&0xff != sqlite3.SQLITE_INTERRUPT
}

func isDamaged(err error) bool {
	of, is := errors.AsType[*sqlite.Error](err)
	return errors.Is(err, errOlder) || is && (of.Code()&0xff == sqlite3.SQLITE_CORRUPT || of.Code()&0xff == sqlite3.SQLITE_NOTADB || of.Code()&0xff == sqlite3.SQLITE_ERROR)
}

func removeFile(path string) {
	for _, ending := range []string{"", "-wal", "-shm", "-journal"} {
		os.Remove(path + ending)
	}
}

var (
	errOlder = errors.New("it is of an older version of dream-mcp")
	errNewer = errors.New("it is of a newer version of dream-mcp")
)

// openFile opens the database at a path, which is made if there is none, private.
func openFile(path string) (*sql.DB, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	if stat, err := os.Lstat(path); err == nil && !stat.Mode().IsRegular() {
		return nil, fmt.Errorf("%q is not a regular file", path)
	}
	creating.Lock()
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		file.Close()
	}
	creating.Unlock()
	if err != nil && !errors.Is(err, os.ErrExist) {
		return nil, err
	}
	name := filepath.ToSlash(path)
	if filepath.VolumeName(path) != "" {
		name = "/" + name
	}
	for try := 0; ; try++ {
		conn, err := connect("file:"+(&url.URL{Path: name}).EscapedPath()+"?", "wal", maxConns)
		if of, is := errors.AsType[*sqlite.Error](err); !is || of.Code()&0xff != sqlite3.SQLITE_BUSY || try == 100 {
			return conn, err
		}
		time.Sleep(20 * time.Millisecond) // another process makes it
	}
}

// creating is held while a file is made: to close a file releases the locks that SQLite has on it in this process.
var creating sync.Mutex

// connect opens a database and gives it its tables. A crash may cost what was written last: it is only a cache.
func connect(name, journal string, conns int) (*sql.DB, error) {
	conn, err := sql.Open("sqlite", name+"&_txlock=immediate&_pragma=busy_timeout(10000)&_pragma=synchronous(normal)"+
		"&_pragma=secure_delete(on)&_pragma=temp_store(memory)&_pragma=journal_mode("+journal+")")
	if err != nil {
		return nil, err
	}
	conn.SetMaxIdleConns(conns)
	conn.SetMaxOpenConns(conns)
	if err := prepare(conn); err != nil {
		conn.Close()
		return nil, err
	}
	return conn, nil
}

// maxConns bounds the connections of a process: each has a cache of 2 MB.
const maxConns = 8

// prepare makes the tables if there are none.
func prepare(conn *sql.DB) error {
	var version, tables int
	if err := conn.QueryRow(`PRAGMA user_version`).Scan(&version); err != nil || version == schemaVersion {
		return err
	}
	tx, err := conn.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	err = tx.QueryRow(`SELECT (SELECT user_version FROM pragma_user_version), count(*) FROM sqlite_schema`).Scan(&version, &tables)
	switch {
	case err != nil || version == schemaVersion: // another process was faster
		return err
	case version > schemaVersion:
		return errNewer
	case tables > 0:
		return errOlder
	}
	if _, err := tx.Exec(schema + fmt.Sprintf("PRAGMA user_version = %d;", schemaVersion)); err != nil {
		return err
	}
	return tx.Commit()
}

// Clear removes all that the database at a path holds: afterwards no byte of it is in the folder.
func Clear(path string) error {
	if _, err := os.Lstat(path); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	conn, err := openFile(path)
	if err == nil {
		_, err = conn.Exec(`DELETE FROM utterance; DELETE FROM session; VACUUM; PRAGMA wal_checkpoint(TRUNCATE)`)
		conn.Close()
	}
	if err != nil {
		removeFile(path)
		if _, err = os.Lstat(path); errors.Is(err, os.ErrNotExist) {
			return nil
		}
		return fmt.Errorf("%q could not be removed", path)
	}
	return nil
}
