package sessions

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"dream-mcp/consolidate/transcript/said"
)

// An Unread counts what could not be read of a host's sessions for one reason: files and folders, or lines.
type Unread struct {
	Host         said.HostID
	Reason       string
	Files, Lines int
	Path         string // of one of them
}

// errNoProject is the reason of a session that a person typed in and that does not say where it ran.
var errNoProject = errors.New("it does not say in which project it ran")

// noteRead notes that a file or folder was read, or why it could not be. What does not exist is not missing.
func (s *Project) noteRead(path string, host said.HostID, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		delete(s.unread, path)
		return
	}
	reason := err.Error()
	for _, at := range []string{path, filepath.Dir(path)} { // of a session in a database, the database
		reason = strings.TrimPrefix(reason, fmt.Sprintf("%q: ", at))
	}
	if of, ok := errors.AsType[*fs.PathError](err); ok {
		reason = of.Err.Error()
	}
	s.unread[path] = Unread{Host: host, Reason: reason, Files: 1, Path: path}
}

// Unread returns what could not be read of the sessions that were looked at so far, in the order of the hosts. It opens
// nothing. long has how many lines of a file are too long to be read, by its path.
func (s *Project) Unread(long map[string]int) (all []Unread) {
	s.mu.Lock()
	defer s.mu.Unlock()
	add := func(one Unread) {
		i := slices.IndexFunc(all, func(u Unread) bool { return u.Host == one.Host && u.Reason == one.Reason })
		if i < 0 {
			all = append(all, one)
			return
		}
		all[i].Files += one.Files
		all[i].Lines += one.Lines
		all[i].Path = min(all[i].Path, one.Path)
	}
	for path, one := range s.unread {
		if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
			if _, err := os.Lstat(filepath.Dir(path)); errors.Is(err, fs.ErrNotExist) || !s.inDatabase(path) {
				delete(s.unread, path)
				continue
			}
		}
		add(one)
	}
	for path, lines := range long {
		if c, ok := s.heads[path]; ok && c.head.Reason == "" && s.owns(c.file, c.head) {
			add(Unread{Host: c.file.Host(), Reason: said.TooLong, Lines: lines, Path: path})
		}
	}
	slices.SortFunc(all, func(a, b Unread) int { return cmp.Or(cmp.Compare(a.Host, b.Host), cmp.Compare(a.Reason, b.Reason)) })
	return all
}

// inDatabase reports whether a path is of a session in a database.
func (s *Project) inDatabase(path string) bool { return s.collections[filepath.Dir(path)] != nil }
