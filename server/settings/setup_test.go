package settings

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestClient(t *testing.T) {
	for name, row := range map[string]struct {
		lines           []string
		client, session string
		warns           []string
	}{
		"nobody": {nil, "", "", nil},
		"Claude Code": {[]string{"CLAUDECODE=1", "CLAUDE_CODE_SESSION_ID=0f0e0d0c-0000-4000-8000-000000000001"},
			ClaudeCode, "0f0e0d0c-0000-4000-8000-000000000001", nil},
		"by its project":          {[]string{"CLAUDE_PROJECT_DIR=$T/home/p"}, ClaudeCode, "", nil},
		"Codex":                   {[]string{"CODEX_HOME=$T/x"}, "codex", "", nil},
		"Codex in Claude Code":    {[]string{"CODEX_HOME=$T/x", "CLAUDECODE=1"}, ClaudeCode, "", nil},
		"Gemini":                  {[]string{"GEMINI_CLI=1"}, "gemini", "", nil},
		"opencode":                {[]string{"OPENCODE=1"}, "opencode", "", nil},
		"Gemini in opencode":      {[]string{"OPENCODE=1", "GEMINI_CLI=1"}, "gemini", "", nil},
		"a session that climbs":   {[]string{"CLAUDE_CODE_SESSION_ID=../../x"}, "", "", []string{"not the name of a session"}},
		"a session without bound": {[]string{"CLAUDE_CODE_SESSION_ID=" + strings.Repeat("a", 4096)}, "", "", []string{"not the name of a session"}},
	} {
		s, _ := resolve(t, row.lines...)
		if s.Client != row.client || s.SessionID != row.session {
			t.Errorf("%s: client %q, session %q", name, s.Client, s.SessionID)
		}
		warned(t, s.Warnings, row.warns...)
	}
}

func TestProject(t *testing.T) {
	drive := filepath.VolumeName(os.TempDir())
	for name, row := range map[string]struct {
		lines []string
		flag  string
		want  string
		warns []string
	}{
		"working directory":           {nil, "", "home/p", nil},
		"named by the host":           {[]string{"home/q/", "CLAUDE_PROJECT_DIR=$T/home/q"}, "", "home/q", nil},
		"a flag goes first":           {[]string{"home/q/", "home/p/r/", "CLAUDE_PROJECT_DIR=$T/home/q"}, "r", "home/p/r", nil},
		"and spares the host's error": {[]string{"home/p/r/", "CLAUDE_PROJECT_DIR=$T/none"}, "r", "home/p/r", nil},
		"one that is not there":       {[]string{"CLAUDE_PROJECT_DIR=$T/none"}, "", "home/p", []string{"not a directory"}},
		"one that is relative":        {[]string{"CLAUDE_PROJECT_DIR=."}, "", "home/p", []string{"not a directory"}},
		"by our own variable":         {[]string{"home/q/", "DREAM_PROJECT=$T/home/q", "CLAUDE_PROJECT_DIR=$T/home"}, "", "home/q", nil},
		"a setting left empty":        {[]string{"DREAM_PROJECT=${user_config.project}"}, "", "home/p", nil},
		"a link":                      {[]string{"home/l -> p", "CLAUDE_PROJECT_DIR=$T/home/l"}, "", "home/p", nil},
		"home":                        {[]string{"CLAUDE_PROJECT_DIR=$T/home"}, "", "home", []string{"home directory"}},
		"the whole file system":       {[]string{"CLAUDE_PROJECT_DIR=" + drive + "/"}, "", strings.TrimPrefix(drive+"/", "/"), []string{"root of the file system"}},
	} {
		t.Run(name, func(t *testing.T) {
			env, top := world(t, row.lines...)
			f := NoFlags
			f.Project = row.flag
			s, err := Resolve(env, f)
			if err != nil {
				t.Fatal(err)
			}
			if got := short(top, s.Project); got != row.want {
				t.Errorf("%q, want %q", got, row.want)
			}
			warned(t, s.Warnings, row.warns...)
		})
	}
	env, top := world(t, "home/q/")
	env.Folder = filepath.Join(top, "home", "q")
	if s, err := Resolve(env, NoFlags); err != nil || s.Project != env.Folder || s.Settings["project"].Source != fromClient {
		t.Errorf("named by the client: %q, %v", s.Project, err)
	}
	env.Dir = ""
	if _, err := Resolve(env, NoFlags); err != nil {
		t.Errorf("named by the client, and no working directory: %v", err)
	}
	env.Folder = ""
	if _, err := Resolve(env, NoFlags); err == nil {
		t.Error("no directory at all: no error")
	}
}

// TestNoProject starts in the root of a file system, as hosts without projects do. The root is not a project, and the
// settings below the working directory are not read. A memory directory can be used without a project.
func TestNoProject(t *testing.T) {
	env, top := world(t, "home/.claude/projects/-/memory/old.md => x", `home/p/.claude/settings.json => {"autoMemoryEnabled":false}`)
	t.Chdir(filepath.Join(top, "home", "p"))
	env.Dir = filepath.VolumeName(top) + string(filepath.Separator)
	f := NoFlags
	f.MemoryDir = filepath.Join(top, "home", "notes")
	for _, env.Dir = range []string{"", env.Dir} {
		if s, err := Resolve(env, NoFlags); !errors.Is(err, ErrNoProject) {
			t.Errorf("%q, %v", s.MemoryDir, err)
		}
		if s, err := Resolve(env, f); err != nil || s.MemoryDir != f.MemoryDir {
			t.Errorf("with a memory directory: %q, %v", s.MemoryDir, err)
		}
	}
	env.Folder = env.Dir
	if s, err := Resolve(env, NoFlags); !errors.Is(err, ErrNoProject) {
		t.Errorf("named by the client: %q, %v", s.MemoryDir, err)
	}
	s, err := Resolve(env, f)
	if err != nil || s.MemoryDir != f.MemoryDir || s.Project != "" || s.Roots() != nil || s.Candidates != nil || s.Strays() != nil || !s.Enabled.On {
		t.Errorf("with a memory directory: %+v, %v", s, err)
	}
	warned(t, s.Warnings, "no project is named")
}

// TestHomeByLink names the home directory by a link.
func TestHomeByLink(t *testing.T) {
	env, top := world(t, "link -> home")
	env.Home, env.Dir = filepath.Join(top, "link"), filepath.Join(top, "home")
	s, err := Resolve(env, NoFlags)
	if err != nil {
		t.Fatal(err)
	}
	warned(t, s.Warnings, "home directory")
	f := NoFlags
	f.MemoryDir = top + "/home"
	if s, err := Resolve(env, f); err == nil {
		t.Errorf("the home directory is taken for memories: %q", s.MemoryDir)
	}
}

// TestSettingsFiles has settings files that cannot be read: each is a warning, and the next file is used.
func TestSettingsFiles(t *testing.T) {
	const user = `home/.claude/settings.json => {"autoMemoryEnabled":false}`
	for name, row := range map[string]struct {
		lines []string
		on    bool
		warns []string
	}{
		"malformed":                {[]string{user, "home/p/.claude/settings.json => {\n\n  \"autoMemoryEnabled\": tru }"}, false, []string{"line 3, byte"}},
		"blank":                    {[]string{user, "home/p/.claude/settings.json => \n"}, false, nil},
		"below the checkout's top": {[]string{user, "home/p/.git/", "home/p/a/", "CLAUDE_PROJECT_DIR=$T/home/p/a", trust, `home/p/.claude/settings.json => {"autoMemoryEnabled":true}`}, true, nil},
		"its own go first":         {[]string{"home/p/.git/", "CLAUDE_PROJECT_DIR=$T/home/p/a", trust, `home/p/.claude/settings.json => {"autoMemoryEnabled":true}`, `home/p/a/.claude/settings.json => {"autoMemoryEnabled":false}`}, false, nil},
		"not above the checkout":   {[]string{"home/p/.git/", `home/.claude/settings.json => {}`, "CLAUDE_CONFIG_DIR=$T/cfg", `.claude/settings.json => {"autoMemoryEnabled":false}`}, true, nil},
		"home is the project": {[]string{`home/.claude/settings.json => {"autoMemoryEnabled":true}`, "CLAUDE_PROJECT_DIR=$T/home"},
			true, []string{"home directory"}},
		"a hidden fragment is not read": {[]string{`managed/managed-settings.d/.a.json => {"autoMemoryEnabled":false}`}, true, nil},
		"a fragment over the base":      {[]string{`managed/managed-settings.json => {"autoMemoryEnabled":false}`, `managed/managed-settings.d/a.json => {"autoMemoryEnabled":true}`}, true, nil},
	} {
		s, _ := resolve(t, row.lines...)
		if s.Enabled.On != row.on {
			t.Errorf("%s: %+v, want %t", name, s.Enabled, row.on)
		}
		warned(t, s.Warnings, row.warns...)
	}
}

func TestManaged(t *testing.T) {
	for goos, want := range map[string]string{"linux": "/etc/claude-code", "darwin": "/Library/Application Support/ClaudeCode",
		"windows": `C:\Program Files\ClaudeCode`} {
		if got := (Environment{GOOS: goos}).managed(); got != want {
			t.Errorf("%s: %q, want %q", goos, got, want)
		}
	}
}

// TestZeroEnvironment resolves an almost empty Environment.
func TestZeroEnvironment(t *testing.T) {
	dir := t.TempDir()
	if s, err := Resolve(Environment{Dir: dir, Managed: dir}, NoFlags); err == nil || s.Project == "" {
		t.Errorf("without a home: %+v, %v", s, err)
	}
	if env := Process(); env.Getenv == nil || !filepath.IsAbs(env.Dir) || env.GOOS == "" {
		t.Errorf("this process: %+v", env)
	}
}

// TestResolveWritesNothing compares the files before and after Resolve.
func TestResolveWritesNothing(t *testing.T) {
	env, top := world(t, "CLAUDECODE=1", trust, `home/.claude/settings.json => {"autoMemoryDirectory":"~/m"}`)
	list := func() (all []string) {
		filepath.Walk(top, func(path string, info os.FileInfo, err error) error {
			all = append(all, path+info.ModTime().String())
			return err
		})
		return all
	}
	before := strings.Join(list(), "\n")
	if _, err := Resolve(env, NoFlags); err != nil {
		t.Fatal(err)
	}
	if after := strings.Join(list(), "\n"); after != before {
		t.Errorf("before:\n%s\nafter:\n%s", before, after)
	}
}
