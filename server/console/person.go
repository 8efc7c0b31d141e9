package console

import (
	"context"

	"dream-mcp/consolidate"
	"dream-mcp/consolidate/ops"
	"dream-mcp/consolidate/share"
	"dream-mcp/memory"
	"dream-mcp/server/console/terminal"
)

// personChanges are the first arguments of share --person that change the memories of all projects.
var personChanges = []string{"add", "remove", "except"}

// runPerson lists the memories that the person has in all projects, or changes which these are.
func runPerson(ctx context.Context, c *Command, p *consolidate.Project) error {
	if len(c.Args) == 2 {
		n, err := memory.ParseName(c.Args[1])
		if err != nil {
			return ops.Refuse(err.Error(), "name one as MEMORY.md does: name.md or folder/name.md")
		}
		do := map[string]func(context.Context, memory.Name) error{"add": p.Person.Add, "remove": p.Person.Remove, "except": p.Person.Except}[c.Args[0]]
		if err := do(ctx, n); err != nil {
			return err
		}
	}
	list, err := p.Person.List(ctx)
	if err != nil {
		return err
	}
	return answerAll(c, list, func(ink terminal.Ink) string { return renderPerson(list, ink) })
}

func renderPerson(list []share.Held, ink terminal.Ink) string {
	if len(list) == 0 {
		return "No memory is in all your projects. To have one there: dream-mcp share --person add FILE\n"
	}
	b := terminal.Lines{Ink: ink}
	b.Add(true, terminal.Bold, "In all your projects on this machine:")
	for _, h := range list {
		here := ""
		if !h.Here {
			here = " (not in this one)"
		}
		b.Add(true, "", "  %s%s: %s", h.File, here, h.Description)
		b.Add(h.Question != "", terminal.Yellow, "    ! %s", h.Question)
	}
	return b.String()
}
