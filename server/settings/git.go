package settings

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// maxWorktrees bounds the worktrees of one repository.
const maxWorktrees = 1000

// checkout is the checkout that a directory is in.
type checkout struct {
	top       string   // of the checkout, else the directory itself
	root      string   // the main checkout of the repository, or a bare repository itself
	worktrees []string // the repository's linked worktrees, removed ones included, sorted
}

// findCheckout returns the checkout of dir, which has no links. As in Claude Code, any directory with a .git is a
// checkout. A submodule is a checkout of its own; a directory in a bare repository is in none.
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

// linked returns the checkout top, whose .git is a file: a linked worktree, a submodule, or one with a separate
// repository.
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
	// Anybody can write a .git file. It joins another repository, and its memory, only if that repository agrees:
	// gitDir is one of its own entries, and the entry points back here.
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

// worktrees returns the linked worktrees of the repository common. One that exists must point back: otherwise an entry
// could make the sessions of any directory ours.
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

// gitDirOf returns the directory that a .git file names.
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

// pathFile returns the path that one of git's files holds.
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

// from returns p, relative to dir.
func from(dir, p string) string {
	if p = filepath.FromSlash(p); filepath.IsAbs(p) {
		return p
	}
	return filepath.Join(dir, p)
}
