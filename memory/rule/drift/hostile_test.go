//go:build unix

package drift

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
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
	p, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

func refs(p *Project, text string) string {
	var found []string
	for _, h := range p.Find([]Text{{File: "a.md", Body: text}}, noMemory) {
		found = append(found, h.Ref+": "+h.Message)
	}
	return strings.Join(found, "\n")
}

func TestHostileProject(t *testing.T) {
	p := open(t, "src/main.go|package main\nfunc realThing() {}\n", "out => ../..", "loop => loop2", "loop2 => loop", "src/up => ..",
		"src/away.go => /etc/hostname", "CLAUDE.md|Use `pnpm test`. @../../secret.md @docs/more.md", "lib/x|", "docs/more.md|Never use `yarn`. @../CLAUDE.md", "AGENTS.md => CLAUDE.md")
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
		got <- refs(p, "`lib/more.md`, `src/gone.go`, `src/pipe.go`, `loop`, `out/etc/passwd`, `out/x.go`, `src/away.go:900`, `loop/x.go`, `src/up/src/main.go`, `src/huge.sql:9`, `../x.go`, `npm run x`, `noSuchThing()` is in `src/main.go`") +
			" | " + strings.Join(guides, " ")
	}()
	select {
	case <-time.After(time.Minute):
		t.Fatal("it waits for a fifo")
	case text := <-got:
		if text != "lib/more.md: the project has no \"lib/more.md\"; the one file of that name is \"docs/more.md\" | CLAUDE.md" {
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
	if refs(p, "`src/a.go`"); p.Checked().Limited || p.Checked().Paths != 1 {
		t.Errorf("a listing that is whole: %+v", p.Checked())
	}
	p.listed().limited = true
	if got := refs(p, "`gone.go`, `y/d.go`, `make x`, `src/gone.go`"); got != "" || !p.Checked().Limited {
		t.Errorf("%q, %+v", got, p.Checked())
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
			if text2, err := os.ReadFile(filepath.Join(dir, to)); err == nil && text == "" {
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
	p := open(t, ".gitignore|/gen/\n", "src/a.go|package a\n", "src/new.go|package a // a longer text, renamed\n", "pkg/core/map/load.go|package load // moved and changed\n",
		"pkg/core/map/draw.go|package load // 2\n", "web/package.json|{}", "package.json|{\"scripts\":{\"dev\":\"vite\"}}", "docs/My Plan.md|", "keep/x.sh|",
		"go.mod|module x\n", "web/paint.ts|export const coat = 2\nexport const brush = 1\nexport const hue = 3\n")
	commit(t, p, "web/paint.js => web/paint.ts|export const coat = 1\nexport const brush = 1\nexport const hue = 3\n", "src/gone.go|1", "coverage.sh|7", "src/old.go => src/new.go", "engine/map/load.go => pkg/core/map/load.go|x", "engine/map/draw.go => pkg/core/map/draw.go|y",
		"tools/deploy_old.sh|2", "gen/made.go|3", "legacy/a/b.py|4", "docs/My|5", ".claude/agents/x.md|8", "index.ts|6", "package.json|{\"scripts\":{\"dev\":\"vite\",\n\"lint:css\":\"stylelint\"\n}}")
	const gone, moved = `: the project has no "`, ` is now "`
	for text, want := range map[string]string{
		"`src/gone.go` does it":                   "src/gone.go" + gone,
		"`coverage.sh` does it":                   "coverage.sh" + gone,
		"`gone.go` does it":                       "", // a short name may be anybody's
		"`src/old.go` does it":                    "src/old.go: \"src/old.go\"" + moved + "src/new.go\" (commit ",
		"`engine/map/load.go` does it":            "engine/map/load.go: \"engine/map/load.go\"" + moved + "pkg/core/map/load.go\" (commit ",
		"`web/paint.js` does it":                  "web/paint.js: \"web/paint.js\"" + moved + "web/paint.ts\" (commit ", // changed and renamed
		"`engine/map` does it":                    "engine/map: \"engine/map\"" + moved + "pkg/core/map\" (commit ",
		"`map/load.go` does it":                   "",
		"`tools/deploy_old.sh --now`":             "tools/deploy_old.sh" + gone,
		"`bash tools/deploy_old.sh`":              "tools/deploy_old.sh" + gone,
		"`coverage.sh -d v2`":                     "", // found in PATH, it is not the project's
		"`legacy/a/` holds it":                    "legacy/a" + gone,
		"`pnpm run lint:css`":                     "pnpm run lint:css: no package.json has the script \"lint:css\" any more; commit ",
		"`pnpm run never`":                        "", // it may be another project's
		"`src/never.go` `never/x.go` `never.go`":  "",
		"`gen/made.go` is built":                  "",
		"`docs/My Plan.md`":                       "",
		"`index.ts`":                              "",
		"`CLAUDE.md` at repo root, `src/gone.go`": "src/gone.go" + gone,
		"`~/x/y.sh`, then `src/gone.go`":          "src/gone.go" + gone,
		"`src/gone.go` was removed.":              "",
		"- **Incident 2 (2025-04-27):** hours were lost on `src/gone.go`.": "",
		"The package `src/gone.go` is now `src/a.go`.":                     "",
		"`src/gone.go` is now the entry.":                                  "src/gone.go" + gone,
		"- **Tide:** it is read by `src/gone.go`.":                         "src/gone.go" + gone,
		"The folders were reorganised from flat `src/gone.go`.":            "",
		"The sibling repo has `src/gone.go`":                               "",
		"It read `src/gone.go` (old file, 2 rows).":                        "",
		"`src/gone.go` (local file) has the state.":                        "",
		"## Wrong tide (RESOLVED)\n\nIt is in `src/gone.go`.":              "",
		"~~`src/gone.go` does it.~~":                                       "",
		"`.claude/agents` is where agents are":                             "",
		"`src/gone.go` and `tools/deploy_old.sh`.":                         "src/gone.go: commit ",
	} {
		if got := refs(p, text); got != want && (want == "" || !strings.HasPrefix(got, want)) {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

// A folder that was moved, or a commit that removed files, is one hit in all memories, and a dated log has one.
func TestGathered(t *testing.T) {
	p := open(t, "pkg/core/map/load.go|package load // moved and changed\n", "pkg/core/map/draw.go|package load // 2\n", "src/a.go|", "tools/keep.sh|")
	commit(t, p, "engine/map/load.go => pkg/core/map/load.go|x", "engine/map/draw.go => pkg/core/map/draw.go|y", "tools/a1.sh|2", "tools/b1.sh|3", "tools/c1.sh|4", "old/boat.go|5", "old/sub/crane.go|6")
	hits := p.Find([]Text{
		{File: "a.md", Body: "The loader is `engine/map/load.go`.\n\nIt is drawn by `engine/map/draw.go` and `src/a.go`."},
		{File: "b.md", Body: "See `engine/map/draw.go`."},
		{File: "work.md", Body: "- 2026-10-01: `tools/a1.sh` runs.\n- 2026-10-02: `tools/b1.sh` runs.\n- 2026-10-03: `tools/c1.sh` runs."},
		{File: "work_log.md", Body: "`tools/a1.sh` runs."},
		{File: "archive/2025-03-rules.md", Body: "`tools/a1.sh` runs."},
		{File: "c.md", Body: "- `tools/a1.sh`, `tools/b1.sh`"},
		{File: "d.md", Body: "It is in `old/boat.go`."},
		{File: "e.md", Body: "See `old/sub/crane.go`."},
	}, noMemory)
	var got []string
	for _, h := range hits {
		message := regexp.MustCompile(`commit \w+ of [\d-]+`).ReplaceAllString(h.Message, "COMMIT")
		got = append(got, fmt.Sprintf("%d %s +%d: %s", h.Place.Text, h.Ref, len(h.More), message))
	}
	want := []string{
		`0 engine +2: "engine/" is now "pkg/core/" (COMMIT): engine/map/load.go, engine/map/draw.go`,
		`2 tools/a1.sh +0: the project has no "tools/a1.sh"; COMMIT removed it; the project has no "tools/b1.sh"; COMMIT removed it; the project has no "tools/c1.sh"; COMMIT removed it`,
		`5 tools/a1.sh +3: COMMIT removed tools/a1.sh, tools/b1.sh, old/boat.go; and 1 more`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
	c := p.Checked()
	if c.Date.IsZero() || c.Commit == "" {
		t.Errorf("%+v", c)
	}
	c.Date, c.Commit = time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC), "0f3b9c8"
	c.Never, c.NeverAt = 3, []string{"a.md:7 lib/x.c", "b.md:1 make y"}
	if want := "8 paths checked in the checkout of 2026-11-20 (0f3b9c8), 7 gone; not there, and never in its history: a.md:7 lib/x.c, b.md:1 make y and 1 more"; c.String() != want {
		t.Errorf("%q", c.String())
	}
	c = Checked{Date: c.Date, Commit: c.Commit}
	if want := "the memory names no file, script or target of the project, in the checkout of 2026-11-20 (0f3b9c8)"; c.String() != want {
		t.Errorf("%q", c.String())
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
	if got := refs(p, "`src/gone.go`"); !strings.HasPrefix(got, "src/gone.go: ") {
		t.Errorf("%q", got)
	}
	if _, err := os.Stat(filepath.Join(dir, "sprung")); err == nil {
		t.Error("a program that the repository configures was run")
	}
}

func TestForeignCheckouts(t *testing.T) {
	p := open(t, "src/a.go|", ".claude/worktrees/w/.git|gitdir: /r/.git/worktrees/w\n", ".claude/worktrees/w/src/old.go|",
		"vendored/.git/HEAD|", "vendored/v.go|", "mod/.git|gitdir: ../.git/modules/mod\n", "mod/m.go|")
	if got := refs(p, "`vendored/not.go` `src/v.go` `lib/src/old.go`"); got != "" {
		t.Error("not looked into: " + got)
	}
	if got := refs(p, "`src/m.go`"); got != "src/m.go: the project has no \"src/m.go\"; the one file of that name is \"mod/m.go\"" {
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
		texts := []Text{{File: "a.md", Body: text}, {File: "b.md", Body: "`src/main.go`"}}
		hits := p.Find(texts, noMemory)
		checked := p.Checked()
		last := 0
		for _, h := range hits {
			if h.Place.From < last || h.Place.To < h.Place.From || h.Place.To > len(text) || h.Ref == "" || h.Message == "" {
				t.Fatalf("%+v", h)
			}
			last = h.Place.From
		}
		if again := p.Find(texts, noMemory); len(again) != len(hits) || p.Checked().String() != checked.String() {
			t.Fatalf("%d hits, then %d", len(hits), len(again))
		}
		if checked.Missing < min(len(hits), 1) || checked.Missing > checked.Paths+checked.Scripts+checked.Targets+len(hits) || checked.Paths == 0 {
			t.Fatalf("%d hits, %+v", len(hits), checked)
		}
	})
}

// A machine's own configuration, and what a link leads to, may be missing in a checkout.
func TestNotCheckedOut(t *testing.T) {
	p := open(t, "src/a.go|")
	commit(t, p, "conf/.mcp.json|1", "linked/send.go|2", "tools/gone.sh|3")
	if err := os.Symlink("nowhere", filepath.Join(p.root.Name(), "linked")); err != nil {
		t.Skip("NOT TESTED: no links here: ", err)
	}
	for text, want := range map[string]bool{
		"The server is in `conf/.mcp.json`.": false,
		"It sends by `linked/send.go`.":      false,
		"It ends by `tools/gone.sh`.":        true,
	} {
		if got := refs(p, text) != ""; got != want {
			t.Errorf("%s: reported: %v", text, got)
		}
	}
}
