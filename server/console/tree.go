package console

import (
	"bytes"
	"strings"

	"github.com/spf13/cobra"

	"dream-mcp/memory"
	"dream-mcp/server/install"
	"dream-mcp/server/settings"
)

// root returns the tree of commands. Executing one sets c.
func (c *Command) root() *cobra.Command {
	asksVersion := false
	root := &cobra.Command{
		Use: "dream-mcp", SilenceErrors: true, SilenceUsage: true, Args: cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, args []string) error {
			switch {
			case asksVersion:
				c.Verb = "version"
				return nil
			case len(args) > 0:
				return unknown("verb", args[0], verbNames())
			}
			return c.setVerb(verb{}, nil)
		},
	}
	c.completion = &bytes.Buffer{}
	root.SetOut(c.completion) // before InitDefaultCompletionCmd, which captures it
	c.global(root.PersistentFlags())
	root.Flags().BoolVarP(&asksVersion, "version", "v", false, "print the version")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return misused(cmd, err) })
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) { c.Verb, c.helpOf = "help", cmd })
	root.SetHelpCommand(c.helpCommand(root))
	for _, v := range verbs {
		root.AddCommand(c.verbCommand(v))
	}
	root.InitDefaultCompletionCmd()
	if completion, _, err := root.Find([]string{"completion"}); err == nil {
		c.describeCompletion(completion)
	}
	return root
}

func (c *Command) helpCommand(root *cobra.Command) *cobra.Command {
	help := &cobra.Command{Use: "help [VERB]", Run: func(_ *cobra.Command, args []string) {
		cmd, _, err := root.Find(args)
		if err != nil {
			cmd = root
		}
		c.Verb, c.helpOf = "help", cmd
	}}
	help.Flags().BoolVar(&c.help.all, "all", false, "show all verbs, and the flags of every verb")
	return help
}

func (c *Command) verbCommand(v verb) *cobra.Command {
	cmd := &cobra.Command{
		Use: strings.TrimSpace(v.name + " " + v.args), Hidden: v.group == "", Short: v.short, Long: v.long, Example: v.example,
		Args: cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, args []string) error { return c.setVerb(v, args) },
	}
	cmd.ValidArgsFunction = func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		switch {
		case v.folder:
			return nil, cobra.ShellCompDirectiveFilterDirs
		case v.choices == nil || len(args) > 0:
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return v.choices(c), cobra.ShellCompDirectiveNoFileComp
	}
	if v.flags != nil {
		cmd.Flags().SortFlags = false
		v.flags(c, cmd.Flags())
	}
	return cmd
}

// describeCompletion describes cobra's verb for completion as ours are.
func (c *Command) describeCompletion(completion *cobra.Command) {
	completion.Use, completion.Short = "completion SHELL", "print a script that completes words in a shell"
	completion.Long, completion.Example, completion.Hidden = "", "source <(dream-mcp completion bash)", true
	var shells []string
	for _, shell := range completion.Commands() {
		shells = append(shells, shell.Name())
	}
	completion.Args, completion.RunE = cobra.ArbitraryArgs, func(_ *cobra.Command, args []string) error {
		c.Verb = "completion"
		if len(args) == 0 {
			return &Failure{"completion needs a shell", "one of " + strings.Join(shells, ", "), 2}
		}
		return oneOf("shell", args[0], shells)
	}
}

func hostIDs(*Command) []string { return install.IDs() }

// memoryNames returns the names of the memories of the project, for completion.
func memoryNames(c *Command) (names []string) {
	setup, err := settings.Resolve(settings.Process(), c.Flags)
	if err != nil {
		return nil
	}
	dir, err := memory.Open(setup.MemoryDir)
	if err != nil {
		return nil
	}
	defer dir.Close()
	topics, _ := dir.Topics()
	for _, n := range topics {
		names = append(names, n.String())
	}
	return names
}
