package console

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"text/template"

	"dream-mcp/consolidate"
	"dream-mcp/server/console/demo"
	"dream-mcp/server/console/terminal"
	"dream-mcp/server/settings"
)

// welcomeText is the text for a person who starts the program without a verb. SELF is replaced by the path of the
// program.
//
//go:embed welcome.txt
var welcomeText string

// welcome says what this program is, and how to connect it.
func welcome(c *Command) error {
	typed := c.Self
	if strings.Contains(typed, " ") {
		typed = `"` + typed + `"` // as every shell reads it
	}
	quoted, err := json.Marshal(c.Self)
	if err != nil {
		return err
	}
	return c.print(terminal.Wrap(strings.NewReplacer("VERSION", c.Version, "SELF_JSON", string(quoted), "SELF", typed).Replace(welcomeText), terminal.TextWidth))
}

// helpText is the template of the help of a verb, or of the program.
//
//go:embed help.txt
var helpText string

func runHelp(_ context.Context, c *Command, _ *consolidate.Project, setup settings.Setup) error {
	c.helpOf.InitDefaultHelpFlag()
	c.helpOf.Flags().Lookup("help").Hidden = true // it was just used
	text, err := template.New("help").Funcs(template.FuncMap{
		"sentence": sentence, "replace": strings.ReplaceAll, "all": func() bool { return c.help.all }, "list": func() string { return listVerbs(c) },
	}).Parse(helpText)
	if err != nil {
		return err
	}
	var b strings.Builder
	if err := text.Execute(&b, c.helpOf); err != nil {
		return err
	}
	return c.paged(setup, func(to *pager) error { return to.print(terminal.Wrap(b.String(), terminal.TextWidth)) })
}

// listVerbs lists the verbs by group. Without --all it fits a screen of 24 rows.
func listVerbs(c *Command) string {
	var b strings.Builder
	shown := groups
	if c.help.all {
		shown = append(slices.Clone(groups), "")
	}
	for _, group := range shown {
		label := cmp.Or(group, "Others")
		for _, v := range verbs {
			if v.group == group {
				fmt.Fprintf(&b, "%-7s %-11s %s\n", label, v.name, v.short)
				label = ""
			}
		}
	}
	if c.help.all {
		fmt.Fprintf(&b, "%-7s %-11s %s\n", "", "completion", "print a script that completes words in a shell")
	}
	return b.String()
}

// bashAlone has what the script of cobra needs of the package bash-completion, for a shell without it.
const bashAlone = `if ! declare -F _get_comp_words_by_ref >/dev/null; then
    _get_comp_words_by_ref() { cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} words=("${COMP_WORDS[@]}") cword=$COMP_CWORD; }
    _filedir() { COMPREPLY=($(compgen "${1:--f}" -- "$cur")); }
fi
`

// runCompletion prints the script that cobra wrote for a shell.
func runCompletion(_ context.Context, c *Command, _ *consolidate.Project, _ settings.Setup) error {
	text := c.completion.String()
	if strings.Contains(text, "bash completion V2") {
		text = bashAlone + text
	}
	return c.paste(text)
}

func runVersion(_ context.Context, c *Command, _ *consolidate.Project, _ settings.Setup) error {
	return c.print("dream-mcp " + c.Version + "\n")
}

// demoOptions are the flags of demo.
type demoOptions struct {
	keep, full bool // keep the sandbox; show every step
}

func runDemo(ctx context.Context, c *Command, _ *consolidate.Project, _ settings.Setup) error {
	return demo.Run(ctx, demo.Options{Self: c.Self, In: c.In, Out: c.Out, Keep: c.demo.keep, Full: c.demo.full})
}
