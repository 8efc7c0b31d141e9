package share

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"dream-mcp/memory/lazy"
	"dream-mcp/memory/visible"
)

// Limits of one run of git.
const (
	gitTime    = time.Minute
	configTime = 10 * time.Second

	maxOutput  = 80 << 20 // a memory has maxTotal at most
	maxFetched = 64 << 20 // by which the repository may grow
	maxError   = 64 << 10
	maxShown   = 2 << 10 // of an error
)

// A GitError is a run of git that failed, and the beginning of its error message, which may hold text of the remote.
type GitError struct {
	Command, Message string
	err              error
}

func (e *GitError) Error() string { return "git " + e.Command + ": " + e.Message }

func (e *GitError) Unwrap() error { return e.err }

// git runs the program git on one bare repository, with a list of arguments. Git never prompts, in a terminal or in a
// window. It reads our configuration; from the person's own it reads only how to reach a remote and as whom.
type git struct{ dir string }

// ours is configuration that nothing overrides.
var ours = [][2]string{
	{"core.hooksPath", os.DevNull}, {"core.attributesFile", os.DevNull}, {"core.fsmonitor", "false"}, {"core.quotePath", "false"},
	{"protocol.allow", "never"}, {"protocol.file.allow", "always"}, {"protocol.git.allow", "always"}, {"protocol.ssh.allow", "always"},
	{"protocol.http.allow", "always"}, {"protocol.https.allow", "always"}, {"http.lowSpeedLimit", "1000"}, {"http.lowSpeedTime", "20"},
	{"fetch.unpackLimit", "1"}, {"gc.auto", "2000"}, {"gc.autoPackLimit", "50"}, {"gc.autoDetach", "false"},
	{"maintenance.auto", "false"}, {"transfer.fsckObjects", "true"}, {"fetch.recurseSubmodules", "false"},
	{"push.recurseSubmodules", "no"}, {"push.gpgSign", "false"}, {"commit.gpgSign", "false"},
}

// personal are the keys of the person's own configuration that are used: credentials, proxies, certificates,
// addresses and ssh.
var personal = lazy.New(`^((credential|http)\..*|url\..*\.(insteadof|pushinsteadof)|ssh\.variant)$`)

// known is the environment of each git, once it has been read.
var known atomic.Pointer[[]string]

// environment returns the environment of each git. It fails if git does not answer.
func environment(ctx context.Context) (env []string, err error) {
	if all := known.Load(); all != nil {
		return *all, nil
	}
	ssh := "ssh"
	for _, v := range os.Environ() {
		name, value, _ := strings.Cut(v, "=")
		switch {
		case name == "GIT_SSH_COMMAND":
			ssh = value
		case strings.HasPrefix(name, "GIT_") && name != "GIT_CONFIG_GLOBAL" && name != "GIT_CONFIG_SYSTEM",
			name == "SSH_ASKPASS", strings.HasPrefix(name, "LC_"), name == "LANG", name == "LANGUAGE":
		default:
			env = append(env, v)
		}
	}
	env = append(env, "LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GCM_INTERACTIVE=never", "SSH_ASKPASS_REQUIRE=never", "GIT_OPTIONAL_LOCKS=0", "GIT_NO_LAZY_FETCH=1")
	ofNone := append(slices.Clip(env), "GIT_DIR="+os.DevNull) // of no checkout
	list, err := git{}.start(ctx, configTime, ofNone, nil, "config", "--includes", "-z", "--list")
	if _, failed := errors.AsType[*exec.ExitError](err); err != nil && !failed { // if it failed, there is no configuration
		return nil, err
	}
	var config [][2]string
	for entry := range strings.SplitSeq(list, "\x00") {
		key, value, has := strings.Cut(entry, "\n")
		if !has {
			value = "true" // a key alone
		}
		if key == "core.sshcommand" && ssh == "ssh" {
			ssh = value
		} else if personal.MatchString(key) {
			config = append(config, [2]string{key, value})
		}
	}
	env = append(env, "GIT_SSH_COMMAND="+ssh+" -o BatchMode=yes -o ConnectTimeout=10", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull)
	config = append(config, ours...)
	for i, entry := range config {
		n := strconv.Itoa(i)
		env = append(env, "GIT_CONFIG_KEY_"+n+"="+entry[0], "GIT_CONFIG_VALUE_"+n+"="+entry[1])
	}
	env = slices.Clip(append(env, "GIT_CONFIG_COUNT="+strconv.Itoa(len(config))))
	known.Store(&env)
	return env, nil
}

// openGit opens the bare repository at dir, and creates it if needed.
func openGit(ctx context.Context, dir string) (git, error) {
	g := git{dir}
	_, err := os.Stat(filepath.Join(dir, "HEAD"))
	if errors.Is(err, fs.ErrNotExist) {
		if err = os.MkdirAll(dir, 0o700); err == nil {
			_, err = g.run(ctx, nil, "init", "--quiet", "--bare", "--template=")
		}
	}
	return g, err
}

// run runs one command of git and returns its output. It ends the command, with what that has started, when ctx is done
// or the repository has grown by more than maxFetched.
func (g git) run(ctx context.Context, stdin []byte, args ...string) (string, error) {
	env, err := environment(ctx)
	if err != nil {
		return "", err
	}
	if g.dir != "" {
		env = append(env, "GIT_DIR="+g.dir)
	}
	return g.start(ctx, gitTime, env, stdin, args...)
}

// start is run with a limit and an environment.
func (g git) start(ctx context.Context, limit time.Duration, env []string, stdin []byte, args ...string) (string, error) {
	caller := ctx
	ctx, stop := context.WithTimeoutCause(ctx, limit, fmt.Errorf("it took longer than %v", limit))
	defer stop()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Env = env
	if g.dir != "" {
		cmd.Dir = filepath.Dir(g.dir)
	}
	cmd.Stdin = bytes.NewReader(stdin)
	out, message := &bounded{limit: maxOutput}, &bounded{limit: maxError}
	cmd.Stdout, cmd.Stderr = out, message
	group(cmd)
	cmd.WaitDelay = 2 * time.Second // then git is killed
	defer g.watch(cancel)()
	err := cmd.Run()
	if err == nil {
		return out.data.String(), nil
	}
	if errors.Is(err, exec.ErrNotFound) {
		return "", errors.New("the program git was not found")
	}
	if errors.Is(caller.Err(), context.Canceled) {
		return "", fmt.Errorf("git %s was interrupted: %w", args[0], context.Canceled)
	}
	text := strings.Join(strings.Fields(visible.Text(strings.ToValidUTF8(message.data.String(), "?"))), " ")
	if ctx.Err() != nil {
		err = context.Cause(ctx)
		text = err.Error()
	} else if text == "" || len(text) > maxShown {
		text = text[:min(len(text), maxShown)] + " " + err.Error()
	}
	return "", &GitError{args[0], strings.TrimSpace(text), err}
}

// watch calls cancel when a command fetches too much, until the returned function is called.
func (g git) watch(cancel context.CancelCauseFunc) (stop func()) {
	before := g.size()
	tick := time.NewTicker(200 * time.Millisecond)
	done := make(chan struct{})
	go func() {
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				if g.size()-before > maxFetched {
					cancel(fmt.Errorf("it fetched more than %d MiB", maxFetched>>20))
				}
			}
		}
	}()
	return func() { tick.Stop(); close(done) }
}

func (g git) packs() string { return filepath.Join(g.dir, "objects", "pack") }

// size returns how many bytes the packs of the repository have.
func (g git) size() (n int64) {
	packs, _ := os.ReadDir(g.packs())
	for _, pack := range packs {
		if info, err := pack.Info(); err == nil {
			n += info.Size()
		}
	}
	return n
}

// bounded is a buffer that fails when it would hold more than limit bytes. It has no ReadFrom, which would not ask
// Write.
type bounded struct {
	data  bytes.Buffer
	limit int
}

func (b *bounded) Write(p []byte) (int, error) {
	if b.data.Len()+len(p) > b.limit {
		return 0, fmt.Errorf("it printed more than %d bytes", b.limit)
	}
	return b.data.Write(p)
}

// fetch fetches a ref of remote, and returns its commit.
func (g git) fetch(ctx context.Context, remote, ref string) (commit string, err error) {
	const seen = "refs/ours/seen"
	if _, err = g.run(ctx, nil, "fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--", remote, "+"+ref+":"+seen); err != nil {
		left, _ := fs.Glob(os.DirFS(g.packs()), "tmp_*")
		for _, file := range left {
			os.Remove(filepath.Join(g.packs(), file))
		}
		return "", err
	}
	commit, err = g.run(ctx, nil, "rev-parse", "--verify", "--quiet", seen+"^{commit}")
	return strings.TrimSpace(commit), err
}

// keep protects a commit from garbage collection, and lets git collect if there is much garbage.
func (g git) keep(ctx context.Context, commit string) error {
	_, err := g.run(ctx, nil, "update-ref", "refs/ours/base", commit)
	if err == nil {
		_, err = g.run(ctx, nil, "gc", "--auto", "--quiet")
	}
	return err
}

// heads returns the commits of remote at the refs that match a pattern.
func (g git) heads(ctx context.Context, remote string, patterns ...string) (map[string]string, error) {
	out, err := g.run(ctx, nil, append([]string{"ls-remote", "--refs", "--", remote}, patterns...)...)
	heads := make(map[string]string)
	for line := range strings.Lines(out) {
		if oid, ref, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok && isOID.MatchString(oid) {
			heads[ref] = oid
		}
	}
	return heads, err
}

// isOID matches the name of an object, in SHA-1 or SHA-256.
var isOID = lazy.New(`^([0-9a-f]{40}|[0-9a-f]{64})$`)

// An update moves a ref of the remote from one commit to another; "" means none.
type update struct{ ref, from, to string }

// push makes all updates or none. It fails if a ref is not at its from.
func (g git) push(ctx context.Context, remote string, updates ...update) error {
	args := []string{"push", "--quiet", "--atomic", "--no-verify"}
	for _, u := range updates {
		args = append(args, "--force-with-lease="+u.ref+":"+u.from)
	}
	args = append(args, "--", remote)
	for _, u := range updates {
		args = append(args, u.to+":"+u.ref)
	}
	_, err := g.run(ctx, nil, args...)
	return err
}
