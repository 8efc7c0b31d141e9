package console

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"dream-mcp/consolidate"
	"dream-mcp/consolidate/store"
	"dream-mcp/server/host"
	"dream-mcp/server/install"
)

// found reports that doctor found things to fix, some of which it can fix itself.
func found(wrong, fixable int) *Failure {
	e := &Failure{fmt.Sprintf("%d things should be fixed", wrong), fmt.Sprintf("dream-mcp doctor --fix fixes %d of them, without loss", fixable), 1}
	if wrong == 1 {
		e.Message = "one thing should be fixed"
	}
	if fixable == 0 {
		e.Hint = "the lines marked ! above say what to do; doctor --fix does not decide them for you"
	}
	return e
}

// doctorJSON is the output of doctor --json.
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
	wrong, fixable := 0, 0
	for _, check := range checks {
		if check.State == consolidate.Wrong {
			wrong++
			if check.Fix != "" && !c.Fix {
				fixable++
			}
		}
	}
	err = c.answer(doctorJSON{wrong == 0, checks}, "  ", func(ink paint) string {
		text := renderChecks(checks, c.Fix, p.Now().Location(), ink)
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

// placeChecks lists the memory, transcripts and settings that are used, and why.
func placeChecks(p *consolidate.Project, setup host.Setup) []consolidate.Check {
	var checks []consolidate.Check
	add := func(name, state, message, hint string) {
		checks = append(checks, consolidate.Check{Name: name, State: state, Message: message, Hint: hint})
	}
	for _, p := range places(setup, p.Sessions.Folders(), nil) {
		state, message := consolidate.Healthy, p.value
		if p.problem != "" {
			state, message = consolidate.Note, message+": "+p.problem
		} else if p.why != "" {
			message += " (" + p.why + ")"
		}
		add(p.name, state, message, "")
	}
	for _, stray := range setup.Strays() {
		add("memory", consolidate.Wrong, fmt.Sprintf("%s holds %s of a project that was at %s, which no longer exists", stray.Path, store.Plural(stray.Topics, "topic"), stray.Was),
			"if that project was moved here, copy what is still true into "+setup.MemoryDir)
	}
	for _, w := range setup.Warnings {
		add("settings", consolidate.Wrong, w, "")
	}
	state := consolidate.Healthy
	if !setup.Enabled.On {
		state = consolidate.Note // the person's choice
	}
	add("gates", state, map[bool]string{true: "dreams are on: ", false: "dreams are off: "}[setup.Enabled.On]+setup.Enabled.Why, "")
	for _, name := range []string{"min_hours", "min_sessions", "max_archive_mib"} {
		if s := setup.Settings[name]; s.Source != "default" {
			add("settings", consolidate.Note, fmt.Sprintf("%s is %s (%s)", name, s.Value, s.Source), "")
		}
	}
	return checks
}

// hookCheck reports the last hook of any project that failed within a day. Hosts do not show such failures.
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
	return []consolidate.Check{{Name: "hooks", State: consolidate.Note, Message: fmt.Sprintf("last failure, %s: %s", store.Ago(p.Now(), at), why)}}
}

// hostChecks lists the programs that start dream-mcp, and checks that their command exists.
func hostChecks(env host.Environment, setup host.Setup) []consolidate.Check {
	var checks []consolidate.Check
	for _, client := range install.Clients(env, setup.Project) {
		if client.Err != nil {
			checks = append(checks, consolidate.Check{Name: "hosts", State: consolidate.Note, Message: fmt.Sprintf("%s: %s cannot be read: %v", client.Name, client.Path, client.Err)})
		}
		for _, entry := range client.Entries {
			check := consolidate.Check{Name: "hosts", State: consolidate.Healthy,
				Message: fmt.Sprintf("%s starts us as %q: %s (%s)", client.Name, entry.Server, strings.Join(entry.Command, " "), client.Path)}
			if filepath.IsAbs(entry.Command[0]) {
				if _, err := os.Stat(entry.Command[0]); err != nil {
					check.State, check.Message = consolidate.Wrong, check.Message+", which does not exist"
					check.Hint = "correct the command in that file"
				}
			}
			checks = append(checks, check)
		}
	}
	for _, plugin := range install.Plugins(env, setup.Project) {
		checks = append(checks, consolidate.Check{Name: "hosts", State: consolidate.Healthy, Message: "Claude Code starts us by the plugin " + plugin})
	}
	if !slices.ContainsFunc(checks, func(c consolidate.Check) bool { return strings.Contains(c.Message, " starts us ") }) {
		checks = append(checks, consolidate.Check{Name: "hosts", State: consolidate.Note, Message: "no known program starts dream-mcp here", Hint: "dream-mcp install lists the programs; dream-mcp install HOST connects one"})
	}
	return checks
}

// renderChecks prints one line for each check, and below it how to fix it.
func renderChecks(checks []consolidate.Check, fix bool, zone *time.Location, ink paint) string {
	b := lines{ink: ink}
	marks := map[string]string{
		consolidate.Healthy: ink.in(green, "●"), consolidate.Note: ink.in(dim, "·"),
		consolidate.Wrong: ink.in(yellow, "!"), consolidate.Repaired: ink.in(green, "✓"),
	}
	for _, c := range checks {
		fmt.Fprintf(&b, "%s %-11s %s\n", marks[c.State], c.Name, localTimes(oneLine(c.Message), zone))
		repaired := c.State == consolidate.Repaired
		b.add(repaired, green, "%14s%s", "", strings.TrimSuffix("fixed: "+c.Fix, ": "))
		b.add(!repaired && c.Fix != "" && !fix, dim, "%14s--fix: %s", "", c.Fix)
		b.add(!repaired && c.Hint != "", dim, "%14s%s", "", c.Hint)
	}
	return b.String()
}
