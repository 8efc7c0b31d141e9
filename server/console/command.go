// Package console is the terminal: the verbs by which a person sees and governs what the server does,
// and the demo.
//
// It promises that what memories, transcripts and the journal hold is shown with its credentials masked
// and its control, bidirectional and invisible characters made visible, that an error is two lines, `error:`
// and `hint:`, and that the exit code says what happened: 0 for success, 1 for a failure, 2 for a command that
// can't be understood.
//
// It keeps nothing, so a crash costs nothing here; a demo that is killed leaves its folder among the
// system's temporary files. It does not promise that what it prints for people stays as it is:
// programs use --json.
package console

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"syscall"

	"dream-mcp/consolidate"
	"dream-mcp/server/hook"
	"dream-mcp/server/host"
	"dream-mcp/server/install"
)

// Command is a command line, understood. Out, Version and Self (the path by which this program can be
// started again) are the caller's to set.
type Command struct {
	Verb          string // "" where none was given
	Args          []string
	Flags         host.Flags
	JSON          bool
	Keep          bool   // demo: leave its folder
	At            string // restore: an ID
	List          bool   // restore: show the versions
	Once          bool   // watch: the present picture
	Lint          LintOptions
	Fix, Accept   bool      // doctor, lint: fix; doctor: take a memory as it stands. review: land what waits
	DryRun, Print bool      // install: say what would be done; show what to paste
	Reject        bool      // review: forget what waits
	Background    bool      // log: of the background dream that ran last
	In            io.Reader // a terminal, where a person can answer; else nil
	Out           io.Writer
	Version, Self string
}

// verb is a row of the table of verbs.
type verb struct {
	name string
	most int // arguments; below zero: as many as one likes
	json bool
	run  func(*Command, context.Context, *consolidate.Project, host.Setup) error // nil: the caller's
}

var verbs = []verb{
	{name: "", run: (*Command).welcome},
	{name: "serve"},
	{name: "demo", run: (*Command).demo},
	{name: "status", json: true, run: (*Command).status},
	{name: "watch", json: true, run: (*Command).watch},
	{name: "log", json: true, run: (*Command).log},
	{name: "diff", most: 1, json: true, run: (*Command).diff},
	{name: "undo", most: 1, json: true, run: (*Command).undo},
	{name: "restore", most: 1, json: true, run: (*Command).restore},
	{name: "review", most: 1, json: true, run: (*Command).review},
	{name: "proposals", most: 2, json: true, run: (*Command).proposals},
	{name: "why", most: 1, json: true, run: (*Command).why},
	{name: "lint", most: 1, json: true, run: (*Command).lint},
	{name: "doctor", json: true, run: (*Command).doctor},
	{name: "mode", most: 1, json: true, run: (*Command).mode},
	{name: "install", most: 1, json: true, run: (*Command).install},
	{name: "uninstall", most: 1, json: true, run: (*Command).install},
	{name: "stop", most: -1, json: true, run: (*Command).stop},
	{name: hook.Verb, most: -1, run: (*Command).hook},
	{name: hook.Statusline, most: -1},
	{name: "background", most: 1},
	{name: "help", most: 1, run: (*Command).help},
	{name: "version", run: (*Command).version},
}

func findVerb(name string) (verb, bool) {
	for _, v := range verbs {
		if v.name == name {
			return v, true
		}
	}
	return verb{}, false
}

// Parse understands a command line without the program's name. Flags may stand anywhere before "--";
// a value follows its flag, or an "=". It fails with a *UsageError.
func Parse(args []string) (*Command, error) {
	c := &Command{Flags: host.NoFlags}
	var words []string
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		if arg == "--" {
			words = append(words, args...)
			break
		}
		if !strings.HasPrefix(arg, "-") || arg == "-" {
			words = append(words, arg)
			continue
		}
		name, value, given := strings.Cut(arg, "=")
		f, ok := findFlag(name)
		switch {
		case !ok:
			return nil, unknown("flag", name, flagNames())
		case f.take == nil && given:
			return nil, usage("flag %s takes no value", name)
		case f.take == nil:
			f.set(c)
			continue
		case !given && len(args) == 0:
			return nil, usage("flag %s needs a value", name)
		case !given:
			value, args = args[0], args[1:]
		}
		if err := f.take(c, value); err != nil {
			return nil, usage("flag %s: %v", name, err)
		}
	}
	return c, c.take(words)
}

// take reads the words that are no flags: the verb and its arguments. --help and --version win over
// any verb.
func (c *Command) take(words []string) error {
	if c.Verb != "" {
		return nil
	}
	if len(words) > 0 {
		c.Verb, c.Args = words[0], words[1:]
	}
	v, ok := findVerb(c.Verb)
	switch {
	case !ok || len(words) > 0 && c.Verb == "":
		return unknown("verb", words[0], verbNames())
	case v.most >= 0 && len(c.Args) > v.most:
		return usage("%s takes %s, and %q is one too many", verbLabel(v.name), atMost(v.most), c.Args[v.most])
	case c.JSON && !v.json:
		return usage("%s has no --json", verbLabel(v.name))
	case c.Once && v.name != "watch":
		return usage("--once goes with watch")
	case c.Keep && v.name != "demo":
		return usage("--keep goes with demo")
	case c.Lint.given() && v.name != "lint":
		return usage("--explain, --rule, --ignore, --statistics and --format go with lint")
	case c.Lint.Explain && len(c.Lint.Rules) > 0:
		return usage("--explain takes the rule as its argument: lint --explain %s", c.Lint.Rules[0])
	case (c.At != "" || c.List) && v.name != "restore":
		return usage("--at and --list go with restore")
	case c.Fix && v.name != "doctor" && v.name != "lint":
		return usage("--fix goes with doctor or lint")
	case c.Accept && !(c.Fix && v.name == "doctor") && v.name != "review":
		return usage("--accept goes with review, or with doctor --fix")
	case c.Reject && v.name != "review":
		return usage("--reject goes with review")
	case c.Accept && c.Reject:
		return usage("either --accept or --reject")
	case c.Background && v.name != "log":
		return usage("--background goes with log")
	case c.DryRun && v.name != "install" && v.name != "uninstall":
		return usage("--dry-run goes with install and uninstall")
	case c.Print && v.name != "install":
		return usage("--print goes with install")
	case c.Print && (c.DryRun || c.JSON):
		return usage("--print stands alone: leave the other flags out")
	case len(c.Args) == 0 && (v.name == "uninstall" || c.DryRun || c.Print):
		return &UsageError{v.name + " needs a host", "one of " + strings.Join(install.IDs(), ", ")}
	case v.name == "restore" && len(c.Args) == 0 && !c.List:
		return usage("restore needs the name of a memory (restore --list shows what the archive has)")
	case c.At != "" && c.List:
		return usage("--list shows all versions: leave --at out")
	}
	return nil
}

func verbLabel(name string) string {
	if name == "" {
		return "dream-mcp without a verb"
	}
	return name
}

func atMost(n int) string {
	if n == 0 {
		return "no argument"
	}
	return "one argument"
}

func findFlag(name string) (flag, bool) {
	for _, f := range flags {
		if f.name == name {
			return f, true
		}
	}
	return flag{}, false
}

func flagNames() (names []string) {
	for _, f := range flags {
		names = append(names, f.name)
	}
	return names
}

func verbNames() (names []string) {
	for _, v := range verbs {
		if v.name != "" {
			names = append(names, v.name)
		}
	}
	return names
}

// Options returns the flags that say which project and when, as a command line of ours takes them again.
func (c *Command) Options() (args []string) {
	f := c.Flags
	for _, o := range []struct{ name, value string }{{"--project", f.Project}, {"--memory-dir", f.MemoryDir}} {
		if o.value != "" {
			args = append(args, o.name, o.value)
		}
	}
	for _, folder := range f.Transcripts {
		args = append(args, "--transcripts", folder)
	}
	if f.MinHours >= 0 {
		args = append(args, "--min-hours", strconv.FormatFloat(f.MinHours, 'f', -1, 64))
	}
	if f.MinSessions >= 0 {
		args = append(args, "--min-sessions", strconv.Itoa(f.MinSessions))
	}
	return args
}

// Standalone reports whether the verb needs no project: the host need not be asked.
func (c *Command) Standalone() bool {
	return c.Verb == "help" || c.Verb == "version" || c.Verb == "demo" || c.Verb == "install" || c.Verb == "uninstall" || c.Lint.Explain
}

// Run carries out the verb over the memory p, which setup found. What is Standalone, and the welcome
// of a command without a verb, take neither. It fails on a verb that is the caller's own, "serve".
func (c *Command) Run(ctx context.Context, p *consolidate.Project, setup host.Setup) error {
	v, ok := findVerb(c.Verb)
	if !ok || v.run == nil {
		return fmt.Errorf("%q is not for the console", c.Verb)
	}
	if p != nil { // what knows no memory says nothing but its own words
		c.Out = shown(c.Out, setup.AllowSecrets)
	}
	err := v.run(c, ctx, p, setup)
	if errors.Is(err, syscall.EPIPE) {
		return nil // the reader has seen enough: dream-mcp log | head
	}
	return err
}
