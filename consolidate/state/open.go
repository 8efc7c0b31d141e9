package state

import (
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"modernc.org/sqlite"
	"modernc.org/sqlite/vfs"

	"dream-mcp/memory"
	"dream-mcp/memory/atomicfile"
)

// Aside begins the names of databases that were set aside.
const Aside = File + ".damaged-"

// Options configure a DB. The zero value opens a database to write.
type Options struct {
	LookOnly bool             // create nothing and write nothing
	Now      func() time.Time // nil: time.Now
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
	if err := atomicfile.MakeFolders(filepath.Dir(db.path)); err != nil {
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
