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

// maxEntries bounds the listing of one folder, of some 100 bytes each; the fullest seen had some 900
// entries (FACTS 4.3).
const maxEntries = 1 << 18

// listPiece is how many entries are held at a time: they take as much as the files that they become.
const listPiece = 1 << 14

// countPiece is how many are, where few of them may be enough.
const countPiece = 1 << 9

// maxSessions bounds what is judged: the newest, as many as have room in the cache of heads. They take
// some 100 MB.
const maxSessions = maxHeads

// unasked is the reason of a file that nobody asked for: it is too old, or swept since the listing.
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
		files = folder.list(files, since, -1, skipped, nil)
	}
	files = newest(files)
	if len(files) > maxSessions {
		skipped[Unlisted]++
		files = slices.Clone(files[:maxSessions])
	}
	return files, skipped, nil
}

// keepNewest leaves the newest of files, so many at most, in their places.
func keepNewest(files []file, most int) []file {
	if len(files) <= most {
		return files
	}
	times := make([]int64, len(files))
	for i := range files {
		times[i] = nanoseconds(files[i].modTime)
	}
	slices.Sort(times)
	last := times[len(times)-most] // of those that stay
	newer, _ := slices.BinarySearch(times, last+1)
	alike := most - (len(times) - newer) // of that very time, so many stay
	return slices.DeleteFunc(files, func(f file) bool {
		t := nanoseconds(f.modTime)
		if t == last {
			alike--
		}
		return t < last || t == last && alike < 0
	})
}

// newest returns files in the order of their times, the newest first, of one time by their paths. What is
// sorted are their times: to move the files about takes three times as long.
func newest(files []file) []file {
	type place struct {
		time int64
		i    int
	}
	places := make([]place, len(files))
	for i := range files {
		places[i] = place{nanoseconds(files[i].modTime), i}
	}
	slices.SortFunc(places, func(a, b place) int {
		if a.time != b.time {
			return cmp.Compare(b.time, a.time)
		}
		return strings.Compare(files[a.i].path, files[b.i].path)
	})
	sorted := make([]file, len(files))
	for i, p := range places {
		sorted[i] = files[p.i]
	}
	return sorted
}

// list appends the files of a folder that were touched after since and are sessions by name, and counts
// those that are not. With most, where names begin with a date, it looks at so many of the last; below 0
// at all. With take it appends none, but hands them over, some at a time, as long as take asks for more.
func (f Folder) list(files []file, since time.Time, most int, skipped Skipped, take func([]file) bool) []file {
	if f.of != nil {
		listed, left, err := f.of.list(since)
		if err != nil {
			left = Skipped{Unreadable: 1}
		}
		skipped.add(left)
		if take != nil {
			take(listed)
			return files
		}
		return append(files, listed...)
	}
	name := f.claudeCode
	if form := forms[f.Host]; form != nil {
		name = form.named
	}
	piece := listPiece
	switch {
	case most >= 0:
		piece = maxEntries // the last are to be had
	case take != nil:
		piece = countPiece
	}
	met, looked, full, enough := 0, 0, false, false
	var list func(path string, deep int)
	list = func(path string, deep int) {
		dir, err := openFolder(path)
		if err != nil {
			skipped[Unreadable]++
			return
		}
		defer dir.Close()
		for all := false; !all && !enough; {
			entries, err := dir.ReadDir(piece)
			if err != nil && err != io.EOF {
				skipped[Unreadable]++
				return
			}
			looked += len(entries)
			if all = len(entries) < piece; !all && looked >= maxEntries {
				full, all = true, true
			}
			if most >= 0 {
				slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(b.Name(), a.Name()) })
			}
			a := asking{dir: dir, since: since, first: len(files), files: slices.Grow(files, len(entries))}
			for _, e := range entries {
				if most >= 0 && met >= most || enough {
					break
				}
				if deep > 0 {
					if e.IsDir() && isNumber(e.Name()) {
						list(filepath.Join(path, e.Name()), deep-1)
					}
				} else if id, reason, ok := name(e.Name()); ok {
					a.add(e, file{id: id, host: f.Host, trust: f.trust}, reason)
					met++
				}
			}
			if deep > 0 {
				continue
			}
			if files = a.answered(skipped); take != nil {
				enough, files = !take(files[a.first:]), files[:a.first]
			} else if len(files) > maxSessions+listPiece {
				full, files = true, keepNewest(files, maxSessions)
			}
		}
	}
	list(filepath.Clean(f.Path), f.deep)
	if full {
		skipped[Unlisted]++
	}
	return files
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

// asking is files of an open folder of which the system is asked.
type asking struct {
	dir     *os.File
	since   time.Time
	files   []file
	first   int           // of the folder, in files
	entries []fs.DirEntry // of the folder
	reasons []Reason      // against them
}

func (a *asking) add(e fs.DirEntry, f file, reason Reason) {
	a.files = append(a.files, f)
	a.entries = append(a.entries, e)
	a.reasons = append(a.reasons, reason)
}

// answered asks of all, and keeps those that were touched after since and against which there is no
// reason. It counts the reasons.
func (a *asking) answered(skipped Skipped) []file {
	// Each run by itself, on all threads: this is most of what counting 10,000 sessions takes, and a second
	// thread takes 2 to 29 % off the whole though others keep the machine busy (BenchmarkStatus -cpu 1,2).
	const run = 128
	_ = parallel(context.Background(), (len(a.entries)+run-1)/run, func(k int) error {
		for i := k * run; i < min(len(a.entries), (k+1)*run); i++ {
			a.ask(i)
		}
		return nil
	})
	kept := a.files[:a.first]
	for i, reason := range a.reasons {
		switch reason {
		case "":
			kept = append(kept, a.files[a.first+i])
		case unasked:
		default:
			skipped[reason]++
		}
	}
	return kept
}

// ask notes what the system tells of a file, and why it is none that was asked for.
func (a *asking) ask(i int) {
	f, e, reason := &a.files[a.first+i], a.entries[i], &a.reasons[i]
	stat, err := statusOf(a.dir, e)
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && !stat.modTime.After(a.since):
		*reason = unasked
	case *reason != "":
	case err != nil:
		*reason = Unreadable
	case !stat.regular:
		*reason = NoSession
	default:
		f.path = a.dir.Name() + string(filepath.Separator) + e.Name()
		if strings.HasPrefix(e.Name(), f.id) {
			f.id = f.path[len(f.path)-len(e.Name()):][:len(f.id)] // and let go of the entry
		}
		f.size, f.modTime, f.changed = stat.size, stat.modTime, stat.changed
	}
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
