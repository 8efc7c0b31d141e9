// Package state keeps what is known of one memory beside its files, in an SQLite database: the texts of its operations, and
// what each of the other files of this package names.
//
// A transaction is durable when it has been committed (synchronous=FULL), and after a crash at any moment it is there whole or
// not at all. What is deleted is overwritten with zeros. Where a file system has no shared memory, a rollback journal takes the
// place of the write-ahead log.
//
// A database that is damaged, of a newer version or not ours is refused and never written. A database in a folder that cannot
// be written is read only, as it was when it was opened. Not promised: what a disk that lies about syncing loses.
package state

import (
	"cmp"
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
	"modernc.org/sqlite/vfs"

	"dream-mcp/memory"
)

// File is the name of a database in its folder. SQLite keeps File+"-wal" and File+"-shm" beside it while it is open.
const File = "state.db"

// Aside begins the names of databases that were set aside.
const Aside = File + ".damaged-"

// applicationID marks our databases in SQLite's header.
const applicationID = 0x64726d31

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

//go:embed migrations/*.sql
var migrations embed.FS

// Options configure a DB. The zero value opens a database to write.
type Options struct {
	LookOnly bool             // create nothing and write nothing
	Now      func() time.Time // nil: time.Now
}

// DB is an open database. Its methods may be called by several goroutines at a time.
type DB struct {
	path     string
	now      func() time.Time
	readOnly bool        // for want of permission, or as asked for
	file     fs.FileInfo // of the file that was opened
	sql      *sql.DB
	vfs      *vfs.FS // where the folder cannot be written
}

// creating keeps another goroutine from opening a file while it is created: closing a file releases the locks that SQLite has
// on it in this process.
var creating sync.Mutex

// Open opens the database in a folder, and creates both if needed. With LookOnly it fails with fs.ErrNotExist if there is none.
func Open(folder string, o Options) (*DB, error) {
	db := &DB{path: filepath.Join(folder, File), now: o.Now, readOnly: o.LookOnly}
	if db.now == nil {
		db.now = time.Now
	}
	err := db.open()
	if err == nil {
		return db, nil
	}
	if !strings.HasPrefix(err.Error(), db.path) {
		err = fmt.Errorf("%s: %w", db.path, err)
	}
	return nil, errors.Join(err, db.Close())
}

func (db *DB) open() (err error) {
	if err := db.ensure(); err != nil {
		return err
	}
	if db.file, err = os.Lstat(db.path); err != nil {
		return err
	}
	if !db.readOnly && !writable(filepath.Dir(db.path), db.path) {
		db.readOnly = true
	}
	if db.readOnly && !writable(filepath.Dir(db.path), db.path) {
		return db.openFixed()
	}
	if err := db.connect(""); err != nil {
		return err
	}
	if db.readOnly {
		return db.checkVersion()
	}
	return db.prepare()
}

// ensure creates the file if there is none, private from its first moment, and refuses what SQLite would replace.
func (db *DB) ensure() error {
	creating.Lock()
	defer creating.Unlock()
	var wal fs.FileInfo
	for _, end := range []string{"-shm", "-journal", "-wal"} {
		if wal, _ = os.Lstat(db.path + end); wal != nil && !wal.Mode().IsRegular() {
			return fmt.Errorf("%w: %s%s: %s", ErrForeign, File, end, wal.Mode().Type())
		}
	}
	info, err := os.Lstat(db.path)
	switch {
	case err == nil && !info.Mode().IsRegular():
		return fmt.Errorf("%w: %s", ErrForeign, info.Mode().Type())
	case err == nil && linked(db.path, info):
		return memory.ErrLinked // perhaps by a backup, whose copy must not change
	case (errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0) && wal != nil && wal.Size() > 0:
		return fmt.Errorf("%w: it is gone or empty, but %s-wal is there", ErrDamaged, File) // SQLite would remove it
	case !errors.Is(err, fs.ErrNotExist) || db.readOnly:
		return err
	}
	if err := os.MkdirAll(filepath.Dir(db.path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(db.path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil // another process was faster
	}
	if err != nil {
		return err
	}
	return f.Close()
}

// connect opens the file through a virtual file system; "" is the system's.
func (db *DB) connect(through string) error {
	name, query := filepath.ToSlash(db.path), url.Values{}
	for _, pragma := range []string{
		"busy_timeout(" + strconv.Itoa(int(busy.Milliseconds())) + ")",
		"synchronous(full)", "secure_delete(on)", "foreign_keys(on)", "temp_store(memory)",
	} {
		query.Add("_pragma", pragma)
	}
	query.Set("_txlock", "immediate")
	query.Set("_defensive", "1")
	query.Set("_error_rc", "1")
	switch {
	case through != "":
		name = File
		query.Set("vfs", through)
		query.Set("mode", "ro")
		if wal, err := os.Lstat(db.path + "-wal"); err == nil && wal.Size() > 0 {
			query.Add("_pragma", "locking_mode(exclusive)") // the index of the log is in memory, not in a file
		} else {
			query.Set("immutable", "1") // else SQLite would create the log
		}
	case db.readOnly:
		query.Set("_query_only", "1")
	}
	if filepath.VolumeName(db.path) != "" {
		name = "/" + name
	}
	connector, err := sqlite.NewConnector("file:" + (&url.URL{Path: name}).EscapedPath() + "?" + query.Encode())
	if err != nil {
		return err
	}
	db.sql = sql.OpenDB(connector)
	db.sql.SetMaxOpenConns(1)
	return db.wrap(db.sql.Ping())
}

// openFixed opens a database whose folder cannot be written: SQLite itself needs a file beside it.
func (db *DB) openFixed() error {
	name, files, err := vfs.New(os.DirFS(filepath.Dir(db.path)))
	if err != nil {
		return err
	}
	db.vfs = files
	if err := db.connect(name); err != nil {
		return err
	}
	return db.checkVersion()
}

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

// SetAside renames a database that cannot be used, and what is beside it, so that a new one can be created.
func SetAside(folder string, now time.Time) error {
	name := Aside + now.UTC().Format("20060102-150405")
	for _, end := range []string{"-shm", "-journal", "-wal", ""} { // last the database: without it the others are refused
		old := filepath.Join(folder, File+end)
		if err := os.Rename(old, filepath.Join(folder, name+end)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
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

// ReadOnly reports whether the database cannot be written.
func (db *DB) ReadOnly() bool { return db.readOnly }

// Replaced reports whether another file, or none, has taken the place of the one that was opened.
func (db *DB) Replaced() bool {
	info, err := os.Lstat(db.path)
	return err != nil || !os.SameFile(info, db.file)
}

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
	if db.readOnly {
		return fmt.Errorf("%s: %w", db.path, ErrReadOnly)
	}
	if db.Replaced() {
		return fmt.Errorf("%s: %w", db.path, ErrReplaced)
	}
	return db.begin(db.sql, sql.TxOptions{}, do)
}

// view runs do in a transaction that sees the database as it is at its first query. A nil database is empty: do is not called.
func (db *DB) view(do func(*Tx) error) error {
	if db == nil {
		return nil
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
