package transcript

import (
	"cmp"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

const (
	// maxEntries bounds the listing of one folder; the fullest seen had some 900 entries (FACTS 4.3).
	maxEntries = 1 << 18

	// maxSessions bounds what is judged: the newest, as many as fit into the cache of heads.
	maxSessions = maxHeads
)

// files lists what may be transcripts of the project, touched after since, the newest first.
func (s *Store) files(since time.Time) ([]file, Skipped, error) {
	folders, err := s.candidates()
	if err != nil {
		return nil, nil, err
	}
	var files []file
	skipped := Skipped{}
	for _, folder := range folders {
		files = append(files, folder.list(since, skipped)...)
	}
	newest(files)
	if len(files) > maxSessions {
		skipped[Unlisted]++
		files = slices.Clone(files[:maxSessions])
	}
	return files, skipped, nil
}

// newest sorts files by their times, the newest first, those of one time by their paths.
func newest(files []file) {
	slices.SortFunc(files, func(a, b file) int {
		return cmp.Or(b.modTime.Compare(a.modTime), strings.Compare(a.path, b.path))
	})
}

// list returns the files of a folder that were touched after since and are sessions by name, and counts those that are
// not.
func (f Folder) list(since time.Time, skipped Skipped) (files []file) {
	if f.of != nil {
		listed, left, err := f.of.list(since)
		if err != nil {
			left = Skipped{Unreadable: 1}
		}
		skipped.add(left)
		return listed
	}
	looked := 0
	var list func(path string, deep int)
	list = func(path string, deep int) {
		if looked >= maxEntries {
			return
		}
		entries, _, err := readFolder(path)
		if err != nil {
			skipped[Unreadable]++
			return
		}
		if looked += len(entries); looked >= maxEntries {
			skipped[Unlisted] = 1
		}
		for _, e := range entries {
			if deep == 0 {
				files = f.take(files, path, e, since, skipped)
			} else if e.IsDir() && isNumber(e.Name()) {
				list(filepath.Join(path, e.Name()), deep-1)
			}
		}
	}
	list(filepath.Clean(f.Path), f.deep)
	return files
}

// take adds an entry of a folder to the files if it is a session that was touched after since.
func (f Folder) take(files []file, folder string, e fs.DirEntry, since time.Time, skipped Skipped) []file {
	name := f.claudeCode
	if form := forms[f.Host]; form != nil {
		name = form.named
	}
	id, reason, ok := name(e.Name())
	if !ok {
		return files
	}
	stat, err := e.Info()
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && !stat.ModTime().After(since):
		return files
	case reason == "" && err != nil:
		reason = Unreadable
	case reason == "" && !stat.Mode().IsRegular():
		reason = NoSession
	}
	if reason != "" {
		skipped[reason]++
		return files
	}
	return append(files, file{
		id: id, host: f.Host, trust: f.trust, path: filepath.Join(folder, e.Name()), size: stat.Size(), modTime: stat.ModTime(),
	})
}

// claudeCode tells of an entry of a folder whether it is a transcript, its id, and the reason why its
// name is that of no session.
func (f Folder) claudeCode(entry string) (id string, reason Reason, ok bool) {
	id, ok = strings.CutSuffix(entry, ".jsonl")
	switch {
	case strings.HasPrefix(id, "agent-"):
		reason = Subagent
	case f.trust != whole && !isUUID(id):
		reason = NoSession
	}
	return id, reason, ok
}

// A status is what the system says of a session.
type status struct {
	size    int64
	modTime time.Time
}

// openFolder opens a folder, links followed. A fifo in its place is not waited on.
func openFolder(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
}

// readFolder lists a folder, in no order, up to maxEntries of it.
func readFolder(path string) (entries []fs.DirEntry, all bool, err error) {
	dir, err := openFolder(path)
	if err != nil {
		return nil, false, err
	}
	defer dir.Close()
	entries, err = dir.ReadDir(maxEntries)
	if err != nil && err != io.EOF {
		return nil, false, err
	}
	return entries, len(entries) < maxEntries, nil
}
