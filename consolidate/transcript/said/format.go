package said

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// A HostID is the ID of a program whose sessions are read.
type HostID string

// ClaudeCode is the host in whose records all sessions are read: what the others write is turned into them.
const ClaudeCode HostID = "claude-code"

// A Format is how a host keeps its sessions. Exactly one of Line, Whole and Collect is set; none in Claude Code's. A
// nil Format is Claude Code's too.
type Format struct {
	Host HostID

	// Folders may hold sessions. Each Path is a pattern below the host's home. Ours returns a function that reports
	// whether one belongs to a project with these roots; nil: the sessions record their project.
	Folders []Folder
	Ours    func(home string, roots []string) func(path string) bool

	// Paths returns the paths of the folders instead, where they are not below the host's home; nil: Folders has them.
	// They need not exist.
	Paths func(home string, roots []string) []string

	// ID returns a session's ID from the path of its file below the folder, with slashes; "" if the file is not a
	// session.
	ID func(path string) string

	// Session returns what the IDs of the files of one session share; nil: a session has one file. Own returns the same
	// from the ID by which the host names its own session.
	Session, Own func(id string) string

	// Beside returns the working directory of a session that is recorded beside its file; nil: its records have it.
	Beside func(path string) (cwd string)

	// Line reads a JSON object of a file that grows by lines. h is the state after the lines before it.
	Line func(object Raw, r *Record, h *HostState)

	// Whole turns a file that is rewritten, or must be known to its end, into records, each of which counts as a line.
	// cwd is what Beside returned.
	Whole func(text []byte, cwd string) []Record

	// Collect returns the collection at a folder's path, if that is one file of many sessions. Then ID is not used.
	// ours reports by its working directories whether a session is the project's.
	Collect func(path string, ours func(cwds []string) bool) Collection

	// Version is the path of the field of a record, or of the file, that has the version of the host or of its form;
	// nil: none has.
	Version []string

	// Memory says that the folders hold what the host's model remembers: each session is one entry, which nobody said.
	Memory bool
}

// name returns the host's ID.
func (f *Format) name() HostID {
	if f == nil {
		return ClaudeCode
	}
	return f.Host
}

// A HostHome is where a host beside Claude Code keeps its sessions.
type HostHome struct {
	Format *Format
	Home   string // its own folder; need not exist
}

// A Folder holds transcripts of the project.
type Folder struct {
	Path    string
	Format  *Format
	Why     string // why it is the project's: "slug of the project", "named by DREAM_TRANSCRIPTS" …
	Problem string // why it cannot be read; "" if it can

	Trust Trust
	Files []string // patterns of the paths of its files

	Sealed map[string]string // patterns of the paths of sessions that cannot be read, with the reason

	Of Collection // in place of files, or nil
}

// Host returns the ID of the host whose sessions the folder holds.
func (f Folder) Host() HostID { return f.Format.name() }

// Trust says which sessions of a folder are the project's.
type Trust int

const (
	ByRecord Trust = iota // those that recorded a working directory of the project
	BySlug                // those, and those that recorded none
	ByFolder              // all
)

// Folders returns the folders of the host that may hold sessions of a project with these roots.
func (o HostHome) Folders(roots []string) (found []Folder) {
	f := o.Format
	if o.Home == "" {
		return nil
	}
	if stat, err := os.Lstat(o.Home); err == nil && f.Collect != nil && stat.Mode().IsRegular() { // named by a variable
		return []Folder{{Path: o.Home, Format: f, Why: f.Folders[0].Why}}
	}
	ours := func(string) bool { return true }
	if f.Ours != nil {
		ours = f.Ours(o.Home, roots)
	}
	for _, folder := range f.Folders {
		paths := []string(nil)
		if f.Paths != nil {
			paths = f.Paths(o.Home, roots)
		} else {
			paths = matching(o.Home, folder.Path)
		}
		for _, path := range paths {
			stat, err := os.Stat(path)
			if err == nil && stat.IsDir() == (f.Collect == nil) && ours(path) {
				folder.Path, folder.Format = path, f
				found = append(found, folder)
			}
		}
	}
	return found
}

// Exists reports whether the host keeps sessions of any project there.
func (o HostHome) Exists(roots []string) bool {
	any := *o.Format
	any.Ours = nil
	return len(HostHome{&any, o.Home}.Folders(roots)) > 0
}

// matching returns the paths below a folder that match a pattern. Links are followed only at the end.
func matching(folder, pattern string) (found []string) {
	first, rest, deeper := strings.Cut(pattern, "/")
	entries, _, err := ReadFolder(folder)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if ok, _ := path.Match(first, e.Name()); !ok {
			continue
		}
		at := filepath.Join(folder, e.Name())
		if !deeper {
			found = append(found, at)
		} else if e.IsDir() {
			found = append(found, matching(at, rest)...)
		}
	}
	slices.Sort(found)
	return found
}

// Rewritten reports whether the host's files do not merely grow.
func (f *Format) Rewritten() bool { return f != nil && (f.Whole != nil || f.Collect != nil) }

// Named reports whether a path below a folder is a file of sessions, its id, and the reason why it is not a session.
func (f Folder) Named(path string) (id string, reason Reason, ok bool) {
	if f.Host() == ClaudeCode {
		return claudeCodeNamed(path, f.Trust == ByFolder)
	}
	if !f.matches(path, true) {
		return "", "", false
	}
	if id = f.Format.ID(path); id == "" {
		reason = NoSession
	}
	return id, reason, true
}

// SealedBy returns why the session at a path below the folder cannot be read; "" for any other path.
func (f Folder) SealedBy(at string) string {
	for pattern, reason := range f.Sealed {
		if ok, _ := path.Match(pattern, at); ok {
			return reason
		}
	}
	return ""
}

// Leads reports whether files of sessions may be in a folder at a path below this one.
func (f Folder) Leads(path string) bool { return f.matches(path, false) }

// matches reports whether a path is matched by a pattern of the files, or whole is false and one begins so.
func (f Folder) matches(at string, whole bool) bool {
	segments := strings.Split(at, "/")
	return slices.ContainsFunc(f.Files, func(pattern string) bool {
		of := strings.Split(pattern, "/")
		if len(of) < len(segments) || whole != (len(of) == len(segments)) {
			return false
		}
		for i, segment := range segments {
			if ok, _ := path.Match(of[i], segment); !ok {
				return false
			}
		}
		return true
	})
}

// Stem returns the last part of a path without its ending.
func Stem(at string) string { return strings.TrimSuffix(path.Base(at), path.Ext(at)) }

// Key returns the name of the file's session among those of all hosts.
func (f File) Key() string { return f.Host().key(f.ID) }

// Counted returns the key under which the gate counts the file.
func (f File) Counted() string {
	if f.Format != nil && f.Format.Session != nil {
		return f.Host().key(f.Format.Session(f.ID))
	}
	return f.Key()
}

// IsOf reports whether the file is of the session that the host names so.
func (f File) IsOf(session string) bool {
	if f.Format != nil && f.Format.Own != nil {
		return f.Format.Session(f.ID) == f.Format.Own(session)
	}
	return f.ID == session
}

// Is reports whether a name is the key of the file's session, in full or as IDs have it.
func (f File) Is(name string) bool { return f.Key() == name || ShortID(f.Key()) == name }

// Meant returns the files whose session a name may mean: those with that key; if there are none, those of any host with
// that ID; else those whose ID begins with it. If begun is false, only UUIDs may be given by their beginning.
func Meant(files []File, name string, begun bool) (meant []File) {
	host, id := cutKey(name)
	var others []File
	for _, f := range files {
		switch {
		case f.Is(name):
			meant = append(meant, f)
		case host != "" && host != string(f.Host())+"/":
		case f.ID == id, ShortID(f.ID) == id, (begun || IsUUID(f.ID)) && strings.HasPrefix(f.ID, id):
			others = append(others, f)
		}
	}
	if len(meant) > 0 {
		return meant
	}
	return others
}
