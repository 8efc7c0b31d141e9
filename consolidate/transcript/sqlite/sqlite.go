// Package sqlite reads rows of a SQLite database that another program may be writing, from its bytes alone
// (https://www.sqlite.org/fileformat2.html), the write-ahead log included.
//
// It promises that nothing is written, created or locked, so that no program waits for it; that all that one View reads is
// one committed state of the database, or View fails with ErrBusy; that a row found by an index holds what was looked for;
// and that reading ends within the limits below, and never panics, whatever bytes the files have.
//
// It does not promise the newest commit, nor SQL: it scans tables, and finds rows by an index whose first column is text in
// the order of its bytes. It reads UTF-8 only. The value of an INTEGER PRIMARY KEY, floating-point numbers, and the default
// of a column that was added after a row was written are read as null. Tables without rowid, with generated columns and
// virtual ones are refused, and so is a database with a rollback journal: its writer must recover it.
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
	maxLog   = 1 << 30  // bytes of the log; logs of 4 MiB are usual, one of 924 MB was seen
	maxSteps = 1 << 20  // pages that a View reads, eight cells counted as one more: it takes a second or two; fewer of a small database
	maxDepth = 20       // of a tree, as SQLite has it
	maxTries = 5        // of a View
)

var (
	// ErrBusy is the error of View if each of its tries read a database that was being changed.
	ErrBusy = errors.New("the database is being changed")

	// ErrCorrupt is the error of bytes that no database has.
	ErrCorrupt = errors.New("the database is damaged")
)

func corrupt(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrCorrupt, fmt.Sprintf(format, args...))
}

// A File is a database that is read repeatedly. It keeps what it knows of the log: of a log that grew, only what is new is
// read. It is safe for concurrent use; its fields are set before the first call.
type File struct {
	Path string
	Open func(path string) (*os.File, error) // opens the database and its log for reading

	mu  sync.Mutex
	log log
}

// View calls read with a snapshot, which is valid during the call, and again if what it read was not a committed state. It
// returns the last call's error.
func (f *File) View(read func(*Snapshot) error) error {
	for try := range maxTries {
		time.Sleep(time.Duration(try*try) * 5 * time.Millisecond)
		if committed, err := f.try(read); committed {
			return err
		}
	}
	return fmt.Errorf("%q: %w", f.Path, ErrBusy)
}

// try calls read once, and reports whether all that it read is of one committed state.
func (f *File) try(read func(*Snapshot) error) (committed bool, err error) {
	s := &Snapshot{began: time.Now()}
	if s.db, err = f.Open(f.Path); err != nil {
		return true, err
	}
	defer s.db.Close()
	if s.stat, err = s.db.Stat(); err != nil {
		return true, err
	}
	if journal, err := os.Lstat(f.Path + "-journal"); err == nil && journal.Size() > 0 {
		return false, nil
	}
	if s.wal, err = f.Open(f.Path + "-wal"); err == nil {
		defer s.wal.Close()
		f.mu.Lock()
		f.log, err = f.log.update(s.wal)
		s.log = f.log
		f.mu.Unlock()
	} else if errors.Is(err, fs.ErrNotExist) {
		s.wal, err = nil, nil
	}
	if err == nil {
		err = s.begin()
	}
	if err == nil {
		err = read(s)
	}
	return s.committed(f.Path), err
}

// A Snapshot is a database as it was after one commit.
type Snapshot struct {
	began time.Time
	db    *os.File
	stat  fs.FileInfo
	wal   *os.File // nil: none
	log   log

	size   int // of a page
	usable int // of these, for trees
	pages  uint32
	left   int // steps, see maxSteps
}

const headerSize = 100

// committed reports whether all that was read is of one state. A commit is appended to the log, which does no harm. What
// does is a reset of the log, which changes its head; and copying pages of later commits into the database, or writing it
// without a log, which change the database's time.
func (s *Snapshot) committed(path string) bool {
	now, err := os.Stat(path)
	if err != nil || !os.SameFile(now, s.stat) {
		return false
	}
	if s.log.end > 0 {
		log, err := s.log.update(s.wal)
		var head [logHeader]byte // read last: in a log that is reset meanwhile, no later commit is found
		s.wal.ReadAt(head[:], 0)
		if err != nil || head != s.log.head {
			return false
		}
		if log.end == s.log.end {
			return true
		}
	}
	if now, err = s.db.Stat(); err != nil || !now.ModTime().Equal(s.stat.ModTime()) {
		return false
	}
	return s.began.Sub(now.ModTime()).Abs() > tick(now.ModTime())
}

// tick is how often the clock for the time of a file ticks, at least: a second change within a tick leaves the time as it
// is. Some file systems store seconds, FAT every other one.
func tick(t time.Time) time.Duration {
	if t.Nanosecond() == 0 {
		return 2 * time.Second
	}
	return 20 * time.Millisecond
}

// begin reads the database's header.
func (s *Snapshot) begin() error {
	var room [headerSize]byte
	header := room[:]
	source, at := io.ReaderAt(s.db), int64(0)
	if frame, ok := s.log.frames[1]; ok {
		source, at = s.wal, frame
	}
	if _, err := source.ReadAt(header, at); err != nil && err != io.EOF {
		return err
	}
	s.size = int(binary.BigEndian.Uint16(header[16:]))
	if s.size == 1 {
		s.size = 1 << 16
	}
	s.usable = s.size - int(header[20])
	s.pages = s.log.pages
	switch {
	case !bytes.HasPrefix(header, []byte("SQLite format 3\x00")):
		return errors.New("not a SQLite database, or an encrypted one")
	case s.size < 512 || s.size&(s.size-1) != 0 || s.pages > 0 && s.size != s.log.size:
		return corrupt("pages of %d bytes", s.size)
	case header[18] > 2 || header[19] > 2:
		return fmt.Errorf("a database of a later format, %d", header[19])
	case header[21] != 64 || header[22] != 32 || header[23] != 32:
		return corrupt("payload fractions %d", header[21:24])
	case binary.BigEndian.Uint32(header[56:]) != 1:
		return errors.New("its text is not UTF-8")
	case s.usable < 480:
		return corrupt("%d bytes of a page are usable", s.usable)
	}
	if s.pages == 0 {
		s.pages = uint32(min(s.stat.Size()/int64(s.size), 1<<32-2))
	}
	s.left = int(min(maxSteps, 1000+int64(s.pages)*int64(s.size)/4))
	return nil
}

// page returns the usable part of a page as it is in the snapshot.
func (s *Snapshot) page(n uint32) ([]byte, error) {
	if s.left--; s.left < 0 {
		return nil, errors.New("too much to read")
	}
	if n == 0 || n > s.pages {
		return nil, corrupt("page %d of %d", n, s.pages)
	}
	source, at := s.db, int64(n-1)*int64(s.size)
	if frame, ok := s.log.frames[n]; ok {
		source, at = s.wal, frame
	}
	p := make([]byte, s.usable)
	if _, err := source.ReadAt(p, at); err == io.EOF {
		return nil, corrupt("page %d is cut off", n)
	} else if err != nil {
		return nil, err
	}
	return p, nil
}
