//go:build unix

package drift

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
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
	case <-time.After(20 * time.Second):
		t.Fatal("it waits for a fifo")
	case text := <-got:
		// The index of words is not whole (the huge file), so that of symbols nothing is said.
		if text != "src/gone.go | CLAUDE.md docs/more.md" {
			t.Error(text)
		}
	}
}

// TestManyEntries holds a folder that is larger than the listing: nothing can be told of what was not seen.
func TestManyEntries(t *testing.T) {
	p := open(t, "src/a.go|", "src/b.go|", "src/deep/c.go|", "x/d.go|")
	entries, all, err := readFolder(p.root, "src", 2)
	if err != nil || all || len(entries) != 2 {
		t.Errorf("%d entries, all: %v, %v", len(entries), all, err)
	}
	p.begin()
	if p.listed(); p.Limited() {
		t.Error("a listing that is whole is said to be cut")
	}
	p.listed().limited = true
	if !p.Limited() {
		t.Error("a listing that was cut is not said to be")
	}
	if got := refs(p, "`gone.go`, `other/gone.go`, `Store.gone()`, `make x`, `src/gone.go`, `no/such.go`"); got != "src/gone.go" {
		t.Errorf("%q", got)
	}
}

func TestIgnores(t *testing.T) {
	p := open(t, ".gitignore|/gen/\n*.local.yml\n!keep.local.yml\n", "sub/.gitignore|made/\n!x.local.yml\n", "gen/there.go|", "sub/made/there.go|", "src/a.go|",
		".claude/worktrees/w/.git|gitdir: /r/.git/worktrees/w\n", ".claude/worktrees/w/src/old.go|", "vendored/.git/HEAD|", "vendored/v.go|", "mod/.git|gitdir: ../.git/modules/mod\n", "mod/m.go|")
	if got := refs(p, "`gen/there.go` `gen/not.go` `sub/made/not.go` `src/x.local.yml` `sub/made/there.go` `vendored/not.go` `m.go`"); got != "" {
		t.Error("ignored, or not looked into: " + got)
	}
	if got := refs(p, "`src/old.go`; `sub/x.local.yml`; `src/keep.local.yml`; `mod/n.go`"); got != "src/old.go; sub/x.local.yml; src/keep.local.yml; mod/n.go" {
		t.Error(got)
	}
}

func TestNearest(t *testing.T) {
	p := open(t, "web/src/ui/BerthMap.tsx|", "web/src/lib/date-utils.ts|", "web/src/lib/other.ts|", "old/BerthMap.tsx|", "Makefile|build-web:\n\ttrue\n", "a.go|package a\n\ntype Store struct{}\n\nfunc (s *Store) VacuumAll() {}\n")
	for text, want := range map[string]string{
		"`web/src/BerthMap.tsx`":                              "web/src/BerthMap.tsx ~ web/src/ui/BerthMap.tsx",
		"`web/src/lib/dateUtils.ts`":                          "web/src/lib/dateUtils.ts ~ web/src/lib/date-utils.ts",
		"`web/src/UI/BERTHMAP.tsx`":                           "web/src/UI/BERTHMAP.tsx ~ web/src/ui/BerthMap.tsx",
		"`make web-build build-webs`":                         "",
		"`make build_web`":                                    "make build_web ~ make build-web",
		"`Store.Vacuum`":                                      "Store.Vacuum ~ VacuumAll",
		"`" + p.root.Name() + "/web/pilot.go`, `harbor/a.go`": "web/pilot.go",
		"`/elsewhere/b.go`":                                   "",
	} {
		if got := refs(p, text); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

func TestConflicts(t *testing.T) {
	p := open(t, "CLAUDE.md|# Commands\n- Test: `pnpm test`, build: `make build`. Never use `yarn`.\n- `docker compose up` starts it; never run `git push --force`.\n- Do not run `make seed` unless asked.\n", "web/AGENTS.md|`vitest run`\n")
	for text, want := range map[string]string{
		"Run `npm test` first.":                   "npm test: CLAUDE.md:2 pnpm test",
		"Run `pnpm test --run api`.":              "",
		"`npm run build` builds.":                 "",
		"`just build` builds.":                    "just build: CLAUDE.md:2 make build",
		"`yarn add x` adds.":                      "yarn add x: CLAUDE.md:2 ",
		"Never `yarn add x`, it is forbidden.":    "",
		"`npm test` was replaced.":                "",
		"Never run `make build`.":                 "make build: CLAUDE.md:2 ",
		"Don't run `make build` before `make x`.": "",
		"`git push --force origin x` is fine":     "git push --force origin x: CLAUDE.md:3 ",
		"`git push origin x`":                     "",
		"`make seed`":                             "",
		"`npx jest --watch`":                      "npx jest --watch: web/AGENTS.md:1 vitest run",
		"`podman compose up`":                     "podman compose up: CLAUDE.md:3 docker compose up",
		"Use `pnpm test` instead of `npm test`.":  "",
		"```sh\nnpm test\n```":                    "npm test: CLAUDE.md:2 pnpm test",
	} {
		var found []string
		for _, c := range p.Conflicts(text) {
			found = append(found, fmt.Sprintf("%s: %s:%d %s", c.Command, c.Guide, c.At, c.Other))
		}
		if got := strings.Join(found, "; "); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// FuzzFind holds that hits lie within the text, in order, are found again, and that a text without a
// backtick or a tilde names nothing.
func FuzzFind(f *testing.F) {
	p := open(f, "src/main.go|package main\n", "Makefile|a:\n", "package.json|{\"scripts\":{\"x\":\"y\"}}", "CLAUDE.md|`npm test`")
	for _, seed := range []string{"`src/gone.go:3`", "```sh\nmake b\n", "- a `make b`\n  `npm run z` removed", "~~`x.go`~~ → `y.go`", "`a\n`b`", "`` ` `` `go run ./x --flag`", "# removed\n- `src/x.go`"} {
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
		if len(hits) > 0 && !strings.ContainsAny(text, "`~") {
			t.Fatalf("%+v", hits)
		}
		if again := p.Find(text, noMemory); len(again) != len(hits) {
			t.Fatalf("%d hits, then %d", len(hits), len(again))
		}
		p.Conflicts(text)
	})
}
