package drift

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
	"unicode/utf8"

	"dream-mcp/memory"
	"dream-mcp/memory/rule/prose"
)

// Bounds of the listing. The largest open projects in common use have some 100,000 files; beyond what
// is listed nothing is known.
const (
	maxListed   = 100_000 // entries
	maxDepth    = 32      // folders
	maxListTime = 2 * time.Second
)

// maxAge is how long what was read of a project is believed: a dream lasts longer, and its own model may
// look again.
const maxAge = 5 * time.Minute

// Project is the folder that a memory is about; a nil one is empty. Nothing of it is read before it is
// asked for, and each part once in five minutes. It is safe for concurrent use.
type Project struct {
	*checkout
	quiet   bool            // see WithGit
	checked Checked         // by the last Find
	counted map[string]bool // what is counted in it
	until   time.Time       // when Find ends to ask git
	unknown bool            // git was not asked, or did not answer, what the last judgement depends on
}

// checkout is what the projects of WithGit share.
type checkout struct {
	root *os.Root
	mu   sync.Mutex // protects what follows; it is not held while git runs
	seen
}

// seen is what was read.
type seen struct {
	since     time.Time
	tree      *tree
	manifests *string
	versions  map[string][]declaration
	history   *history // is kept for as long as HEAD is the same
	asked     bool     // git was asked for HEAD
}

// Open opens the project in a folder.
func Open(dir string) (*Project, error) {
	root, err := memory.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return &Project{checkout: &checkout{root: root}}, nil
}

// WithGit returns the project for one caller, with what was read of it so far. If ask is false, Find does not wait for
// git: what depends on more than git has answered, it does not report.
func (p *Project) WithGit(ask bool) *Project {
	if p == nil {
		return nil
	}
	return &Project{checkout: p.checkout, quiet: !ask}
}

// Close closes the folder. It does nothing for nil.
func (p *Project) Close() error {
	if p == nil {
		return nil
	}
	return p.root.Close()
}

// begin forgets what is too old.
func (p *Project) begin() {
	if now := time.Now(); now.Sub(p.since) > maxAge && !p.quiet {
		p.seen = seen{since: now, history: p.history}
	}
}

// tree is what a project holds: files and links, whether git ignores them or not, and folders.
type tree struct {
	files   []string
	bases   map[string][]string // the paths of files and folders, by their last part
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
var skipped = prose.Set(".git .hg .svn .jj node_modules bower_components __pycache__ .venv venv .tox .mypy_cache .gradle .terraform")

// list reads the tree, the shallow folders first.
func list(root *os.Root) *tree {
	t := &tree{bases: make(map[string][]string), closed: make(map[string]bool)}
	start, left := time.Now(), maxListed
	for queue := []string{"."}; len(queue) > 0; queue = queue[1:] {
		folder := queue[0]
		if time.Since(start) > maxListTime {
			t.limited = true
			return t
		}
		entries, more, err := memory.ReadFolder(root, folder, left)
		if err != nil {
			t.closed[folder] = true
			continue
		}
		left -= len(entries)
		t.limited = t.limited || more
		if folder != "." && isForeign(root, folder, entries) {
			t.closed[folder] = true
			continue
		}
		for _, e := range entries {
			name := path.Join(folder, e.Name())
			if !utf8.ValidString(name) {
				continue
			}
			if e.IsDir() && (skipped[e.Name()] || strings.Count(name, "/") >= maxDepth) {
				t.closed[name] = true
				continue
			}
			t.bases[e.Name()] = append(t.bases[e.Name()], name)
			if e.IsDir() {
				queue = append(queue, name)
				continue
			}
			t.files = append(t.files, name)
		}
	}
	return t
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
		data, _, err := readFile(root, path.Join(folder, ".git"), 4<<10)
		return err != nil || !strings.Contains(string(data), "/modules/")
	}
	return false
}

// readFile reads at most limit bytes of a regular file. A link is followed where it leads within the project.
func readFile(root *os.Root, name string, limit int64) ([]byte, fs.FileInfo, error) {
	f, err := memory.OpenFolder(root, name) // does not wait for a fifo
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil, nil, errors.Join(err, memory.ErrNotRegular)
	}
	data, err := io.ReadAll(io.LimitReader(f, limit))
	return data, info, err
}

// presence is what is known of a path.
type presence int

const (
	unknown presence = iota
	present
	absent
)

// look reports whether a slash path of the project leads to something.
func (p *Project) look(name string) presence {
	if !fs.ValidPath(name) {
		return unknown
	}
	if _, err := p.root.Stat(name); err == nil {
		return present
	} else if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
		return unknown // it leads out of the project, or cannot be read
	}
	if _, err := p.root.Lstat(name); err == nil {
		return present // so is a link to nothing
	}
	t := p.listed()
	for folder := path.Dir(name); folder != "."; folder = path.Dir(folder) {
		if at, err := p.root.Lstat(folder); t.closed[folder] || err == nil && at.Mode()&fs.ModeSymlink != 0 {
			return unknown // a link may lead into what is not checked out
		}
	}
	return absent
}

// isIgnored reports whether git ignores a path, so that a build may make it.
func (p *Project) isIgnored(name string) bool {
	return p.git("check-ignore", "--no-index", "--", name) != ""
}

// Holds reports whether the project has a file of this path, in any case of its letters: on some systems that is the
// same file.
func (p *Project) Holds(file string) bool {
	if p == nil || !fs.ValidPath(path.Clean(file)) {
		return false
	}
	file = path.Clean(file)
	if _, err := p.root.Lstat(file); err == nil {
		return true
	}
	folder, err := p.root.Open(path.Dir(file))
	if err != nil {
		return false
	}
	defer folder.Close()
	names, err := folder.Readdirnames(maxListed)
	return err == nil && slices.ContainsFunc(names, func(name string) bool { return strings.EqualFold(name, path.Base(file)) })
}
