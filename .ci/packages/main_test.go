package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// What goes into an archive decides its bytes, not when it was made. That two whole builds are the same,
// .ci/release looks.
func TestArchivesKeepNoTime(t *testing.T) {
	var sums [2]string
	for i := range sums {
		name := filepath.Join(t.TempDir(), "p.zip")
		var err error
		if sums[i], err = pack(name, pluginFiles(systems[0], about{version: "1.2.3"}, []byte("program"))); err != nil {
			t.Fatal(err)
		}
		if text, err := os.ReadFile(name); err != nil || sum(text) != sums[i] {
			t.Errorf("the sum is not the file's: %v", err)
		}
	}
	if sums[0] != sums[1] {
		t.Error("two archives of the same differ")
	}
}

// What a person has set for their own builds is not in a release.
func TestEnviron(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("NOT TESTED: go is missing")
	}
	asked := func() string {
		cmd := exec.Command("go", "env", "GOOS", "GOARCH", "GOAMD64", "GOARM64", "CGO_ENABLED", "GOFLAGS", "GOEXPERIMENT", "GOFIPS140", "GOWORK")
		cmd.Env = system{"linux", "amd64"}.environ()
		said, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		return string(said)
	}
	t.Setenv("GOENV", "off")
	plain := asked()
	env := filepath.Join(t.TempDir(), "env")
	if err := os.WriteFile(env, []byte("GOFLAGS=-tags=mine\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	work := filepath.Join(t.TempDir(), "go.work")
	if err := os.WriteFile(work, []byte("go 1.24\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{
		"GOOS": "plan9", "GOARCH": "386", "GOAMD64": "v3", "GOARM64": "v9.0", "CGO_ENABLED": "1", "GOFLAGS": "-race", "GOEXPERIMENT": "synctest", "GOFIPS140": "latest", "GOWORK": work,
	} {
		t.Setenv(name, value)
	}
	t.Setenv("GOENV", env)
	if now := asked(); now != plain || !strings.HasPrefix(plain, "linux\namd64\nv1\nv8.0\n0\n") {
		t.Errorf("built in\n%s, without a person's settings in\n%s", now, plain)
	}
}

func TestRegistryFile(t *testing.T) {
	for _, repository := range []string{"https://example.test/a/b", "https://github.com/a", "https://github.com/a/b/c", "github.com/a/b"} {
		if _, err := registryFile(about{repository: repository}, nil); err == nil {
			t.Errorf("%q was taken", repository)
		}
	}
	text, err := registryFile(about{version: "1.0.0", repository: "https://github.com/example/dream-mcp"}, map[string]string{"a.mcpb": "00", "a.zip": "11"})
	if err != nil || !json.Valid(text) || !strings.Contains(string(text), "download/v1.0.0/a.mcpb") || strings.Contains(string(text), "a.zip") {
		t.Errorf("%v: %s", err, text)
	}
	if len(description) > 100 {
		t.Errorf("the description has %d characters", len(description))
	}
	if err := release(".", "", "", nil); err == nil {
		t.Error("a folder with something in it was taken")
	}
}

// Every setting of the bundle reaches the program by a variable, and an empty one leaves it empty.
func TestBundleSettings(t *testing.T) {
	var manifest struct {
		Server struct {
			Config struct{ Env map[string]string } `json:"mcp_config"`
		}
		Settings map[string]struct {
			Type, Title, Description string
			Required                 bool
			Default                  *string
		} `json:"user_config"`
	}
	if err := json.Unmarshal(bundleFiles(systems[0], about{version: "1.2.3", author: object{"name": "x"}}, nil)["manifest.json"], &manifest); err != nil {
		t.Fatal(err)
	}
	for name, variable := range map[string]string{"project": "DREAM_PROJECT", "memory_dir": "DREAM_MEMORY_DIR"} {
		s := manifest.Settings[name]
		if s.Type != "directory" || s.Title == "" || s.Description == "" || s.Required || s.Default == nil || *s.Default != "" {
			t.Errorf("%s: %+v", name, s)
		}
		if manifest.Server.Config.Env[variable] != "${user_config."+name+"}" {
			t.Errorf("%s is %q", variable, manifest.Server.Config.Env[variable])
		}
	}
}

// What flags leave out comes from the remote of the checkout, where that is GitHub's; nothing is made up.
// The extension starts the program that is in it.
func TestExtension(t *testing.T) {
	files := extensionFiles(system{os: "windows", arch: "amd64"}, about{version: "1.2.3"}, []byte("program"))
	var manifest struct {
		Name, Version string
		MCPServers    map[string]struct{ Command string }
	}
	if err := json.Unmarshal(files["gemini-extension.json"], &manifest); err != nil {
		t.Fatal(err)
	}
	path, _ := strings.CutPrefix(strings.ReplaceAll(manifest.MCPServers["dream"].Command, "${/}", "/"), "${extensionPath}/")
	if files[path] == nil || manifest.Name != "dream-mcp" || manifest.Version != "1.2.3" {
		t.Errorf("%+v starts %q, which is not in it", manifest, path)
	}
}

func TestDescribe(t *testing.T) {
	for _, row := range []struct {
		remote, repository, author string // as given
		is, name, email            string
		missing                    int
		wrong                      bool
	}{
		{remote: "git@github.com:ada/dream-mcp.git", is: "https://github.com/ada/dream-mcp", name: "ada"},
		{remote: "ssh://git@github.com/ada/dream-mcp", is: "https://github.com/ada/dream-mcp", name: "ada"},
		{remote: "https://token:x@github.com/ada/dream-mcp.git/", is: "https://github.com/ada/dream-mcp", name: "ada"},
		{remote: "https://github.com/ada/dream-mcp", repository: "https://github.com/bob/other", author: "Bob <bob@example.test>",
			is: "https://github.com/bob/other", name: "Bob", email: "bob@example.test"},
		{remote: "/srv/git/dream-mcp.git", author: "The Bobs", name: "The Bobs", missing: 1},
		{remote: "https://github.com.evil.example/ada/dream-mcp", name: "dream-mcp", missing: 2},
		{remote: "https://evil.example/@github.com/ada/dream-mcp", name: "dream-mcp", missing: 2},
		{name: "dream-mcp", missing: 2},
		{repository: "https://example.test/a/b", wrong: true},
	} {
		t.Chdir(t.TempDir())
		for _, args := range [][]string{{"init", "-q"}, {"remote", "add", "origin", row.remote}} {
			if args[0] == "remote" && row.remote == "" {
				continue
			}
			if said, err := exec.Command("git", args...).CombinedOutput(); err != nil {
				t.Skipf("git: %v: %s", err, said)
			}
		}
		a, missing, err := describe("1.0.0", row.repository, row.author)
		email, _ := a.author["email"].(string)
		if (err != nil) != row.wrong || !row.wrong && (a.repository != row.is || a.author["name"] != row.name || email != row.email || len(missing) != row.missing) {
			t.Errorf("%+v: %+v, %q, %v", row, a, missing, err)
		}
	}
}
