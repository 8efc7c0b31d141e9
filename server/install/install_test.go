package install

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"dream-mcp/consolidate/host"
	"dream-mcp/server/settings"
	"dream-mcp/testdata/tmpfs"
)

const self = "/opt/our tools/dream-mcp"

// TestMain lets a test start this binary as a second process that installs.
func TestMain(m *testing.M) {
	if home := os.Getenv("INSTALL_INTO"); home != "" {
		for _, h := range Hosts() {
			parts, err := installer(home).Parts(h, false)
			for _, p := range parts {
				if err == nil {
					_, err = installer(home).Apply(context.Background(), p)
				}
			}
			if err != nil {
				os.Stderr.WriteString(h.ID + ": " + err.Error() + "\n")
				os.Exit(1)
			}
		}
		os.Exit(0)
	}
	os.Exit(tmpfs.Run(m.Run))
}

func installer(home string) Installer {
	env := settings.Environment{Home: home, Dir: home, GOOS: "linux", Getenv: func(string) string { return "" }}
	return Installer{Env: env, Self: self}
}

// all has every edit.
var all = []struct {
	name        string
	add, remove edit
}{
	{"servers", addJSON("mcpServers", host.PlainEntry([]string{self}), []string{self}), removeJSON("mcpServers")},
	{"opencode", addJSON("mcp", host.Find("opencode").Settings.Entry([]string{self}), []string{self}), removeJSON("mcp")},
	{"hooks", hooksOf("claude-code", Installer{Self: self, Recall: "prompt", Guard: true}), removeHooks},
	{"toml", addTOML([]string{self}), removeTOML()},
	{"servers with arguments", addJSON("mcpServers", host.PlainEntry(named), named), removeJSON("mcpServers")},
	{"opencode with arguments", addJSON("mcp", host.Find("opencode").Settings.Entry(named), named), removeJSON("mcp")},
	{"hooks with arguments", hooksOf("claude-code", Installer{Self: named[0], Args: named[1:]}), removeHooks},
	{"toml with arguments", addTOML(named), removeTOML()},
	{"flat hooks", hooksOf("cursor", Installer{Self: self, Recall: "prompt"}), removeHooks},
}

// hooksOf returns the edit that adds the hooks of a host.
func hooksOf(id string, i Installer) edit {
	i.Env.GOOS = "linux"
	return i.addHooks(host.Find(id))
}

// named is a command line that names a project.
var named = []string{self, "--project", "/home/dev/it's here"}

// TestLayout compares the text after an edit, and after its removal, byte by byte.
func TestLayout(t *testing.T) {
	for _, test := range []struct {
		name, before, after string
		add, remove         edit
	}{
		{"tabs, comments and no last newline", "{\n\t// mine\n\t\"a\": 1, // one\n\t\"mcpServers\": {\n\t\t\"x\": {} // x\n\t}\n}",
			"{\n\t// mine\n\t\"a\": 1, // one\n\t\"mcpServers\": {\n\t\t\"x\": {}, // x\n\t\t\"dream\": {\n\t\t\t\"command\": \"/opt/our tools/dream-mcp\"\n\t\t}\n\t}\n}",
			all[0].add, all[0].remove},
		{"trailing commas", "{\n  \"mcpServers\": {\n    \"x\": {},\n  },\n}\n",
			"{\n  \"mcpServers\": {\n    \"x\": {},\n    \"dream\": {\n      \"command\": \"/opt/our tools/dream-mcp\"\n    },\n  },\n}\n",
			all[0].add, all[0].remove},
		{"CRLF and a byte order mark", "\ufeff{\r\n  \"a\": 1\r\n}\r\n",
			"\ufeff{\r\n  \"a\": 1,\r\n  \"mcpServers\": {\r\n    \"dream\": {\r\n      \"command\": \"/opt/our tools/dream-mcp\"\r\n    }\r\n  }\r\n}\r\n",
			all[0].add, all[0].remove},
		{"one line", `{"a":1,"mcpServers":{"x":{}}}`, `{"a":1,"mcpServers":{"x":{},"dream":{"command":"/opt/our tools/dream-mcp"}}}`, all[0].add, all[0].remove},
		{"one line with a comment after it", "{\"a\": 1 // one\n}", "{\"a\": 1, // one\n  \"mcpServers\": {\n    \"dream\": {\n      \"command\": \"/opt/our tools/dream-mcp\"\n    }\n  }\n}", all[0].add, all[0].remove},
		{"a list of tables", "# mine\nmodel = \"x\" # y\n[mcp_servers.x]\ncommand = \"x\"\n",
			"# mine\nmodel = \"x\" # y\n[mcp_servers.x]\ncommand = \"x\"\n\n[mcp_servers.dream]\ncommand = \"/opt/our tools/dream-mcp\"\n", all[3].add, all[3].remove},
		{"no last newline in TOML", "a = 1", "a = 1\n\n[mcp_servers.dream]\ncommand = \"/opt/our tools/dream-mcp\"", all[3].add, all[3].remove},
		{"CRLF in TOML", "a = 1\r\n", "a = 1\r\n\r\n[mcp_servers.dream]\r\ncommand = \"/opt/our tools/dream-mcp\"\r\n", all[3].add, all[3].remove},
	} {
		after, err := test.add([]byte(test.before))
		if err != nil || string(after) != test.after {
			t.Errorf("%s: %v\n%q\nis not\n%q", test.name, err, after, test.after)
			continue
		}
		back, err := test.remove(after)
		if err != nil || string(back) != test.before {
			t.Errorf("%s taken back: %v\n%q", test.name, err, back)
		}
	}
}

// TestEdited edits files that a person has changed: the changes stay, and a path of another install is updated.
func TestEdited(t *testing.T) {
	for _, test := range []struct {
		name, before, after string
		do                  edit
	}{
		{"first of two", `{"mcpServers": {"dream": {"command": "/old/dream-mcp"}, "x": {}}}`, `{"mcpServers": {"x": {}}}`, all[0].remove},
		{"between two", "{\"mcpServers\": {\n\"w\": 1, // w\n// ours\n\"dream\": {\"command\": \"dream-mcp\"}, // d\n\"x\": 2\n}}",
			"{\"mcpServers\": {\n\"w\": 1, // w\n// ours\n// d\n\"x\": 2\n}}", all[0].remove},
		{"a comment keeps its list", "{\"mcpServers\": {\n// all mine\n\"dream\": {\"command\": \"dream-mcp\"}\n}}",
			"{\"mcpServers\": {\n// all mine\n}}", all[0].remove},
		{"another path, and what was added", `{"mcpServers": {"dream": {"env": {"A": "b"}, "command": "/old/dream-mcp"}}}`,
			`{"mcpServers": {"dream": {"env": {"A": "b"}, "command": "/opt/our tools/dream-mcp"}}}`, all[0].add},
		{"a hook among others", `{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "mine"}, {"type": "command", "command": "'/x y/dream-mcp' hook"}]}]}}`, `{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "mine"}]}]}}`, all[2].remove},
		{"a group among others", `{"hooks": {"Stop": [{"hooks": [{"command": "/x/dream-mcp hook"}]}, {"matcher": "", "hooks": []}]}}`,
			`{"hooks": {"Stop": [{"matcher": "", "hooks": []}]}}`, all[2].remove},
		{"a group with a matcher, and no other hook", `{"hooks": {"Stop": [{"matcher": "x", "hooks": [{"command": "/x/dream-mcp hook"}]}]}}`, `{}`, all[2].remove},
		{"a comment after a value and before its comma",
			"{\"mcpServers\": {\"dream\": {\"command\": \"dream-mcp\"} // d\n, \"x\": 2}}", "{\"mcpServers\": { // d\n\"x\": 2}}", all[0].remove},
		{"tables apart", "[mcp_servers.dream]\ncommand = '/old/dream-mcp'\nargs = [\n \"serve\",\n]\n# mine\n\n[x]\na = 1\n\n[mcp_servers.dream.env]\nA = 'b'\n", "# mine\n\n[x]\na = 1\n", all[3].remove},
		{"arguments of ours", `{"mcpServers": {"dream": {"command": "/old/dream-mcp", "x": 1}}}`,
			`{"mcpServers": {"dream": {"command": "/opt/our tools/dream-mcp", "x": 1, "args": ["--project","/home/dev/it's here"]}}}`, all[4].add},
		{"other arguments", `{"mcpServers": {"dream": {"args": ["--project", /* old */ "/x"], "command": "/opt/our tools/dream-mcp"}}}`,
			`{"mcpServers": {"dream": {"args": ["--project","/home/dev/it's here"], "command": "/opt/our tools/dream-mcp"}}}`, all[4].add},
		{"arguments that stay", `{"mcpServers": {"dream": {"args": ["--project", "/x"], "command": "/old/dream-mcp"}}}`,
			`{"mcpServers": {"dream": {"args": ["--project", "/x"], "command": "/opt/our tools/dream-mcp"}}}`, all[0].add},
		{"arguments in a list", `{"mcp": {"dream": {"command": ["/old/dream-mcp", "--project", "/x"]}}}`,
			`{"mcp": {"dream": {"command": ["/opt/our tools/dream-mcp","--project","/home/dev/it's here"]}}}`, all[5].add},
		{"arguments in TOML", "[mcp_servers.dream]\r\ncommand = '/old/dream-mcp' # c\r\n",
			"[mcp_servers.dream]\r\nargs = [\"--project\",\"/home/dev/it's here\"]\r\ncommand = \"/opt/our tools/dream-mcp\" # c\r\n", all[7].add},
		{"other arguments in TOML", "[mcp_servers.dream]\ncommand = '/opt/our tools/dream-mcp'\nargs = [\n '--project', # old\n '/x',\n] # c\n",
			"[mcp_servers.dream]\ncommand = '/opt/our tools/dream-mcp'\nargs = [\"--project\",\"/home/dev/it's here\"] # c\n", all[7].add},
		{"a hook with arguments", `{"hooks": {"Stop": [{"hooks": [{"command": "'/x y/dream-mcp' hook --project '/home/dev/it'\\''s here'"}]}]}}`, `{}`, all[2].remove},
		{"another path in TOML", "[mcp_servers.dream]\ncommand = '/old/dream-mcp' # c\nenv = {A = 'b'}\n",
			"[mcp_servers.dream]\ncommand = \"/opt/our tools/dream-mcp\" # c\nenv = {A = 'b'}\n", all[3].add},
	} {
		after, err := test.do([]byte(test.before))
		if err != nil || string(after) != test.after {
			t.Errorf("%s: %v\n%q\nis not\n%q", test.name, err, after, test.after)
		}
	}
}

// TestRefused has files that cannot be parsed or whose entry is not ours.
func TestRefused(t *testing.T) {
	for _, test := range []struct{ which, text string }{
		{"servers", `{"mcpServers": {`}, {"servers", `[]`}, {"servers", `{"mcpServers": []}`}, {"servers", `{"mcpServers": {"dream": 1}}`},
		{"servers", `{"mcpServers": {"dream": {"command": "/bin/other"}}}`}, {"servers", `{"mcpServers": {"dream": {"url": "http://x"}}}`},
		{"servers", `{"mcpServers": {}, "mcpServers": {}}`}, {"opencode", `{"mcp": {"dream": {"command": ["other", "dream-mcp"]}}}`},
		{"hooks", `{"hooks": []}`}, {"hooks", `{"hooks": {"Stop": {}}}`}, {"toml", "a ="}, {"toml", "[mcp_servers.dream]\nurl = 'x'"},
		{"toml", "mcp_servers = {}\n"}, {"toml", "mcp_servers.dream = {command = '/old/dream-mcp'}\n"},
	} {
		for _, e := range all {
			if e.name != test.which {
				continue
			}
			if after, err := e.add([]byte(test.text)); err == nil {
				t.Errorf("%s took %q: %q", e.name, test.text, after)
			}
		}
	}
}

// FuzzEdit checks that adding twice is adding once, that nothing but our entries differs in the decoded file (which
// checked compares too), and that removing leaves nothing of ours.
func FuzzEdit(f *testing.F) {
	for _, seed := range []string{
		"", "{}", "{ }\n", "{\n}", "{\"a\": [1, {}], // x\n}", `{"hooks": {"Stop": []}, "mcp": {}}`, "{\"mcpServers\": {\n/* a */ \"x\": 1 /* b */, /* c */}}",
		"a = 1\n[b]\n", "[mcp_servers.x]\n", "\ufeff{\r\n}\r\n", `{"mcpServers":{"dream":{"command":"dream-mcp"},"z":0}}`, "[[x]]\na=1#", "{\"a\":1//\n}",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, e := range all {
			added, err := e.add(bytes.Clone(text))
			if err != nil {
				continue
			}
			again, err := e.add(added)
			if err != nil || !bytes.Equal(again, added) {
				t.Fatalf("%s of %q: %q, again %v %q", e.name, text, added, err, again)
			}
			bare, err := e.remove(bytes.Clone(text))
			if err != nil {
				t.Fatalf("%s can add to %q but not take away: %v", e.name, text, err)
			}
			taken, err := e.remove(added)
			if err != nil {
				t.Fatalf("%s of %q: %q cannot be taken back: %v", e.name, text, added, err)
			}
			if bytes.Equal(bare, text) && strings.Join(strings.Fields(string(taken)), "") != strings.Join(strings.Fields(string(text)), "") && !emptied(text) {
				t.Fatalf("%s of %q: taken back it is %q", e.name, text, taken)
			}
			if !strings.HasPrefix(e.name, "toml") && bytes.Equal(bare, text) {
				was, _ := decodeJSON(text)
				is, _ := decodeJSON(taken)
				if len(bytes.TrimSpace(text)) == 0 {
					delete(is, "version") // a blank file becomes one of hooks
				}
				stripEmpty(was)
				stripEmpty(is)
				if len(was)+len(is) > 0 && !reflect.DeepEqual(was, is) {
					t.Fatalf("%s of %q: taken back it says %v", e.name, text, is)
				}
			}
		}
	})
}

// emptied reports whether a text has what removing may drop: an empty list or object, or nothing at all.
func emptied(text []byte) bool {
	t := strings.Join(strings.Fields(string(text)), "")
	return t == "" || t == "\ufeff" || strings.Contains(t, "{}") || strings.Contains(t, "[]")
}

func stripEmpty(all map[string]any) {
	for _, name := range []string{"mcpServers", "mcp", "hooks"} {
		if below, ok := all[name].(map[string]any); ok {
			for event := range below {
				if list, ok := below[event].([]any); ok && len(list) == 0 {
					delete(below, event)
				}
			}
			if len(below) == 0 {
				delete(all, name)
			}
		}
	}
}

func apply(t *testing.T, i Installer, id string, removing bool) ([]Done, error) {
	t.Helper()
	h := host.Find(id)
	parts, err := i.Parts(h, removing)
	if err != nil {
		return nil, err
	}
	var all []Done
	for _, p := range parts {
		done, err := i.Apply(context.Background(), p)
		if err != nil {
			return all, err
		}
		all = append(all, done)
	}
	return all, nil
}

// snapshot returns the content of a folder: bytes, modes and links.
func snapshot(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(p string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() || e.Name() == "install.lock" {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		text, _ := os.ReadFile(p)
		link, _ := os.Readlink(p)
		b.WriteString(p + " " + info.Mode().String() + " " + link + "\n" + string(text) + "\n")
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestInstallRoundTrip uninstalls right after an install: bytes, links and modes are as before.
func TestInstallRoundTrip(t *testing.T) {
	t.Setenv("PATH", "")
	for _, text := range []string{"absent", "", "{}", "{\n}\n",
		"{\"mcpServers\": {}, \"servers\": {}, \"mcp\": {}, \"hooks\": {\"Stop\": []}}", "\ufeff", "# blank\n"} {
		for _, h := range Hosts() {
			home := t.TempDir()
			i := installer(home)
			for _, p := range i.allParts(h) {
				forms := map[bool]string{true: ".toml", false: ".json"} // what is a comment in one is nothing in the other
				if text == "absent" || filepath.Ext(p.File) != forms[strings.HasPrefix(text, "#")] && text != "" {
					continue
				}
				kept := filepath.Join(home, "dotfiles", p.Name)
				for _, dir := range []string{filepath.Dir(kept), filepath.Dir(p.File)} {
					if err := os.MkdirAll(dir, 0o700); err != nil {
						t.Fatal(err)
					}
				}
				if err := os.WriteFile(kept, []byte(text), 0o640); err != nil {
					t.Fatal(err)
				}
				if err := os.Symlink(kept, p.File); err != nil && !errors.Is(err, fs.ErrExist) { // two parts may share a file
					t.Fatal(err)
				}
			}
			before := snapshot(t, home)
			done, err := apply(t, i, h.ID, false)
			if err != nil || !done[0].Changed {
				t.Fatalf("%s on %q: %v %v", h.ID, text, done, err)
			}
			if done, err = apply(t, i, h.ID, false); err != nil || done[0].Changed {
				t.Fatalf("%s on %q, again: %v %v", h.ID, text, done, err)
			}
			if _, err := apply(t, i, h.ID, true); err != nil {
				t.Fatal(err)
			}
			if after := snapshot(t, home); after != before {
				t.Fatalf("%s on %q:\n%s\nbecame\n%s", h.ID, text, before, after)
			}
		}
	}
}

// TestUninstallAfterAnEdit edits the file between install and uninstall: the edit stays, and a backup is kept.
func TestUninstallAfterAnEdit(t *testing.T) {
	t.Setenv("PATH", "")
	home := t.TempDir()
	file := filepath.Join(home, ".cursor", "mcp.json")
	os.MkdirAll(filepath.Dir(file), 0o700)
	os.WriteFile(file, []byte("{\n  \"mcpServers\": {\"x\": {}}\n}\n"), 0o600)
	if _, err := apply(t, installer(home), "cursor", false); err != nil {
		t.Fatal(err)
	}
	text, _ := os.ReadFile(file)
	os.WriteFile(file, bytes.Replace(text, []byte(`{"x": {}`), []byte(`{"x": {"command": "y"}`), 1), 0o600)
	done, err := apply(t, installer(home), "cursor", true)
	if err != nil {
		t.Fatal(err)
	}
	if text, _ = os.ReadFile(file); string(text) != "{\n  \"mcpServers\": {\"x\": {\"command\": \"y\"}}\n}\n" {
		t.Errorf("it holds %q", text)
	}
	if kept, _ := os.ReadFile(done[1].Backup); !strings.Contains(string(kept), "dream-mcp") {
		t.Errorf("the backup holds %q", kept)
	}
}

// TestLeftAlone has files that must not be written, and one that changes meanwhile.
func TestLeftAlone(t *testing.T) {
	t.Setenv("PATH", "")
	for name, prepare := range map[string]func(file string) error{
		"read-only": func(f string) error { return os.WriteFile(f, []byte("{}"), 0o400) },
		"broken":    func(f string) error { return os.WriteFile(f, []byte("{"), 0o600) },
		"a folder":  func(f string) error { return os.Mkdir(f, 0o700) },
		"a link to nothing": func(f string) error {
			return os.Symlink(filepath.Join(filepath.Dir(f), "nothing"), f)
		},
		"another server": func(f string) error {
			return os.WriteFile(f, []byte(`{"mcpServers":{"dream":{"command":"x"}}}`), 0o600)
		},
	} {
		home := t.TempDir()
		file := filepath.Join(home, ".cursor", "mcp.json")
		os.MkdirAll(filepath.Dir(file), 0o700)
		if err := prepare(file); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Lstat(file); err != nil {
			t.Logf("NOT TESTED: %s: this system made nothing, and said that it had", name)
			continue
		}
		before := snapshot(t, home)
		if _, err := apply(t, installer(home), "cursor", false); err == nil {
			t.Errorf("%s was taken", name)
		}
		if after := snapshot(t, home); after != before {
			t.Errorf("%s:\n%s\nbecame\n%s", name, before, after)
		}
	}
	file := filepath.Join(t.TempDir(), "f")
	os.WriteFile(file, []byte("{}"), 0o600)
	f, err := load(file)
	if err != nil {
		t.Fatal(err)
	}
	os.WriteFile(file, []byte("{ }"), 0o600)
	if err := f.replace([]byte("x")); err != errMoved {
		t.Errorf("a file that changed: %v", err)
	}
}

// TestTogether runs eight installs at once. The result is that of one.
func TestTogether(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("PATH must be empty")
	}
	one, many := t.TempDir(), t.TempDir()
	var started []*exec.Cmd
	for n := range 9 {
		home := many
		if n == 0 {
			home = one
		}
		cmd := exec.Command(os.Args[0])
		cmd.Env = []string{"INSTALL_INTO=" + home, "PATH="}
		var said strings.Builder
		cmd.Stderr = &said
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		started = append(started, cmd)
	}
	for _, cmd := range started {
		if err := cmd.Wait(); err != nil {
			t.Errorf("%v: %s", err, cmd.Stderr)
		}
	}
	if a, b := strings.ReplaceAll(snapshot(t, one), one, ""), strings.ReplaceAll(snapshot(t, many), many, ""); a != b {
		t.Errorf("one left\n%s\nmany left\n%s", a, b)
	}
}

func TestHookCommand(t *testing.T) {
	for _, test := range []struct{ goos, self, want string }{
		{"linux", "/usr/bin/dream-mcp", "/usr/bin/dream-mcp hook"},
		{"darwin", "/a b/it's $x/dream-mcp", `'/a b/it'\''s $x/dream-mcp' hook`},
		{"windows", `C:\Users\ada\go\bin\dream-mcp.exe`, "C:/Users/ada/go/bin/dream-mcp.exe hook"},
		{"windows", `C:\Program Files\dream-mcp.exe`, `"C:/Program Files/dream-mcp.exe" hook`},
	} {
		got := hookCommand(test.goos, []string{test.self})
		if got != test.want || !isHook(got) {
			t.Errorf("%s: %s", test.self, got)
		}
	}
}

// TestPresent finds a host by its folder, not by the home directory.
func TestPresent(t *testing.T) {
	t.Setenv("PATH", "")
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "home", ".codex"), 0o700); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink("home", link); err != nil {
		t.Fatal(err)
	}
	homes := []string{filepath.Join(dir, "home"), ""}
	if _, err := os.Stat(link); err == nil {
		homes = append(homes, link)
	}
	for _, home := range homes {
		for _, h := range Hosts() {
			if got, want := installer(home).Present(h), h.ID == "codex" && home != ""; got != want {
				t.Errorf("%s in %q: %t", h.ID, home, got)
			}
		}
	}
}

// TestFiles has the path of a host's file for each system.
func TestFiles(t *testing.T) {
	for _, test := range []struct{ goos, id, want string }{
		{"linux", "claude-desktop", "/h/.config/Claude/claude_desktop_config.json"},
		{"darwin", "claude-desktop", "/h/Library/Application Support/Claude/claude_desktop_config.json"},
		{"windows", "claude-desktop", "/h/AppData/Roaming/Claude/claude_desktop_config.json"},
		{"darwin", "vscode", "/h/Library/Application Support/Code/User/mcp.json"},
		{"windows", "vscode", "/h/AppData/Roaming/Code/User/mcp.json"},
		{"darwin", "opencode", "/h/.config/opencode/opencode.json"},
		{"linux", "codex", "/h/.codex/config.toml"},
	} {
		h := host.Find(test.id)
		env := settings.Environment{Home: "/h", Dir: "/h", GOOS: test.goos, Getenv: func(string) string { return "" }}
		if got := filepath.ToSlash(fileOf(h, env)); !strings.HasSuffix(got, test.want) {
			t.Errorf("%s on %s: %s", test.id, test.goos, got)
		}
	}
}
