package console

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/pflag"

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

// afterwards is the end of the help.
const afterwards = `
dream-mcp VERB --help shows a verb with its flags. An ID may be cut short as long as it is unique.

Exit codes: 0 done; 1 failed, or an undo kept what was changed since, or lint or doctor found
something; 2 the command could not be understood, there is no memory to lint, or doctor could
not look. NO_COLOR is respected.
`

// help prints the usage of a verb, or of all.
func (c *Command) help(context.Context, *consolidate.Project, host.Setup) error {
	cmd := c.helpOf
	var b strings.Builder
	if !cmd.HasParent() {
		b.WriteString("usage: dream-mcp [VERB] [flags]\n")
		for _, g := range cmd.Groups() {
			fmt.Fprintf(&b, "\n%s\n", g.Title)
			for _, sub := range cmd.Commands() {
				if sub.GroupID == g.ID {
					writeEntry(&b, sub.Name(), sub.Short)
				}
			}
		}
		writeFlags(&b, cmd.PersistentFlags())
		b.WriteString(afterwards)
	} else {
		fmt.Fprintf(&b, "usage: dream-mcp %s [flags]\n\n%s\n", cmd.Use, ansi.Wordwrap(strings.ToUpper(cmd.Short[:1])+cmd.Short[1:]+".", pageWidth, ""))
		if cmd.Long != "" {
			b.WriteString(cmd.Long + "\n")
		}
		writeFlags(&b, cmd.LocalNonPersistentFlags())
		if cmd.Example != "" {
			b.WriteString("\nFor example:\n  " + strings.ReplaceAll(cmd.Example, "\n", "\n  ") + "\n")
		}
		b.WriteString("\nThe flags of every verb: dream-mcp --help\n")
	}
	_, err := io.WriteString(c.Out, b.String())
	return err
}

// completionScript prints what cobra wrote for a shell.
func (c *Command) completionScript(context.Context, *consolidate.Project, host.Setup) error {
	_, err := c.Out.Write(c.completion.Bytes())
	return err
}

// helpIndent is the column of the descriptions.
const helpIndent = 23

func writeEntry(b *strings.Builder, name, text string) {
	head := "  " + name
	if len(head) > helpIndent-2 {
		b.WriteString(head + "\n")
		head = ""
	}
	fmt.Fprintf(b, "%-*s%s\n", helpIndent, head, strings.ReplaceAll(ansi.Wordwrap(text, pageWidth-helpIndent, ""), "\n", "\n"+strings.Repeat(" ", helpIndent)))
}

func writeFlags(b *strings.Builder, flags *pflag.FlagSet) {
	title := "\nFlags:\n"
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Name == "help" {
			return
		}
		value := f.Value.Type()
		if value == "bool" {
			value = ""
		}
		b.WriteString(title)
		title = ""
		writeEntry(b, strings.TrimSpace("--"+f.Name+" "+value), f.Usage)
	})
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
