package console

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"dream-mcp/consolidate"
	"dream-mcp/server/host"
	"dream-mcp/server/install"
)

// A FindingsError says that a doctor found what should be mended.
type FindingsError struct{ Wrong, Fixable int }

func (e *FindingsError) Error() string {
	if e.Wrong == 1 {
		return "one thing should be mended"
	}
	return fmt.Sprintf("%d things should be mended", e.Wrong)
}

// doctorJSON is the answer of doctor --json.
type doctorJSON struct {
	Healthy bool                `json:"healthy"`
	Checks  []consolidate.Check `json:"checks"`
}

func (c *Command) doctor(ctx context.Context, p *consolidate.Project, setup host.Setup) error {
	own, err := p.Examine(ctx, c.Fix, c.Accept)
	if err != nil {
		return err
	}
	checks := slices.Concat(placeChecks(p, setup), own, hookCheck(p), hostChecks(host.Process(), setup))
	findings := &FindingsError{}
	for _, check := range checks {
		if check.State == consolidate.Wrong {
			findings.Wrong++
			if check.Fix != "" && !c.Fix {
				findings.Fixable++
			}
		}
	}
	if c.JSON {
		err = c.printJSON(doctorJSON{findings.Wrong == 0, checks}, "  ")
	} else {
		_, err = io.WriteString(c.Out, renderChecks(checks, c.Fix, paintFor(c.Out)))
	}
	if err == nil && findings.Wrong > 0 {
		err = findings
	}
	return err
}

// placeChecks says which memory, transcripts and settings are used, and why.
func placeChecks(p *consolidate.Project, setup host.Setup) []consolidate.Check {
	var checks []consolidate.Check
	add := func(name, state, message, hint string) {
		checks = append(checks, consolidate.Check{Name: name, State: state, Message: message, Hint: hint})
	}
	project := setup.Project
	if setup.Root != setup.Project {
		project += ", of the repository " + setup.Root
	}
	add("project", consolidate.Healthy, project, "")
	add("memory", consolidate.Healthy, setup.MemoryDir+" ("+setup.MemoryWhy+")", "")
	folders := p.TranscriptFolders()
	for _, f := range folders {
		if f.Problem == "" {
			add("transcripts", consolidate.Healthy, f.Path, "")
		} else {
			add("transcripts", consolidate.Note, fmt.Sprintf("%s can't be read: %s", f.Path, f.Problem), "")
		}
	}
	if len(folders) == 0 {
		add("transcripts", consolidate.Note, "none found: no session of this project was recorded, or it was swept", "")
	}
	for _, candidate := range setup.Candidates {
		if candidate.Exists && candidate.Topics == 0 { // one with topics is among the warnings
			add("memory", consolidate.Note, fmt.Sprintf("%s is there too, and empty (%s)", candidate.Path, candidate.Why), "")
		}
	}
	for _, stray := range setup.Strays() {
		add("memory", consolidate.Wrong, fmt.Sprintf("%s holds %s of a project that was at %s and is no longer there", stray.Path, count(stray.Topics, "topic"), stray.Was),
			"was it moved here? Then copy what still holds into "+setup.MemoryDir)
	}
	for _, w := range setup.Warnings {
		add("settings", consolidate.Wrong, w, "")
	}
	state := consolidate.Healthy
	if !setup.Enabled.On {
		state = consolidate.Note // it is the person's own wish
	}
	add("gates", state, map[bool]string{true: "dreams may be: ", false: "no dream may be: "}[setup.Enabled.On]+setup.Enabled.Why, "")
	for _, name := range []string{"mode", "min_hours", "min_sessions", "max_archive_mib"} {
		if s := setup.Settings[name]; s.Source != "default" {
			add("settings", consolidate.Note, fmt.Sprintf("%s is %s (%s)", name, s.Value, s.Source), "")
		}
	}
	return checks
}

// hookCheck tells of the hook that failed last, of whichever project, within a day: hosts are told of none.
func hookCheck(p *consolidate.Project) []consolidate.Check {
	text, err := host.ReadFile(filepath.Join(filepath.Dir(p.StateDir()), host.HookLog), 2*host.MaxHookLog)
	if err != nil {
		return nil
	}
	text = bytes.TrimSpace(text)
	when, why, _ := strings.Cut(string(text[bytes.LastIndexByte(text, '\n')+1:]), " ")
	at, err := time.Parse(time.RFC3339, when)
	if age := p.Now().Sub(at); err != nil || age < 0 || age > 24*time.Hour {
		return nil
	}
	return []consolidate.Check{{Name: "hooks", State: consolidate.Note, Message: fmt.Sprintf("the last that failed, %s: %s", ago(p.Now(), at), why)}}
}

// hostChecks says which programs know us, and whether what they start is there.
func hostChecks(env host.Environment, setup host.Setup) []consolidate.Check {
	var checks []consolidate.Check
	for _, client := range install.Clients(env, setup.Project) {
		if client.Err != nil {
			checks = append(checks, consolidate.Check{Name: "hosts", State: consolidate.Note, Message: fmt.Sprintf("%s: %s can't be read: %v", client.Name, client.Path, client.Err)})
		}
		for _, entry := range client.Entries {
			check := consolidate.Check{Name: "hosts", State: consolidate.Healthy,
				Message: fmt.Sprintf("%s starts us as %q: %s (%s)", client.Name, entry.Server, strings.Join(entry.Command, " "), client.Path)}
			if filepath.IsAbs(entry.Command[0]) {
				if _, err := os.Stat(entry.Command[0]); err != nil {
					check.State, check.Message = consolidate.Wrong, check.Message+", which is not there"
					check.Hint = "correct the command in that file"
				}
			}
			checks = append(checks, check)
		}
	}
	for _, plugin := range install.Plugins(env, setup.Project) {
		checks = append(checks, consolidate.Check{Name: "hosts", State: consolidate.Healthy, Message: "Claude Code starts us by the plugin " + plugin})
		if message, hint := twice(env, plugin); message != "" {
			checks = append(checks, consolidate.Check{Name: "hosts", State: consolidate.Wrong, Message: message, Hint: hint})
		}
	}
	if !slices.ContainsFunc(checks, func(c consolidate.Check) bool { return strings.Contains(c.Message, " starts us ") }) {
		checks = append(checks, consolidate.Check{Name: "hosts", State: consolidate.Note, Message: "no program is known to start dream-mcp here", Hint: "dream-mcp, started by hand, says how to connect one"})
	}
	return checks
}

// twice says that Claude Code has by an install what a plugin brings too, and what to do; "" where it has not.
func twice(env host.Environment, plugin string) (message, hint string) {
	claude, _ := install.Find(host.ClaudeCode)
	parts, err := install.Installer{Env: env}.Parts(claude, true)
	if err != nil {
		return "", "" // what can't be read is told of elsewhere
	}
	var both []string
	for _, p := range slices.Backward(parts) { // in the order of an install
		if p.State == install.Installed {
			both = append(both, p.Name)
		}
	}
	if both == nil {
		return "", ""
	}
	return fmt.Sprintf("Claude Code has the %s of dream-mcp twice: by install, and by the plugin %s", strings.Join(both, " and the "), plugin),
		"one is enough, though both do no harm: dream-mcp uninstall claude-code, or claude plugin uninstall " + plugin
}

// renderChecks lists what was looked at: one line each, and below it what can be done.
func renderChecks(checks []consolidate.Check, fix bool, ink paint) string {
	var b strings.Builder
	marks := map[string]string{
		consolidate.Healthy: ink.in(green, "●"), consolidate.Note: ink.in(dim, "·"),
		consolidate.Wrong: ink.in(yellow, "!"), consolidate.Mended: ink.in(green, "✓"),
	}
	for _, c := range checks {
		fmt.Fprintf(&b, "%s %-11s %s\n", marks[c.State], c.Name, oneLine(c.Message))
		switch {
		case c.State == consolidate.Mended && c.Fix != "":
			fmt.Fprintf(&b, "%14s%s\n", "", ink.in(green, "mended: "+c.Fix))
		case c.State == consolidate.Mended:
			fmt.Fprintf(&b, "%14s%s\n", "", ink.in(green, "mended"))
		case c.Fix != "" && !fix:
			fmt.Fprintf(&b, "%14s%s\n", "", ink.in(dim, "--fix: "+c.Fix))
		}
		if c.Hint != "" && c.State != consolidate.Mended {
			fmt.Fprintf(&b, "%14s%s\n", "", ink.in(dim, oneLine(c.Hint)))
		}
	}
	return b.String()
}

// Exit tells of an error as Fail does and returns the exit code. For doctor 1 means findings, and 2
// that it could not look.
func (c *Command) Exit(stderr io.Writer, err error) int {
	code := Fail(stderr, err)
	if _, found := errors.AsType[*FindingsError](err); c.Verb == "doctor" && code == 1 && !found {
		return 2
	}
	return code
}
