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
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"dream-mcp/memory/visible"
)

// Limits of one run of git.
const (
	localTime  = 30 * time.Second
	remoteTime = 60 * time.Second
	maxOutput  = 80 << 20 // of a command; a memory has maxTotal at most
	maxFetched = 64 << 20 // by which a fetch may let the repository grow
	maxError   = 2 << 10  // of what git complains that is kept
)

var errNoGit = errors.New("the program git was not found")

// A GitError is a run of git that failed, and the beginning of what it said. It may hold text of the remote.
type GitError struct {
	Command, Says string
	Code          int // with which it ended; -1 where it was killed
}

func (e *GitError) Error() string { return "git " + e.Command + ": " + e.Says }

// git runs the program over one bare repository. It is started with an argument list and never asks: not in a terminal, not in
// a window. It reads no configuration but ours and what the person's own says of credentials, proxies and addresses, so
// that no hook, filter or alias runs.
type git struct{ dir string }

// ours is configuration that nothing overrides.
var ours = [][2]string{
	{"core.hooksPath", os.DevNull}, {"core.attributesFile", os.DevNull}, {"core.fsmonitor", "false"}, {"core.quotePath", "false"},
	{"protocol.allow", "never"}, {"protocol.file.allow", "always"}, {"protocol.git.allow", "always"}, {"protocol.ssh.allow", "always"},
	{"protocol.http.allow", "always"}, {"protocol.https.allow", "always"}, {"http.lowSpeedLimit", "1000"}, {"http.lowSpeedTime", "20"},
	{"fetch.unpackLimit", "1"}, {"gc.auto", "0"}, {"maintenance.auto", "false"}, {"transfer.fsckObjects", "true"}, {"fetch.recurseSubmodules", "false"},
	{"push.recurseSubmodules", "no"}, {"push.gpgSign", "false"}, {"commit.gpgSign", "false"},
}

// personal are the keys of the person's own configuration that are handed on: how to reach a remote, and as whom.
var personal = regexp.MustCompile(`^(credential\..*|http\.(.*\.)?(proxy|proxyauthmethod|sslcainfo|sslcapath|sslcert|sslkey|sslbackend|extraheader)|url\..*\.(insteadof|pushinsteadof)|core\.sshcommand|ssh\.variant)$`)

// environment is that of every git, read once: the person's configuration does not change under a process.
var environment = sync.OnceValue(func() []string {
	var env []string
	ssh := "ssh"
	for _, v := range os.Environ() {
		name, value, _ := strings.Cut(v, "=")
		switch {
		case name == "GIT_SSH_COMMAND":
			ssh = value
		case strings.HasPrefix(name, "GIT_") && name != "GIT_CONFIG_GLOBAL" && name != "GIT_CONFIG_SYSTEM", name == "SSH_ASKPASS", strings.HasPrefix(name, "LC_"), name == "LANG", name == "LANGUAGE":
		default:
			env = append(env, v)
		}
	}
	env = append(env, "LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GCM_INTERACTIVE=never", "SSH_ASKPASS_REQUIRE=never", "GIT_OPTIONAL_LOCKS=0", "GIT_NO_LAZY_FETCH=1")
	var config [][2]string
	for _, level := range []string{"--system", "--global"} {
		cmd := exec.Command("git", "config", level, "--includes", "-z", "--list")
		cmd.Env = env
		out, _ := cmd.Output() // there may be no such file
		for entry := range strings.SplitSeq(string(out), "\x00") {
			key, value, _ := strings.Cut(entry, "\n")
			if key == "core.sshcommand" {
				ssh = value
			} else if personal.MatchString(key) {
				config = append(config, [2]string{key, value})
			}
		}
	}
	env = append(env, "GIT_SSH_COMMAND="+ssh+" -o BatchMode=yes -o ConnectTimeout=10", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull)
	for i, entry := range append(config, ours...) {
		n := strconv.Itoa(i)
		env = append(env, "GIT_CONFIG_KEY_"+n+"="+entry[0], "GIT_CONFIG_VALUE_"+n+"="+entry[1])
	}
	return append(env, "GIT_CONFIG_COUNT="+strconv.Itoa(len(config)+len(ours)))
})

// openGit opens the bare repository at dir, making it where there is none.
func openGit(ctx context.Context, dir string) (*git, error) {
	if _, err := exec.LookPath("git"); err != nil {
		return nil, errNoGit
	}
	g := &git{dir: dir}
	if _, err := os.Stat(filepath.Join(dir, "HEAD")); errors.Is(err, fs.ErrNotExist) {
		if _, err := g.run(ctx, localTime, nil, "init", "--quiet", "--bare", "--template="); err != nil {
			return nil, err
		}
		return g, os.Chmod(dir, 0o700)
	}
	return g, nil
}

// run runs one command of git within limit and returns what it prints.
func (g *git) run(ctx context.Context, limit time.Duration, stdin []byte, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("it took longer than %v", limit))
	defer cancel()
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Env = environment()
	if g.dir != "" {
		cmd.Env = append(slices.Clip(cmd.Env), "GIT_DIR="+g.dir)
		cmd.Dir = filepath.Dir(g.dir)
	}
	cmd.Stdin = bytes.NewReader(stdin)
	out, says := &bounded{limit: maxOutput}, &bounded{limit: maxError, cut: true}
	cmd.Stdout, cmd.Stderr = out, says
	group(cmd)
	cmd.Cancel = func() error { return kill(cmd) }
	cmd.WaitDelay = 2 * time.Second
	err := cmd.Run()
	switch {
	case ctx.Err() != nil:
		return nil, &GitError{args[0], context.Cause(ctx).Error(), -1}
	case out.full:
		return nil, &GitError{args[0], fmt.Sprintf("it printed more than %d bytes", maxOutput), -1}
	case err != nil:
		text := strings.Join(strings.Fields(visible.Text(strings.ToValidUTF8(says.String(), "?"))), " ")
		if text == "" {
			text = err.Error()
		}
		return nil, &GitError{args[0], text, cmd.ProcessState.ExitCode()}
	}
	return out.Bytes(), nil
}

// bounded keeps at most limit bytes. What comes after fails the write, or with cut is dropped.
type bounded struct {
	bytes.Buffer
	limit     int
	cut, full bool
}

func (b *bounded) Write(p []byte) (int, error) {
	if room := b.limit - b.Len(); len(p) > room {
		b.full = true
		b.Buffer.Write(p[:room])
		if !b.cut {
			return room, fs.ErrInvalid
		}
		return len(p), nil
	}
	return b.Buffer.Write(p)
}

// fetch brings what remote has at ref to our ref. It ends when the repository has grown by more than maxFetched.
func (g *git) fetch(ctx context.Context, remote, ref, to string) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	before := g.size()
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		tick := time.NewTicker(200 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				if g.size()-before > maxFetched {
					cancel(fmt.Errorf("it fetched more than %d MiB", maxFetched>>20))
				}
			}
		}
	}()
	_, err := g.run(ctx, remoteTime, nil, "fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--", remote, "+"+ref+":"+to)
	cancel(nil)
	<-watched
	if err != nil {
		left, _ := filepath.Glob(filepath.Join(g.dir, "objects", "pack", "tmp_*"))
		for _, file := range left {
			os.Remove(file)
		}
	}
	return err
}

// size returns how many bytes the packs of the repository have.
func (g *git) size() (n int64) {
	entries, _ := os.ReadDir(filepath.Join(g.dir, "objects", "pack"))
	for _, e := range entries {
		if info, err := e.Info(); err == nil {
			n += info.Size()
		}
	}
	return n
}

// keep has a commit stay when git collects what nothing names, and lets it collect when there is much of that.
func (g *git) keep(ctx context.Context, commit string) error {
	if _, err := g.run(ctx, localTime, nil, "update-ref", "refs/ours/base", commit); err != nil {
		return err
	}
	_, err := g.run(ctx, localTime, nil, "-c", "gc.auto=2000", "-c", "gc.autoPackLimit=50", "-c", "gc.autoDetach=false", "gc", "--auto", "--quiet")
	return err
}

// has reports whether a commit is here.
func (g *git) has(ctx context.Context, commit string) bool {
	_, err := g.run(ctx, localTime, nil, "cat-file", "-e", commit+"^{commit}")
	return err == nil
}

// isOID reports whether s is the name of an object, in SHA-1 or SHA-256.
func isOID(s string) bool {
	return (len(s) == 40 || len(s) == 64) && strings.Trim(s, "0123456789abcdef") == ""
}

// heads returns what remote has at the refs that match a pattern.
func (g *git) heads(ctx context.Context, remote string, patterns ...string) (map[string]string, error) {
	out, err := g.run(ctx, remoteTime, nil, append([]string{"ls-remote", "--refs", "--", remote}, patterns...)...)
	if err != nil {
		return nil, err
	}
	heads := make(map[string]string)
	for line := range strings.Lines(string(out)) {
		if oid, ref, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t"); ok && isOID(oid) {
			heads[ref] = oid
		}
	}
	return heads, nil
}

// An update moves a ref of the remote from one commit to another. "" stands for no ref.
type update struct{ ref, from, to string }

// push makes all updates or none, and none where a ref is not where the update says.
func (g *git) push(ctx context.Context, remote string, updates ...update) error {
	args := []string{"push", "--quiet", "--atomic", "--no-verify"}
	var specs []string
	for _, u := range updates {
		args = append(args, "--force-with-lease="+u.ref+":"+u.from)
		specs = append(specs, u.to+":"+u.ref)
	}
	_, err := g.run(ctx, remoteTime, nil, append(append(args, "--", remote), specs...)...)
	return err
}
