package console

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"dream-mcp/consolidate"
	"dream-mcp/server/host"
)

// The prose, in which SELF stands for the path of this program.
var (
	//go:embed welcome.txt
	welcomeText string
	//go:embed usage.txt
	usageText string
)

func (c *Command) welcome(context.Context, *consolidate.Project, host.Setup) error {
	return c.say(welcomeText)
}

func (c *Command) help(context.Context, *consolidate.Project, host.Setup) error {
	return c.say(usageText)
}

func (c *Command) version(context.Context, *consolidate.Project, host.Setup) error {
	_, err := fmt.Fprintf(c.Out, "dream-mcp %s\n", c.Version)
	return err
}

func (c *Command) say(prose string) error {
	typed := c.Self
	if strings.Contains(typed, " ") {
		typed = `"` + typed + `"` // as every shell reads it
	}
	quoted, err := json.Marshal(c.Self)
	if err != nil {
		return err
	}
	_, err = io.WriteString(c.Out, strings.NewReplacer("VERSION", c.Version, "SELF_JSON", string(quoted), "SELF", typed).Replace(prose))
	return err
}
