package console

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"dream-mcp/consolidate"
	"dream-mcp/consolidate/ops"
	"dream-mcp/memory/phrase"
	"dream-mcp/memory/rule"
	"dream-mcp/server/console/terminal"
	"dream-mcp/server/install"
	"dream-mcp/server/settings"
)

// overviewTime bounds what is counted for the overview: a person who types only the name gets an answer at once.
const overviewTime = 150 * time.Millisecond

// runOverview shows the project that the person is in and what to type next. Outside of any it lists the projects with
// a memory; where there is none and no agent is connected, it says what this program is.
func runOverview(ctx context.Context, c *Command, _ *consolidate.Project, _ settings.Setup) error {
	if c.Open == nil {
		return welcome(c)
	}
	p, setup, err := c.Open(c.Flags)
	if errors.Is(err, settings.ErrNoProject) {
		return listProjects(c, setup)
	}
	if err != nil {
		return err
	}
	defer p.Close("the program ended")
	topics, err := p.Topics(ctx)
	if err != nil {
		return err
	}
	limited, cancel := context.WithTimeout(ctx, overviewTime)
	defer cancel()
	sessions, _, err := p.Transcripts.Sessions(limited, time.Time{})
	if err == nil && len(topics)+len(sessions) == 0 {
		return listProjects(c, setup)
	}
	counted := "sessions not counted in time"
	if err == nil {
		counted = phrase.Plural(len(sessions), "session")
	}
	have := counted + ", " + phrase.Plural(len(topics), "memory")
	s, err := p.Status(ctx)
	if err != nil {
		return err
	}
	wrong := s.Warnings
	if found := quickLint(limited, p); found != "" {
		wrong = append(wrong, found)
	}
	connected := isConnected(setup)
	if !connected {
		wrong = append(wrong, "no agent is connected: dream-mcp install")
	}
	c.Out = terminal.Masked(terminal.File(c.Out), setup.AllowSecrets)
	return c.answer(nil, "", func(ink terminal.Ink) string {
		return renderOverview(setup.Project+": "+have, s, wrong, p.Store.Now(), ink)
	})
}

// quickLint counts what the rules find without the project, if there is time.
func quickLint(ctx context.Context, p *consolidate.Project) string {
	if ctx.Err() != nil {
		return "the memory was not checked in time: dream-mcp lint"
	}
	l, err := p.Lint(ctx, consolidate.LintRequest{Quick: true})
	if err != nil {
		return ""
	}
	n := 0
	for _, f := range l.Findings {
		if f.Severity != rule.Info {
			n++
		}
	}
	if n == 0 {
		return ""
	}
	return phrase.Plural(n, "thing") + " to fix in the memory: dream-mcp lint"
}

// isConnected reports whether some program starts dream-mcp.
func isConnected(setup settings.Setup) bool {
	for _, client := range install.Clients(settings.Process(), setup.Project) {
		if len(client.Entries) > 0 {
			return true
		}
	}
	return len(install.Plugins(settings.Process(), setup.Project)) > 0
}

func renderOverview(head string, s consolidate.Status, wrong []string, now time.Time, ink terminal.Ink) string {
	b := terminal.Lines{Ink: ink}
	b.Add(true, terminal.Bold, "%s", head)
	state, next := headline(s.State)
	b.Add(true, "", "%s", strings.TrimSpace(state+" "+next))
	what, summary := lastDream(s.Last, now)
	b.Add(s.Last == nil, "", "No dream has landed yet.")
	b.Add(s.Last != nil, "", "Last dream %s", what)
	b.Add(summary != "", terminal.Dim, "  %s", summary)
	for _, w := range wrong {
		fmt.Fprintf(&b, "%s %s\n", ink.In(terminal.Yellow, "!"), localTimes(terminal.OneLine(w), now.Location()))
	}
	b.WriteString("\n")
	b.Add(true, "", "  dream-mcp said      what you said since the last dream")
	b.Add(s.Last != nil && s.Last.Outcome == ops.Committed, "", "  dream-mcp diff      what the last dream changed")
	b.Add(true, "", "  dream-mcp status    all gates, and where everything is")
	b.Add(true, "", "  dream-mcp help      all that you can type")
	return b.String()
}

// listProjects lists the projects that have a memory.
func listProjects(c *Command, setup settings.Setup) error {
	all := setup.Known()
	switch {
	case len(all) == 0 && isConnected(setup):
		return c.print("Connected. No sessions or memories exist yet: begin a session with your agent in a project, then type dream-mcp again.\n" +
			"dream-mcp help lists all that you can type.\n")
	case len(all) == 0:
		return welcome(c)
	}
	return c.answer(nil, "", func(ink terminal.Ink) string {
		b := terminal.Lines{Ink: ink}
		b.Add(true, terminal.Bold, "No sessions or memories belong to this folder. Projects with a memory:")
		for _, known := range all {
			b.Add(true, "", "  %-12s %s", phrase.Plural(known.Topics, "memory"), known.Project)
		}
		b.Add(true, "", "\nGo to one of them and type dream-mcp again. dream-mcp help lists all that you can type.")
		return b.String()
	})
}
