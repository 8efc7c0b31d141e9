package sessions

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf16"

	"dream-mcp/consolidate/transcript/said"
)

// maxSlug is where the host cuts a slug, in characters.
const maxSlug = 200

// maxPeeks bounds the heads read to decide whether a folder that may be ours by its name is ours.
const maxPeeks = 32

// Slug is the name of the folder where the host keeps the transcripts of a session that began in
// dir: every UTF-16 unit that is not an ASCII letter or digit becomes a dash. Beyond 200
// the host appends a hash that cannot be known from outside; then Slug ends in the dash before that
// hash, and callers match by prefix.
func Slug(dir string) string {
	units := utf16.Encode([]rune(dir))
	slug := make([]byte, 0, len(units)+1)
	for _, u := range units {
		if u < 0x80 && said.IsAlphanumeric(byte(u)) {
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

// Folders returns the folders that hold sessions of the project, those of the project directory
// first. One that may be ours by its name only is among them if a session in it is ours by
// what it recorded. A folder that a person named is listed even if it cannot be read.
func (s *Project) Folders() ([]said.Folder, error) {
	candidates, err := s.candidates()
	if err != nil {
		return nil, err
	}
	candidates = slices.DeleteFunc(candidates, func(f said.Folder) bool { return f.Format != nil && f.Format.Memory })
	for i, f := range candidates {
		if f.Of != nil {
			if _, _, err := f.Of.List(time.Time{}); err != nil {
				candidates[i].Problem = err.Error()
			}
		}
	}
	return slices.DeleteFunc(candidates, func(f said.Folder) bool {
		return f.Trust == said.ByRecord && f.Problem == "" && !s.anyOurs(f)
	}), nil
}

// anyOurs reports whether one of the newest files of a folder is a session of ours.
func (s *Project) anyOurs(folder said.Folder) bool {
	files := s.list(folder, time.Time{}, said.Skipped{})
	newest(files)
	for _, f := range files[:min(len(files), maxPeeks)] {
		if h, err := s.head(f); err == nil && s.owns(f, h) {
			return true
		}
	}
	return folder.Host() != said.ClaudeCode && folder.Of == nil && s.knowsOurs(folder)
}

// candidates returns every folder that may hold a session of ours. A folder under two names is
// returned once, under the first of them.
func (s *Project) candidates() ([]said.Folder, error) {
	found, err := s.native()
	if others := s.others(); err == nil && len(others) > 0 {
		found = distinct(append(found, others...))
	}
	return found, err
}

// others are the folders of the other hosts that may hold sessions of ours.
func (s *Project) others() (found []said.Folder) {
	for _, other := range s.Options.Homes {
		for _, folder := range other.Folders(s.roots()) {
			if collect := other.Format.Collect; collect != nil {
				folder.Of = s.collection(folder.Path, collect)
			}
			found = append(found, folder)
		}
	}
	return found
}

// native are the candidates of Claude Code.
func (s *Project) native() ([]said.Folder, error) {
	var found []said.Folder
	for _, path := range s.Options.Folders {
		f := said.Folder{Path: path, Why: "named by DREAM_TRANSCRIPTS", Trust: said.ByFolder}
		if stat, err := os.Stat(path); err != nil {
			f.Problem = err.Error()
		} else if !stat.IsDir() {
			f.Problem = "not a folder"
		}
		found = append(found, f)
	}
	if s.Options.Projects == "" || len(s.Options.Roots) == 0 && s.Options.DirName == "" {
		return found, nil
	}
	entries, _, err := said.ReadFolder(s.Options.Projects)
	if errors.Is(err, fs.ErrNotExist) {
		return found, nil
	}
	if err != nil {
		return nil, err
	}
	var named []said.Folder
	for _, e := range entries {
		path := filepath.Join(s.Options.Projects, e.Name())
		if why, trust, ok := s.claim(e.Name()); ok && isFolder(path, e) {
			named = append(named, said.Folder{Path: path, Why: why, Trust: trust})
		}
	}
	slices.SortStableFunc(named, func(a, b said.Folder) int { return int(b.Trust) - int(a.Trust) })
	return distinct(append(found, named...)), nil
}

// claim says why a folder of this name may hold sessions of ours: the strongest of the reasons.
func (s *Project) claim(name string) (why string, t said.Trust, ok bool) {
	if s.Options.DirName != "" && name == s.Options.DirName {
		return "named by CLAUDE_CODE_PROJECT_DIR_NAME", said.ByFolder, true
	}
	for i, root := range s.roots() {
		slug := Slug(root)
		what := "the project"
		if i > 0 {
			what = root
		}
		cut := len(slug) > maxSlug
		switch {
		case i == 0 && s.Options.DirName != "" && name == slug:
			// The host writes elsewhere now; what it wrote here before is verified like any other.
			return "former slug of the project", said.ByRecord, true
		case name == slug && !cut:
			return "slug of " + what, said.BySlug, true
		case ok:
		case cut && hasFoldPrefix(name, slug):
			why, ok = "long slug of "+what, true
		case strings.EqualFold(name, slug):
			why, ok = "slug of "+what+" in another case", true
		case hasFoldPrefix(name, slug+"-"):
			why, ok = "below "+what+", or a worktree of it", true
		}
	}
	return why, said.ByRecord, ok
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

func distinct(folders []said.Folder) []said.Folder {
	seen := map[string]bool{}
	return slices.DeleteFunc(folders, func(f said.Folder) bool {
		real, err := filepath.EvalSymlinks(f.Path)
		if err != nil {
			real = f.Path
		}
		again := seen[real]
		seen[real] = true
		return again
	})
}
