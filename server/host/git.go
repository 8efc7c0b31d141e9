package host

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// maxWorktrees bounds the worktrees of one repository that are looked at.
const maxWorktrees = 1000

// checkout is what git's files say of a directory.
type checkout struct {
	top       string   // the checkout that the directory is in, else the directory
	root      string   // the main checkout of its repository; of a bare one, the repository itself
	worktrees []string // the repository's linked worktrees, live or removed, sorted
}

// findCheckout reads what encloses dir, which is real. As in Claude Code, whatever holds a .git is a checkout; a
// submodule is one of its own, and a directory in a bare repository none.
func findCheckout(dir string, warn func(string, ...any)) checkout {
	for top := dir; ; {
		dotGit := filepath.Join(top, ".git")
		if info, err := os.Stat(dotGit); err == nil && info.IsDir() {
			return checkout{top, top, worktrees(real(dotGit))}
		} else if err == nil {
			return linked(top, dotGit, warn)
		}
		up := filepath.Dir(top)
		if up == top {
			return checkout{top: dir, root: dir}
		}
		top = up
	}
}

// linked is a checkout whose .git is a file: a linked worktree, a submodule, or one with its repository elsewhere.
func linked(top, dotGit string, warn func(string, ...any)) checkout {
	alone := checkout{top: top, root: top}
	gitDir, err := gitDirOf(dotGit)
	if err != nil {
		warn("%q does not name a repository (%v); the checkout is taken by itself", dotGit, err)
		return alone
	}
	if !isDir(gitDir) {
		warn("the repository %q of %q is not there; the checkout is taken by itself", gitDir, dotGit)
		return alone
	}
	common, err := pathFile(filepath.Join(gitDir, "commondir"))
	if missing(err) {
		alone.worktrees = worktrees(gitDir)
		return alone
	}
	if err != nil {
		warn("%q can't be read (%v); the checkout is taken by itself", filepath.Join(gitDir, "commondir"), err)
		return alone
	}
	common = real(from(gitDir, common))
	// A .git file is content that anybody can send us. It makes us part of another repository, and that one's memory ours, only
	// where that repository says so too: gitDir is one of its own entries, and the entry points back here.
	back, err := pathFile(filepath.Join(gitDir, "gitdir"))
	if err != nil || !same(from(gitDir, back), dotGit) || !same(filepath.Dir(gitDir), filepath.Join(common, "worktrees")) {
		warn("%q claims to be a worktree of %q, which does not know it; the checkout is taken by itself", dotGit, common)
		return alone
	}
	root := common
	if filepath.Base(common) == ".git" {
		root = filepath.Dir(common)
	}
	return checkout{top, root, worktrees(common)}
}

// worktrees lists the linked worktrees that the repository common knows. One that still exists must point back: an entry that
// names a stranger's directory would make its sessions ours.
func worktrees(common string) []string {
	var found []string
	dir := filepath.Join(common, "worktrees")
	for i, e := range names(dir) {
		if i == maxWorktrees {
			break
		}
		entry := filepath.Join(dir, e.Name())
		file, err := pathFile(filepath.Join(entry, "gitdir"))
		if err != nil || filepath.Base(file) != ".git" {
			continue
		}
		file = from(entry, file)
		tree := real(filepath.Dir(file))
		if _, err := os.Lstat(tree); err == nil {
			if gitDir, err := gitDirOf(file); err != nil || !same(gitDir, entry) {
				continue
			}
		}
		found = append(found, tree)
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// gitDirOf is the directory that a .git file names.
func gitDirOf(dotGit string) (string, error) {
	line, err := pathFile(dotGit)
	if err != nil {
		return "", err
	}
	dir, ok := strings.CutPrefix(line, "gitdir:")
	if dir = strings.TrimSpace(dir); !ok || dir == "" {
		return "", errors.New("no gitdir line")
	}
	return real(from(filepath.Dir(dotGit), dir)), nil
}

// pathFile is the one path that a file of git's holds.
func pathFile(file string) (string, error) {
	b, err := ReadFile(file, maxPathFile)
	if err != nil {
		return "", err
	}
	line := strings.TrimRight(string(b), "\r\n")
	if line == "" || strings.ContainsAny(line, "\x00\n") {
		return "", errors.New("not one path")
	}
	return line, nil
}

// from is p as seen from dir.
func from(dir, p string) string {
	if p = filepath.FromSlash(p); filepath.IsAbs(p) {
		return p
	}
	return filepath.Join(dir, p)
}
