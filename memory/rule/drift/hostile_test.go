//go:build unix

package drift

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"dream-mcp/memory"
)

func noMemory(string) bool { return false }

// open makes a project of files: "a => ../b" is a link.
func open(t testing.TB, files ...string) *Project {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "harbor")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		name, text, _ := strings.Cut(file, "|")
		name, target, isLink := strings.Cut(name, " => ")
		to := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
			t.Fatal(err)
		}
		var err error
		if isLink {
			err = os.Symlink(target, to)
		} else {
			err = os.WriteFile(to, []byte(text), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return New(root)
}

func refs(p *Project, text string) string {
	var found []string
	for _, h := range p.Find(text, noMemory) {
		ref := h.Ref
		if h.Nearest != "" {
			ref += " ~ " + h.Nearest
		}
		found = append(found, ref)
	}
	return strings.Join(found, "; ")
}

func TestHostileProject(t *testing.T) {
	p := open(t, "src/main.go|package main\nfunc realThing() {}\n", "out => ../..", "loop => loop2", "loop2 => loop", "src/up => ..",
		"src/away.go => /etc/hostname", "CLAUDE.md|Use `pnpm test`. @../../secret.md @docs/more.md", "docs/more.md|Never use `yarn`. @../CLAUDE.md", "AGENTS.md => CLAUDE.md")
	dir := p.root.Name()
	if err := os.WriteFile(filepath.Join(dir, "..", "..", "secret.md"), []byte("Use `bun test`."), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"src/pipe.go", "GEMINI.md", ".gitignore", "package.json", "src/\xff\xfe.go"} {
		if err := syscall.Mkfifo(filepath.Join(dir, name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	huge, err := os.Create(filepath.Join(dir, "src/huge.sql"))
	if err != nil {
		t.Fatal(err)
	}
	if err := huge.Truncate(8 << 30); err != nil {
		t.Skip("no sparse files here")
	}
	huge.Close()
	got := make(chan string, 1)
	go func() {
		var guides []string
		for _, g := range p.Guides() {
			guides = append(guides, g.Path)
		}
		got <- refs(p, "`src/gone.go`, `src/pipe.go`, `loop`, `out/etc/passwd`, `out/x.go`, `src/away.go:900`, `loop/x.go`, `src/up/src/main.go`, `src/huge.sql:9`, `../x.go`, `npm run x`, `noSuchThing()` is in `src/main.go`") +
			" | " + strings.Join(guides, " ")
	}()
	select {
	case <-time.After(time.Minute):
		t.Fatal("it waits for a fifo")
	case text := <-got:
		if text != "src/gone.go | CLAUDE.md docs/more.md" {
			t.Error(text)
		}
	}
}

// TestManyEntries holds a folder that is larger than the listing: nothing is reported of what was not seen.
func TestManyEntries(t *testing.T) {
	p := open(t, "src/a.go|", "src/b.go|", "src/deep/c.go|", "x/d.go|")
	for limit, want := range map[int]bool{2: true, 3: false} {
		entries, more, err := memory.ReadFolder(p.root, "src", limit)
		if err != nil || more != want || len(entries) != limit {
			t.Errorf("%d of 3 entries, more: %v, %v", len(entries), more, err)
		}
	}
	p.begin()
	if p.listed(); p.Limited() {
		t.Error("a listing that is whole is said to be cut")
	}
	p.listed().limited = true
	if !p.Limited() {
		t.Error("a listing that was cut is not said to be")
	}
	if got := refs(p, "`gone.go`, `other/gone.go`, `make x`, `src/gone.go`, `no/such.go`"); got != "src/gone.go" {
		t.Errorf("%q", got)
	}
}

// commit commits the project's files, and first those that it had before: "old.sh|text", and "a => b" for
// a.go that was renamed to b.go.
func commit(t testing.TB, p *Project, before ...string) {
	t.Helper()
	dir := p.root.Name()
	git := func(args ...string) {
		t.Helper()
		c := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgSign=false"}, args...)...)
		c.Dir, c.Env = dir, append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v: %s", args, err, out)
		}
	}
	git("init", "-q")
	git("add", "-A")
	for _, file := range before {
		name, text, _ := strings.Cut(file, "|")
		from, to, renamed := strings.Cut(name, " => ")
		write := filepath.Join(dir, from)
		now, err := os.ReadFile(write)
		if renamed {
			if text2, err := os.ReadFile(filepath.Join(dir, to)); err == nil {
				text = string(text2)
			}
			git("rm", "-q", "--cached", to)
		}
		if err := os.MkdirAll(filepath.Dir(write), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(write, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		git("add", "-f", from)
		if err == nil {
			err = os.WriteFile(write, now, 0o600)
		} else {
			err = os.Remove(write)
			for folder := filepath.Dir(write); os.Remove(folder) == nil; folder = filepath.Dir(folder) {
			}
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	git("commit", "-q", "--allow-empty", "-m", "before")
	git("add", "-A")
	git("commit", "-q", "--allow-empty", "-m", "now")
}

func TestHistory(t *testing.T) {
	p := open(t, ".gitignore|/gen/\n", "src/a.go|package a\n", "src/new.go|package a // a longer text, renamed\n",
		"web/package.json|{\"scripts\":{\"dev\":\"vite\"},\"dependencies\":{\"vitest\":\"^3\"}}",
		"docs/My Plan.md|", "keep/x.sh|", "go.mod|module x\n\ngo 1.26.0\n", "compose.yml|image: postgres:16.4-alpine\n", "pyproject.toml|requires-python = \">=3.12\"\n", "app.json|{\"ios\":{\"deploymentTarget\":\"15.1\"}}")
	commit(t, p, "src/gone.go|1", "ci.sh|7", "src/old.go => src/new.go", "tools/deploy_old.sh|2", "gen/made.go|3", "legacy/a/b.py|4", "docs/My|5", "index.ts|6",
		"web/package.json|{\"scripts\":{\"dev\":\"vite\",\n\"lint:css\":\"stylelint\"},\"dependencies\":{\n\"jest\":\"^29\",\n\"vitest\":\"^3\"}}")
	for text, want := range map[string]string{
		"`src/gone.go` does it":                   "src/gone.go",
		"`gone.go` does it":                       "gone.go",
		"`src/old.go` does it":                    "src/old.go ~ src/new.go",
		"`tools/deploy_old.sh --now`":             "tools/deploy_old.sh",
		"`bash tools/deploy_old.sh`":              "tools/deploy_old.sh",
		"`./ci.sh coverage -d v2`":                "ci.sh",
		"`ci.sh coverage -d v2`":                  "", // found in PATH, it is not the project's
		"`legacy/` holds it, and `legacy/a/`":     "legacy/a",
		"`pnpm run lint:css`":                     "pnpm run lint:css",
		"Tests use `jest`.":                       "jest",
		"Tests use vitest.":                       "",
		"`src/never.go` `never/x.go` `never.go`":  "", // it may be anybody's
		"`gen/made.go` is built":                  "",
		"`docs/My Plan.md`":                       "",
		"`docs/My Other.md`":                      "",
		"`index.ts`":                              "",
		"`src/gone.go` and `tools/deploy_old.sh`": "src/gone.go", // one for each line
		"`src/gone.go` (TBD)":                     "",
		"`~/x/y.sh`, then `src/gone.go`":          "",
		"In the plugin: `src/gone.go`":            "",
		"The sibling repo has `src/gone.go`":      "",
		"We run Postgres 15.":                     "Postgres 15 ~ compose.yml",
		"We run Postgres 16.":                     "",
		"Needs Python 3.10.":                      "Python 3.10 ~ pyproject.toml",
		"Needs Python 3.13.":                      "",
		"Built for iOS 14.":                       "iOS 14 ~ app.json",
		"Measured on Go 1.26.8 and iOS 17.":       "",
		"Needs Go 1.22.":                          "Go 1.22 ~ go.mod",
		"See mcp-go 1.2 and go 1.1 times.":        "",
		"It was Postgres 15 before.":              "It was Postgres 15 before.",
	} {
		if want == text {
			continue
		}
		if got := refs(p, text); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

// TestHostileRepository holds that nothing that a repository configures is run.
func TestHostileRepository(t *testing.T) {
	p := open(t, "src/a.go|package a\n")
	commit(t, p, "src/gone.go|1", "package.json|{\n\"x\":1}")
	dir := p.root.Name()
	trap := filepath.Join(dir, "trap.sh")
	if err := os.WriteFile(trap, []byte("#!/bin/sh\ntouch \""+dir+"/sprung\"\ncat\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	config := "[core]\n\tfsmonitor = " + trap + "\n\tpager = " + trap + "\n\thooksPath = " + dir + "\n\tsshCommand = " + trap +
		"\n[pager]\n\tlog = " + trap + "\n[diff]\n\texternal = " + trap + "\n[diff \"x\"]\n\ttextconv = " + trap +
		"\n\tcommand = " + trap + "\n[log]\n\tshowSignature = true\n[gpg]\n\tprogram = " + trap + "\n[alias]\n\tlog = !" + trap + "\n"
	f, err := os.OpenFile(filepath.Join(dir, ".git", "config"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(config); err != nil {
		t.Fatal(err)
	}
	f.Close()
	if err := os.WriteFile(filepath.Join(dir, ".gitattributes"), []byte("* diff=x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := refs(p, "`src/gone.go`"); got != "src/gone.go" {
		t.Errorf("%q", got)
	}
	if _, err := os.Stat(filepath.Join(dir, "sprung")); err == nil {
		t.Error("a program that the repository configures was run")
	}
}

func TestForeignCheckouts(t *testing.T) {
	p := open(t, "src/a.go|", ".claude/worktrees/w/.git|gitdir: /r/.git/worktrees/w\n", ".claude/worktrees/w/src/old.go|",
		"vendored/.git/HEAD|", "vendored/v.go|", "mod/.git|gitdir: ../.git/modules/mod\n", "mod/m.go|")
	if got := refs(p, "`vendored/not.go` `m.go`"); got != "" {
		t.Error("not looked into: " + got)
	}
	if got := refs(p, "`src/old.go`\n`mod/n.go`"); got != "src/old.go; mod/n.go" {
		t.Error(got)
	}
}

// FuzzFind holds that hits lie within the text, in order, and are found again.
func FuzzFind(f *testing.F) {
	p := open(f, "src/main.go|package main\n", "Makefile|a:\n", "package.json|{\"scripts\":{\"x\":\"y\"}}", "CLAUDE.md|`npm test`")
	for _, seed := range []string{"`src/gone.go:3`", "```sh\nmake b\n", "- a `make b`\n  `npm run z` removed", "~~`x.go`~~ → `y.go`", "`a\n`b`", "`` ` `` `go run ./x --flag`", "# removed\n- `src/x.go`", "`make \x86`"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		hits := p.Find(text, noMemory)
		last := 0
		for _, h := range hits {
			if h.From < last || h.To < h.From || h.To > len(text) || h.Ref == "" || h.Message == "" {
				t.Fatalf("%+v", h)
			}
			last = h.From
		}
		if again := p.Find(text, noMemory); len(again) != len(hits) {
			t.Fatalf("%d hits, then %d", len(hits), len(again))
		}
	})
}
