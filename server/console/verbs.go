package console

import (
	"cmp"
	"context"
	_ "embed"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"dream-mcp/consolidate"
	"dream-mcp/consolidate/host"
	"dream-mcp/consolidate/recall"
	"dream-mcp/server/hook"
	"dream-mcp/server/settings"
)

// A verb is one row of the table of verbs.
type verb struct {
	name    string
	group   string // "" for one that only hosts and scripts use: dream-mcp help --all lists it
	args    string // as the usage line shows them
	most    int    // maximum number of arguments; -1: no limit
	needs   string // what its argument is, if it cannot be omitted
	json    bool   // has --json
	short   string // from verbs.txt: what it does, in one line without a full stop
	long    string // more, for the help of the verb
	example string
	choices func(*Command) []string // values of its argument, for completion
	folder  bool                    // its argument is a folder
	flags   func(*Command, *pflag.FlagSet)
	exclude func(*Command) string                                                       // what is wrong with its arguments and flags together, or ""
	run     func(context.Context, *Command, *consolidate.Project, settings.Setup) error // nil: implemented by the caller
}

// groups are the groups of the help, by what a person wants.
var groups = []string{groupLook, groupFind, groupDream, groupSetUp, groupCheck}

const (
	groupLook  = "Look"
	groupFind  = "Find"
	groupDream = "Dream"
	groupSetUp = "Set up"
	groupCheck = "Check"
)

var verbs = described([]verb{
	{name: "status", group: groupLook, json: true, run: runStatus,
		flags: func(c *Command, f *pflag.FlagSet) {
			f.BoolVar(&c.status.watch, "watch", false, "show a dream while it runs")
			f.BoolVar(&c.status.once, "once", false, "with --watch: show the present state, and exit")
		},
		exclude: func(c *Command) string { return when(c.status.once && !c.status.watch, "--once needs --watch") }},
	{name: "log", group: groupLook, json: true, run: runLog,
		flags: func(c *Command, f *pflag.FlagSet) {
			f.BoolVar(&c.log.all, "all", false, "list all of them, not only the newest")
			f.BoolVar(&c.log.background, "background", false, "show the steps of the last background dream")
			f.BoolVar(&c.log.recalled, "recall", false, "list the memories that were shown to models automatically")
		}},
	{name: "diff", group: groupLook, args: "[ID]", most: 1, json: true, run: runDiff,
		flags: func(c *Command, f *pflag.FlagSet) {
			f.BoolVar(&c.diff.open, "open", false, "open the page in the browser")
			f.Func("out", "write the page to `FILE`; - is standard output", word(&c.diff.out))
		},
		exclude: func(c *Command) string {
			return when(c.json && (c.diff.open || c.diff.out != ""), "either --json or a page")
		}},
	{name: "why", group: groupLook, choices: memoryNames, args: "TOPIC|WORDS", most: -1, needs: "the name of a memory, or words of one", json: true, run: runWhy},

	{name: "said", group: groupFind, args: "[ID]", most: 1, json: true, run: runSaid,
		flags: func(c *Command, f *pflag.FlagSet) {
			f.Func("since", "since `TIME`: a date, or a span such as 7d", word(&c.search.since))
			f.BoolVar(&c.search.all, "all", false, "list what the model said, too")
			f.Func("from", "only what was said in `HOST`, and what its model remembers", choice(&c.search.from, "host", host.IDs((*host.Host).Read)))
		},
		exclude: func(c *Command) string {
			return cmp.Or(when(c.json && len(c.Args) == 0, "said has no --json without an ID"),
				when(len(c.Args) > 0 && (c.search.all || c.search.since != "" || c.search.from != ""), "either an ID, or --since, --from and --all"))
		}},
	{name: "search", group: groupFind, args: "WORDS", most: -1, needs: "the words to look for", json: true, run: runSearch,
		flags: func(c *Command, f *pflag.FlagSet) {
			f.BoolVar(&c.search.regex, "regex", false, "WORDS are an RE2 expression")
			f.BoolVar(&c.search.ranked, "ranked", false, "WORDS are a question: the best answers first")
			f.BoolVar(&c.search.tools, "tools", false, "search what tools were asked and answered, too")
			f.Func("since", "only since `TIME`: a date, or a span such as 7d", word(&c.search.since))
		},
		exclude: func(c *Command) string {
			return cmp.Or(when(c.search.regex && c.search.ranked, "either --regex or --ranked"),
				when(c.search.tools && c.search.ranked, "--ranked ranks what was said, not what tools printed: omit --tools"))
		}},

	{name: "dream", group: groupDream, args: "[HOST]", most: -1, json: true, run: runStop,
		choices: func(*Command) []string { return host.IDs((*host.Host).Dreams) },
		flags: func(c *Command, f *pflag.FlagSet) {
			f.BoolVar(&c.Stop, "stop", false, "end the open dream")
		},
		exclude: func(c *Command) string {
			return cmp.Or(when(!c.Stop && len(c.Args) > 1, "dream takes one argument"), when(c.json && !c.Stop, "dream has no --json"))
		}},
	{name: "review", group: groupDream, args: "[ID]", most: 1, json: true, run: runReview,
		flags: func(c *Command, f *pflag.FlagSet) {
			f.BoolVar(&c.review.accept, "accept", false, "land it")
			f.BoolVar(&c.review.reject, "reject", false, "reject it: nothing lands")
			f.StringSliceVar(&c.review.only, "only", nil, "with --accept: land only these `FILES`; the rest continues to wait")
		},
		exclude: func(c *Command) string {
			return when(c.review.accept && c.review.reject, "either --accept or --reject")
		}},
	{name: "undo", group: groupDream, choices: memoryNames, args: "[ID|FILE]", most: 1, json: true, run: runUndo,
		flags: func(c *Command, f *pflag.FlagSet) {
			f.Func("at", "with FILE: as it was before the dream or write `ID`", word(&c.undo.at))
			f.BoolVar(&c.undo.list, "list", false, "list the versions in the archive, of FILE or of everything")
		},
		exclude: func(c *Command) string {
			return cmp.Or(when(c.undo.at != "" && c.undo.list, "either --at or --list"),
				when(c.undo.at != "" && !isFile(c.argument()), "--at needs the name of a memory"))
		}},
	{name: "forget", group: groupDream, args: "[TEXT|ID]", most: -1, json: true, run: runForget,
		flags: func(c *Command, f *pflag.FlagSet) {
			f.BoolVar(&c.forget.yes, "yes", false, "do not ask")
			f.BoolVar(&c.forget.list, "list", false, "list when something was forgotten, without the texts")
			f.Func("drop", "take entry `N` of the list back: sessions show the text again", number(&c.forget.drop, 1_000_000, "whole number"))
		},
		exclude: func(c *Command) string {
			if c.forget.list || c.forget.drop > 0 {
				return when(len(c.Args) > 0 || c.forget.list && c.forget.drop > 0, "either a text, or --list, or --drop")
			}
			return when(len(c.Args) == 0, "forget needs the text, or the ID of what was said")
		}},

	{name: "install", group: groupSetUp, args: "[HOST]", most: 1, json: true, run: runInstall, choices: hostIDs,
		flags: func(c *Command, f *pflag.FlagSet) {
			f.BoolVar(&c.install.dryRun, "dry-run", false, "show what would change")
			f.BoolVar(&c.install.print, "print", false, "show what to paste by hand")
			f.Func("recall", "show memories to the host's model automatically: `LEVEL` is off, start or prompt", choice(&c.install.recall, "level", recall.Levels))
			f.BoolVar(&c.install.allow, "allow", false, "have Claude Code ask nothing before our tools that change no memory")
			f.BoolVar(&c.Guard, "guard", false, "while a dream is open, have the host deny what a dream must not do")
			f.MarkHidden("guard")
		},
		exclude: func(c *Command) string {
			return when(c.install.print && (c.install.dryRun || c.json), "--print cannot be combined with --dry-run or --json")
		}},
	{name: "uninstall", group: groupSetUp, args: "[HOST]", most: 1, json: true, run: runInstall, choices: hostIDs,
		flags: func(c *Command, f *pflag.FlagSet) {
			f.BoolVar(&c.install.dryRun, "dry-run", false, "show what would change")
		}},
	{name: "mode", group: groupSetUp, args: "[MODE]", most: 1, json: true, run: runMode,
		choices: func(*Command) []string { return settings.Modes }},
	{name: "share", group: groupSetUp, args: "[REMOTE]", most: 2, json: true, run: runShare,
		flags: func(c *Command, f *pflag.FlagSet) {
			f.BoolVar(&c.share.person, "person", false, "the memories of all your projects, not the one of this project")
			f.BoolVar(&c.share.status, "status", false, "show how it is shared")
			f.BoolVar(&c.share.now, "now", false, "pull and send changes now")
			f.BoolVar(&c.share.stop, "stop", false, "end it on this machine")
			f.Func("name", "a `NAME` of yours for the project, the same on every machine", word(&c.share.name))
			f.BoolVar(&c.share.team, "team", false, "share with a team: only memories about the project (without REMOTE: through the project's own)")
			f.BoolVar(&c.share.yes, "yes", false, "do not ask")
		},
		exclude: func(c *Command) string {
			change := len(c.Args) > 0 && slices.Contains(personChanges, c.Args[0])
			return cmp.Or(when(len(c.Args) > 1 && !c.share.person, "share takes one argument; add, remove and except need --person"),
				when(c.share.person && (len(c.Args) > 1 && !change || len(c.Args) == 1 && change), "share --person takes add, remove or except, and the name of a memory"))
		}},

	{name: "doctor", group: groupCheck, json: true, run: runDoctor,
		flags: func(c *Command, f *pflag.FlagSet) {
			f.BoolVar(&c.doctor.fix, "fix", false, "fix what can be fixed without loss")
			f.BoolVar(&c.doctor.accept, "accept", false, "with --fix: also give up a commit whose plan is lost")
		},
		exclude: func(c *Command) string { return when(c.doctor.accept && !c.doctor.fix, "doctor --accept needs --fix") }},
	{name: "lint", group: groupCheck, folder: true, args: "[DIR]", most: 1, json: true, run: runLint,
		flags: func(c *Command, f *pflag.FlagSet) {
			f.BoolVar(&c.lint.explain, "explain", false, "explain all rules, or the one named")
			f.Func("rule", "check only these `RULES`, separated by commas", rules(&c.lint.rules))
			f.Func("ignore", "do not check these `RULES`", rules(&c.lint.ignore))
			f.BoolVar(&c.lint.fix, "fix", false, "add missing lines to the index; it can be undone")
		},
		exclude: func(c *Command) string {
			return when(c.lint.explain && len(c.lint.rules) > 0, "--explain takes the rule as its argument: lint --explain "+strings.Join(c.lint.rules, ","))
		}},
	{name: "demo", group: groupCheck, run: runDemo,
		flags: func(c *Command, f *pflag.FlagSet) {
			f.BoolVar(&c.demo.keep, "keep", false, "keep the sandbox, with the memory as the dream left it")
			f.BoolVar(&c.demo.full, "full", false, "show every step")
		}},

	{name: "version", run: runVersion},
	{name: "serve"},
	{name: hook.Verb, most: -1, run: runHook, flags: func(c *Command, f *pflag.FlagSet) {
		f.Func("client", "the `HOST`, if the environment does not name it", word(&c.Flags.Client))
		f.BoolVar(&c.Guard, "guard", false, "deny the tools that a dream open in the session must not use")
	}},
	{name: hook.Statusline, most: -1},
	{name: "background", most: 1},
})

// when returns what if it holds, else "".
func when(holds bool, what string) string {
	if holds {
		return what
	}
	return ""
}

// verbsText has for each verb what it does, more for its help, and examples. HOSTS are those that can dream.
//
//go:embed verbs.txt
var verbsText string

// described sets what verbsText says of verbs.
func described(verbs []verb) []verb {
	all := strings.ReplaceAll("\n"+verbsText, "HOSTS", either(host.IDs((*host.Host).Dreams)))
	for i := range verbs {
		v := &verbs[i]
		_, text, _ := strings.Cut(all, "\n# "+v.name+"\n")
		text, _, _ = strings.Cut(text, "\n# ")
		v.short, text, _ = strings.Cut(text, "\n")
		long, examples, _ := strings.Cut(text, "\n$ ")
		v.example = strings.ReplaceAll(strings.TrimSpace(examples), "\n$ ", "\n")
		paragraphs := strings.Split(strings.TrimSpace(long), "\n\n")
		for i, p := range paragraphs {
			paragraphs[i] = strings.ReplaceAll(p, "\n", " ")
		}
		v.long = strings.Join(paragraphs, "\n\n")
	}
	return verbs
}

func findVerb(name string) (verb, bool) {
	for _, v := range verbs {
		if v.name == name {
			return v, true
		}
	}
	return verb{}, false
}

func verbNames() (names []string) {
	for _, v := range verbs {
		names = append(names, v.name)
	}
	return names
}
