package console

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"dream-mcp/consolidate"
	hosts "dream-mcp/consolidate/host"
	"dream-mcp/consolidate/recall"
	"dream-mcp/server/hook"
	"dream-mcp/server/host"
)

// A verb is one row of the table of verbs.
type verb struct {
	name    string
	group   string // "" for one that only hosts and scripts use: dream-mcp help --all lists it
	args    string // as the usage line shows them
	most    int    // maximum number of arguments; -1: no limit
	needs   string // what its argument is, if it cannot be omitted
	json    bool   // has --json
	short   string // what it does, in one line without a full stop
	long    string // more, for the help of the verb
	example string
	choices func(*Command) []string // values of its argument, for completion
	folder  bool                    // its argument is a folder
	flags   func(*Command, *pflag.FlagSet)
	exclude func(*Command) string                                                   // what is wrong with its arguments and flags together, or ""
	run     func(context.Context, *Command, *consolidate.Project, host.Setup) error // nil: implemented by the caller
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

var verbs = []verb{
	{name: "status", group: groupLook, json: true, run: runStatus,
		short:   "show whether a dream is due, and where everything is",
		long:    `With --watch it shows a dream while it runs, in any program: what it searches, stages and would change; x stops it. In a pipe it prints a line for each event.`,
		example: "dream-mcp status\ndream-mcp status --watch",
		flags: func(c *Command, f *pflag.FlagSet) {
			f.BoolVar(&c.Watch, "watch", false, "show a dream while it runs")
			f.BoolVar(&c.Once, "once", false, "with --watch: show the present state, and exit")
		},
		exclude: func(c *Command) string { return when(c.Once && !c.Watch, "--once needs --watch") }},
	{name: "log", group: groupLook, json: true, run: runLog,
		short:   "list what dreams, single writes and undos did",
		example: "dream-mcp log\ndream-mcp log --background",
		flags: func(c *Command, f *pflag.FlagSet) {
			f.BoolVar(&c.All, "all", false, "list all of them, not only the newest")
			f.BoolVar(&c.Background, "background", false, "show the steps of the last background dream")
			f.BoolVar(&c.Recalled, "recall", false, "list the memories that were shown to models automatically")
		}},
	{name: "diff", group: groupLook, args: "[ID]", most: 1, json: true, run: runDiff,
		short:   "show what a dream changed; --open: as a page in the browser",
		long:    `Without ID it is the newest. The page also says why, needs no network, and is written to the state folder of dream-mcp unless --out names a file.`,
		example: "dream-mcp diff\ndream-mcp diff --open\ndream-mcp diff 20261121-010651 --out dream.html",
		flags: func(c *Command, f *pflag.FlagSet) {
			f.BoolVar(&c.OpenPage, "open", false, "open the page in the browser")
			f.Func("out", "write the page to `FILE`; - is standard output", word(&c.OutFile))
		},
		exclude: func(c *Command) string {
			return when(c.JSON && (c.OpenPage || c.OutFile != ""), "either --json or a page")
		}},
	{name: "why", group: groupLook, choices: memoryNames, args: "TOPIC|WORDS", most: -1, needs: "the name of a memory, or words of one", json: true, run: runWhy,
		short:   "show where a memory comes from: who said it, and when",
		example: "dream-mcp why use-bun.md\ndream-mcp why squash before merging"},

	{name: "said", group: groupFind, args: "[ID]", most: 1, json: true, run: runSaid,
		short:   "list what you said since the last dream",
		long:    `The oldest comes first. With the ID that search prints it shows what was said there, and the turns around it.`,
		example: "dream-mcp said\ndream-mcp said --since 7d --all\ndream-mcp said e4f91da5-5d2:6",
		flags: func(c *Command, f *pflag.FlagSet) {
			f.Func("since", "since `TIME`: a date, or a span such as 7d", word(&c.Search.Since))
			f.BoolVar(&c.Search.All, "all", false, "list what the model said, too")
			f.Func("from", "only what was said in `HOST`, and what its model remembers", choice(&c.Search.From, hosts.IDs((*hosts.Host).Read)))
		},
		exclude: func(c *Command) string {
			return cmp.Or(when(c.JSON && len(c.Args) == 0, "said has no --json without an ID"),
				when(len(c.Args) > 0 && (c.Search.All || c.Search.Since != "" || c.Search.From != ""), "either an ID, or --since, --from and --all"))
		}},
	{name: "search", group: groupFind, args: "WORDS", most: -1, needs: "the words to look for", json: true, run: runSearch,
		short:   "find where something was said in your sessions",
		long:    "The newest comes first. Case is ignored unless WORDS have an upper-case letter. said ID shows the turns around a hit. Exit code 1: it was not said.",
		example: "dream-mcp search squash before merging\ndream-mcp search --ranked which port does staging use\ndream-mcp search --regex 'port \\d+' --since 30d",
		flags: func(c *Command, f *pflag.FlagSet) {
			f.BoolVar(&c.Search.Regex, "regex", false, "WORDS are an RE2 expression")
			f.BoolVar(&c.Search.Ranked, "ranked", false, "WORDS are a question: the best answers first")
			f.BoolVar(&c.Search.Tools, "tools", false, "search what tools were asked and answered, too")
			f.Func("since", "only since `TIME`: a date, or a span such as 7d", word(&c.Search.Since))
		},
		exclude: func(c *Command) string {
			return cmp.Or(when(c.Search.Regex && c.Search.Ranked, "either --regex or --ranked"),
				when(c.Search.Tools && c.Search.Ranked, "--ranked ranks what was said, not what tools printed: omit --tools"))
		}},

	{name: "dream", group: groupDream, args: "[HOST]", most: -1, json: true, run: runStop,
		choices: func(*Command) []string { return hosts.IDs((*hosts.Host).Dreams) },
		short:   "dream now; nothing lands before your yes",
		long:    "HOST is " + either(hosts.IDs((*hosts.Host).Dreams)) + `. Without it the program of last time is used; the first time you are asked. The dream is shown as status --watch shows it; then review asks what lands. With --stop it ends the dream that is open in another process, and nothing lands; the arguments are your reason.`,
		example: "dream-mcp dream\ndream-mcp dream codex\ndream-mcp dream --stop not now",
		flags: func(c *Command, f *pflag.FlagSet) {
			f.BoolVar(&c.Stop, "stop", false, "end the open dream")
		},
		exclude: func(c *Command) string {
			return cmp.Or(when(!c.Stop && len(c.Args) > 1, "dream takes one argument"), when(c.JSON && !c.Stop, "dream has no --json"))
		}},
	{name: "review", group: groupDream, args: "[ID]", most: 1, json: true, run: runReview,
		short:   "decide on a dream that waits for your yes",
		long:    "It shows the diff, and changes that dreams were not allowed to make. On a terminal it asks.",
		example: "dream-mcp review\ndream-mcp review --accept 20261121-010651 --only use-bun.md",
		flags: func(c *Command, f *pflag.FlagSet) {
			f.BoolVar(&c.Accept, "accept", false, "land it")
			f.BoolVar(&c.Reject, "reject", false, "reject it: nothing lands")
			f.StringSliceVar(&c.Only, "only", nil, "with --accept: land only these `FILES`; the rest continues to wait")
		},
		exclude: func(c *Command) string { return when(c.Accept && c.Reject, "either --accept or --reject") }},
	{name: "undo", group: groupDream, choices: memoryNames, args: "[ID|FILE]", most: 1, json: true, run: runUndo,
		short:   "undo a dream or a write, or bring back one memory",
		long:    `Without ID it undoes the newest. With FILE it brings back the newest other version of that memory. An undo can be undone.`,
		example: "dream-mcp undo\ndream-mcp undo 20261121-010651\ndream-mcp undo use-bun.md\ndream-mcp undo --list",
		flags: func(c *Command, f *pflag.FlagSet) {
			f.Func("at", "with FILE: as it was before the dream or write `ID`", word(&c.At))
			f.BoolVar(&c.List, "list", false, "list the versions in the archive, of FILE or of everything")
		},
		exclude: func(c *Command) string {
			return cmp.Or(when(c.At != "" && c.List, "either --at or --list"),
				when(c.At != "" && !isFile(c.argument()), "--at needs the name of a memory"))
		}},
	{name: "forget", group: groupDream, args: "[TEXT|ID]", most: -1, json: true, run: runForget,
		short:   "remove a text everywhere, for good",
		long:    `It shows where the text is and asks. In memories, the archive, quoted words and what waits, (forgotten) is put in its place. In sessions it stays, but is never shown or written again. ID, as search prints it, stands for all that was said there. What is kept is a keyed hash. What was replaced cannot be undone.`,
		example: "dream-mcp forget \"Ada's phone is 555 0100\"\ndream-mcp forget e4f91da5-5d2:6\ndream-mcp forget --list",
		flags: func(c *Command, f *pflag.FlagSet) {
			f.BoolVar(&c.Yes, "yes", false, "do not ask")
			f.BoolVar(&c.List, "list", false, "list when something was forgotten, without the texts")
			f.Func("drop", "take entry `N` of the list back: sessions show the text again", number(&c.Drop, 1_000_000, "whole number"))
		},
		exclude: func(c *Command) string {
			if c.List || c.Drop > 0 {
				return when(len(c.Args) > 0 || c.List && c.Drop > 0, "either a text, or --list, or --drop")
			}
			return when(len(c.Args) == 0, "forget needs the text, or the ID of what was said")
		}},

	{name: "install", group: groupSetUp, args: "[HOST]", most: 1, json: true, run: runInstall, choices: hostIDs,
		short:   "connect your agents",
		long:    `Without HOST it asks about all that it finds. The host starts the server with the flags that you give here, such as --project. Only lines for dream-mcp are added. Installing twice changes nothing.`,
		example: "dream-mcp install\ndream-mcp install claude-code\ndream-mcp install codex --dry-run",
		flags: func(c *Command, f *pflag.FlagSet) {
			f.BoolVar(&c.DryRun, "dry-run", false, "show what would change")
			f.BoolVar(&c.Print, "print", false, "show what to paste by hand")
			f.Func("recall", "show memories to the host's model automatically: `LEVEL` is off, start or prompt", choice(&c.Recall, recall.Levels))
			f.BoolVar(&c.Allow, "allow", false, "have Claude Code ask nothing before our tools that change no memory")
			f.BoolVar(&c.Guard, "guard", false, "while a dream is open, have the host deny what a dream must not do")
			f.MarkHidden("guard")
		},
		exclude: func(c *Command) string {
			return when(c.Print && (c.DryRun || c.JSON), "--print cannot be combined with --dry-run or --json")
		}},
	{name: "uninstall", group: groupSetUp, args: "[HOST]", most: 1, json: true, run: runInstall, choices: hostIDs,
		short:   "disconnect them; memories and archives stay",
		example: "dream-mcp uninstall\ndream-mcp uninstall claude-code",
		flags: func(c *Command, f *pflag.FlagSet) {
			f.BoolVar(&c.DryRun, "dry-run", false, "show what would change")
		}},
	{name: "mode", group: groupSetUp, args: "[MODE]", most: 1, json: true, run: runMode,
		short:   "show or set what happens by itself when a dream is due",
		long:    `MODE is off, suggest, approve or auto. It is set for all projects. A project that has a mode of its own, under projects in config.json, has it set there.`,
		example: "dream-mcp mode\ndream-mcp mode approve",
		choices: func(*Command) []string { return host.Modes }},
	{name: "share", group: groupSetUp, args: "[REMOTE]", most: 2, json: true, run: runShare,
		short: "have one memory on several machines, or in all your projects",
		long: `Without REMOTE it shows how the memory is shared. REMOTE is the address of a git repository that you can push to, of any project. The memory gets a ref of its own there. Changes are pulled and sent when a session begins or ends, before and after a dream, and with --now. What both sides changed is merged; nothing is lost.

With --person it lists the memories that all your projects on this machine have. add FILE makes a memory of this project one of them: each project gets it when it is next used, and a change in one reaches the others. remove FILE ends that: the memory stays where it came from and where it was changed. except FILE lets this project go without. With REMOTE these memories are shared with your other machines.`,
		example: "dream-mcp share git@github.com:you/memories.git\ndream-mcp share --now\ndream-mcp share --person add user_role.md",
		flags: func(c *Command, f *pflag.FlagSet) {
			f.BoolVar(&c.Share.Person, "person", false, "the memories of all your projects, not the one of this project")
			f.BoolVar(&c.Share.Status, "status", false, "show how it is shared")
			f.BoolVar(&c.Share.Now, "now", false, "pull and send changes now")
			f.BoolVar(&c.Share.Stop, "stop", false, "end it on this machine")
			f.Func("name", "a `NAME` of yours for the project, the same on every machine", word(&c.Share.Name))
			f.BoolVar(&c.Share.Team, "team", false, "share with a team: only memories about the project (without REMOTE: through the project's own)")
			f.BoolVar(&c.Share.Yes, "yes", false, "do not ask")
		},
		exclude: func(c *Command) string {
			change := len(c.Args) > 0 && slices.Contains(personChanges, c.Args[0])
			return cmp.Or(when(len(c.Args) > 1 && !c.Share.Person, "share takes one argument; add, remove and except need --person"),
				when(c.Share.Person && (len(c.Args) > 1 && !change || len(c.Args) == 1 && change), "share --person takes add, remove or except, and the name of a memory"))
		}},

	{name: "doctor", group: groupCheck, json: true, run: runDoctor,
		short:   "show what prevents dreams of this project",
		long:    "Exit code 0: healthy; 1: it found problems; 2: doctor could not look.",
		example: "dream-mcp doctor\ndream-mcp doctor --fix",
		flags: func(c *Command, f *pflag.FlagSet) {
			f.BoolVar(&c.Fix, "fix", false, "fix what can be fixed without loss")
			f.BoolVar(&c.Accept, "accept", false, "with --fix: also give up a commit whose plan is lost")
		},
		exclude: func(c *Command) string { return when(c.Accept && !c.Fix, "doctor --accept needs --fix") }},
	{name: "lint", group: groupCheck, folder: true, args: "[DIR]", most: 1, json: true, run: runLint,
		short:   "check the memory, or any folder, against the rules",
		long:    `Exit code 0: nothing worse than an info; 1: findings; 2: there is no memory to check. With --explain the argument is a rule: what it catches and what it allows, and how to silence it.`,
		example: "dream-mcp lint --rule drift,dangling\ndream-mcp lint --explain drift\ndream-mcp lint ~/notes --json",
		flags: func(c *Command, f *pflag.FlagSet) {
			f.BoolVar(&c.Lint.Explain, "explain", false, "explain all rules, or the one named")
			f.Func("rule", "check only these `RULES`, separated by commas", rules(&c.Lint.Rules))
			f.Func("ignore", "do not check these `RULES`", rules(&c.Lint.Ignore))
			f.BoolVar(&c.Fix, "fix", false, "add missing lines to the index; it can be undone")
		},
		exclude: func(c *Command) string {
			return when(c.Lint.Explain && len(c.Lint.Rules) > 0, "--explain takes the rule as its argument: lint --explain "+strings.Join(c.Lint.Rules, ","))
		}},
	{name: "demo", group: groupCheck, run: runDemo,
		short:   "show a dream from start to undo, in a sandbox",
		example: "dream-mcp demo",
		flags: func(c *Command, f *pflag.FlagSet) {
			f.BoolVar(&c.Keep, "keep", false, "keep the sandbox, with the memory as the dream left it")
			f.BoolVar(&c.Full, "full", false, "show every step")
		}},

	{name: "version", run: runVersion, short: "print the version", example: "dream-mcp version"},
	{name: "serve", short: "run the MCP server on standard input and output",
		example: "dream-mcp serve --project ~/shop --mode approve"},
	{name: hook.Verb, most: -1, run: runHook, short: "answer a session hook of a host",
		example: "dream-mcp hook --client codex",
		flags: func(c *Command, f *pflag.FlagSet) {
			f.Func("client", "the `HOST`, if the environment does not name it", word(&c.Flags.Client))
			f.BoolVar(&c.Guard, "guard", false, "deny the tools that a dream open in the session must not use")
		}},
	{name: hook.Statusline, most: -1, short: "print a few words for a status bar, or nothing",
		example: "dream-mcp statusline </dev/null"},
	{name: "background", most: 1,
		short: "run an unattended dream if one is due; started by a hook", example: "dream-mcp background claude-code"},
}

// when returns what if it holds, else "".
func when(holds bool, what string) string {
	if holds {
		return what
	}
	return ""
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
