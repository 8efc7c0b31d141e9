// Package sqlite reads rows of a SQLite database that another program may be writing, by its bytes alone
// (https://www.sqlite.org/fileformat2.html), its write-ahead log included.
//
// It promises that nothing is written, created or locked, so that no program ever waits for it or finds
// something of it; that all that one View reads is one committed state of the database, or View fails with
// ErrBusy; that a row found by an index holds what was looked for; and that whatever bytes a database has,
// reading them ends, within the limits below, and never panics.
//
// It does not promise the newest commit, nor SQL: there are tables, and indexes by the first of their columns,
// where that is text in the order of its bytes. It reads UTF-8 only. The value of an INTEGER PRIMARY KEY, and the
// default of a column that was added after a row was written, are read as null. Tables without rowid, with generated columns
// and virtual ones are refused, and so is a database with a rollback journal: its writer must recover it.
package sqlite

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"
	"time"
)

// The limits.
const (
	MaxRow   = 16 << 20 // bytes of one row; longer ones are passed over (Table.TooLong)
	maxLog   = 1 << 30  // bytes of the log; a log is emptied at 4 MiB as a rule, and grows while someone reads for long
	maxCache = 4 << 20  // bytes of pages that a View keeps
	maxSteps = 1 << 20  // pages that a View looks at, the same one again included: what takes a second or two
	maxDepth = 20       // of a tree, as SQLite has it
	maxParts = 1 << 14  // tables and indexes
	maxTries = 5        // of a View that is disturbed

	maxSchema = 4 << 20 // bytes of what all parts were made by; opencode's has some ten thousand

	// settling is how long after a change the time of a file may stand still: a change more would not be seen by
	// it. FAT counts in two seconds.
	settling = 2 * time.Second

	// tick is how often Linux looks at the clock for the time of a file, at most.
	tick = 20 * time.Millisecond
)

// ErrBusy is the error of View where the database was changed under each of its tries, or lies in the middle of a change.
var ErrBusy = errors.New("the database is being changed")

// ErrNoTable is the error of Snapshot.Table where there is none of that name.
var ErrNoTable = errors.New("no such table")

// A File is a database that is looked at time and again. What is known of its log is kept: of a log that grew,
// only what is new is read. It is safe for concurrent use; its fields are set before the first call.
type File struct {
	Path string

	// Open opens the database, its log and its journal for reading; nil: os.Open.
	Open func(path string) (*os.File, error)

	mu  sync.Mutex
	log *log
}

// A State identifies a state of a database, by what the system reports about its files.
type State struct {
	db, log         int64 // sizes
	dbTime, logTime int64 // nanoseconds since 1970; 0: no file
}

// State asks the system twice. Of a file that changed within the last two seconds it says false: a change more
// may leave that state as it is.
func (f *File) State() (s State, settled bool, err error) {
	db, err := os.Lstat(f.Path)
	if err != nil {
		return s, false, err
	}
	s.db, s.dbTime = db.Size(), db.ModTime().UnixNano()
	latest := db.ModTime()
	if log, err := os.Lstat(f.Path + "-wal"); err == nil {
		s.log, s.logTime = log.Size(), log.ModTime().UnixNano()
		if log.ModTime().After(latest) {
			latest = log.ModTime()
		}
	}
	return s, time.Since(latest) > settling, nil
}

// View calls read with a snapshot, which holds during the call, and again if what it read was not a committed
// state. It returns the last call's error.
func (f *File) View(read func(*Snapshot) error) error {
	for try := range maxTries {
		time.Sleep(time.Duration(try*try) * 5 * time.Millisecond)
		s, err := f.snapshot()
		if s.dbStat == nil {
			s.close()
			return err
		}
		if err == nil {
			err = read(s)
		}
		undisturbed := s.undisturbed()
		s.close()
		if undisturbed {
			return err
		}
	}
	return fmt.Errorf("%q: %w", f.Path, ErrBusy)
}

// A Snapshot is a database as it was at one commit.
type Snapshot struct {
	path   string
	open   func(path string) (*os.File, error)
	began  time.Time
	db     *os.File
	dbStat fs.FileInfo
	wal    *os.File // nil: none
	log    *log
	shared [sharedSize]byte // the head of what those who use the database share, before the log was looked at
	first  [headerSize]byte // the database's header, in its own file

	size, usable int
	pages        uint32
	cache        map[uint32][]byte
	steps        int
	parts        []part
}

const headerSize = 100

// sharedSize is that of the head of the index that those who use a database share. A count of commits is in it.
const sharedSize = 48

// snapshot opens the files. What it returns is to be closed, whatever the error.
func (f *File) snapshot() (s *Snapshot, err error) {
	s = &Snapshot{path: f.Path, open: f.Open, began: time.Now(), cache: map[uint32][]byte{}, log: &log{}}
	if s.open == nil {
		s.open = os.Open
	}
	if s.db, err = s.open(f.Path); err != nil {
		return s, err
	}
	if s.dbStat, err = s.db.Stat(); err != nil {
		return s, err
	}
	if _, err := s.db.ReadAt(s.first[:], 0); err != nil && err != io.EOF {
		return s, err
	}
	if s.rollback() {
		if s.journal() {
			return s, ErrBusy
		}
		return s, s.begin()
	}
	s.shared = s.index()
	s.wal, err = s.open(f.Path + "-wal")
	switch {
	case errors.Is(err, fs.ErrNotExist):
		s.wal = nil
	case err != nil:
		return s, err
	default:
		f.mu.Lock()
		f.log, err = readLog(s.wal, f.log)
		s.log = f.log
		f.mu.Unlock()
		if err != nil {
			return s, err
		}
	}
	return s, s.begin()
}

func (s *Snapshot) close() {
	for _, f := range []*os.File{s.db, s.wal} {
		if f != nil {
			f.Close()
		}
	}
}

// rollback reports whether the database has no log, but a journal while it is changed in place.
func (s *Snapshot) rollback() bool { return s.first[19] == 1 }

// journal reports whether a journal holds what the database was before a change.
func (s *Snapshot) journal() bool {
	f, err := s.open(s.path + "-journal")
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	defer f.Close()
	var magic [8]byte
	_, err = f.ReadAt(magic[:], 0)
	return err == nil && magic != [8]byte{}
}

// index reads the head of the index of the log, which is there while the database is in use; else zeros.
func (s *Snapshot) index() (head [sharedSize]byte) {
	if f, err := s.open(s.path + "-shm"); err == nil {
		f.ReadAt(head[:], 0)
		f.Close()
	}
	return head
}

// undisturbed reports whether all that was read is of one state. A program that commits appends to the log, which does no
// harm. It does harm where it resets the log, or copies pages of later commits into the database: then the
// log's head is another, or there is a later commit, and the database's time is another or too young to tell. Where there
// was no log, or an empty one, it may be so again: then the count of commits decides, or, if nobody used the
// database, its time.
func (s *Snapshot) undisturbed() bool {
	stat, err := os.Lstat(s.path)
	if err != nil || !os.SameFile(stat, s.dbStat) {
		return false
	}
	var first [headerSize]byte
	s.db.ReadAt(first[:], 0)
	same := stat.ModTime().Equal(s.dbStat.ModTime())
	untouched := same && s.began.Sub(stat.ModTime()) > settling
	if s.rollback() {
		return same && first == s.first && !s.journal()
	}
	now := &log{}
	if s.wal != nil {
		log, logErr := os.Lstat(s.path + "-wal")
		opened, err := s.wal.Stat()
		if err != nil || logErr != nil || !os.SameFile(log, opened) {
			return false
		}
		var head [logHeader]byte // read last: if the log is reset meanwhile, it looks empty
		if now, err = readLog(s.wal, s.log); err == nil {
			_, err = s.wal.ReadAt(head[:], 0)
		}
		if err != nil && err != io.EOF || head != s.log.head {
			return false
		}
	}
	if s.log.end == 0 {
		used := s.shared != [sharedSize]byte{}
		return same && s.shared == s.index() && (used || s.began.Sub(stat.ModTime()) > tick)
	}
	return now.end == s.log.end || untouched
}

// begin reads the header and the schema.
func (s *Snapshot) begin() error {
	header := s.first[:]
	if s.log.pages > 0 {
		s.size, s.pages = s.log.size, s.log.pages
		if frame, ok := s.log.frames[1]; ok {
			header = make([]byte, headerSize)
			if _, err := s.wal.ReadAt(header, frame); err != nil {
				return err
			}
		}
	}
	size := int(binary.BigEndian.Uint16(header[16:]))
	if size == 1 {
		size = 1 << 16
	}
	switch {
	case !bytes.HasPrefix(header, []byte("SQLite format 3\x00")):
		return errors.New("not a SQLite database, or an encrypted one")
	case size < 512 || size&(size-1) != 0 || s.size != 0 && s.size != size:
		return corrupt("pages of %d bytes", size)
	case header[18] > 2 || header[19] > 2:
		return fmt.Errorf("a database of a later format, %d", header[19])
	case header[21] != 64 || header[22] != 32 || header[23] != 32:
		return corrupt("payload fractions %d", header[21:24])
	case binary.BigEndian.Uint32(header[56:]) != 1:
		return errors.New("its text is not UTF-8")
	}
	s.size, s.usable = size, size-int(header[20])
	if s.usable < 480 {
		return corrupt("%d bytes of a page are usable", s.usable)
	}
	if s.pages == 0 {
		s.pages = uint32(min(s.dbStat.Size()/int64(size), 1<<32-2))
	}
	return s.readSchema()
}

// page returns a page as it is in the snapshot. It is not to be changed.
func (s *Snapshot) page(n uint32) ([]byte, error) {
	if s.steps++; s.steps > maxSteps {
		return nil, errors.New("too much to read")
	}
	if n == 0 || n > s.pages {
		return nil, corrupt("page %d of %d", n, s.pages)
	}
	if p := s.cache[n]; p != nil {
		return p, nil
	}
	source, at := s.db, int64(n-1)*int64(s.size)
	if frame, ok := s.log.frames[n]; ok {
		source, at = s.wal, frame
	}
	p := make([]byte, s.size)
	if _, err := source.ReadAt(p, at); err == io.EOF {
		return nil, corrupt("page %d is cut off", n)
	} else if err != nil {
		return nil, err
	}
	if len(s.cache) >= maxCache/s.size {
		clear(s.cache)
	}
	s.cache[n] = p
	return p, nil
}

// ErrCorrupt is the error of bytes that no database has.
var ErrCorrupt = errors.New("the database is damaged")

func corrupt(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrCorrupt, fmt.Sprintf(format, args...))
}
