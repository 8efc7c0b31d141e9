package said

import (
	"cmp"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
	"time"
)

const (
	// MaxEntries bounds the listing of one folder; the fullest seen had some 900 entries.
	MaxEntries = 1 << 18

	// MaxSessions bounds what is judged: the newest, as many as a call can open in a few seconds.
	MaxSessions = 20_000
)

// MaxWhole bounds what is read of a session that must be read whole. The largest seen had 4 MB.
const MaxWhole = 64 << 20

// A File may be a transcript of the project.
type File struct {
	ID      string
	Format  *Format // nil: Claude Code's
	Path    string
	Size    int64
	ModTime time.Time
	Trust   Trust
	Of      Collection // of which it is a part, and size is a number of parts; nil: it is a file of its own
}

// Host returns the ID of the host that keeps the session.
func (f File) Host() HostID { return f.Format.name() }

// Memory reports whether the file is an entry of what a host's model remembers.
func (f File) Memory() bool { return f.Format != nil && f.Format.Memory }

// beside returns the working directory that is recorded beside the file.
func (f File) beside() string {
	if f.Format == nil || f.Format.Beside == nil {
		return ""
	}
	return f.Format.Beside(f.Path)
}

// A Collection has many sessions, none of which is a file of its own: a database. Such a session's
// path is the collection's, followed by its ID. A collection is safe for concurrent use.
type Collection interface {
	// List returns the project's sessions that were modified after since, and counts by reason those that are not. It
	// reads what there is of each session but its words. Of a File it sets ID, Path, Size and ModTime.
	List(since time.Time) ([]File, Skipped, error)

	// Read returns all of a session, and what its status was then. List returns the same status as long as nothing is
	// added to the session. The error is fs.ErrNotExist if there is no such session.
	Read(id string) (records []Record, s Status, err error)
}

// Now returns a session's present status.
func (f File) Now() (Status, error) {
	if f.Of == nil {
		stat, err := os.Lstat(f.Path)
		if err != nil {
			return Status{}, err
		}
		return Status{Size: stat.Size(), ModTime: stat.ModTime()}, nil
	}
	files, _, err := f.Of.List(f.ModTime.Add(-1)) // no time of a session decreases
	for _, listed := range files {
		if listed.ID == f.ID {
			return Status{Size: listed.Size, ModTime: listed.ModTime}, nil
		}
	}
	return Status{}, cmp.Or(err, fs.ErrNotExist)
}

// A Source is a session that was opened: a file of lines, or records in memory.
type Source struct {
	*os.File          // nil: it is in memory
	Records  []Record // each is a line, whose offset is 0
	Status            // when it was opened
	Inode    uint64   // of a file; see inode
	Length   int64    // of the lines of a file
}

// Open opens a session.
func (f File) Open() (*Source, error) {
	if f.Of != nil {
		records, status, err := f.Of.Read(f.ID)
		return &Source{Records: records, Status: status}, err
	}
	opened, err := OpenFile(f.Path)
	if err != nil {
		return nil, err
	}
	stat, err := opened.Stat()
	if err != nil {
		opened.Close()
		return nil, err
	}
	s := &Source{Status: Status{Size: stat.Size(), ModTime: stat.ModTime()}, Inode: inode(stat)}
	if !f.Format.Rewritten() {
		s.File, s.Length = opened, stat.Size()
		return s, nil
	}
	defer opened.Close()
	if stat.Size() > MaxWhole {
		return nil, ErrTooBig
	}
	text, err := io.ReadAll(io.LimitReader(opened, MaxWhole+1))
	if err == nil && len(text) > MaxWhole {
		err = ErrTooBig
	}
	if err != nil {
		return nil, err
	}
	s.Records = f.Format.Whole(text, f.beside())
	return s, nil
}

// ErrTooBig is the error of a session that is too large: for one part where parts cannot be kept, or to be read whole.
var ErrTooBig = fmt.Errorf("the session is larger than %d MB", MaxWhole>>20)

// A Status is the size and time of a session.
type Status struct {
	Size    int64
	ModTime time.Time
}

// openFolder opens a folder, links followed. A fifo in its place is not waited on.
func openFolder(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
}

// ReadFolder lists a folder, in no order, up to maxEntries of it.
func ReadFolder(path string) (entries []fs.DirEntry, all bool, err error) {
	dir, err := openFolder(path)
	if err != nil {
		return nil, false, err
	}
	defer dir.Close()
	entries, err = dir.ReadDir(MaxEntries)
	if err != nil && err != io.EOF {
		return nil, false, err
	}
	return entries, len(entries) < MaxEntries, nil
}
