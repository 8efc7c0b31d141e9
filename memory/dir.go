package memory

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"dream-mcp/memory/secret"
)

// Limits of what is read. Of 33 real memories the largest topic had 58.7 KB, the largest directory 207
// topics.
const (
	MaxFileBytes = 1 << 20 // a larger text is not written
	MaxReadBytes = 4 << 20 // a larger file is listed, but is not a topic
	MaxEntries   = 20_000  // directory entries looked at in one listing
	maxDepth     = 8       // logs/YYYY/MM/DD/name.md has depth 4
)

// What keeps a file from being read as a memory, or from being replaced.
var (
	ErrTooLarge   = tooLarge(MaxFileBytes) // errors.Is it, whatever the limit
	ErrNotRegular = errors.New("not a regular file")
	ErrLinked     = fmt.Errorf("%w: it has more than one hard link", ErrNotRegular)
	ErrFixed      = errors.New("cannot be replaced: it is a mount point, or marked immutable or append-only")
)

// tooLarge says that something has more bytes.
type tooLarge int64

func (e tooLarge) Error() string { return fmt.Sprintf("larger than %d bytes", int64(e)) }

// Is reports whether an error says the same of any limit.
func (tooLarge) Is(err error) bool {
	_, is := err.(tooLarge)
	return is
}

// Sum is the SHA-256 of a content in hex; "" stands for no content at all (no file).
type Sum string

// SumOf returns the sum of data.
func SumOf(data []byte) Sum {
	sum := sha256.Sum256(data)
	return Sum(hex.EncodeToString(sum[:]))
}

// Short returns the first 12 digits, the form in which sums are shown and taken as a base.
func (s Sum) Short() string { return string(s[:min(12, len(s))]) }

// Is reports whether base, as a caller gave it, means s: at least 12 of its first digits.
func (s Sum) Is(base string) bool {
	return len(base) >= 12 && strings.HasPrefix(string(s), strings.ToLower(base))
}

// File is a memory file as it was read.
type File struct {
	Name    Name
	Data    []byte
	Sum     Sum
	ModTime time.Time
}

// Found is a Markdown file of a listing.
type Found struct {
	Name    Name
	Size    int64
	ModTime time.Time
}

// Unreadable is why a folder is in Listing.Other that could not be read.
const Unreadable = "unreadable"

// Other is something in the directory that is not a memory.
type Other struct {
	Path string
	Why  string
}

// Listing is the contents of a memory directory, sorted by path. Files holds topics, the index, and
// logs; Other what cannot be a memory; what begins with a dot is in neither.
type Listing struct {
	Files   []Found
	Other   []Other
	Limited bool // there is more than was looked at
}

// Dir is an open memory directory. It is safe for concurrent use.
type Dir struct {
	// AllowSecrets is handed on to every Snapshot of the directory. It is set before the first.
	AllowSecrets secret.Allowed

	root *os.Root
	path string
}

// Open opens the memory directory at p, which may be a link to one.
func Open(p string) (*Dir, error) {
	real, err := filepath.EvalSymlinks(p)
	if err != nil {
		return nil, err
	}
	root, err := OpenRoot(real)
	if err != nil {
		return nil, err
	}
	return &Dir{root: root, path: real}, nil
}

// Path returns the real path of the directory.
func (d *Dir) Path() string { return d.path }

// Root returns the capability to the directory, for the lock files that lie in it.
func (d *Dir) Root() *os.Root { return d.root }

// Close releases the directory, if there is one.
func (d *Dir) Close() error {
	if d == nil {
		return nil
	}
	return d.root.Close()
}

// Writable fails if the permissions of the directory do not allow new files. It does not try to create one.
func (d *Dir) Writable() error {
	if err := writable(d.path); err != nil {
		return fmt.Errorf("the memory directory %q cannot be written: %w", d.path, err)
	}
	return nil
}

// Moved reports whether d's path no longer leads to d: somebody replaced the directory.
func (d *Dir) Moved() bool {
	ours, err := d.root.Stat(".")
	if err != nil {
		return true
	}
	there, err := os.Lstat(d.path)
	return err != nil || !os.SameFile(ours, there)
}

// Read reads one file. It fails with fs.ErrNotExist, ErrTooLarge or ErrNotRegular (a link, a fifo,
// a folder) where there is nothing to be read.
func (d *Dir) Read(n Name) (File, error) {
	info, err := d.Stat(n.path)
	if err != nil {
		return File{}, err
	}
	data, err := ReadBounded(d.root, n.path, MaxReadBytes)
	if err != nil {
		return File{}, err
	}
	return File{Name: n, Data: data, Sum: SumOf(data), ModTime: info.ModTime()}, nil
}

// ReadIfAny is Read, except that a file that does not exist is the zero File.
func (d *Dir) ReadIfAny(n Name) (File, error) {
	f, err := d.Read(n)
	if errors.Is(err, fs.ErrNotExist) {
		return File{}, nil
	}
	return f, err
}

// Stat looks at a file without following links, neither its own nor that of a folder on the way.
func (d *Dir) Stat(name string) (fs.FileInfo, error) {
	for folder := path.Dir(name); folder != "."; folder = path.Dir(folder) {
		info, err := d.root.Lstat(folder)
		if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			return nil, fmt.Errorf("%s: %w", folder, ErrNotRegular)
		}
	}
	info, err := d.root.Lstat(name)
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s: %w", name, ErrNotRegular)
	}
	return info, err
}

// List lists the directory.
func (d *Dir) List() (Listing, error) {
	var l Listing
	left := MaxEntries
	err := d.walk(".", 0, &left, &l)
	slices.SortFunc(l.Files, func(a, b Found) int { return strings.Compare(a.Name.path, b.Name.path) })
	slices.SortFunc(l.Other, func(a, b Other) int { return strings.Compare(a.Path, b.Path) })
	return l, err
}

// Topics returns the names of the topics of the directory, sorted.
func (d *Dir) Topics() ([]Name, error) {
	l, err := d.List()
	var names []Name
	for _, f := range l.Files {
		if f.Name.IsTopic() {
			names = append(names, f.Name)
		}
	}
	return names, err
}

func (d *Dir) walk(folder string, depth int, left *int, l *Listing) error {
	entries, more, err := ReadFolder(d.root, folder, *left)
	*left -= len(entries)
	l.Limited = l.Limited || more
	for _, e := range entries {
		d.listEntry(path.Join(folder, e.Name()), e, depth, left, l)
	}
	return err
}

func (d *Dir) listEntry(p string, e fs.DirEntry, depth int, left *int, l *Listing) {
	if strings.HasPrefix(e.Name(), ".") {
		return
	}
	other := func(why string) { l.Other = append(l.Other, Other{p, why}) }
	if e.IsDir() {
		if depth+1 >= maxDepth {
			other("nested too deep")
		} else if err := d.walk(p, depth+1, left, l); err != nil {
			other(Unreadable)
		}
		return
	}
	info, err := e.Info()
	if err != nil {
		return // gone since it was listed
	}
	n, nameErr := ParseName(p)
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		other("a link")
	case !info.Mode().IsRegular():
		other("not a regular file")
	case !strings.HasSuffix(p, ".md"):
		other("not Markdown")
	case nameErr != nil:
		other(nameErr.Error())
	case info.Size() > MaxReadBytes:
		other(tooLarge(MaxReadBytes).Error())
	default:
		l.Files = append(l.Files, Found{Name: n, Size: info.Size(), ModTime: info.ModTime()})
	}
}
