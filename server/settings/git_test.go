package settings

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
)

func TestCheckout(t *testing.T) {
	// A repository with a worktree, as git writes it.
	repo := []string{"r/main/.git/worktrees/w/commondir => ../..\n", "r/main/.git/worktrees/w/gitdir => $T/r/w/.git\n",
		"r/w/.git => gitdir: $T/r/main/.git/worktrees/w\n", "r/w/sub/"}
	for name, row := range map[string]struct {
		lines     []string
		dir       string
		top, root string
		worktrees []string
		warns     []string
	}{
		"no repository":          {[]string{"r/a/"}, "r/a", "r/a", "r/a", nil, nil},
		"main checkout":          {repo, "r/main", "r/main", "r/main", []string{"r/w"}, nil},
		"below it":               {append(repo, "r/main/a/b/"), "r/main/a/b", "r/main", "r/main", []string{"r/w"}, nil},
		"in its repository":      {repo, "r/main/.git/worktrees", "r/main", "r/main", []string{"r/w"}, nil},
		"worktree":               {repo, "r/w", "r/w", "r/main", []string{"r/w"}, nil},
		"below a worktree":       {repo, "r/w/sub", "r/w", "r/main", []string{"r/w"}, nil},
		"a removed worktree":     {append(repo, "r/main/.git/worktrees/x/gitdir => $T/r/gone/.git\n"), "r/main", "r/main", "r/main", []string{"r/gone", "r/w"}, nil},
		"relative paths":         {[]string{"r/main/.git/worktrees/w/commondir => ../..", "r/main/.git/worktrees/w/gitdir => ../../../../w/.git", "r/w/.git => gitdir: ../main/.git/worktrees/w"}, "r/w", "r/w", "r/main", []string{"r/w"}, nil},
		"by a link":              {append(repo, "r/main/.git/worktrees/l/commondir => ../..", "r/main/.git/worktrees/l/gitdir => $T/r/link/t/.git", "r/real/t/.git => gitdir: $T/r/main/.git/worktrees/l", "r/link -> real"), "r/real/t", "r/real/t", "r/main", []string{"r/real/t", "r/w"}, nil},
		"a repository by a link": {[]string{"r/l -> main", "r/main/.git/worktrees/w/commondir => $T/r/l/.git", "r/main/.git/worktrees/w/gitdir => $T/r/w/.git", "r/w/.git => gitdir: $T/r/l/.git/worktrees/w"}, "r/w", "r/w", "r/main", []string{"r/w"}, nil},
		"of a bare repository":   {[]string{"r/b.git/worktrees/w/commondir => ../..", "r/b.git/worktrees/w/gitdir => $T/r/w/.git", "r/w/.git => gitdir: $T/r/b.git/worktrees/w"}, "r/w", "r/w", "r/b.git", []string{"r/w"}, nil},
		"in a bare repository":   {[]string{"r/b.git/HEAD => x", "r/b.git/objects/"}, "r/b.git", "r/b.git", "r/b.git", nil, nil},
		"a submodule": {[]string{"r/main/.git/modules/m/HEAD => x", "r/main/m/.git => gitdir: ../.git/modules/m"},
			"r/main/m", "r/main/m", "r/main/m", nil, nil},
		"its repository elsewhere": {[]string{"r/g/HEAD => x", "r/a/.git => gitdir: ../g",
			"r/g/worktrees/w/gitdir => $T/r/w/.git", "r/w/.git => gitdir: $T/r/g/worktrees/w", "r/g/worktrees/w/commondir => ../.."},
			"r/a", "r/a", "r/a", []string{"r/w"}, nil},

		// A checkout that falsely claims to belong to another repository.
		"a claim not returned": {append(repo, "r/evil/.git => gitdir: $T/r/main/.git/worktrees/w"), "r/evil", "r/evil", "r/evil", nil, []string{"does not know it"}},
		"a repository of its own making": {append(repo, "r/evil/.git => gitdir: g/worktrees/e",
			"r/evil/g/worktrees/e/gitdir => $T/r/evil/.git", "r/evil/g/worktrees/e/commondir => $T/r/main/.git"),
			"r/evil", "r/evil", "r/evil", nil, []string{"does not know it"}},
		"an entry that names a stranger": {append(repo, "r/main/.git/worktrees/x/gitdir => $T/r/other/.git", "r/other/.git/"),
			"r/main", "r/main", "r/main", []string{"r/w"}, nil},
		"an entry that names another's tree": {append(repo, "r/main/.git/worktrees/x/gitdir => $T/r/o/.git", "r/o/.git => gitdir: $T/r/q/.git/worktrees/o", "r/q/.git/worktrees/o/"), "r/main", "r/main", "r/main", []string{"r/w"}, nil},
		"an entry that names a plain folder": {append(repo, "r/main/.git/worktrees/x/gitdir => $T/r/plain/.git", "r/plain/"),
			"r/main", "r/main", "r/main", []string{"r/w"}, nil},
		"an entry that names no .git": {append(repo, "r/main/.git/worktrees/x/gitdir => $T/r/gone/tree"),
			"r/main", "r/main", "r/main", []string{"r/w"}, nil},
		"an entry that names the root": {append(repo, "r/main/.git/worktrees/x/gitdir => /.git"), "r/main", "r/main", "r/main", []string{"r/w"}, nil},
		"an entry of two lines": {append(repo, "r/main/.git/worktrees/x/gitdir => $T/a/.git\n$T/b/.git"),
			"r/main", "r/main", "r/main", []string{"r/w"}, nil},
		"no gitdir":       {[]string{"r/a/.git => hello"}, "r/a", "r/a", "r/a", nil, []string{"no gitdir line"}},
		"an empty gitdir": {[]string{"r/a/.git => gitdir: \n"}, "r/a", "r/a", "r/a", nil, []string{"no gitdir line"}},
		"a repository that is not here": {[]string{"r/a/.git => gitdir: /somewhere/else/.git/worktrees/a"},
			"r/a", "r/a", "r/a", nil, []string{"is not there"}},
		"a commondir that can't be read":       {append(repo, "r/x/.git => gitdir: $T/r/y", "r/y/commondir/"), "r/x", "r/x", "r/x", nil, []string{"can't be read"}},
		"a NUL in the path":                    {[]string{"r/a/.git => gitdir: /x\x00y"}, "r/a", "r/a", "r/a", nil, []string{"not one path"}},
		"a .git that is a link to nowhere":     {[]string{"r/.git/", "r/a/.git -> nowhere"}, "r/a", "r", "r", nil, nil},
		"a .git that is a link to a directory": {[]string{"r/store/worktrees/w/gitdir => $T/r/w/.git", "r/w/.git => gitdir: $T/r/store/worktrees/w", "r/a/.git -> ../store"}, "r/a", "r/a", "r/a", []string{"r/w"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			_, top := world(t, row.lines...)
			var warns []string
			c := findCheckout(filepath.Join(top, row.dir), func(format string, args ...any) {
				r := resolver{}
				r.warn(format, args...)
				warns = append(warns, r.Warnings...)
			})
			var worktrees []string
			for _, w := range c.worktrees {
				worktrees = append(worktrees, short(top, w))
			}
			if short(top, c.top) != row.top || short(top, c.root) != row.root || !slices.Equal(worktrees, row.worktrees) {
				t.Errorf("top %q, root %q, worktrees %q; want %q, %q, %q", short(top, c.top), short(top, c.root), worktrees, row.top, row.root, row.worktrees)
			}
			warned(t, warns, row.warns...)
		})
	}
}

// TestRealGit checks the layout in TestCheckout against git.
func TestRealGit(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git")
	}
	env, top := world(t)
	git := func(dir string, args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.org", "-C", filepath.Join(top, dir)}, args...)...)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "HOME="+env.Home)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
	}
	git("home/p", "init", "-q", "main")
	git("home/p/main", "commit", "-q", "--allow-empty", "-m", "x")
	git("home/p/main", "worktree", "add", "-q", "../one", "-b", "one")
	git("home/p/main", "worktree", "add", "-q", "../two", "-b", "two")
	git("home/p", "clone", "-q", "--bare", "main", "bare.git")
	git("home/p/bare.git", "worktree", "add", "-q", "../three", "-b", "three")
	if err := os.RemoveAll(filepath.Join(top, "home/p/two")); err != nil {
		t.Fatal(err)
	}
	for dir, want := range map[string]struct {
		root      string
		worktrees []string
	}{
		"home/p/main":     {"home/p/main", []string{"home/p/one", "home/p/two"}},
		"home/p/one":      {"home/p/main", []string{"home/p/one", "home/p/two"}},
		"home/p/three":    {"home/p/bare.git", []string{"home/p/three"}},
		"home/p/bare.git": {"home/p/bare.git", nil},
		"home/p":          {"home/p", nil},
	} {
		env.Dir = filepath.Join(top, dir)
		s, err := Resolve(env, NoFlags)
		if err != nil {
			t.Fatal(err)
		}
		var worktrees []string
		for _, w := range s.Worktrees {
			worktrees = append(worktrees, short(top, w))
		}
		if short(top, s.Root) != want.root || !slices.Equal(worktrees, want.worktrees) || short(top, s.Project) != dir {
			t.Errorf("%s: project %q, root %q, worktrees %q; want %+v", dir, s.Project, s.Root, worktrees, want)
		}
		warned(t, s.Warnings)
	}
}
