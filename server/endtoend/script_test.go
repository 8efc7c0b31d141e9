package endtoend

import (
	"bufio"
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"dream-mcp/consolidate/transcript/sessions"
	"dream-mcp/testdata/tmpfs"
)

// root is the top of the repository, as seen from here.
const root = "../.."

func TestMain(m *testing.M) {
	testscript.Main(program{m}, map[string]func(){"fakehost": fakeHost, "statedb": stateDB})
}

// program runs the tests after it has put dream-mcp into the first folder of PATH, where testscript puts its commands:
// a copy of $DREAM_TEST_PROGRAM, or one that it builds.
type program struct{ *testing.M }

func (p program) Run() int { return tmpfs.Run(p.run) }

func (p program) run() int {
	if err := putProgram(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	_ = flag.Set("test.parallel", strconv.Itoa(4*runtime.GOMAXPROCS(0))) // scripts often wait; a flag on the command line wins
	return p.M.Run()
}

func putProgram() error {
	if built := os.Getenv("DREAM_TEST_PROGRAM"); built != "" {
		data, err := os.ReadFile(built)
		if err != nil {
			return err
		}
		return os.WriteFile(binary(), data, 0o755)
	}
	build := exec.Command("go", "build", "-ldflags", "-s -w -X main.clock="+clockVariable, "-o", binary(), root)
	if info, ok := debug.ReadBuildInfo(); ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"}) {
		build.Args = slices.Insert(build.Args, 2, "-race", "-gcflags=modernc.org/sqlite/lib=-race=false") // as .ci/run
	}
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %v\n%s", build, err, out)
	}
	return nil
}

// clockVariable is in the environment of a program whose clock is off.
const clockVariable = "DREAM_TEST_CLOCK"

func binary() string {
	folder, _, _ := strings.Cut(os.Getenv("PATH"), string(filepath.ListSeparator))
	name := "dream-mcp"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return filepath.Join(folder, name)
}

// dependOnSources keeps go test from repeating a result that it has cached for another program: it compares
// the directories that a test has read.
func dependOnSources(t testing.TB) {
	err := filepath.WalkDir(root, func(_ string, e fs.DirEntry, err error) error {
		if err == nil && e.IsDir() && e.Name() == ".git" {
			return filepath.SkipDir
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// commands are the commands of scripts beside those of testscript.
var commands = map[string]func(*testscript.TestScript, bool, []string){
	"mcp": mcpCommand, "age": ageCommand, "same": sameCommand, "orphan": orphanCommand, "names": namesCommand, "everyhost": everyHostCommand, "database": databaseCommand,
	"keys": keysCommand,
}

// TestScript runs testdata/script against the real program.
//
// Of a script's files, memory/ becomes the memory directory of its project, sessions/ the project's
// transcripts (with $WORK replaced in them), and claude/ becomes ~/.claude.
func TestScript(t *testing.T) {
	t.Parallel()
	dependOnSources(t)
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("NOT TESTED: the scripts need a POSIX shell, as sh on the PATH")
	}
	t.Cleanup(func() { jsonKeys.compare(t) })
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join(root, "testdata", "script"),
		RequireExplicitExec: true,
		Setup:               setUp,
		Cmds:                commands,
	})
}

// moveOthers copies the files below "others" into the home directory, where other hosts keep their sessions.
func moveOthers(work, home string) error {
	from := filepath.Join(work, "others")
	if _, err := os.Stat(from); err != nil {
		return nil
	}
	return filepath.WalkDir(from, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(from, path)
		path = filepath.Join(home, rel)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		return os.WriteFile(path, inJSON(data, work), 0o600)
	})
}

// workPath is a path in a fixture.
var workPath = regexp.MustCompile(`\$WORK[^"'\s]*`)

// inJSON replaces $WORK in a fixture of JSON, by the system's own form of a path.
func inJSON(data []byte, work string) []byte {
	return workPath.ReplaceAllFunc(data, func(path []byte) []byte {
		whole := work + strings.TrimPrefix(string(path), "$WORK")
		return []byte(strings.ReplaceAll(filepath.FromSlash(whole), `\`, `\\`))
	})
}

func setUp(e *testscript.Env) error {
	home, project := filepath.Join(e.WorkDir, "home"), filepath.Join(e.WorkDir, "project")
	folder := filepath.Join(home, ".claude", "projects", sessions.Slug(project))
	for _, dir := range []string{project, folder} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	shell := filepath.ToSlash // paths that a script's sh can take apart on every system
	e.Vars = append(e.Vars, "WORK="+shell(e.WorkDir), "HOME="+shell(home), "PROJECT="+shell(project), "TRANSCRIPTS="+shell(folder),
		"MEMORY="+shell(filepath.Join(folder, "memory")), "SHOWN_MEMORY="+filepath.Join("~", strings.TrimPrefix(folder, home), "memory"),
		"STATE="+shell(filepath.Join(home, ".local", "state", "dream-mcp")), "TZ=UTC", "CLAUDE_PROJECT_DIR="+project, "BIN="+shell(filepath.Dir(binary())))
	if runtime.GOOS != "linux" { // the same folders on all systems, and never those of the person who runs this
		e.Vars = append(e.Vars, "USERPROFILE="+home, "LocalAppData="+home, "AppData="+home, "XDG_STATE_HOME="+filepath.Join(home, ".local", "state"),
			"XDG_DATA_HOME="+filepath.Join(home, ".local", "share"), "XDG_CONFIG_HOME="+filepath.Join(home, ".config"))
	}
	if err := os.Rename(filepath.Join(e.WorkDir, "memory"), filepath.Join(folder, "memory")); err != nil && !os.IsNotExist(err) {
		return err
	}
	if err := moveOthers(e.WorkDir, home); err != nil {
		return err
	}
	sessions, err := filepath.Glob(filepath.Join(e.WorkDir, "sessions", "*"))
	if err != nil {
		return err
	}
	for _, session := range sessions {
		data, err := os.ReadFile(session)
		if err != nil {
			return err
		}
		data = inJSON(data, e.WorkDir)
		if err := os.WriteFile(filepath.Join(folder, filepath.Base(session)), data, 0o600); err != nil {
			return err
		}
	}
	for _, file := range []string{"settings.json", ".claude.json"} {
		data, err := os.ReadFile(filepath.Join(e.WorkDir, "claude", file))
		if err != nil {
			continue
		}
		data = inJSON(data, e.WorkDir)
		to := filepath.Join(home, ".claude", file)
		if file == ".claude.json" {
			to = filepath.Join(home, file)
		}
		if err := os.WriteFile(to, data, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// databaseCommand copies a database of opencode into the home: database NAME. The path in its sessions is replaced by
// the script's project, padded to the same length.
func databaseCommand(ts *testscript.TestScript, neg bool, args []string) {
	data, err := os.ReadFile(filepath.Join(root, "consolidate", "transcript", "said", "testdata", "opencode", args[0]))
	ts.Check(err)
	written := "/home/dev/lighthouse" + strings.Repeat("/.", 110)
	here := ts.Getenv("PROJECT")
	here += strings.Repeat("/.", len(written))
	to := filepath.Join(ts.Getenv("HOME"), ".local", "share", "opencode", "opencode.db")
	ts.Check(os.MkdirAll(filepath.Dir(to), 0o700))
	ts.Check(os.WriteFile(to, bytes.ReplaceAll(data, []byte(written), []byte(here)[:len(written)]), 0o600))
}

// ageCommand sets back the modification time of files: age DURATION FILE...
func ageCommand(ts *testscript.TestScript, neg bool, args []string) {
	d, err := time.ParseDuration(args[0])
	ts.Check(err)
	at := time.Now().Add(-d)
	for _, file := range args[1:] {
		ts.Check(os.Chtimes(ts.MkAbs(file), at, at))
	}
}

// sameCommand compares two directories, byte for byte: same DIR DIR. Lock files are ignored.
func sameCommand(ts *testscript.TestScript, neg bool, args []string) {
	read := func(dir string) map[string]string {
		files := map[string]string{}
		ts.Check(filepath.WalkDir(ts.MkAbs(dir), func(p string, e os.DirEntry, err error) error {
			if err != nil || e.IsDir() || e.Name() == ".dream.lock" || e.Name() == ".consolidate-lock" {
				return err
			}
			data, err := os.ReadFile(p)
			rel, _ := filepath.Rel(ts.MkAbs(dir), p)
			files[rel] = string(data)
			return err
		}))
		return files
	}
	if a, b := read(args[0]), read(args[1]); reflect.DeepEqual(a, b) == neg {
		ts.Fatalf("%v\n%v", a, b)
	}
}

// homeVariables say where programs and folders are.
var homeVariables = []string{"HOME", "USERPROFILE", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "PATH", "PATHEXT", "TEMP"}

// variables returns the variables of these names that have a value, as NAME=VALUE.
func variables(names []string, value func(string) string) (env []string) {
	for _, name := range names {
		if v := value(name); v != "" {
			env = append(env, name+"="+v)
		}
	}
	return env
}

// serverCommand is the program, with the script's environment, as the command that runs it.
func serverCommand(ts *testscript.TestScript, args ...string) *exec.Cmd {
	cmd := exec.Command(cmp.Or(ts.Getenv("PROGRAM"), binary()), append([]string{"serve"}, args...)...)
	cmd.Env = variables(slices.Concat(homeVariables, []string{
		"TZ", "CLAUDE_PROJECT_DIR", "CLAUDE_CODE_SESSION_ID", "CODEX_THREAD_ID", "CLAUDE_CODE_DISABLE_AUTO_MEMORY",
		"DREAM_PROJECT", "DREAM_MODE", "DREAM_UNATTENDED", "DREAM_BACKGROUND", "DREAM_MIN_SESSIONS", "DREAM_MIN_HOURS", "DREAM_MEMORY_DIR", "DREAM_TRANSCRIPTS",
	}), ts.Getenv)
	cmd.Dir = cmp.Or(ts.Getenv("START"), ts.Getenv("PROJECT"))
	return cmd
}

// orphanCommand opens a dream in a server whose parent then dies, while its input stays open, and
// waits for the server to end.
func orphanCommand(ts *testscript.TestScript, neg bool, args []string) {
	cmd := serverCommand(ts)
	cmd.Args = []string{"sh", "-c", "\"$0\" serve <&3 & echo $! >&2; wait", cmd.Path}
	cmd.Path = "/bin/sh"
	in, keep, err := os.Pipe()
	ts.Check(err)
	defer keep.Close()
	cmd.ExtraFiles = []*os.File{in}
	out, err := cmd.StdoutPipe()
	ts.Check(err)
	pid, err := cmd.StderrPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	in.Close()
	c := &client{ts: ts, in: keep, out: bufio.NewReader(out)}
	fmt.Fprint(ts.Stdout(), c.call("tools/call", map[string]any{"name": "dream_orient", "arguments": map[string]any{"force": true}}) != nil)
	ts.Check(cmd.Process.Kill())
	var server int
	fmt.Fscan(pid, &server)
	for deadline := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		if _, err := c.out.ReadByte(); err == io.EOF {
			return // nobody holds its output any more
		}
		if time.Now().After(deadline) {
			ts.Fatalf("process %d runs on without its parent", server)
		}
	}
}
