package settings

import (
	"dream-mcp/consolidate/transcript/sessions"
	"path/filepath"
	"strings"
	"testing"
)

func TestCandidates(t *testing.T) {
	const git = "home/p/.git => gitdir: $T/home/main_repo/.git/worktrees/p"
	env, top := world(t, "CLAUDE_PROJECT_DIR=$T/home/p/sub", "home/p/sub/", git,
		"home/main_repo/.git/worktrees/p/commondir => ../..",
		"home/main_repo/.git/worktrees/p/gitdir => $T/home/p/.git",
		"home/main_repo/.git/worktrees/gone/gitdir => $T/home/gone/.git",
		"home/main_repo/.git/worktrees/unused/gitdir => $T/home/unused/.git")
	slug := func(dir string) string { return sessions.Slug(filepath.Join(top, dir)) }
	in := func(folder, file string) {
		write(t, filepath.Join(top, "home/.claude/projects", folder, "memory", file), "x")
	}
	root := slug("home/main_repo")
	old := root[:len(root)-len("main-repo")] + "main_repo"
	in(root, "used.md")
	in(slug("home/p/sub"), "a.md")
	in(slug("home/p/sub"), "folder/b.md")
	in(slug("home/p/sub"), "logs/2026-11-01.md") // no topics, these four
	in(slug("home/p/sub"), "MEMORY.md")
	in(slug("home/p/sub"), ".hidden.md")
	in(slug("home/p/sub"), "notes.txt")
	in(slug("home/gone"), "c.md")
	in(slug("home/unused"), "MEMORY.md") // worth no warning
	in(old, "d.md")
	in(root+"-other", "e.md") // a neighbour that only begins alike
	write(t, filepath.Join(top, "xdg/data/dream-mcp/projects", root, "memory/f.md"), "x")
	s, err := Resolve(env, NoFlags)
	if err != nil {
		t.Fatal(err)
	}
	own, theirs := "xdg/data/dream-mcp/projects/"+root+"/memory", "home/.claude/projects/"+root+"/memory"
	if got := short(top, s.MemoryDir); got != own || short(top, s.MergeInto) != theirs || s.Loaded {
		t.Errorf("memory directory %q, to be merged into %q, loaded %v", got, s.MergeInto, s.Loaded)
	}
	want := []struct {
		path   string
		exists bool
		topics int
	}{
		{theirs, true, 1},
		{"home/.claude/projects/" + old + "/memory", true, 1},
		{"home/.claude/projects/" + slug("home/p/sub") + "/memory", true, 2},
		{"home/.claude/projects/" + slug("home/p") + "/memory", false, 0},
		{"home/.claude/projects/" + slug("home/gone") + "/memory", true, 1},
		{"home/.claude/projects/" + slug("home/unused") + "/memory", true, 0},
	}
	if len(s.Candidates) != len(want) {
		t.Fatalf("candidates %+v, want %d", s.Candidates, len(want))
	}
	for i, w := range want {
		c := s.Candidates[i]
		if short(top, c.Path) != w.path || c.Exists != w.exists || c.Topics != w.topics || c.Why == "" {
			t.Errorf("candidate %+v, want %+v", c, w)
		}
	}
	warned(t, s.Warnings, "has memories, too (1, by the root, spelled otherwise)", "(2, by the directory worked in)",
		"(1, by a worktree)")
}

// TestNoCandidates has one memory directory and expects no warning.
func TestNoCandidates(t *testing.T) {
	s, _ := resolve(t, "home/.claude/projects/")
	if len(s.Candidates) != 0 {
		t.Errorf("candidates %+v", s.Candidates)
	}
	s, _ = resolve(t, "home/.claude/projects/", "DREAM_MEMORY_DIR=~/mine")
	if len(s.Candidates) != 1 || s.Candidates[0].Exists {
		t.Errorf("candidates %+v, want the rule's, which is not there", s.Candidates)
	}
	warned(t, s.Warnings)
}

func TestSpelling(t *testing.T) {
	long := sessions.Slug("/" + strings.Repeat("x", 300))
	for _, row := range []struct {
		goos, name, slug string
		want             bool
	}{
		{"linux", "-w-my_app", "-w-my-app", true},
		{"linux", "-W-my-app", "-w-my-app", false},
		{"linux", "-w-my-app2", "-w-my-app", false},
		{"darwin", "-W-My_App", "-w-my-app", true},
		{"windows", "c--w-My-App", "C--w-my-app", true},
		{"linux", long + "1a2b", long, true},
		{"linux", long[:maxSlug] + "x1a2b", long, false},
		{"linux", long + "1a2b", long[:maxSlug], false},
	} {
		if got := spelling(row.goos, row.name) == spelling(row.goos, row.slug); got != row.want {
			t.Errorf("%s: %q and %q are spellings of one: %t", row.goos, row.name, row.slug, got)
		}
	}
}
