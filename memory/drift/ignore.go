package drift

import (
	"io/fs"
	"os"
	"path"
	"strings"

	"github.com/git-pkgs/gitignore"
)

// maxIgnoreFile bounds, in bytes, what is read of one ignore file.
const maxIgnoreFile = 64 << 10

// ignores are the rules of one folder's ignore file, and of the folders above it. Git's global excludes
// are not read: they lie outside the project.
type ignores struct {
	folder string
	rules  *gitignore.Matcher
	up     *ignores
}

// rootIgnores reads what holds for the whole project.
func rootIgnores(root *os.Root) *ignores {
	m := &gitignore.Matcher{}
	for _, name := range []string{".git/info/exclude", ".gitignore"} {
		if data, err := readFile(root, name, maxIgnoreFile); err == nil {
			m.AddPatterns(data, "")
		}
	}
	return &ignores{folder: ".", rules: m}
}

// addIgnores reads a folder's own ignore file.
func (t *tree) addIgnores(root *os.Root, folder string, entries []fs.DirEntry) {
	if folder == "." {
		return
	}
	for _, e := range entries {
		if e.Name() == ".gitignore" {
			if data, err := readFile(root, path.Join(folder, ".gitignore"), maxIgnoreFile); err == nil {
				m := &gitignore.Matcher{}
				m.AddPatterns(data, "")
				t.ignores[folder] = &ignores{folder: folder, rules: m, up: t.ignoresOf(path.Dir(folder))}
			}
			return
		}
	}
}

// ignoresOf returns the rules that hold in a folder.
func (t *tree) ignoresOf(folder string) *ignores {
	for ; ; folder = path.Dir(folder) {
		if rules := t.ignores[folder]; rules != nil {
			return rules
		}
	}
}

// match reports whether the rules leave a path out; the last file that has something to say decides.
func (g *ignores) match(name string, isFolder bool) bool {
	for ; g != nil; g = g.up {
		rel := name
		if g.folder != "." {
			rel = strings.TrimPrefix(name, g.folder+"/")
		}
		if isFolder {
			rel += "/"
		}
		if r := g.rules.MatchDetail(rel); r.Matched {
			return r.Ignored
		}
	}
	return false
}

// ignored reports whether a path that does not exist would be left out, as a file, as a folder, or with
// one of the folders that it would lie in.
func (t *tree) ignored(name string) bool {
	if t.ignoresOf(path.Dir(name)).match(name, false) {
		return true
	}
	for ; name != "."; name = path.Dir(name) {
		if t.ignoresOf(path.Dir(name)).match(name, true) {
			return true
		}
	}
	return false
}
