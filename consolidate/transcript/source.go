package transcript

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// maxWhole bounds what is read of a session that must be read whole. The largest seen had 4 MB (CENSUS).
const maxWhole = 64 << 20

// A collection holds many sessions, none of which is a file of its own: a database. Such a session's
// path is the collection's, and its id behind. A collection is safe for concurrent use.
type collection interface {
	// list returns the project's sessions that were touched after since, and counts by reason those that are none. It
	// costs a look at what the system says while nothing has changed.
	list(since time.Time) ([]file, Skipped, error)

	// read returns all of a session in Claude Code's lines, and what its status was then. What list says of its status
	// is the same as long as nothing is added to it. The error is fs.ErrNotExist where there is no such session.
	read(id string) (lines []byte, s status, err error)
}

// collection returns the collection at a path: the same one each time, since it remembers what it saw.
func (s *Store) collection(path string, collect func(string, func([]string) bool) collection) collection {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.collections[path]
	if c == nil {
		c = collect(path, s.ours)
		s.collections[path] = c
	}
	return c
}

// now asks for a session's status.
func (f file) now() (status, error) {
	if f.of == nil {
		stat, err := os.Lstat(f.path)
		if err != nil {
			return status{}, err
		}
		return status{size: stat.Size(), modTime: stat.ModTime()}, nil
	}
	files, _, err := f.of.list(time.Time{})
	for _, listed := range files {
		if listed.id == f.id {
			return status{size: listed.size, modTime: listed.modTime}, nil
		}
	}
	return status{}, cmp.Or(err, fs.ErrNotExist)
}

// gone returns what reports whether nobody has a session any more whose path is so. It asks each collection once: one that
// is being written reads all of itself for each answer.
func (s *Store) gone() func(path string) bool {
	type census struct {
		ids map[string]bool
		err error
	}
	asked := map[collection]census{}
	return func(path string) bool {
		dir, id := filepath.Split(path)
		s.mu.Lock()
		of := s.collections[filepath.Clean(dir)]
		s.mu.Unlock()
		if of == nil {
			_, err := os.Lstat(path)
			return errors.Is(err, fs.ErrNotExist)
		}
		c, known := asked[of]
		if !known {
			files, _, err := of.list(time.Time{})
			c = census{map[string]bool{}, err}
			for _, f := range files {
				c.ids[f.id] = true
			}
			asked[of] = c
		}
		if c.err != nil {
			return errors.Is(c.err, fs.ErrNotExist)
		}
		return !c.ids[id]
	}
}

// A source is a session that was opened, in lines: of the file itself, or as a form made them.
type source struct {
	stream
	status        // when it was opened
	inode  uint64 // of a file; see inode
	length int64  // of the lines
}

// A stream is what a source reads from.
type stream interface {
	io.ReadSeekCloser
	io.ReaderAt
}

// open opens a session.
func (f file) open() (*source, error) {
	if f.of != nil {
		lines, status, err := f.of.read(f.id)
		return &source{inMemory{bytes.NewReader(lines)}, status, 0, int64(len(lines))}, err
	}
	opened, err := openFile(f.path)
	if err != nil {
		return nil, err
	}
	stat, err := opened.Stat()
	if err != nil {
		opened.Close()
		return nil, err
	}
	s := &source{opened, status{size: stat.Size(), modTime: stat.ModTime()}, inode(stat), stat.Size()}
	if !f.host.rewritten() {
		return s, nil
	}
	defer opened.Close()
	text, err := readAtMost(opened, maxWhole)
	if err != nil {
		return nil, err
	}
	lines := forms[f.host].whole(text)
	s.stream, s.length = inMemory{bytes.NewReader(lines)}, int64(len(lines))
	return s, nil
}

// readAtMost reads to the end, or as far as errTooBig.
func readAtMost(r io.Reader, most int) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(r, int64(most)+1))
	if err == nil && len(text) > most {
		err = errTooBig
	}
	return text, err
}

// inMemory is a stream that nothing need be closed for.
type inMemory struct{ *bytes.Reader }

func (inMemory) Close() error { return nil }
