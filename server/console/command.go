// Package console implements the verbs that a person types in a terminal.
//
// Its output is safe to show: credentials in memories, transcripts and the log are masked, and control,
// bidirectional and invisible characters are made visible. An error is two lines, `error:` and `hint:`. The exit
// code is 0 for success, 1 for a failure, and 2 for a command that cannot be understood.
//
// The package keeps no state, so a crash loses nothing. The text that is printed for people may change; programs use
// --json.
package console

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"dream-mcp/consolidate"
	"dream-mcp/server/console/terminal"
	"dream-mcp/server/install"
	"dream-mcp/server/settings"
)

// A Command is a parsed command line. The caller sets Out, Open, Version and Self, which is the path of this program.
type Command struct {
	Verb          string // "" where none was given
	Args          []string
	Flags         settings.Flags
	Stop          bool      // dream: end the open one
	Guard         bool      // hook, install: deny the tools that an open dream must not use
	In            io.Reader // nil unless it is a terminal
	Out           io.Writer
	Version, Self string
	Open          func(settings.Flags) (*consolidate.Project, settings.Setup, error) // opens the project of a Standalone verb

	json    bool
	status  struct{ watch, once bool } // show a dream while it runs; print one snapshot and exit
	log     struct{ all, background, recalled bool }
	diff    diffOptions
	review  reviewOptions
	undo    undoOptions
	forget  forgetOptions
	install installOptions
	share   shareOptions
	search  searchOptions
	doctor  struct{ fix, accept bool } // fix what can be fixed; take the memory as it is
	lint    lintOptions
	demo    demoOptions
	help    struct{ all bool }

	helpOf     *cobra.Command
	completion *bytes.Buffer // the completion script for a shell, or empty
}

// Parse parses a command line without the program's name. Flags may be anywhere before "--". An error is a *Failure.
func Parse(args []string) (*Command, error) {
	c := &Command{Flags: settings.NoFlags}
	root := c.root()
	root.SetArgs(append([]string{}, args...)) // nil would mean os.Args
	root.SetErr(io.Discard)
	err := root.Execute()
	var usageError *Failure
	if err != nil && !errors.As(err, &usageError) {
		err = usage("%v", err)
	} else if err != nil && c.Verb != "" && usageError.Hint == usageHint {
		usageError.Hint = "dream-mcp " + c.Verb + " --help"
	}
	if c.completion.Len() > 0 && c.Verb == "" {
		c.Verb = "completion"
	}
	return c, err
}

// setVerb sets the verb and its arguments, and checks them and the flags that exclude each other.
func (c *Command) setVerb(v verb, args []string) error {
	c.Verb, c.Args = v.name, args
	switch {
	case v.most >= 0 && len(args) > v.most:
		return usage("%s takes %s; %q is one too many", v.name, []string{"no argument", "one argument", "two arguments"}[v.most], args[v.most])
	case c.json && !v.json:
		return usage("%s has no --json", cmp.Or(v.name, "dream-mcp without a verb"))
	case len(args) == 0 && v.needs != "":
		return usage("%s needs %s", v.name, v.needs)
	case len(args) == 0 && v.name == "install" && c.install.print:
		return &Failure{v.name + " needs a host", "one of " + strings.Join(install.IDs(), ", "), 2}
	case v.exclude == nil:
	default:
		if wrong := v.exclude(c); wrong != "" {
			return usage("%s", wrong)
		}
	}
	return nil
}

// misused converts an error of package pflag into a *Failure.
func misused(cmd *cobra.Command, err error) error {
	var notExist *pflag.NotExistError
	var missing *pflag.ValueRequiredError
	var invalid *pflag.InvalidValueError
	switch {
	case errors.As(err, &notExist):
		name := notExist.GetSpecifiedName()
		var known []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, "--"+f.Name) })
		if name == notExist.GetSpecifiedShortnames() || len(name) == 1 {
			name = "-" + name
		} else {
			name = "--" + name
			for _, other := range cmd.Root().Commands() {
				if other != cmd && other.LocalNonPersistentFlags().Lookup(name[2:]) != nil {
					e := usage("%s is a flag of %s, not of %s", name, other.Name(), cmd.Name())
					if cmd.HasParent() {
						e.Hint = "dream-mcp " + cmd.Name() + " --help shows its flags"
					}
					return e
				}
			}
		}
		return unknown("flag", name, known)
	case errors.As(err, &missing):
		e := usage("flag --%s needs a value", missing.GetFlag().Name)
		if cmd.HasParent() {
			e.Hint = "dream-mcp " + cmd.Name() + " --help"
		}
		return e
	case errors.As(err, &invalid):
		name, why := invalid.GetFlag().Name, invalid.Unwrap().Error()
		if invalid.GetFlag().Value.Type() == "bool" {
			return usage("flag --%s takes no value", name)
		}
		e := usage("flag --%s: %s", name, why)
		if better, ok := errors.AsType[*Failure](invalid.Unwrap()); ok {
			e.Hint = better.Hint
		}
		return e
	}
	return usage("%v", err)
}

// Options returns the flags that choose the project and the gates, as arguments for another process of this program.
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

// Standalone reports whether the verb needs no project.
func (c *Command) Standalone() bool {
	return c.lint.explain || slices.Contains([]string{"help", "completion", "version", "demo", "install", "uninstall"}, c.Verb)
}

// LooksOnly reports whether the verb shows a dream of another process, and so must write nothing.
func (c *Command) LooksOnly() bool { return c.status.watch }

// Run executes the verb on the memory p, which was found by setup. Both are unused for a Standalone verb and for the
// welcome. Run fails for a verb that the caller implements, such as "serve".
func (c *Command) Run(ctx context.Context, p *consolidate.Project, setup settings.Setup) error {
	v, _ := findVerb(c.Verb)
	switch c.Verb {
	case "":
		v.run = runOverview
	case "help":
		v.run = runHelp
	case "completion":
		v.run = runCompletion
	}
	if v.run == nil {
		return fmt.Errorf("%q is not a verb of the console", c.Verb)
	}
	if p != nil { // else the text is our own
		c.Out = terminal.Masked(c.Out, setup.AllowSecrets)
	}
	err := v.run(ctx, c, p, setup)
	if errors.Is(err, syscall.EPIPE) {
		return nil // as in dream-mcp log | head
	}
	return err
}
