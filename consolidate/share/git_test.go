package share

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dream-mcp/memory"
	"dream-mcp/testdata/tmpfs"
)

func needGit(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("NOT TESTED: git is missing")
	}
}

// bare makes an empty repository to share by.
func bare(t *testing.T) string {
	t.Helper()
	needGit(t)
	dir := filepath.Join(t.TempDir(), "remote.git")
	sh(t, t.TempDir(), "git", "init", "-q", "--bare", dir)
	return dir
}

func sh(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func newGit(t *testing.T) git {
	t.Helper()
	needGit(t)
	g, err := openGit(t.Context(), filepath.Join(t.TempDir(), "repo.git"))
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func name(t *testing.T, s string) memory.Name {
	t.Helper()
	n, err := memory.ParseName(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestObjects(t *testing.T) {
	remote, g := bare(t), newGit(t)
	ctx := t.Context()
	commit := func(parent string, from, to tree) string {
		t.Helper()
		oid, err := g.commit(ctx, parent, to, from.changes(to), author{"0123456789abcdef", "<de\nsk>"}, time.Unix(1e9, 0), "x")
		if err != nil {
			t.Fatal(err)
		}
		if got, err := g.read(ctx, oid); err != nil || len(got.changes(to)) > 0 {
			t.Fatalf("%v %v", got, err)
		}
		return oid
	}
	first := tree{markFolder + "/0123456789abcdef.json": []byte("{}")}.with(Files{name(t, "a b.md"): []byte("one\n"), name(t, "ünd/c.md"): {}})
	second := first.with(Files{name(t, "a b.md"): []byte("two\n")})
	one := commit("", tree{}, first)
	two := commit(one, first, second)
	const ref = "refs/dream-mcp/x/memory"
	if err := g.push(ctx, remote, update{ref, "", one}); err != nil {
		t.Fatal(err)
	}
	if err := g.push(ctx, remote, update{ref, "", two}); err == nil {
		t.Error("a ref that exists was made")
	}
	if err := g.push(ctx, remote, update{ref, one, two}, update{"refs/dream-mcp/x/lease", two, one}); err == nil {
		t.Error("a part of a push was made")
	}
	if heads, err := g.heads(ctx, remote, "refs/dream-mcp/x/*"); err != nil || len(heads) != 1 || heads[ref] != one {
		t.Errorf("%v %v", heads, err)
	}
	other := newGit(t)
	if got, err := other.fetch(ctx, remote, ref); err != nil || got != one {
		t.Fatal(got, err)
	}
	if got, err := other.read(ctx, one); err != nil || len(got.files()) != 2 {
		t.Errorf("%v %v", got, err)
	}
}

func TestHostileTrees(t *testing.T) {
	g := newGit(t)
	work := t.TempDir()
	sh(t, work, "git", "init", "-q")
	commit := func(make func(dir string)) string {
		os.RemoveAll(filepath.Join(work, "memory"))
		os.RemoveAll(filepath.Join(work, "machines"))
		os.MkdirAll(filepath.Join(work, "memory"), 0o755)
		os.WriteFile(filepath.Join(work, "format"), []byte(format), 0o644)
		os.WriteFile(filepath.Join(work, "memory", "good.md"), []byte("x"), 0o644)
		make(filepath.Join(work, "memory"))
		sh(t, work, "git", "add", "-A")
		sh(t, work, "git", "commit", "-q", "--allow-empty", "-m", "x")
		oid, err := g.fetch(context.Background(), work, "HEAD")
		if err != nil {
			t.Fatal(err)
		}
		return oid
	}
	put := func(file string, size int) func(string) {
		return func(dir string) {
			os.MkdirAll(filepath.Dir(filepath.Join(dir, file)), 0o755)
			os.WriteFile(filepath.Join(dir, file), make([]byte, size), 0o644)
		}
	}
	if _, err := g.read(t.Context(), commit(func(string) {})); err != nil {
		t.Fatal(err)
	}
	for what, make := range map[string]func(string){
		"a link":            func(dir string) { os.Symlink("/etc/passwd", filepath.Join(dir, "link.md")) },
		"an executable":     func(dir string) { put("run.md", 1)(dir); os.Chmod(filepath.Join(dir, "run.md"), 0o755) },
		"a hidden name":     put(".git.md", 1),
		"a device":          put("con.md", 1),
		"a deep name":       put("a/b/c.md", 1),
		"no Markdown":       put("a.sh", 1),
		"too large":         put("large.md", memory.MaxReadBytes+1),
		"two spellings":     func(dir string) { put("A.md", 1)(dir); put("a.md", 1)(dir) },
		"a mark":            put("../machines/x.json", 1),
		"another format":    func(dir string) { os.WriteFile(filepath.Join(dir, "..", "format"), []byte("9\n"), 0o644) },
		"a name in control": put("a\x1b[31m.md", 1),
	} {
		var refused *StopError
		if _, err := g.read(t.Context(), commit(make)); !errors.As(err, &refused) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestIdentify(t *testing.T) {
	bare(t)
	dir := t.TempDir()
	refused := func(why string) {
		t.Helper()
		if id, err := identify(t.Context(), dir); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%v, %v; want %q", id, err, why)
		}
	}
	refused("not in a git checkout")
	sh(t, dir, "git", "init", "-q")
	refused("no remote")
	sh(t, dir, "git", "remote", "add", "origin", "git@Example.com:team/Project.git")
	refused("no commit")
	sh(t, dir, "git", "commit", "-q", "--allow-empty", "-m", "one")
	id, err := identify(t.Context(), dir)
	if err != nil || id.Origin != "example.com/team/project" || !strings.HasPrefix(id.id(), "project-") {
		t.Fatalf("%+v %v", id, err)
	}
	clone := filepath.Join(t.TempDir(), "elsewhere")
	sh(t, dir, "git", "clone", "-q", dir, clone)
	sh(t, clone, "git", "remote", "set-url", "origin", "https://someone@example.com:443/team/Project/")
	os.Mkdir(filepath.Join(clone, "sub"), 0o755)
	if same, err := identify(t.Context(), clone); err != nil || same != id {
		t.Errorf("%+v %v", same, err)
	}
	if below, err := identify(t.Context(), filepath.Join(clone, "sub")); err != nil || below.Path != "sub" || below.id() == id.id() {
		t.Errorf("%+v %v", below, err)
	}
	other := filepath.Join(filepath.Dir(clone), "other")
	sh(t, dir, "git", "clone", "-q", dir, other)
	sh(t, other, "git", "remote", "set-url", "origin", "git@example.com:Team/project")
	if same, err := identify(t.Context(), other); err != nil || same != id {
		t.Errorf("in another case: %+v %v", same, err)
	}
	// A path, absolute or relative to the checkout, from wherever it is asked.
	var paths []Identity
	for _, address := range []string{dir, dir + "/", "file://" + dir} {
		sh(t, other, "git", "remote", "set-url", "origin", address)
		found, err := identify(t.Context(), other)
		if paths = append(paths, found); err != nil || found != paths[0] {
			t.Errorf("%s: %+v, want %+v; %v", address, found, paths[0], err)
		}
	}
	relative, err := filepath.Rel(other, dir)
	if err != nil {
		t.Fatal(err)
	}
	os.Mkdir(filepath.Join(other, "sub"), 0o755)
	sh(t, other, "git", "remote", "set-url", "origin", relative)
	if found, err := identify(t.Context(), filepath.Join(other, "sub")); err != nil || found.Origin != paths[0].Origin {
		t.Errorf("%s: %+v, want %+v; %v", relative, found, paths[0], err)
	}
	shallow := filepath.Join(t.TempDir(), "shallow")
	sh(t, dir, "git", "commit", "-q", "--allow-empty", "-m", "two")
	sh(t, dir, "git", "clone", "-q", "--depth=1", "file://"+dir, shallow)
	dir, shallow = shallow, dir
	refused("shallow")
	dir = shallow
	sh(t, dir, "git", "branch", "-M", "main")
	sh(t, dir, "git", "checkout", "-q", "--orphan", "other")
	sh(t, dir, "git", "commit", "-q", "--allow-empty", "-m", "root")
	sh(t, dir, "git", "merge", "-q", "--allow-unrelated-histories", "-m", "both", "main")
	refused("2 first commits")
}

func TestAlike(t *testing.T) {
	id := func(origin, root, path string) string { return Identity{Origin: origin, Root: root, Path: path}.id() }
	shop := id("h/you/shop", "one", "")
	for other, want := range map[string]bool{
		shop: true, id("h/fork/shop", "two", ""): true, id("h/you/store", "one", ""): true, id("h/you/shop", "one", "web"): true,
		id("h/you/store", "two", ""): false, id("h/you/店", "two", ""): false, Identity{Name: "web"}.id(): false,
	} {
		if alike(shop, other) != want || alike(other, shop) != want || !isID.MatchString(other) || (Identity{Name: other}).id() != other {
			t.Errorf("%s and %s are alike: %t, want %t", shop, other, !want, want)
		}
	}
	if alike(id("h/店", "one", ""), id("h/本", "two", "")) {
		t.Error("names without a readable part are alike")
	}
}

func TestNormalise(t *testing.T) {
	for _, address := range []string{"git@github.com:o/r.git", "https://GitHub.com/o/r", "ssh://git@github.com:22/o/r.git/", "github.com:o/r", "https://user@github.com/o/r.git", "git@github.com:O/R"} {
		if got := normalise(address); got != "github.com/o/r" {
			t.Errorf("%s: %s", address, got)
		}
	}
	if got := normalise("/srv/git/r.git"); got != "/srv/git/r" {
		t.Error(got)
	}
}

func TestCheckRemote(t *testing.T) {
	for _, bad := range []string{"", "-oProxyCommand=x", "ext::sh -c x", "fd::3", "https://u:p@h/x", "a\nb"} {
		if checkRemote(bad) == nil {
			t.Errorf("%q is taken", bad)
		}
	}
	for _, good := range []string{"/srv/x.git", "git@h:x", "https://h/x", "ssh://git@h/x", `C:\x`, "file:///x"} {
		if err := checkRemote(good); err != nil {
			t.Error(err)
		}
	}
}

// TestNoForeignCode has git meet what could run a program: a hook, a filter, an alias, a template.
func TestNoForeignCode(t *testing.T) {
	remote, g := bare(t), newGit(t)
	ran := filepath.Join(t.TempDir(), "ran")
	hook := filepath.Join(g.dir, "hooks", "pre-push")
	os.MkdirAll(filepath.Dir(hook), 0o755)
	os.WriteFile(hook, []byte("#!/bin/sh\ntouch "+ran+"\nexit 1\n"), 0o755)
	os.Mkdir(filepath.Join(g.dir, "info"), 0o755)
	os.WriteFile(filepath.Join(g.dir, "info", "attributes"), []byte("* filter=x\n"), 0o644)
	one, err := g.commit(t.Context(), "", tree{formatFile: []byte(format)}, []string{formatFile}, author{"0123456789abcdef", "x"}, time.Now(), "x")
	if err == nil {
		err = g.push(t.Context(), remote, update{"refs/dream-mcp/x/memory", "", one})
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("a hook ran")
	}
	if _, err := g.heads(t.Context(), "ext::touch "+ran); err == nil {
		t.Error("ext:: is taken")
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("a remote helper ran")
	}
}

// TestStopped ends a git that waits for a remote.
func TestStopped(t *testing.T) {
	t.Parallel()
	g := newGit(t)
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if _, err := g.run(ctx, nil, "-c", "alias.wait=!sleep 60", "wait"); err == nil {
		t.Error("it ended by itself")
	}
}

// TestBounded has more output than is kept: io.Copy must not go around the limit.
func TestBounded(t *testing.T) {
	b := &bounded{limit: 10}
	if _, err := io.Copy(b, strings.NewReader("12345678901")); err == nil || b.data.Len() > 10 {
		t.Errorf("%q, %v", b.data.String(), err)
	}
}

// TestSize counts what was fetched, whatever the path of the state folder has.
func TestSize(t *testing.T) {
	g := git{filepath.Join(t.TempDir(), "state [1]", "repo.git")}
	if err := os.MkdirAll(g.packs(), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(g.packs(), "tmp_pack_1"), make([]byte, 100), 0o600); err != nil || g.size() != 100 {
		t.Errorf("%d, %v", g.size(), err)
	}
}

func TestMain(m *testing.M) { os.Exit(tmpfs.Run(m.Run)) }
