package console

import (
	"context"

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
	group   string
	args    string // as the usage line shows them
	most    int    // maximum number of arguments; -1: no limit
	json    bool   // has --json
	short   string // what it does, in one line without a full stop
	long    string // more, for the help of the verb
	example string
	choices func(*Command) []string // values of its argument, for completion
	folder  bool                    // its argument is a folder
	flags   func(*Command, *pflag.FlagSet)
	run     func(*Command, context.Context, *consolidate.Project, host.Setup) error // nil: implemented by the caller
}

// The groups of the help, in its order.
const (
	groupLook  = "Look"
	groupUndo  = "Decide and undo"
	groupSetUp = "Set up"
	groupHosts = "For hosts"
)

var verbs = []verb{
	{name: "status", group: groupLook, json: true, run: (*Command).status,
		short: "show whether a dream is due, and where everything is", example: "dream-mcp status"},
	{name: "watch", group: groupLook, json: true, run: (*Command).watch,
		short:   "show a dream while it runs, in any program",
		long:    `It shows what the dream searches, stages and would change; x stops it. In a pipe it prints a line for each event.`,
		example: "dream-mcp watch\ndream-mcp watch --once",
		flags: func(c *Command, f *pflag.FlagSet) {
			f.BoolVar(&c.Once, "once", false, "show the present state, and exit")
		}},
	{name: "log", group: groupLook, json: true, run: (*Command).log,
		short:   "list what dreams, single writes and undos did, newest first",
		example: "dream-mcp log\ndream-mcp log --background",
		flags: func(c *Command, f *pflag.FlagSet) {
			f.BoolVar(&c.Background, "background", false, "show the steps of the last background dream")
			f.BoolVar(&c.Recalled, "recall", false, "show which memories models were shown unasked")
		}},
	{name: "diff", group: groupLook, args: "[ID]", most: 1, json: true, run: (*Command).diff,
		short: "show what a dream or a write changed; without ID, the newest", example: "dream-mcp diff\ndream-mcp diff 20261121-010651"},
	{name: "report", group: groupLook, args: "[ID]", most: 1, json: true, run: (*Command).report,
		short:   "write what a dream changed, and why, as one HTML page",
		long:    `Without ID it is the dream that waits for your yes, or else the newest that landed. The page needs no network. It is written to the state folder of dream-mcp unless --out names a file.`,
		example: "dream-mcp report --open\ndream-mcp report --out dream.html",
		flags: func(c *Command, f *pflag.FlagSet) {
			f.BoolVar(&c.OpenPage, "open", false, "open the page in the browser")
			f.StringVar(&c.OutFile, "out", "", "the file to write; - is standard output")
		}},
	{name: "why", group: groupLook, choices: (*Command).memories, args: "TOPIC|WORDS", most: -1, json: true, run: (*Command).why,
		short:   "show where a memory comes from: who said it, when, and the words",
		example: "dream-mcp why use-bun.md\ndream-mcp why squash before merging"},
	{name: "search", group: groupLook, args: "WORDS", most: -1, json: true, run: (*Command).search,
		short:   "show where something was said in the sessions, newest first",
		long:    "Case is ignored unless WORDS have an upper-case letter. Each hit has an ID, which show takes. Exit code 1: it was not said.",
		example: "dream-mcp search squash before merging\ndream-mcp search --ranked which port does staging use\ndream-mcp search --regex 'port \\d+' --since 30d",
		flags: func(c *Command, f *pflag.FlagSet) {
			f.BoolVar(&c.Search.Regex, "regex", false, "WORDS are an RE2 expression")
			f.BoolVar(&c.Search.Ranked, "ranked", false, "WORDS are a question: the best answers first")
			f.BoolVar(&c.Search.Tools, "tools", false, "search what tools were asked and answered, too")
			f.Func("since", "only since `TIME`: a date, or a span such as 7d", word(&c.Search.Since))
		}},
	{name: "said", group: groupLook, run: (*Command).said,
		short:   "list what you said since the last dream, oldest first",
		example: "dream-mcp said\ndream-mcp said --since 7d --all",
		flags: func(c *Command, f *pflag.FlagSet) {
			f.Func("since", "since `TIME`: a date, or a span such as 7d", word(&c.Search.Since))
			f.BoolVar(&c.Search.All, "all", false, "list what the model said, too")
		}},
	{name: "show", group: groupLook, args: "ID", most: 1, json: true, run: (*Command).show,
		short: "show what was said under an ID, and the turns around it", example: "dream-mcp show e4f91da5-5d2:6"},
	{name: "lint", group: groupLook, folder: true, args: "[DIR]", most: 1, json: true, run: (*Command).lint,
		short:   "check the memory, or any folder, against the rules",
		long:    `Exit code 0: nothing worse than an info; 1: findings; 2: there is no memory to check. With --explain the argument is a rule: what it catches and what it allows, and how to silence it.`,
		example: "dream-mcp lint --rule drift,dangling\ndream-mcp lint --explain drift\ndream-mcp lint ~/notes --json",
		flags: func(c *Command, f *pflag.FlagSet) {
			f.BoolVar(&c.Lint.Explain, "explain", false, "explain all rules, or the one named")
			f.Func("rule", "check only these `RULES`, separated by commas", rules(&c.Lint.Rules))
			f.Func("ignore", "do not check these `RULES`", rules(&c.Lint.Ignore))
			f.BoolVar(&c.Fix, "fix", false, "add missing lines to the index and drop pointers to nothing; it can be undone")
		}},
	{name: "doctor", group: groupLook, json: true, run: (*Command).doctor,
		short:   "show what prevents dreams of this project",
		long:    "Exit code 0: healthy; 1: something should be fixed; 2: doctor could not look.",
		example: "dream-mcp doctor\ndream-mcp doctor --fix",
		flags: func(c *Command, f *pflag.FlagSet) {
			f.BoolVar(&c.Fix, "fix", false, "fix what can be fixed without loss")
			f.BoolVar(&c.Accept, "accept", false, "with --fix: also give up a commit whose plan is lost")
		}},

	{name: "dream", group: groupUndo, args: "[HOST]", most: 1, choices: func(*Command) []string { return hosts.IDs((*hosts.Host).Dreams) },
		short:   "run a dream now; nothing lands before your yes",
		long:    "HOST is " + either(hosts.IDs((*hosts.Host).Dreams)) + `. Without it the program of last time is used; the first time you are asked. The dream is shown as watch shows it; then review asks what lands.`,
		example: "dream-mcp dream\ndream-mcp dream codex"},
	{name: "review", group: groupUndo, args: "[ID]", most: 1, json: true, run: (*Command).review,
		short: "show the dream that waits for your yes, and decide",
		long:  "It shows the diff, and changes that dreams were not allowed to make. On a terminal it asks.", example: "dream-mcp review\ndream-mcp review --accept 20261121-010651 --only use-bun.md",
		flags: func(c *Command, f *pflag.FlagSet) {
			f.BoolVar(&c.Accept, "accept", false, "land it")
			f.BoolVar(&c.Reject, "reject", false, "forget it")
			f.StringSliceVar(&c.Only, "only", nil, "with --accept: land only these `files`; the rest continues to wait")
		}},
	{name: "undo", group: groupUndo, args: "[ID]", most: 1, json: true, run: (*Command).undo,
		short: "undo a dream or a write; without ID, the newest", example: "dream-mcp undo\ndream-mcp undo 20261121-010651"},
	{name: "restore", group: groupUndo, choices: (*Command).memories, args: "FILE", most: 1, json: true, run: (*Command).restore,
		short:   "bring one memory back: its newest other version",
		example: "dream-mcp restore use-bun.md\ndream-mcp restore use-bun.md --at 20261121-010651-d56fd6\ndream-mcp restore --list",
		flags: func(c *Command, f *pflag.FlagSet) {
			f.Func("at", "as it was before the dream or write `ID`", word(&c.At))
			f.BoolVar(&c.List, "list", false, "list the versions in the archive, of FILE or of everything")
		}},
	{name: "forget", group: groupUndo, args: "TEXT|ID", most: -1, json: true, run: (*Command).forget,
		short:   "remove a text everywhere and keep it out; it cannot be undone",
		long:    `It shows where the text is and asks. In memories, the archive, quoted words and what waits, (forgotten) is put in its place. In sessions it stays, but is never shown or written again. ID, as search prints it, stands for all that was said there. What is kept is a keyed hash.`,
		example: "dream-mcp forget \"Ada's phone is 555 0100\"\ndream-mcp forget e4f91da5-5d2:6",
		flags: func(c *Command, f *pflag.FlagSet) {
			f.BoolVar(&c.Yes, "yes", false, "do not ask")
		}},
	{name: "stop", group: groupUndo, args: "[REASON]", most: -1, json: true, run: (*Command).stop,
		short: "end the dream that is open in another process; nothing lands", example: "dream-mcp stop \"not now\""},

	{name: "install", group: groupSetUp, args: "[HOST]", most: 1, json: true, run: (*Command).install, choices: hostIDs,
		short:   "have a program start this server; without HOST, those found here",
		long:    `The host starts the server with the flags that you give here, such as --project. Only lines for dream-mcp are added. Installing twice changes nothing.`,
		example: "dream-mcp install claude-code\ndream-mcp install codex --dry-run",
		flags: func(c *Command, f *pflag.FlagSet) {
			f.BoolVar(&c.DryRun, "dry-run", false, "show what would change")
			f.BoolVar(&c.Print, "print", false, "show what to paste by hand")
			f.Func("recall", "which memories the host's model is shown unasked: `LEVEL` is off, start or prompt", choice(&c.Recall, recall.Levels))
			f.BoolVar(&c.Guard, "guard", false, "while a dream is open, have the host deny what a dream must not do")
		}},
	{name: "uninstall", group: groupSetUp, args: "[HOST]", most: 1, json: true, run: (*Command).install, choices: hostIDs,
		short:   "remove what install added; memories and archives stay",
		example: "dream-mcp uninstall claude-code\ndream-mcp uninstall",
		flags: func(c *Command, f *pflag.FlagSet) {
			f.BoolVar(&c.DryRun, "dry-run", false, "show what would change")
		}},
	{name: "mode", group: groupSetUp, args: "[off|suggest|approve|auto]", most: 1, json: true, run: (*Command).mode,
		short:   "show or set what happens by itself when a dream is due",
		long:    `It is set for all projects. A project that has a mode of its own, under projects in config.json, has it set there.`,
		example: "dream-mcp mode\ndream-mcp mode approve",
		choices: func(*Command) []string { return host.Modes }},
	{name: "share", group: groupSetUp, args: "[REMOTE]", most: 1, json: true, run: (*Command).share,
		short:   "keep this memory the same on several machines",
		long:    `Without REMOTE it shows how the memory is shared. REMOTE is the address of a git repository that you can push to, of any project. The memory gets a ref of its own there. Changes are pulled and sent when a session begins or ends, before and after a dream, and with --now. What both sides changed is merged; nothing is lost.`,
		example: "dream-mcp share git@github.com:you/memories.git\ndream-mcp share --now",
		flags: func(c *Command, f *pflag.FlagSet) {
			f.BoolVar(&c.Share.Status, "status", false, "show how it is shared")
			f.BoolVar(&c.Share.Now, "now", false, "pull and send changes now")
			f.BoolVar(&c.Share.Stop, "stop", false, "end it on this machine")
			f.Func("name", "a `NAME` of yours for the project, the same on every machine", word(&c.Share.Name))
			f.BoolVar(&c.Share.Team, "team", false, "share with a team: only memories about the project (without REMOTE: through the project's own)")
			f.BoolVar(&c.Share.Person, "person", false, "share your memories of all projects instead (dream-mcp person)")
			f.BoolVar(&c.Share.Yes, "yes", false, "do not ask")
		}},
	{name: "person", group: groupSetUp, args: "[add|remove|except TOPIC]", most: 2, json: true, run: (*Command).person,
		choices: func(*Command) []string { return []string{"add", "remove", "except"} },
		short:   "have a memory in all your projects on this machine",
		long:    `Without arguments it lists them. add makes a memory of this project yours: each project gets it when it is next used, and a change in one reaches the others. remove ends that: the memory stays where it came from and where it was changed. except lets this project go without.`,
		example: "dream-mcp person add user_role.md\ndream-mcp person"},
	{name: "demo", group: groupSetUp, run: (*Command).demo,
		short:   "show a dream from start to undo, in a sandbox",
		example: "dream-mcp demo",
		flags: func(c *Command, f *pflag.FlagSet) {
			f.BoolVar(&c.Keep, "keep", false, "keep the sandbox")
		}},
	{name: "version", group: groupSetUp, run: (*Command).version, short: "print the version", example: "dream-mcp version"},

	{name: "serve", group: groupHosts, short: "run the MCP server on standard input and output",
		example: "dream-mcp serve --project ~/shop --mode approve"},
	{name: hook.Verb, group: groupHosts, most: -1, run: (*Command).hook, short: "answer a session hook of a host; see the README",
		example: "dream-mcp hook --client codex",
		flags: func(c *Command, f *pflag.FlagSet) {
			f.Func("client", "the `HOST`, if the environment does not name it", word(&c.Flags.Client))
			f.BoolVar(&c.Guard, "guard", false, "deny the tools that a dream open in the session must not use")
		}},
	{name: hook.Statusline, group: groupHosts, most: -1, short: "print a few words for a status bar, or nothing",
		example: "dream-mcp statusline </dev/null"},
	{name: "background", group: groupHosts, most: 1,
		short: "run an unattended dream if one is due; started by a hook", example: "dream-mcp background claude-code"},
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
