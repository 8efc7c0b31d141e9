package transcript

import (
	"cmp"
	"context"
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

// unasked is the reason of a file that is too old, or was removed since the listing.
const unasked Reason = "unasked"

// files lists what may be transcripts of the project, touched after since, the newest first.
func (s *Store) files(since time.Time) ([]file, Skipped, error) {
	folders, err := s.candidates()
	if err != nil {
		return nil, nil, err
	}
	var files []file
	skipped := Skipped{}
	for _, folder := range folders {
		files = append(files, folder.list(since, -1, skipped)...)
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
// not. Unless most is below 0, it looks at that many names only, the last ones: other hosts begin names with a date.
func (f Folder) list(since time.Time, most int, skipped Skipped) (files []file) {
	if f.of != nil {
		listed, left, err := f.of.list(since)
		if err != nil {
			left = Skipped{Unreadable: 1}
		}
		skipped.add(left)
		return listed
	}
	name := f.claudeCode
	if form := forms[f.Host]; form != nil {
		name = form.named
	}
	named, looked := 0, 0
	var list func(path string, deep int)
	list = func(path string, deep int) {
		if looked >= maxEntries {
			return
		}
		dir, err := openFolder(path)
		if err != nil {
			skipped[Unreadable]++
			return
		}
		defer dir.Close()
		entries, err := dir.ReadDir(maxEntries - looked)
		if err != nil && err != io.EOF {
			skipped[Unreadable]++
			return
		}
		if looked += len(entries); looked >= maxEntries {
			skipped[Unlisted] = 1
		}
		if most >= 0 {
			slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(b.Name(), a.Name()) })
		}
		var all []asked
		for _, e := range entries {
			if most >= 0 && named >= most {
				break
			}
			if deep > 0 {
				if e.IsDir() && isNumber(e.Name()) {
					list(filepath.Join(path, e.Name()), deep-1)
				}
			} else if id, reason, ok := name(e.Name()); ok {
				all = append(all, asked{e, file{id: id}, reason})
				named++
			}
		}
		files = append(files, f.answered(dir, since, all, skipped)...)
	}
	list(filepath.Clean(f.Path), f.deep)
	return files
}

// asked is an entry of a folder that the system is asked about.
type asked struct {
	entry  fs.DirEntry
	file   file
	reason Reason // why it is not a session that was asked for
}

// answered asks the system about entries of a folder, and returns those that are sessions. It counts the others by
// reason. It asks on all threads: that is most of what counting sessions takes.
func (f Folder) answered(dir *os.File, since time.Time, all []asked, skipped Skipped) (files []file) {
	const run = 128
	_ = parallel(context.Background(), (len(all)+run-1)/run, func(k int) error {
		for i := k * run; i < min(len(all), (k+1)*run); i++ {
			f.ask(dir, since, &all[i])
		}
		return nil
	})
	files = make([]file, 0, len(all))
	for i := range all {
		switch reason := all[i].reason; reason {
		case "":
			files = append(files, all[i].file)
		case unasked:
		default:
			skipped[reason]++
		}
	}
	return files
}

// ask asks about one entry.
func (f Folder) ask(dir *os.File, since time.Time, a *asked) {
	stat, err := statusOf(dir, a.entry)
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && !stat.modTime.After(since):
		a.reason = unasked
	case a.reason != "":
	case err != nil:
		a.reason = Unreadable
	case !stat.regular:
		a.reason = NoSession
	default:
		a.file = file{
			id: strings.Clone(a.file.id), host: f.Host, trust: f.trust, path: dir.Name() + string(filepath.Separator) + a.entry.Name(),
			size: stat.size, modTime: stat.modTime, changed: stat.changed,
		}
	}
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

// A status is what the system tells of a file, and not of what it links to.
type status struct {
	size    int64
	modTime time.Time
	changed time.Time // when its bytes, name or times were last changed: nobody can set that back; zero where the system does not say
	regular bool
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
