package drift

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// Bounds of the listing. The largest open projects in common use have some 100,000 files; beyond what
// is listed nothing can be told.
const (
	maxListed   = 100_000 // entries
	maxDepth    = 32      // folders
	maxListTime = 2 * time.Second
)

// maxAge is how long what was read of a project is believed: a dream lasts longer, and its own model may
// look again.
const maxAge = 5 * time.Minute

// Project is the folder that a memory speaks of; a nil one is empty. Nothing of it is read before it is
// asked for, and each part once in five minutes. It is safe for concurrent use: one question at a time.
type Project struct {
	root *os.Root
	mu   sync.Mutex
	seen
}

// seen is what was read.
type seen struct {
	since   time.Time
	tree    *tree
	scripts *scripts
	words   *words
	guides  *[]Guide
	usages  []usage           // of the guides
	answers map[string]*Hit   // by reference
	nearest map[string]string // of paths
	sought  int               // how often a nearest symbol was looked for
}

// New returns the project in root, which stays the caller's to close.
func New(root *os.Root) *Project {
	return &Project{root: root}
}

// begin forgets what is too old.
func (p *Project) begin() {
	if now := time.Now(); p.answers == nil || now.Sub(p.since) > maxAge {
		p.seen = seen{since: now, answers: make(map[string]*Hit), nearest: make(map[string]string)}
	}
}

// tree is what a project holds: files and links that are not ignored, and the folders on the way.
type tree struct {
	files   []string
	sizes   []int64
	folders map[string]bool
	bases   map[string][]string // the paths of files and folders, by their last part
	stems   map[string]bool     // of files, and of folders, that hold source
	ignores map[string]*ignores // by folder
	closed  map[string]bool     // folders that were not entered
	limited bool                // there is more
}

// listed returns the tree, which the first call lists.
func (p *Project) listed() *tree {
	if p.tree == nil {
		p.tree = list(p.root)
	}
	return p.tree
}

// skipped are folders that never hold a project's own files.
var skipped = setOf(".git .hg .svn .jj node_modules bower_components __pycache__ .venv venv .tox .mypy_cache .gradle .terraform")

// list reads the tree, the shallow folders first.
func list(root *os.Root) *tree {
	t := &tree{
		folders: make(map[string]bool), bases: make(map[string][]string), stems: make(map[string]bool),
		ignores: make(map[string]*ignores), closed: make(map[string]bool),
	}
	t.ignores["."] = rootIgnores(root)
	start, left := time.Now(), maxListed
	for queue := []string{"."}; len(queue) > 0; queue = queue[1:] {
		folder := queue[0]
		if time.Since(start) > maxListTime {
			t.limited = true
			return t
		}
		entries, all, err := readFolder(root, folder, left)
		if err != nil {
			t.closed[folder] = true
			continue
		}
		if left -= len(entries); !all {
			t.limited = true
		}
		if folder != "." && isForeign(root, folder, entries) {
			t.closed[folder] = true
			continue
		}
		t.addIgnores(root, folder, entries)
		rules := t.ignoresOf(folder)
		for _, e := range entries {
			name := path.Join(folder, e.Name())
			if !utf8.ValidString(name) {
				continue
			}
			if !e.IsDir() {
				if !rules.match(name, false) {
					t.addFile(name, e)
				}
				continue
			}
			if skipped[e.Name()] || rules.match(name, true) || strings.Count(name, "/") >= maxDepth {
				t.closed[name] = true
				continue
			}
			t.folders[name] = true
			t.bases[e.Name()] = append(t.bases[e.Name()], name)
			queue = append(queue, name)
		}
	}
	return t
}

func (t *tree) addFile(name string, e fs.DirEntry) {
	t.files = append(t.files, name)
	size := int64(-1) // no regular file: it is there, and not read
	if e.Type().IsRegular() {
		size = 0
	}
	t.sizes = append(t.sizes, size)
	base := path.Base(name)
	t.bases[base] = append(t.bases[base], name)
	if ext := path.Ext(base); sourceExts[strings.ToLower(ext)] {
		t.stems[strings.TrimSuffix(base, ext)] = true
		t.stems[path.Base(path.Dir(name))] = true
	}
}

// readFolder returns at most limit entries of a folder, in pieces, so that a folder of a million files
// costs no more than the limit; all says whether those are all.
func readFolder(root *os.Root, folder string, limit int) (entries []fs.DirEntry, all bool, err error) {
	f, err := root.OpenFile(folder, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, false, err
	}
	defer f.Close()
	for len(entries) <= limit {
		some, err := f.ReadDir(512)
		entries = append(entries, some...)
		if err == io.EOF {
			return entries, true, nil
		}
		if err != nil {
			return nil, false, err
		}
	}
	return entries[:limit], false, nil
}

// isForeign reports whether a folder is a checkout of its own: another repository, or a linked worktree,
// which holds all files a second time. A submodule is none.
func isForeign(root *os.Root, folder string, entries []fs.DirEntry) bool {
	for _, e := range entries {
		if e.Name() != ".git" {
			continue
		}
		if e.IsDir() {
			return true
		}
		data, err := readFile(root, path.Join(folder, ".git"), 4<<10)
		return err != nil || !strings.Contains(string(data), "/modules/")
	}
	return false
}

// errNotRegular is what a link, a fifo or a device is refused with.
var errNotRegular = errors.New("not a regular file")

// readFile reads at most limit bytes of a regular file.
func readFile(root *os.Root, name string, limit int64) ([]byte, error) {
	info, err := root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errNotRegular
	}
	return readListed(root, name, limit, nil)
}

// readListed is readFile for what was seen to be a regular file; where a link was put in its place since,
// it leads nowhere out of the project. It reads into buffer where that is large enough.
func readListed(root *os.Root, name string, limit int64, buffer []byte) ([]byte, error) {
	f, err := root.OpenFile(name, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() { // a fifo was put in its place
		return nil, errors.Join(err, errNotRegular)
	}
	size := min(info.Size(), limit)
	if int64(cap(buffer)) < size {
		buffer = make([]byte, size)
	}
	n, err := io.ReadFull(f, buffer[:size])
	if err == io.ErrUnexpectedEOF || err == io.EOF { // it shrank
		err = nil
	}
	return buffer[:n], err
}

// Limited reports whether the project holds more than was looked at so far, so that of some names it was not
// told whether they are gone.
func (p *Project) Limited() bool {
	if p == nil {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.tree != nil && p.tree.limited || p.words != nil && p.words.limited
}

// presence is what can be told of a path.
type presence int

const (
	unknown presence = iota
	present
	absent
)

// look tells whether a slash path of the project leads to something, ignored or not.
func (p *Project) look(name string) presence {
	if !fs.ValidPath(name) {
		return unknown
	}
	if _, err := p.root.Stat(name); err == nil {
		return present
	} else if !errors.Is(err, fs.ErrNotExist) && !isNotFolder(err) {
		return unknown // it leads out of the project, or can't be read
	}
	if _, err := p.root.Lstat(name); err == nil {
		return present // a link to nothing is there all the same
	}
	t := p.listed()
	for folder := path.Dir(name); folder != "."; folder = path.Dir(folder) {
		if t.closed[folder] {
			return unknown
		}
	}
	if t.ignored(name) {
		return unknown // it may be made by a build
	}
	return absent
}
