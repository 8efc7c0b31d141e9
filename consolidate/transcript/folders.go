package transcript

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf16"
)

// maxSlug is where the host cuts a slug, in characters (FACTS 1.1).
const maxSlug = 200

// maxPeeks bounds the heads read to tell whether a folder that is ours by name alone is ours.
const maxPeeks = 32

// Slug is the name of the folder where the host keeps the transcripts of a session that began in
// dir: every UTF-16 unit that is not an ASCII letter or digit becomes a dash (FACTS 1.1). Beyond 200
// the host appends a hash that cannot be known from outside; then Slug ends in the dash before that
// hash, and callers match by prefix.
func Slug(dir string) string {
	units := utf16.Encode([]rune(dir))
	slug := make([]byte, 0, len(units)+1)
	for _, u := range units {
		if u < 0x80 && isAlphanumeric(byte(u)) {
			slug = append(slug, byte(u))
		} else {
			slug = append(slug, '-')
		}
		if len(slug) > maxSlug {
			return string(append(slug[:maxSlug], '-'))
		}
	}
	return string(slug)
}

func isAlphanumeric(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// A Folder holds transcripts of the project.
type Folder struct {
	Path    string
	Host    Host
	Why     string // what made it one of ours: "slug of the project", "named by DREAM_TRANSCRIPTS" …
	Problem string // why it cannot be read; empty when it can

	trust trust
	deep  int        // how many levels of folders lie between it and its files
	of    collection // it is none of files, but this; else nil
}

// trust says which sessions of a folder are ours.
type trust int

const (
	byRecord trust = iota // those that recorded a working directory of ours
	bySlug                // those, and those that recorded none
	whole                 // all
)

// Folders returns the folders that hold sessions of the project, those of the project directory
// first. One that is ours only by the look of its name is among them when a session in it is ours by
// record. A folder that a person named is listed even if it cannot be read.
func (s *Store) Folders() ([]Folder, error) {
	candidates, err := s.candidates()
	if err != nil {
		return nil, err
	}
	for i, f := range candidates {
		if f.of != nil {
			if _, _, err := f.of.list(time.Time{}); err != nil {
				candidates[i].Problem = err.Error()
			}
		}
	}
	return slices.DeleteFunc(candidates, func(f Folder) bool {
		return f.trust == byRecord && f.Problem == "" && !s.anyOurs(f)
	}), nil
}

// anyOurs reports whether one of the newest files of a folder is a session of ours.
func (s *Store) anyOurs(folder Folder) bool {
	files := folder.list(time.Time{}, Skipped{})
	newest(files)
	for _, f := range files[:min(len(files), maxPeeks)] {
		if h, err := s.head(f); err == nil && s.owns(f, h) {
			return true
		}
	}
	return folder.Host != ClaudeCode && folder.of == nil && s.knowsOurs(folder)
}

// candidates returns every folder that may hold a session of ours. A folder under two names is
// returned once, under the first of them.
func (s *Store) candidates() ([]Folder, error) {
	found, err := s.native()
	if others := s.others(); err == nil && len(others) > 0 {
		found = distinct(append(found, others...))
	}
	return found, err
}

// native are the candidates of Claude Code.
func (s *Store) native() ([]Folder, error) {
	var found []Folder
	for _, path := range s.options.Folders {
		f := Folder{Path: path, Host: ClaudeCode, Why: "named by DREAM_TRANSCRIPTS", trust: whole}
		if stat, err := os.Stat(path); err != nil {
			f.Problem = err.Error()
		} else if !stat.IsDir() {
			f.Problem = "not a folder"
		}
		found = append(found, f)
	}
	if s.options.Projects == "" || len(s.options.Roots) == 0 && s.options.DirName == "" {
		return found, nil
	}
	entries, _, err := readFolder(s.options.Projects)
	if errors.Is(err, fs.ErrNotExist) {
		return found, nil
	}
	if err != nil {
		return nil, err
	}
	var named []Folder
	for _, e := range entries {
		path := filepath.Join(s.options.Projects, e.Name())
		if why, trust, ok := s.claim(e.Name()); ok && isFolder(path, e) {
			named = append(named, Folder{Path: path, Host: ClaudeCode, Why: why, trust: trust})
		}
	}
	slices.SortStableFunc(named, func(a, b Folder) int { return int(b.trust) - int(a.trust) })
	return distinct(append(found, named...)), nil
}

// claim says why a folder of this name may hold sessions of ours: the strongest of the reasons.
func (s *Store) claim(name string) (why string, t trust, ok bool) {
	if s.options.DirName != "" && name == s.options.DirName {
		return "named by CLAUDE_CODE_PROJECT_DIR_NAME", whole, true
	}
	for i, root := range s.options.Roots {
		slug := Slug(root)
		what := "the project"
		if i > 0 {
			what = root
		}
		cut := len(slug) > maxSlug
		switch {
		case i == 0 && s.options.DirName != "" && name == slug:
			// The host writes elsewhere now; what it wrote here before is verified like any other.
			return "former slug of the project", byRecord, true
		case name == slug && !cut:
			return "slug of " + what, bySlug, true
		case ok:
		case cut && hasFoldPrefix(name, slug):
			why, ok = "long slug of "+what, true
		case strings.EqualFold(name, slug):
			why, ok = "slug of "+what+" in another case", true
		case hasFoldPrefix(name, slug+"-"):
			why, ok = "below "+what+", or a worktree of it", true
		}
	}
	return why, byRecord, ok
}

func hasFoldPrefix(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

// isFolder follows links: people link one project's folder to another's.
func isFolder(path string, e fs.DirEntry) bool {
	if e.Type()&fs.ModeSymlink == 0 {
		return e.IsDir()
	}
	stat, err := os.Stat(path)
	return err == nil && stat.IsDir()
}

func distinct(folders []Folder) []Folder {
	seen := map[string]bool{}
	return slices.DeleteFunc(folders, func(f Folder) bool {
		real, err := filepath.EvalSymlinks(f.Path)
		if err != nil {
			real = f.Path
		}
		again := seen[real]
		seen[real] = true
		return again
	})
}
