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
)

func (c *Command) welcome(context.Context, *consolidate.Project, host.Setup) error {
	return c.say(welcomeText)
}

// helpText is the template of the help, of a verb or of all.
//
//go:embed help.txt
var helpText string

// help prints the usage of a verb, or of all.
func (c *Command) help(context.Context, *consolidate.Project, host.Setup) error {
	c.helpOf.InitDefaultHelpFlag()
	c.helpOf.Flags().Lookup("help").Hidden = true // it is asked for already
	c.helpOf.Root().SetUsageTemplate(helpText)
	_, err := io.WriteString(c.Out, c.helpOf.UsageString())
	return err
}

// completionScript prints what cobra wrote for a shell.
func (c *Command) completionScript(context.Context, *consolidate.Project, host.Setup) error {
	_, err := c.Out.Write(c.completion.Bytes())
	return err
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
