package state

import (
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"modernc.org/sqlite"
	"modernc.org/sqlite/vfs"

	"dream-mcp/memory"
	"dream-mcp/memory/atomicfile"
)

const (
	Aside = File + ".damaged-" // begins the names of the folders of databases that were set aside
	begun = File + ".new-"     // begins those in which a database is created
)

// Options configure a DB. The zero value opens a database to write.
type Options struct {
	LookOnly bool             // create nothing and write nothing
	Again    bool             // a database that has to be created takes the place of one that is gone: see Gone
	Now      func() time.Time // nil: time.Now
}

// Open opens the database in a folder, and creates both if needed. With LookOnly it fails with fs.ErrNotExist if there
// is none.
func Open(folder string, o Options) (*DB, error) {
	db := &DB{path: filepath.Join(folder, File), now: o.Now, readOnly: o.LookOnly, again: o.Again}
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

// ensure creates the database if there is none, and refuses what SQLite would replace.
func (db *DB) ensure() error {
	var wal fs.FileInfo
	for _, end := range besides {
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
	case errors.Is(err, fs.ErrNotExist) && !db.readOnly:
		return db.create()
	}
	return err
}

// create creates the database in a folder beside its place, and moves it there when it is whole and durable. Nothing is
// done if another process was faster.
func (db *DB) create() error {
	at := filepath.Dir(db.path)
	if err := atomicfile.MakeFolders(at); err != nil {
		return err
	}
	root, err := memory.OpenRoot(at)
	if err != nil {
		return err
	}
	defer root.Close()
	folder, err := os.MkdirTemp(at, begun)
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	err = createIn(folder, db.now, db.again)
	if err == nil {
		err = atomicfile.MoveNew(root, filepath.Join(filepath.Base(folder), File), File)
	}
	if _, there := os.Lstat(db.path); there != nil {
		return err
	}
	left, _ := fs.Glob(root.FS(), begun+"*") // of processes that died, or were slower
	for _, folder := range left {
		root.RemoveAll(folder)
	}
	return nil // the folder is synced with the first transaction, when SQLite creates its log
}

// createIn creates a database in a folder that nobody else uses. Only the whole of it is synced.
func createIn(folder string, now func() time.Time, again bool) error {
	f, err := os.OpenFile(filepath.Join(folder, File), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600) // else it were not private
	if err != nil {
		return err
	}
	defer f.Close()
	db := &DB{path: f.Name(), now: now, again: again}
	if db.file, err = f.Stat(); err == nil {
		err = db.connect("")
	}
	if err == nil {
		err = db.pragma("synchronous=off")
	}
	if err == nil {
		err = db.prepare()
	}
	if err == nil {
		err = db.pragma("wal_checkpoint(truncate)") // Close would not report an error of it
	}
	if err = errors.Join(err, db.Close()); err != nil {
		return err
	}
	return f.Sync()
}

func (db *DB) pragma(text string) error {
	_, err := db.sql.Exec("PRAGMA " + text)
	return db.wrap(err)
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

// besides are the ends of the names of the files that SQLite keeps beside a database, ends those of all its files: last
// the database, without which the others are refused.
var (
	besides = []string{"-shm", "-journal", "-wal"}
	ends    = append(slices.Clip(besides), "")
)

// SetAside moves a database that cannot be used, and what is beside it, into a folder, so that a new one can be
// created. It does nothing if there is none.
func SetAside(folder string, now time.Time) error {
	if !slices.ContainsFunc(ends, func(end string) bool {
		_, err := os.Lstat(filepath.Join(folder, File+end))
		return err == nil
	}) {
		return nil
	}
	aside, err := makeAside(folder, now)
	if err != nil {
		return err
	}
	return moveAside(folder, aside, ends)
}

// makeAside makes the folder for a database that is set aside.
func makeAside(folder string, now time.Time) (string, error) {
	aside := filepath.Join(folder, Aside+now.UTC().Format("20060102-150405"))
	return aside, os.Mkdir(aside, 0o700)
}

// moveAside moves the files of a database whose names have one of some ends.
func moveAside(folder, aside string, ends []string) error {
	for _, end := range ends {
		err := os.Rename(filepath.Join(folder, File+end), filepath.Join(aside, File+end))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
