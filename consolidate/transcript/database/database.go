// Package database reads a SQLite database that another program may be writing.
//
// It promises that nothing is written, created or locked, so that no program waits for it; that rows which are only in
// the write-ahead log are read; that all that one View reads is one committed state of the database, or View fails; and
// that a View ends within maxTime, whatever bytes the files have.
//
// It does not promise the newest commit. A database with a rollback journal is not read: its writer must recover it.
package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	_ "modernc.org/sqlite" // the driver
	"modernc.org/sqlite/vfs"
)

// The limits.
const (
	maxRow   = 16 << 20         // bytes of one value; a longer one is not read
	maxTime  = 20 * time.Second // of a View, its tries together
	maxTries = 5                // of a View
)

// errBusy is the error of View if each of its tries read a database that was being changed.
var errBusy = errors.New("the database is being changed")

// A File is a database. Open opens the database and its log for reading.
type File struct {
	Path string
	Open func(path string) (*os.File, error)
}

// View calls read with a state of the database, which is valid during the call, and again if what it read was not a
// committed state. It returns the last call's error.
func (f File) View(read func(View) error) error {
	ctx, cancel := context.WithTimeout(context.Background(), maxTime)
	defer cancel()
	for try := range maxTries {
		time.Sleep(time.Duration(try*try) * 5 * time.Millisecond)
		committed, err := f.try(ctx, read)
		if committed || ctx.Err() != nil {
			return err
		}
	}
	return fmt.Errorf("%q: %w", f.Path, errBusy)
}

// try calls read once, and reports whether all that it read is of one committed state.
func (f File) try(ctx context.Context, read func(View) error) (committed bool, err error) {
	before, err := f.state()
	if err != nil {
		return true, err
	}
	name, registered, err := vfs.New(files{f})
	if err != nil {
		return true, err
	}
	defer registered.Close()
	// Exclusive locking keeps the index of the log in memory: no file is made for it. The file system has no locks.
	db, err := sql.Open("sqlite", "file:"+main+"?mode=ro&vfs="+name+
		"&_pragma=locking_mode(exclusive)&_pragma=temp_store(memory)&_pragma=trusted_schema(off)&_pragma=query_only(on)")
	if err != nil {
		return true, err
	}
	defer db.Close()
	tx, err := db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err == nil {
		err = read(View{ctx, tx})
		tx.Rollback()
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%q: %w", f.Path, err)
	}
	after, gone := f.state()
	return gone == nil && before.same(after), err
}

// A state is what shows that a database was changed. A commit is appended to the log, which does no harm. What does is
// a reset of the log, which changes its head; and copying pages of later commits into the database, or writing it
// without a log, which change the database's time.
type state struct {
	at      time.Time
	db      fs.FileInfo
	log     [32]byte // its header, with salts that are new after each reset
	logSize int64
	logTime time.Time
	journal bool
}

func (f File) state() (s state, err error) {
	s.at = time.Now()
	if s.db, err = os.Lstat(f.Path); err != nil {
		return s, err
	}
	if stat, err := os.Lstat(f.Path + "-journal"); err == nil {
		s.journal = stat.Size() > 0
	}
	log, err := f.Open(f.Path + "-wal")
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return s, err
	}
	defer log.Close()
	log.ReadAt(s.log[:], 0) // a log that is shorter is empty to SQLite
	stat, err := log.Stat()
	if err == nil {
		s.logSize, s.logTime = stat.Size(), stat.ModTime()
	}
	return s, err
}

// same reports whether what was read between two states is of one commit.
func (s state) same(after state) bool {
	switch {
	case s.journal || after.journal || s.log != after.log || !os.SameFile(s.db, after.db):
		return false
	case s.logSize > 0 && s.logSize == after.logSize && s.logTime.Equal(after.logTime) && settled(s.logTime, s.at):
		return true // what was copied into the database is in the log
	}
	return s.db.ModTime().Equal(after.db.ModTime()) && settled(s.db.ModTime(), s.at)
}

// settled reports whether a change after a time shows in a file's time. The clock for that ticks: some file systems
// store seconds, FAT every other one.
func settled(modified, at time.Time) bool {
	tick := 20 * time.Millisecond
	if modified.Nanosecond() == 0 {
		tick = 2 * time.Second
	}
	return at.Sub(modified).Abs() > tick
}

// main is what the database is called in its file system.
const main = "db"

// files is the file system of a database: the database and its log.
type files struct{ File }

func (f files) path(name string) (string, bool) {
	return f.Path + strings.TrimPrefix(name, main), name == main || name == main+"-wal"
}

func (f files) Open(name string) (fs.File, error) {
	path, ok := f.path(name)
	if !ok {
		return nil, fs.ErrNotExist
	}
	file, err := f.File.Open(path)
	if errors.Is(err, fs.ErrNotExist) && name != main {
		return noLog{}, nil // SQLite would make it
	}
	return file, err
}

// noLog is an empty log.
type noLog struct{ fs.FileInfo }

func (noLog) Stat() (fs.FileInfo, error)          { return noLog{}, nil }
func (noLog) Size() int64                         { return 0 }
func (noLog) Read([]byte) (int, error)            { return 0, io.EOF }
func (noLog) Seek(at int64, _ int) (int64, error) { return at, nil }
func (noLog) Close() error                        { return nil }

func (f files) Stat(name string) (fs.FileInfo, error) {
	if path, ok := f.path(name); ok {
		return os.Lstat(path)
	}
	return nil, fs.ErrNotExist
}

// A View is one committed state of a database.
type View struct {
	ctx context.Context
	tx  *sql.Tx
}

// A Row is the values of some columns: nil, an int64, a float64, a string, or bytes.
type Row []any

// Text is a value that is text, or "".
func (r Row) Text(i int) string {
	text, _ := r[i].(string)
	return text
}

// Int is a value that is a whole number, or 0.
func (r Row) Int(i int) int64 {
	n, _ := r[i].(int64)
	return n
}

// TooLong reports whether a value has more bytes than maxRow. Such a value is passed as true.
func (r Row) TooLong(i int) bool { return r[i] == true }

// Has reports whether the database has a table.
func (v View) Has(table string) (bool, error) {
	var n int
	err := v.tx.QueryRowContext(v.ctx, `SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = ?`, table).Scan(&n)
	return n > 0, err
}

// Rows calls do with some columns of each row of a table, of those rows whose column named key has a value; of all rows
// if key is "". A table that does not exist has no rows. The value of a column that does not exist is nil; key must
// exist.
func (v View) Rows(table, key, value string, columns []string, do func(Row) error) error {
	if has, err := v.Has(table); !has || err != nil {
		return err
	}
	known, err := v.columns(table)
	if err != nil {
		return err
	}
	var wanted []string
	for _, c := range columns {
		switch quoted := quote(c); {
		case !known[c]:
			wanted = append(wanted, "NULL, 0")
		default:
			wanted = append(wanted, fmt.Sprintf("iif(octet_length(%[1]s) > %[2]d, NULL, %[1]s), coalesce(octet_length(%[1]s), 0) > %[2]d", quoted, maxRow))
		}
	}
	query, args := "SELECT "+strings.Join(wanted, ", ")+" FROM "+quote(table), []any(nil)
	if key != "" {
		query, args = query+" WHERE "+quote(key)+" = ?", []any{value}
	}
	rows, err := v.tx.QueryContext(v.ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	values, long := make(Row, len(columns)), make([]bool, len(columns))
	var into []any
	for i := range columns {
		into = append(into, &values[i], &long[i])
	}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return err
		}
		for i := range long {
			if long[i] {
				values[i] = true
			}
		}
		if err := do(values); err != nil {
			return err
		}
	}
	return rows.Err()
}

// Count counts the rows of a table whose column named key has a value; 0 if there is no such table.
func (v View) Count(table, key, value string) (n int64, err error) {
	if has, err := v.Has(table); !has || err != nil {
		return 0, err
	}
	err = v.tx.QueryRowContext(v.ctx, "SELECT count(*) FROM "+quote(table)+" WHERE "+quote(key)+" = ?", value).Scan(&n)
	return n, err
}

func (v View) columns(table string) (map[string]bool, error) {
	names, err := All(func(name *string) []any { return []any{name} })(v.tx.QueryContext(v.ctx, `SELECT name FROM pragma_table_info(?)`, table))
	known := map[string]bool{}
	for _, name := range names {
		known[name] = true
	}
	return known, err
}

func quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }
