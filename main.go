// Dream-mcp consolidates the long-term memory of coding agents. It is an MCP server on standard input and output, with
// verbs for people. Started in a terminal without a verb, it prints what is known of the
// project.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"dream-mcp/consolidate"
	"dream-mcp/consolidate/forget"
	"dream-mcp/consolidate/ops"
	"dream-mcp/consolidate/transcript/cache"
	"dream-mcp/consolidate/transcript/search"
	"dream-mcp/consolidate/transcript/sessions"
	"dream-mcp/memory/forgotten"
	"dream-mcp/memory/secret"
	"dream-mcp/server"
	"dream-mcp/server/background"
	"dream-mcp/server/console"
	"dream-mcp/server/console/terminal"
	"dream-mcp/server/hook"
	"dream-mcp/server/settings"
	"dream-mcp/tools"
)

// version and website are set by release builds.
var (
	version = "0.1.0"
	website string
)

// clock names the environment variable that says how far the clock is off, as a duration. Only the builds of tests set
// it.
var clock string

// memoryLimit is the soft limit of the garbage collector. By default the heap may double before a collection: a first
// search of ten thousand sessions used 390 MB (.ci/huge 100).
const memoryLimit = 160 << 20

func main() {
	out := os.Stdout
	os.Stdout = os.Stderr // nothing but the server may write to the protocol
	os.Exit(run(context.Background(), os.Args[1:], os.Stdin, out, os.Stderr))
}

// run is the whole program. It returns the exit code: 0 for success, 1 for a failure, 2 for a command
// that cannot be understood.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memoryLimit)
	}
	stderr = &secret.Writer{Out: stderr} // an error may quote a credential
	signal.Ignore(syscall.SIGPIPE)       // a host that closes our output must not kill us before a rollback
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process

	c, err := console.Parse(args)
	if err != nil {
		if state, unknown := settings.StateHome(settings.Process()); len(args) > 0 && hook.IsVerb(args[0]) && unknown == nil {
			background.LogFailure(state, err) // a hook never fails
			return 0
		}
		return console.Fail(stderr, err)
	}
	c.Out, c.Version, c.Self, c.Open = stdout, version, self(), open
	if terminal.Is(stdin) {
		c.In = stdin
	}
	if state, err := settings.StateHome(settings.Process()); err == nil {
		forgotten.Use(forget.ListFile(state))
	}
	switch {
	case c.Verb == "" && terminal.Is(stdin), c.Standalone():
		return console.Fail(stderr, c.Run(ctx, nil, settings.Setup{}))
	case c.Verb == "":
		c.Verb = "serve"
	case c.Verb == hook.Statusline && c.In != nil: // a person at a terminal: there is no event to wait for
		return answerHook(ctx, c, args[1:], strings.NewReader(""))
	case c.Verb == hook.Verb && c.In == nil, c.Verb == hook.Statusline:
		return answerHook(ctx, c, args[1:], stdin)
	}
	setup, err := settings.Resolve(settings.Process(), c.Flags)
	state, stateErr := settings.StateHome(settings.Process())
	if c.Verb == "serve" && stateErr == nil && (err == nil || errors.Is(err, settings.ErrNoProject)) {
		return c.Exit(stderr, serve(ctx, c.Flags, setup, err, state, stdin, stdout, stderr))
	}
	if err := cmp.Or(err, stateErr); err != nil {
		return c.Exit(stderr, err)
	}
	setup.Unattended = setup.Unattended || c.Verb == "background"
	o := options(setup, state)
	o.LookOnly = c.LooksOnly()
	p := consolidate.Open(o)
	switch {
	case c.Verb == "background":
		err = supervise(ctx, c, p, setup, c.Args)
	case c.Verb == "dream" && !c.Stop:
		o.LookOnly = true
		err = c.Dream(ctx, p, consolidate.Open(o), setup, background.Hosts(), func(ctx context.Context, host ...string) error {
			return dreamAsked(ctx, c, setup, state, host)
		})
	default:
		err = c.Run(ctx, p, setup)
	}
	return c.Exit(stderr, errors.Join(err, within(endPatience, func() error { return p.Close("the program ended") })))
}

// open opens the project that the flags name, or that the program was started in.
func open(f settings.Flags) (*consolidate.Project, settings.Setup, error) {
	setup, err := settings.Resolve(settings.Process(), f)
	state, stateErr := settings.StateHome(settings.Process())
	if err := cmp.Or(err, stateErr); err != nil {
		return nil, setup, err
	}
	return consolidate.Open(options(setup, state)), setup, nil
}

// supervise runs a dream over p in a host, whose server is this program.
func supervise(ctx context.Context, c *console.Command, p *consolidate.Project, setup settings.Setup, by []string) error {
	server := []string{c.Self, "serve", "--unattended", "--mode", setup.Mode}
	if setup.Asked {
		server = append(server, "--asked")
	}
	return background.Supervise(ctx, p, setup, by, append(append(server, c.Options()...), "--project", setup.Project, "--memory-dir", p.Store.MemoryDir))
}

// dreamAsked runs a dream that the person asked for at a terminal. Its changes wait for their answer.
func dreamAsked(ctx context.Context, c *console.Command, setup settings.Setup, state string, by []string) error {
	setup.Mode, setup.Unattended, setup.Asked = settings.ModeApprove, true, true
	p := consolidate.Open(options(setup, state))
	return errors.Join(supervise(ctx, c, p, setup, by), p.Close("the program ended"))
}

// endPatience is how long the program waits at its end for a call whose answer nobody reads. Over tens of thousands of
// memories a call can take half a minute.
const endPatience = 5 * time.Second

// within returns the error of end, or an error if end takes longer than patience. The process may then exit, as if it
// were killed.
func within(patience time.Duration, end func() error) error {
	ended := make(chan error, 1)
	go func() { ended <- end() }()
	select {
	case err := <-ended:
		return err
	case <-time.After(patience):
		return errors.New("timed out during a call: the next command recovers what it left")
	}
}

// answerHook answers a hook or a status line of a host. It never fails; errors go to our own log.
func answerHook(ctx context.Context, c *console.Command, args []string, stdin io.Reader) int {
	state, err := settings.StateHome(settings.Process())
	if err != nil {
		return 0
	}
	look := c.Verb == hook.Statusline
	open := func(s settings.Setup) *consolidate.Project {
		o := options(s, state)
		o.LookOnly = look
		return consolidate.Open(o)
	}
	f := background.Front{Args: args, Options: c.Options(), Flags: c.Flags, Guard: c.Guard, Self: c.Self, In: stdin, Out: c.Out, Open: open}
	err = within(hook.Patience, func() error {
		if look {
			return f.Glance(ctx)
		}
		return f.Answer(ctx)
	})
	if err != nil {
		background.LogFailure(state, err)
	}
	return 0
}

// began is when the process began, and so the session of a host that started it.
var began = time.Now()

// options returns the options of a project for a setup.
func options(s settings.Setup, state string) consolidate.Options {
	said := search.Open(sessions.Options{
		Projects: s.ProjectsDir, Roots: s.Roots(), DirName: s.DirName, Folders: s.Transcripts, Homes: s.Homes, Current: s.SessionID,
	})
	said.Cache = filepath.Join(state, cache.FileName)
	off, _ := time.ParseDuration(os.Getenv(clock))
	return consolidate.Options{
		Options: ops.Options{
			MemoryDir:    s.MemoryDir,
			StateHome:    state,
			Host:         s.Client,
			Session:      s.SessionID,
			AllowSecrets: s.AllowSecrets,
			Unattended:   s.Unattended,
			Now:          func() time.Time { return time.Now().Add(off).Round(0) }, // without the monotonic part: a lease runs on while the machine sleeps
		},
		ProjectDir:  s.Checkout,
		Transcripts: consolidate.MaskCredentials(said, s.AllowSecrets),
		Enabled:     s.Enabled,
		MinHours:    s.MinHours,
		MinSessions: s.MinSessions,
		CleanupDays: s.CleanupDays,
		Warnings:    s.Warnings,
		MaxArchive:  int64(s.MaxArchiveMiB) << 20,
		LoadsIndex:  s.Loaded,
		Began:       began.Add(off),
		Prompted:    os.Getenv(hook.Mark) != "",
		Asked:       s.Asked,
		Propose:     s.Mode == settings.ModeApprove,
	}
}

// watched is options for a server, which reads again at each call what the person has switched on or off.
func watched(env settings.Environment, flags settings.Flags, s settings.Setup, state string) consolidate.Options {
	o := options(s, state)
	o.Waits = server.Waiting
	o.Reread = func() (consolidate.Switch, bool) {
		now, err := settings.Resolve(env, flags)
		return now.Enabled, err == nil && now.MemoryDir == s.MemoryDir
	}
	return o
}

// serve runs the server until the end of input, a signal, or the exit of the parent. missing is the reason if setup has
// no project, else nil.
func serve(ctx context.Context, flags settings.Flags, setup settings.Setup, missing error, state string, in io.Reader, out, stderr io.Writer) error {
	log := slog.New(slog.NewTextHandler(stderr, nil))
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	begin := func(p *consolidate.Project) {
		if err := p.Recover(ctx); err != nil {
			log.Warn("recovering what a crash left", "error", err)
		}
		if err := p.FinishForgetting(ctx); err != nil {
			log.Warn("a text is hidden, but not removed everywhere yet", "error", err)
		}
		if _, err := p.Person.List(ctx); err != nil {
			log.Warn("exchanging the memories of all projects", "error", err)
		}
		p.Transcripts.ReadLater()
	}
	c := &tools.Connection{Begin: begin}
	if missing == nil {
		c.Project = consolidate.Open(watched(settings.Process(), flags, setup, state))
	} else {
		c.Missing = ops.Refuse(missing.Error(), settings.NoProjectHint)
	}
	if setup.Settings["project"].Source == settings.FromWorkingDirectory {
		c.Open = func(folder string) (*consolidate.Project, error) {
			env := settings.Process()
			env.Folder = folder
			setup, err := settings.Resolve(env, flags)
			if err != nil {
				return nil, err
			}
			return consolidate.Open(watched(env, flags, setup, state)), nil
		}
	}
	t := c.Table()
	orphaned := settings.ParentGone(ctx, parentPoll)
	go func() {
		select {
		case <-orphaned:
			cancel(errors.New("the client has exited"))
		case <-ctx.Done():
		}
	}()
	err := server.Serve(ctx, in, out, server.Options{
		Name: "dream-mcp", Title: "Dream", Version: version, Website: website,
		Description:  "Consolidates the long-term memory of coding agents",
		Instructions: t.Instructions,
		Tools:        t.Tools, Prompts: t.Prompts, Resources: t.Resources, Templates: t.Templates, Completions: t.Completions,
		FoldersChanged: c.FoldersChanged, Allowed: c.Allowed, Log: log,
	})
	reason := "the client closed the connection"
	if ctx.Err() != nil {
		reason, err = fmt.Sprint(context.Cause(ctx)), nil // not an error
	}
	return errors.Join(err, within(endPatience, func() error { return c.Close(ops.Interrupted + ": " + reason) }))
}

// parentPoll is how often a server checks that its parent is alive, since a host that dies does not end its servers.
const parentPoll = 2 * time.Second

// self returns the absolute path by which this program was started.
func self() string {
	path, err := exec.LookPath(os.Args[0])
	if err != nil {
		path, _ = os.Executable()
	}
	if whole, err := filepath.Abs(path); err == nil {
		return whole
	}
	return path
}
