package ops

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"dream-mcp/consolidate/lock"
	"dream-mcp/consolidate/state"
	"dream-mcp/memory"
	"dream-mcp/memory/atomicfile"
)

func mustName(t testing.TB, s string) memory.Name {
	t.Helper()
	n, err := memory.ParseName(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// world is a memory directory and the folder of one dream over it.
type world struct {
	t      *testing.T
	path   string
	folder string
	dir    *memory.Dir
}

func newWorld(t *testing.T, files map[string]string) world {
	w := world{t: t, path: t.TempDir(), folder: t.TempDir()}
	for name, content := range files {
		p := filepath.Join(w.path, name)
		os.MkdirAll(filepath.Dir(p), 0o700)
		if err := os.WriteFile(p, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		old := time.Date(2026, 3, 4, 5, 6, 7, 890, time.UTC)
		os.Chtimes(p, old, old)
	}
	w.dir = w.open()
	return w
}

func (w world) open() *memory.Dir {
	d, err := memory.Open(w.path)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { d.Close() })
	return d
}

// theDream is the operation of a world.
const theDream = "20261118-091403-000001"

func (w world) store() *Store {
	s := Open(Options{MemoryDir: w.path, StateHome: w.folder, Now: func() time.Time { return landingTime }})
	w.t.Cleanup(func() { s.Records.Close() })
	w.t.Cleanup(s.Lock())
	return s
}

// stage returns the stage of a new dream.
func (w world) stage() *Stage {
	t, err := w.store().openTx(w.dir, Op{Header: Header{ID: theDream, Kind: lock.KindDream}})
	if err == nil {
		err = t.Save()
	}
	if err != nil {
		w.t.Fatal(err)
	}
	return t.Stage
}

// again returns the stage of the dream as it is on disk.
func (w world) again() (*Stage, error) {
	s := w.store()
	o, err := s.Records.Op(theDream)
	if err != nil {
		return nil, err
	}
	t, err := s.newTx(w.dir, o)
	if err != nil {
		return nil, err
	}
	return t.Stage, nil
}

// tree returns every file below a directory with its content, mode and time.
func tree(t *testing.T, dir string) map[string]string {
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(p string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		data, err := os.ReadFile(p)
		if e.Type()&fs.ModeSymlink != 0 {
			var target string
			target, err = os.Readlink(p)
			data = []byte(target)
		}
		rel, _ := filepath.Rel(dir, p)
		files[filepath.ToSlash(rel)] = string(data) + "\x00" + info.Mode().String() + info.ModTime().UTC().String()
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// contents is tree without modes and times.
func contents(t *testing.T, dir string) map[string]string {
	files := tree(t, dir)
	for name, s := range files {
		files[name], _, _ = strings.Cut(s, "\x00")
	}
	return files
}

func must[T any](v T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// The change of the tests below: one memory of each fate, in folders and out of them.
var (
	before = map[string]string{
		"MEMORY.md": "# Index\n- [a](a.md) — a\n- [gone](gone.md) — g\n", "a.md": "a, as it was\n", "gone.md": "to be deleted\n",
		"stays.md": "stays\n", "team/old.md": "old\n", "notes.txt": "not a memory\n",
	}
	after = map[string]string{
		"MEMORY.md": "# Index\n- [a](a.md) — a\n- [new](deep/new.md) — n\n", "a.md": "a, as it is\n", "deep/new.md": "new\n",
		"stays.md": "stays\n", "fresh.md": "fresh\n", "notes.txt": "not a memory\n",
	}
)

// stageAfter stages what leads from before to after, the index left for the plan.
func stageAfter(t *testing.T, s *Stage) {
	base := func(n string) string { return memory.SumOf([]byte(before[n])).Short() }
	must(s.Write(mustName(t, "a.md"), base("a.md"), []byte(after["a.md"]), nil))(t)
	must(s.Write(mustName(t, "deep/new.md"), "", []byte(after["deep/new.md"]), nil))(t)
	must(s.Write(mustName(t, "fresh.md"), "", []byte(after["fresh.md"]), nil))(t)
	must(s.Write(mustName(t, "gone.md"), base("gone.md"), nil, nil))(t)
	must(s.Write(mustName(t, "team/old.md"), base("team/old.md"), nil, nil))(t)
}

var landingTime = time.Date(2026, 11, 18, 9, 14, 3, 0, time.UTC)

func prepareAfter(s *Stage) error {
	return s.prepare(landingTime, []byte(after["MEMORY.md"]), memory.SumOf([]byte(before["MEMORY.md"])))
}

func planAfter(s *Stage) (*Stage, error) {
	err := prepareAfter(s)
	if err == nil {
		err = s.makeDurable(nil)
	}
	return s, err
}

func TestLandAndReverse(t *testing.T) {
	w := newWorld(t, before)
	asItWas := tree(t, w.path)
	was, _ := os.Stat(filepath.Join(w.path, "a.md"))
	s := w.stage()
	stageAfter(t, s)
	if got := tree(t, w.path); !maps.Equal(got, asItWas) {
		t.Fatal("staging touched the memory")
	}
	p := must(planAfter(s))(t)
	var steps []string
	if err := p.land(func(step string) { steps = append(steps, step) }); err != nil {
		t.Fatal(err)
	}
	os.WriteFile(filepath.Join(w.path, ".dream-0123456789abcdef.tmp"), []byte(before["a.md"]), 0o600) // as if it could not be removed
	if err := p.land(nil); err != nil {
		t.Fatal(err)
	}
	if got := contents(t, w.path); !maps.Equal(got, after) {
		t.Errorf("landed %v, want %v", got, after)
	}
	want := []string{"updated a.md", "created deep/new.md", "created fresh.md", "deleted gone.md", "deleted team/old.md", "updated MEMORY.md", "sweep"}
	if !slices.Equal(steps, want) {
		t.Errorf("steps %q, want %q", steps, want)
	}
	if info, _ := os.Stat(filepath.Join(w.path, "a.md")); !info.ModTime().Equal(landingTime) || info.Mode() != was.Mode() {
		t.Errorf("a.md has time %v and mode %v", info.ModTime(), info.Mode())
	}
	diff := string(must(w.store().Records.Diff(nil, *p.Op))(t))
	for _, line := range []string{"-a, as it was", "+a, as it is", "--- /dev/null\n+++ b/deep/new.md",
		"--- a/gone.md\n+++ /dev/null", "+- [new](deep/new.md) — n"} {
		if !strings.Contains(diff, line) {
			t.Errorf("the diff lacks %q:\n%s", line, diff)
		}
	}

	reverse := must(w.store().openTx(w.dir, Op{Header: Header{ID: "20261118-101403-000002", Kind: lock.KindUndo}}))(t)
	undo := reverse.Stage
	if conflicts, err := undo.Reverse(*p.Op); err != nil || len(conflicts) > 0 {
		t.Fatal(conflicts, err)
	}
	if err := errors.Join(undo.prepare(landingTime.Add(time.Hour), nil, ""), undo.makeDurable(nil), undo.land(nil)); err != nil {
		t.Fatal(err)
	}
	got := tree(t, w.path)
	if !maps.Equal(got, asItWas) {
		t.Errorf("undone to\n%q, want\n%q", got, asItWas)
	}
	if _, err := os.Stat(filepath.Join(w.path, "deep")); !errors.Is(err, fs.ErrNotExist) {
		t.Error("the folder that the dream made is left")
	}
}

// link makes a symbolic link, and fails where none is made.
func link(to, path string) error {
	err := os.Symlink(to, path)
	if err == nil {
		_, err = os.Lstat(path)
	}
	return err
}

// Each row is what somebody else does to the directory between staging and planning.
func TestConflict(t *testing.T) {
	write := func(n, content string) func(string) error {
		return func(dir string) error {
			os.MkdirAll(filepath.Dir(filepath.Join(dir, n)), 0o700)
			return os.WriteFile(filepath.Join(dir, n), []byte(content), 0o600)
		}
	}
	for _, test := range []struct {
		name string
		do   func(dir string) error
		want string
	}{
		{"edited", write("a.md", "a, by somebody"), "a.md"},
		{"deleted", func(dir string) error { return os.Remove(filepath.Join(dir, "a.md")) }, "a.md"},
		{"created where we create", write("deep/new.md", "theirs"), "deep/new.md"},
		{"edited what we delete", write("gone.md", "not gone"), "gone.md"},
		{"deleted what we delete", func(dir string) error { return os.Remove(filepath.Join(dir, "gone.md")) }, "gone.md"},
		{"edited the index", write("MEMORY.md", "theirs"), "MEMORY.md"},
		{"made a link", func(dir string) error {
			os.Remove(filepath.Join(dir, "a.md"))
			return link("stays.md", filepath.Join(dir, "a.md"))
		}, "not a regular file"},
		{"made the folder a link", func(dir string) error { return link(".", filepath.Join(dir, "deep")) }, "deep"},
		{"made a file of the folder", write("deep", "file"), "deep"},
		{"replaced the directory", func(dir string) error {
			if err := os.Rename(dir, dir+".moved"); err != nil {
				return err
			}
			return os.Mkdir(dir, 0o700)
		}, "no longer the directory"},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t, before)
			s := w.stage()
			stageAfter(t, s)
			staged := slices.Clone(s.Changes)
			if err := test.do(w.path); err != nil && runtime.GOOS == "windows" {
				t.Skip("nobody can do that here: ", err)
			} else if err != nil {
				t.Fatal(err)
			}
			theirs := tree(t, w.path)
			_, err := planAfter(s)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("planned with %v, want an error with %q", err, test.want)
			}
			if got := tree(t, w.path); !maps.Equal(got, theirs) {
				t.Errorf("a refused plan left %q, want %q", got, theirs)
			}
			if s.State != state.Staged || len(s.Changes) != len(staged) {
				t.Errorf("the stage is %s with %d changes, want staged with %d", s.State, len(s.Changes), len(staged))
			}
		})
	}
}

// What somebody puts in place in the very moment of the replacement is in the archive afterwards.
func TestDisplacedIsKept(t *testing.T) {
	w := newWorld(t, before)
	s := w.stage()
	stageAfter(t, s)
	p := must(planAfter(s))(t)
	theirs := []byte("a foreign edit in the last microsecond")
	c := p.Changes[slices.IndexFunc(p.Changes, func(c state.Change) bool { return c.Name.String() == "a.md" })]
	if err := os.WriteFile(filepath.Join(w.path, "a.md"), theirs, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := atomicfile.Move(p.dir.Root(), c.Temp, c.Name.String()); err != nil { // as land does after its last look
		t.Fatal(err)
	}
	if err := p.land(nil); err != nil {
		t.Fatal(err)
	}
	if got := contents(t, w.path); !maps.Equal(got, after) {
		t.Errorf("landed %v, want %v", got, after)
	}
	again := must(w.again())(t)
	if len(again.Displaced) != 1 || string(must(again.Content(again.Displaced[0]))(t)) != string(theirs) {
		t.Errorf("displaced %v, want the foreign edit", again.Displaced)
	}
}

// What somebody changed after the plan and before its change lands is seen, and left alone.
func TestForeignEditWhileLanding(t *testing.T) {
	w := newWorld(t, before)
	s := w.stage()
	stageAfter(t, s)
	p := must(planAfter(s))(t)
	err := p.land(func(step string) {
		if step == "updated a.md" {
			os.WriteFile(filepath.Join(w.path, "a.md"), []byte("theirs"), 0o600)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := contents(t, w.path)["a.md"]; got != "theirs" {
		t.Errorf("a.md is %q, want theirs", got)
	}
	if len(p.LeftAlone) != 1 || p.LeftAlone[0].Name.String() != "a.md" {
		t.Errorf("left alone %v", p.LeftAlone)
	}
}

// Somebody edits a file before an interrupted landing is completed. Its temporary shows whether it has landed: an
// update that has not is reported, whether its temporary has the new text or is gone; one that has is not reported, and
// neither is a new file.
func TestForeignEditBeforeCompletion(t *testing.T) {
	for _, test := range []struct {
		name, file   string
		landed, gone bool
		left         bool
	}{
		{"an update that has not landed", "a.md", false, false, true},
		{"an update whose temporary is gone", "a.md", false, true, true},
		{"an update that has landed", "a.md", true, false, false},
		{"a new file that has landed", "new.md", true, true, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t, before)
			s := w.stage()
			stageAfter(t, s)
			p := must(planAfter(s))(t)
			c := p.Changes[slices.IndexFunc(p.Changes, func(c state.Change) bool { return path.Base(c.Name.String()) == test.file })]
			if test.landed {
				if err := errors.Join(atomicfile.MakeFolder(p.dir.Root(), path.Dir(c.Name.String())), atomicfile.Move(p.dir.Root(), c.Temp, c.Name.String())); err != nil {
					t.Fatal(err)
				}
			}
			if test.gone {
				if err := os.Remove(filepath.Join(w.path, c.Temp)); (err != nil) != test.landed {
					t.Fatal(err)
				}
			}
			if err := os.WriteFile(filepath.Join(w.path, c.Name.String()), []byte("theirs"), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := p.land(nil); err != nil {
				t.Fatal(err)
			}
			if got := contents(t, w.path)[c.Name.String()]; got != "theirs" {
				t.Errorf("it is %q, want theirs", got)
			}
			if left := len(p.LeftAlone) == 1 && p.LeftAlone[0].Lost == c.After; left != test.left {
				t.Errorf("left alone %v, want %v", p.LeftAlone, test.left)
			}
		})
	}
}

const crashVariable = "DREAM_TEST_CRASH" // MEMORY DIR, FOLDER, STEP

// crash is the process that dies at a step of landing.
func crash(args string) {
	parts := strings.Split(args, string(filepath.ListSeparator))
	dir, err := memory.Open(parts[0])
	if err != nil {
		panic(err)
	}
	at, _ := strconv.Atoi(parts[2])
	s, err := world{t: new(testing.T), path: parts[0], folder: parts[1], dir: dir}.again()
	if err != nil {
		panic(err)
	}
	p, err := planAfter(s)
	if err != nil {
		panic(err)
	}
	step := 0
	err = p.land(func(string) {
		if step == at {
			self, _ := os.FindProcess(os.Getpid())
			self.Kill()
			select {}
		}
		step++
	})
	fmt.Println("survived", err)
}

func TestMain(m *testing.M) {
	if args := os.Getenv(crashVariable); args != "" {
		crash(args)
		return
	}
	os.Exit(m.Run())
}

func TestKillAtEveryStep(t *testing.T) {
	for step := range 8 {
		t.Run(strconv.Itoa(step), func(t *testing.T) {
			w := newWorld(t, before)
			stageAfter(t, w.stage())
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), crashVariable+"="+strings.Join([]string{w.path, w.folder, strconv.Itoa(step)}, string(filepath.ListSeparator)))
			out, err := cmd.CombinedOutput()
			if survived := err == nil; survived != (step == 7) {
				t.Fatalf("the process ended with %v: %s", err, out)
			}
			a := must(w.again())(t)
			if err := a.recover(); err != nil {
				t.Fatal(err)
			}
			if got := contents(t, w.path); !maps.Equal(got, after) {
				t.Errorf("recovered to %v, want %v", got, after)
			}
			for _, c := range a.Changes {
				if got := string(must(a.Content(c.Before))(t)); got != before[c.Name.String()] {
					t.Errorf("the archive has %q for %s", got, c.Name)
				}
			}
			if len(a.Displaced)+len(a.LeftAlone) > 0 {
				t.Errorf("displaced %v, left alone %v", a.Displaced, a.LeftAlone)
			}
		})
	}
}

// An unbegun landing is rolled back, whatever lies beside the targets already. What another landing displaced is kept.
func TestRecoverUnbegun(t *testing.T) {
	w := newWorld(t, before)
	asItWas := tree(t, w.path)
	s := w.stage()
	stageAfter(t, s)
	if err := prepareAfter(s); err != nil {
		t.Fatal(err)
	}
	os.WriteFile(filepath.Join(w.path, ".dream-0123456789abcdef.tmp"), []byte(after["a.md"][:3]), 0o600) // torn
	os.WriteFile(filepath.Join(w.path, ".dream-fedcba9876543210.tmp"), []byte("theirs"), 0o600)
	if err := must(w.again())(t).recover(); err != nil {
		t.Fatal(err)
	}
	a := must(w.again())(t)
	if got := tree(t, w.path); !maps.Equal(got, asItWas) {
		t.Errorf("rolled back to %q, want %q", got, asItWas)
	}
	theirs := memory.SumOf([]byte("theirs"))
	if a.State != state.Staged || len(a.Changes) != 5 || !slices.Equal(a.Displaced, []memory.Sum{theirs}) {
		t.Errorf("the stage is %s with %d changes, displaced %v", a.State, len(a.Changes), a.Displaced)
	}
	if kept, err := a.Content(theirs); string(kept) != "theirs" {
		t.Errorf("kept %q, %v", kept, err)
	}
	// The stage that was left can land another time.
	resumed := must(w.again())(t)
	p := must(planAfter(resumed))(t)
	if err := p.land(nil); err != nil {
		t.Fatal(err)
	}
	if got := contents(t, w.path); !maps.Equal(got, after) {
		t.Errorf("landed %v, want %v", got, after)
	}
}

// What landed before a crash, and was changed by somebody since, has landed: it is left as it is, and can be undone.
func TestChangedAfterItLanded(t *testing.T) {
	w := newWorld(t, before)
	s := w.stage()
	stageAfter(t, s)
	p := must(planAfter(s))(t)
	for _, c := range p.Changes {
		var err error
		switch c.Name.String() {
		case "a.md", "fresh.md":
			err = atomicfile.Move(p.dir.Root(), c.Temp, c.Name.String())
		case "gone.md":
			err = atomicfile.MoveAside(p.dir.Root(), c.Name.String(), c.Temp)
		default:
			continue
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(w.path, c.Name.String()), []byte("theirs"), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	os.WriteFile(filepath.Join(w.path, "team", "old.md"), []byte("theirs too"), 0o600) // which has not landed
	a := must(w.again())(t)
	if err := a.recover(); err != nil {
		t.Fatal(err)
	}
	if len(a.LeftAlone) != 1 || a.LeftAlone[0].Name.String() != "team/old.md" || len(a.Changes) != 5 {
		t.Errorf("left alone %v, landed %v", a.LeftAlone, a.Changes)
	}
	got := contents(t, w.path)
	for _, file := range []string{"a.md", "fresh.md", "gone.md"} {
		if got[file] != "theirs" {
			t.Errorf("%s is %q", file, got[file])
		}
	}
}
