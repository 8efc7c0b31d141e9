package settings

import (
	"dream-mcp/consolidate/transcript/sessions"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestMemoryOrder adds each thing that names a memory directory, the weakest first.
func TestMemoryOrder(t *testing.T) {
	steps := []struct{ add, want string }{
		{"home/.claude/", "by the rule"},
		{"CLAUDE_CODE_REMOTE_MEMORY_DIR=$T/remote", "by the remote base"},
		{`home/.claude/settings.json => {"autoMemoryDirectory":"~/user"}`, "home/user"},
		{`home/p/.claude/settings.json => {"autoMemoryDirectory":"~/project"}`, "home/project"},
		{`home/p/.claude/settings.local.json => {"autoMemoryDirectory":"~/local"}`, "home/local"},
		{`managed/managed-settings.json => {"autoMemoryDirectory":"~/policy"}`, "home/policy"},
		{`managed/managed-settings.d/10-a.json => {"autoMemoryDirectory":"~/fragment"}`, "home/fragment"},
		{`managed/managed-settings.d/20-b.json => {"autoMemoryDirectory":"~/fragment2"}`, "home/fragment2"},
		{"CLAUDE_COWORK_MEMORY_PATH_OVERRIDE=$T/cowork", "cowork"},
		{`xdg/config/dream-mcp/config.json => {"memory_dir":"~/ours"}`, "home/ours"},
		{`xdg/config/dream-mcp/config.json => {"memory_dir":"~/ours","projects":{"$T/home/p":{"memory_dir":"~/ours-here"}}}`, "home/ours-here"},
		{"DREAM_MEMORY_DIR=~/variable", "home/variable"},
		{"flag", "home/p/flag"},
	}
	lines := []string{trust}
	for _, step := range steps {
		f := NoFlags
		if step.add == "flag" {
			f.MemoryDir = "flag"
		} else {
			lines = append(lines, step.add)
		}
		env, top := world(t, lines...)
		want := step.want
		switch folder := sessions.Slug(filepath.Join(top, "home", "p")); want {
		case "by the rule":
			want = "home/.claude/projects/" + folder + "/memory"
		case "by the remote base":
			want = "remote/projects/" + folder + "/memory"
		}
		s, err := Resolve(env, f)
		if err != nil {
			t.Fatal(err)
		}
		if got := short(top, s.MemoryDir); got != want {
			t.Errorf("with %q: memory directory %q, want %q (%s)", step.add, got, want, s.MemoryWhy)
		}
		if s.MemoryWhy == "" || s.Settings["memory_dir"].Value != s.MemoryDir {
			t.Errorf("with %q: why %q, setting %q", step.add, s.MemoryWhy, s.Settings["memory_dir"])
		}
		warned(t, s.Warnings)
	}
}

func TestMemoryTrust(t *testing.T) {
	const user = `home/.claude/settings.json => {"autoMemoryDirectory":"~/user"}`
	const project = `home/p/.claude/settings.json => {"autoMemoryDirectory":"~/project"}`
	for name, row := range map[string]struct {
		lines []string
		want  string
		warns []string
	}{
		"never asked": {[]string{user, project}, "home/user", []string{"not trusted"}},
		"trusted":     {[]string{user, project, trust}, "home/project", nil},
		"refused": {[]string{user, project, `home/.claude.json => {"projects":{"$T/home/p":{"hasTrustDialogAccepted":false}}}`},
			"home/user", []string{"not trusted"}},
		"another one": {[]string{user, project, `home/.claude.json => {"projects":{"$T/home":{"hasTrustDialogAccepted":true}}}`},
			"home/user", []string{"not trusted"}},
		"not a boolean": {[]string{user, project, `home/.claude.json => {"projects":{"$T/home/p":{"hasTrustDialogAccepted":"true"}}}`},
			"home/user", []string{"not trusted"}},
		"malformed": {[]string{user, project, `home/.claude.json => {"projects":`}, "home/user",
			[]string{"so no project counts as trusted: line 1, byte", "not trusted"}},
		"the local one too": {[]string{user, `home/p/.claude/settings.local.json => {"autoMemoryDirectory":"~/project"}`}, "home/user", []string{"not trusted"}},
		// With CLAUDE_CONFIG_DIR, the state file is in that folder.
		"state in the configuration": {[]string{project, "CLAUDE_CONFIG_DIR=$T/cfg", `cfg/.claude.json => {"projects":{"$T/home/p":{"hasTrustDialogAccepted":true}}}`}, "home/project", nil},
		"state left at home": {[]string{project, "CLAUDE_CONFIG_DIR=$T/cfg", `cfg/settings.json => {"autoMemoryDirectory":"~/user"}`, trust},
			"home/user", []string{"not trusted"}},
		// Trust in the main checkout extends to a worktree.
		"by the repository": {[]string{user, project, "home/p/.git => gitdir: $T/home/main/.git/worktrees/p", "home/main/.git/worktrees/p/commondir => ../..",
			"home/main/.git/worktrees/p/gitdir => $T/home/p/.git", `home/.claude.json => {"projects":{"$T/home/main":{"hasTrustDialogAccepted":true}}}`}, "home/project", nil},
		// A path from a project that is not trusted is not even a candidate.
		"the rule is left": {[]string{project, "home/.claude/"}, "", []string{"not trusted"}},
	} {
		t.Run(name, func(t *testing.T) {
			s, top := resolve(t, row.lines...)
			if row.want == "" {
				row.want = "home/.claude/projects/" + sessions.Slug(s.Root) + "/memory"
			}
			if got := short(top, s.MemoryDir); got != row.want {
				t.Errorf("memory directory %q, want %q", got, row.want)
			}
			warned(t, s.Warnings, row.warns...)
		})
	}
}

// TestMemoryInvalid has memory directories that cannot be used: an error if named for us, a warning if Claude Code
// ignores them.
func TestMemoryInvalid(t *testing.T) {
	for name, lines := range map[string][]string{
		"variable":   {"DREAM_MEMORY_DIR=memories"},
		"config":     {`xdg/config/dream-mcp/config.json => {"memory_dir":"/"}`},
		"by a link":  {"DREAM_MEMORY_DIR=$T/link", "link -> home"},
		"above home": {"DREAM_MEMORY_DIR=$T"},
	} {
		t.Run(name, func(t *testing.T) {
			env, _ := world(t, append(lines, "home/.claude/")...)
			if s, err := Resolve(env, NoFlags); err == nil || !strings.Contains(err.Error(), "memory directory") {
				t.Errorf("got %q, error %v", s.MemoryDir, err)
			}
		})
	}
	for name, lines := range map[string][]string{
		"user":   {`home/.claude/settings.json => {"autoMemoryDirectory":"memories"}`},
		"policy": {`managed/managed-settings.json => {"autoMemoryDirectory":"~/.."}`},
		"cowork": {"CLAUDE_COWORK_MEMORY_PATH_OVERRIDE=~/memories"},
		"type":   {`home/.claude/settings.json => {"autoMemoryDirectory":["/x/y"]}`},
		"remote": {"CLAUDE_CODE_REMOTE_MEMORY_DIR=memories"},
	} {
		s, top := resolve(t, append(lines, "home/.claude/")...)
		if want := "home/.claude/projects/" + sessions.Slug(s.Root) + "/memory"; short(top, s.MemoryDir) != want {
			t.Errorf("%s: memory directory %q, want %q", name, s.MemoryDir, want)
		}
		warned(t, s.Warnings, "ignored")
	}
}

func TestMemoryByRule(t *testing.T) {
	long := strings.Repeat("/abcdefghi", 25)
	for name, row := range map[string]struct {
		lines []string
		dir   string // of which the slug is wanted
		want  string // $S is the slug, $N a name that is not checked
		warns []string
	}{
		"a subdirectory is its repository": {[]string{"home/.claude/", "home/p/.git/", "home/p/a/b/", "CLAUDE_PROJECT_DIR=$T/home/p/a/b"},
			"home/p", "home/.claude/projects/$S/memory", nil},
		"no Claude Code":                   {nil, "home/p", "xdg/data/dream-mcp/projects/$S/memory", nil},
		"Claude Code, which has made none": {[]string{"CLAUDECODE=1"}, "home/p", "home/.claude/projects/$S/memory", nil},
		"a configuration of its own":       {[]string{"CLAUDE_CONFIG_DIR=$T/cfg", "cfg/", "home/.claude/"}, "home/p", "cfg/projects/$S/memory", nil},
		"a configuration typed decomposed": {[]string{"CLAUDE_CONFIG_DIR=$T/cafe\u0301", "caf\u00e9/"}, "home/p", "caf\u00e9/projects/$S/memory", nil},
		"a name for the folder": {[]string{"CLAUDE_CONFIG_DIR=$T/cfg", "cfg/", "CLAUDE_CODE_PROJECT_DIR_NAME=work"},
			"home/p", "cfg/projects/work/memory", nil},
		"a name without a configuration": {[]string{"home/.claude/", "CLAUDE_CODE_PROJECT_DIR_NAME=work"},
			"home/p", "home/.claude/projects/$S/memory", []string{"only together"}},
		"a name that climbs": {[]string{"CLAUDE_CONFIG_DIR=$T/cfg", "cfg/", "CLAUDE_CODE_PROJECT_DIR_NAME=../x"},
			"home/p", "cfg/projects/$S/memory", []string{"1 to 64"}},
		"a remote base and a name": {[]string{"CLAUDE_CONFIG_DIR=$T/cfg", "CLAUDE_CODE_PROJECT_DIR_NAME=work", "CLAUDE_CODE_REMOTE_MEMORY_DIR=$T/r"}, "home/p", "r/projects/work/memory", nil},
		"a link to the project": {[]string{"home/.claude/", "home/l -> p", "CLAUDE_PROJECT_DIR=$T/home/l"},
			"home/p", "home/.claude/projects/$S/memory", nil},
		"decomposed letters": {[]string{"home/.claude/", "home/cafe\u0301/", "CLAUDE_PROJECT_DIR=$T/home/cafe\u0301"},
			"home/caf\u00e9", "home/.claude/projects/$S/memory", nil},
		"a long path, never worked in": {[]string{"home/.claude/", "home" + long + "/", "CLAUDE_PROJECT_DIR=$T/home" + long},
			"home" + long, "xdg/data/dream-mcp/projects/$N/memory", []string{"so long a path"}},
		"a long path": {[]string{"home/.claude/", "home" + long + "/", "CLAUDE_PROJECT_DIR=$T/home" + long, "long => " + long},
			"home" + long, "home/.claude/projects/$Szz1/memory", nil},
		"another project's long path":        {[]string{"home/.claude/", "home" + long + "/", "CLAUDE_PROJECT_DIR=$T/home" + long, "long => " + long + "x"}, "home" + long, "xdg/data/dream-mcp/projects/$N/memory", []string{"so long a path"}},
		"the memory directory may be a link": {[]string{"home/.claude -> ../elsewhere", "elsewhere/"}, "home/p", "elsewhere/projects/$S/memory", nil},
	} {
		t.Run(name, func(t *testing.T) {
			var lines []string
			var cwd string
			for _, line := range row.lines {
				if rest, ok := strings.CutPrefix(line, "long => "); ok {
					cwd = rest
				} else {
					lines = append(lines, line)
				}
			}
			env, top := world(t, lines...)
			slug := sessions.Slug(filepath.Join(top, row.dir))
			if cwd != "" {
				write(t, filepath.Join(top, "home/.claude/projects", slug+"zz1", "s.jsonl"),
					`{"type":"mode"}`+"\n"+`{"cwd":"`+filepath.ToSlash(filepath.Join(top, "home"+cwd))+`"}`+"\n{")
			}
			s, err := Resolve(env, NoFlags)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range s.Candidates {
				if len(filepath.Base(filepath.Dir(c.Path))) == maxSlug+1 {
					t.Errorf("candidate %q, which no host would make: the hash is missing", c.Path)
				}
			}
			got := short(top, s.MemoryDir)
			if want := strings.ReplaceAll(row.want, "$S", slug); strings.Contains(want, "$N") {
				head, tail, _ := strings.Cut(want, "$N")
				if mid := strings.TrimSuffix(strings.TrimPrefix(got, head), tail); len(mid) != maxSlug+1+12 || head+mid+tail != got {
					t.Errorf("memory directory %q, want %q", got, want)
				}
			} else if got != want {
				t.Errorf("memory directory %q, want %q", got, want)
			}
			warned(t, s.Warnings, row.warns...)
		})
	}
}

// TestDriveLetter has folders that differ in the case of the drive letter; the existing one is used.
func TestDriveLetter(t *testing.T) {
	for name, row := range map[string]struct{ folders, want string }{
		"the other case": {"c--work", "c--work"},
		"the exact one":  {"C--work", "C--work"},
		"neither":        {"D--work", "C--work"},
		"not the rest":   {"c--WORK", "C--work"},
	} {
		r := &resolver{env: Environment{GOOS: "windows"}}
		_, top := world(t, "projects/"+row.folders+"/")
		if got := r.folderOf(filepath.Join(top, "projects"), `C:\work`); got != row.want && (runtime.GOOS != "windows" || !strings.EqualFold(got, row.want)) {
			t.Errorf("%s: %q, want %q", name, got, row.want)
		}
	}
}
