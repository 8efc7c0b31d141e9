package console

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"dream-mcp/consolidate"
	"dream-mcp/consolidate/doctor"
	"dream-mcp/consolidate/ops"
	"dream-mcp/memory/phrase"
	"dream-mcp/server/console/terminal"
	"dream-mcp/server/install"
	"dream-mcp/server/settings"
)

// found reports that doctor found things to fix, some of which it can fix itself.
func found(wrong, fixable int) *Failure {
	e := &Failure{phrase.Plural(wrong, "problem"), fmt.Sprintf("dream-mcp doctor --fix fixes %d of them, without loss", fixable), 1}
	if fixable == 0 {
		e.Hint = "the lines marked ! above say what to do; doctor --fix cannot decide that for you"
	}
	return e
}

// doctorJSON is the output of doctor --json.
type doctorJSON struct {
	Healthy bool           `json:"healthy"`
	Checks  []doctor.Check `json:"checks"`
}

func runDoctor(ctx context.Context, c *Command, p *consolidate.Project, setup settings.Setup) error {
	own, err := p.Doctor.Examine(ctx, c.doctor.fix, c.doctor.accept)
	if err != nil {
		return err
	}
	var checks checks
	if setup.MergeInto != "" {
		check, err := mergeInto(ctx, c, p, setup)
		if err != nil {
			return err
		}
		checks = append(checks, check)
	}
	checks.places(p, setup)
	within, stop := c.working(ctx, "Reading")
	checks.sessions(within, p)
	stop()
	checks = append(checks, own...)
	checks.hooks(p)
	checks.hosts(settings.Process(), setup)
	wrong, fixable := 0, 0
	for _, check := range checks {
		if check.State == doctor.Wrong {
			wrong++
			if check.Fix != "" && !c.doctor.fix {
				fixable++
			}
		}
	}
	err = c.answer(doctorJSON{wrong == 0, checks}, "  ", func(ink terminal.Ink) string {
		text := renderChecks(checks, c.doctor.fix, p.Store.Now().Location(), ink)
		if wrong == 0 {
			text += "\nNo problems.\n"
		}
		return text
	})
	if err == nil && wrong > 0 {
		err = found(wrong, fixable)
	}
	return err
}

// mergeInto says that the memories are in a folder that Claude Code does not read. With --fix it asks whether to merge
// them into the one that it does read.
func mergeInto(ctx context.Context, c *Command, p *consolidate.Project, setup settings.Setup) (doctor.Check, error) {
	check := doctor.Check{Name: "memory", State: doctor.Wrong, Fix: "asks, then merges them into that folder",
		Message: fmt.Sprintf("the memories are in %s, and Claude Code reads %s", setup.MemoryDir, setup.MergeInto)}
	switch {
	case !c.doctor.fix:
		return check, nil
	case !c.doctor.accept && c.In == nil:
		check.Hint = "in a terminal doctor --fix asks first; doctor --fix --accept merges them without a question"
		return check, nil
	case !c.doctor.accept:
		answer, err := c.ask(ctx, fmt.Sprintf("%s.\nMerge them into that folder? Both sides can be undone. [y/N] ", check.Message))
		if err != nil && !errors.Is(err, terminal.ErrNoAnswer) {
			return check, err
		}
		if !isYes(answer) {
			check.State, check.Message, check.Fix = doctor.Notable, check.Message+"; they stay", ""
			return check, nil
		}
	}
	n, err := p.Doctor.MergeInto(ctx, setup.MergeInto)
	check.State, check.Fix = doctor.Repaired, phrase.Plural(n, "memory")+" merged into "+setup.MergeInto+"; what was done before is in dream-mcp log --memory-dir "+ops.Quoted(setup.MemoryDir)
	return check, err
}

// checks is what doctor looked at.
type checks []doctor.Check

func (all *checks) add(state, name, hint, format string, args ...any) {
	*all = append(*all, doctor.Check{Name: name, State: state, Message: fmt.Sprintf(format, args...), Hint: hint})
}

// sessions adds a line for each host whose sessions are on this machine, and what could not be read.
func (all *checks) sessions(ctx context.Context, p *consolidate.Project) {
	found, err := p.Sessions.Hosts(ctx)
	if err != nil {
		all.add(doctor.Wrong, "sessions", "", "%v", err)
	}
	for _, h := range found {
		all.add(doctor.Healthy, "sessions", "", "%s", h.Line(p.Store.Now()))
	}
	for _, u := range consolidate.Unread(p.Transcripts.Unread()) {
		all.add(doctor.Notable, "sessions", "", "%s", u)
	}
}

// maxGone is how many removed worktrees doctor names.
const maxGone = 5

// places adds the memory, transcripts and settings that are used, and why.
func (all *checks) places(p *consolidate.Project, setup settings.Setup) {
	for _, p := range places(setup, p.Sessions.Folders()) {
		switch {
		case p.problem != "":
			all.add(doctor.Notable, p.name, "", "%s: %s", p.value, p.problem)
		case p.why != "":
			all.add(doctor.Healthy, p.name, "", "%s (%s)", p.value, p.why)
		default:
			all.add(doctor.Healthy, p.name, "", "%s", p.value)
		}
	}
	if gone := p.Transcripts.GoneRoots(); len(gone) > 0 {
		shown := gone[:min(len(gone), maxGone)]
		more := ""
		if n := len(gone) - len(shown); n > 0 {
			more = fmt.Sprintf(" and %d more", n)
		}
		all.add(doctor.Notable, "transcripts", "", "sessions of removed worktrees are still read: %s%s", strings.Join(shown, ", "), more)
	}
	for _, stray := range setup.Strays() {
		all.add(doctor.Wrong, "memory", "if that project was moved here, copy what is still true into "+setup.MemoryDir,
			"%s holds %s of a project that was at %s, which no longer exists", stray.Path, phrase.Plural(stray.Topics, "topic"), stray.Was)
	}
	for _, w := range setup.Warnings {
		all.add(doctor.Wrong, "settings", "", "%s", w)
	}
	if setup.Enabled.On {
		all.add(doctor.Healthy, "gates", "", "dreams are on: %s", setup.Enabled.Why)
	} else { // the person's choice
		all.add(doctor.Notable, "gates", "", "dreams are off: %s", setup.Enabled.Why)
	}
	for _, name := range []string{"min_hours", "min_sessions", "max_archive_mib"} {
		if s := setup.Settings[name]; s.Source != "default" {
			all.add(doctor.Notable, "settings", "", "%s is %s (%s)", name, s.Value, s.Source)
		}
	}
}

// hooks adds the last hook of any project that failed within a day. Hosts do not show such failures.
func (all *checks) hooks(p *consolidate.Project) {
	text, err := settings.ReadFile(filepath.Join(filepath.Dir(p.Store.Records.StateDir()), settings.HookLog), 2*settings.MaxHookLog)
	if err != nil {
		return
	}
	text = bytes.TrimSpace(text)
	when, why, _ := strings.Cut(string(text[bytes.LastIndexByte(text, '\n')+1:]), " ")
	at, err := time.Parse(time.RFC3339, when)
	if age := p.Store.Now().Sub(at); err == nil && age >= 0 && age <= 24*time.Hour {
		all.add(doctor.Notable, "hooks", "", "last failure, %s: %s", phrase.Ago(p.Store.Now(), at), why)
	}
}

// hosts adds the programs that start dream-mcp, and checks that their command exists.
func (all *checks) hosts(env settings.Environment, setup settings.Setup) {
	known := false
	for _, client := range install.Clients(env, setup.Project) {
		if client.Err != nil {
			all.add(doctor.Notable, "hosts", "", "%s: %s cannot be read: %v", client.Name, client.Path, client.Err)
		}
		for _, entry := range client.Entries {
			known = true
			state, hint, missing := doctor.Healthy, "", ""
			if filepath.IsAbs(entry.Command[0]) {
				if _, err := os.Stat(entry.Command[0]); err != nil {
					state, hint, missing = doctor.Wrong, "correct the command in that file", ", which does not exist"
				}
			}
			all.add(state, "hosts", hint, "%s starts us as %q: %s (%s)%s", client.Name, entry.Server, strings.Join(entry.Command, " "), client.Path, missing)
		}
	}
	for _, plugin := range install.Plugins(env, setup.Project) {
		known = true
		all.add(doctor.Healthy, "hosts", "", "Claude Code starts us by the plugin %s", plugin)
	}
	if !known {
		all.add(doctor.Notable, "hosts", "dream-mcp install lists the programs; dream-mcp install HOST connects one",
			"no known program starts dream-mcp here")
	}
}

// renderChecks prints one line for each check, and below it how to fix it.
func renderChecks(checks []doctor.Check, fix bool, zone *time.Location, ink terminal.Ink) string {
	b := terminal.Lines{Ink: ink}
	marks := map[string]string{
		doctor.Healthy: ink.In(terminal.Green, "●"), doctor.Notable: ink.In(terminal.Dim, "·"),
		doctor.Wrong: ink.In(terminal.Yellow, "!"), doctor.Repaired: ink.In(terminal.Green, "✓"),
	}
	for _, c := range checks {
		fmt.Fprintf(&b, "%s %-11s %s\n", marks[c.State], c.Name, localTimes(terminal.OneLine(c.Message), zone))
		repaired := c.State == doctor.Repaired
		b.Add(repaired, terminal.Green, "%14s%s", "", strings.TrimSuffix("fixed: "+c.Fix, ": "))
		b.Add(!repaired && c.Fix != "" && !fix, terminal.Dim, "%14s--fix: %s", "", c.Fix)
		b.Add(!repaired && c.Hint != "", terminal.Dim, "%14s%s", "", c.Hint)
	}
	return b.String()
}
