package console

import (
	"errors"
	"os"
	"reflect"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"dream-mcp/server/console/terminal"
	"dream-mcp/server/settings"

	"github.com/charmbracelet/x/ansi"
)

func TestParse(t *testing.T) {
	t.Parallel()
	none := settings.NoFlags
	with := func(change func(*settings.Flags)) settings.Flags {
		f := settings.NoFlags
		change(&f)
		return f
	}
	tests := []struct {
		line string
		want Command
	}{
		{"", Command{Flags: none}},
		{"status", Command{Verb: "status", Flags: none}},
		{"status --json", Command{Verb: "status", json: true, Flags: none}},
		{"--json status", Command{Verb: "status", json: true, Flags: none}},
		{"demo --keep", Command{Verb: "demo", demo: demoOptions{keep: true}, Flags: none}},
		{"diff abc", Command{Verb: "diff", Args: []string{"abc"}, Flags: none}},
		{"dream --stop it runs away", Command{Verb: "dream", Stop: true, Args: []string{"it", "runs", "away"}, Flags: none}},
		{"dream --stop -- --json", Command{Verb: "dream", Stop: true, Args: []string{"--json"}, Flags: none}}, // no flag after --
		{"undo -- -x", Command{Verb: "undo", Args: []string{"-x"}, Flags: none}},
		{"--help", Command{Verb: "help", Flags: none}},
		{"status -h", Command{Verb: "help", Flags: none}},
		{"nonsense --help", Command{Verb: "help", Flags: none}}, // who asks for help gets it
		{"--version", Command{Verb: "version", Flags: none}},
		{"--project a serve", Command{Verb: "serve", Flags: with(func(f *settings.Flags) { f.Project = "a" })}},
		{"serve --project=a=b", Command{Verb: "serve", Flags: with(func(f *settings.Flags) { f.Project = "a=b" })}},
		{"--memory-dir m --mode auto", Command{Flags: with(func(f *settings.Flags) { f.MemoryDir, f.Mode = "m", "auto" })}},
		{"--project --json", Command{Flags: with(func(f *settings.Flags) { f.Project = "--json" })}}, // a value is what follows
		{"status --transcripts a --transcripts=b", Command{Verb: "status", Flags: with(func(f *settings.Flags) { f.Transcripts = []string{"a", "b"} })}},
		{"status --min-hours 0 --min-sessions 0", Command{Verb: "status", Flags: with(func(f *settings.Flags) { f.MinHours, f.MinSessions = 0, 0 })}},
		{"status --min-hours 1.5", Command{Verb: "status", Flags: with(func(f *settings.Flags) { f.MinHours = 1.5 })}},
	}
	for _, test := range tests {
		got, err := Parse(strings.Fields(test.line))
		if err != nil {
			t.Errorf("Parse(%q): %v", test.line, err)
			continue
		}
		if len(got.Args) == 0 {
			got.Args = nil
		}
		got.helpOf, got.completion = nil, nil
		if !reflect.DeepEqual(*got, test.want) {
			t.Errorf("Parse(%q) = %+v, want %+v", test.line, *got, test.want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct{ line, message, hint string }{
		{"stauts", `unknown verb "stauts"`, "status"},
		{"stat", `unknown verb "stat"`, "status"},
		{"udno x", `unknown verb "udno"`, "undo"},
		{"banana", `unknown verb "banana"`, "dream-mcp help"},
		{"--jsno", `unknown flag "--jsno"`, "--json"},
		{"--min-hour=3", `unknown flag "--min-hour"`, "--min-hours"},
		{"-x", `unknown flag "-x"`, "dream-mcp help"},
		{"status extra", `status takes no argument; "extra" is one too many`, ""},
		{"diff a b", `diff takes one argument; "b" is one too many`, ""},
		{"demo --json", "demo has no --json", ""},
		{"--json", "dream-mcp without a verb has no --json", ""},
		{"dream codex gemini", "dream takes one argument", "dream-mcp dream --help"},
		{"undo 20261121 --at 2026", "--at needs the name of a memory", "dream-mcp undo --help"},
		{"share add user_role.md", "share takes one argument; add, remove and except need --person", "dream-mcp share --help"},
		{"share --person add", "share --person takes add, remove or except, and the name of a memory", ""},
		{"status --once", "--once needs --watch", ""},
		{"watch", `unknown verb "watch"`, "dream-mcp help"}, // no old name stays
		{"search --tools --ranked x", "--ranked ranks what was said, not what tools printed: omit --tools", "dream-mcp search --help"},
		{"status --keep", "--keep is a flag of demo, not of status", "dream-mcp status --help shows its flags"},
		{"--json=yes status", "flag --json takes no value", ""},
		{"status --project", "flag --project needs a value", ""},
		{"status --project=", "flag --project: it is empty", ""},
		{"status --transcripts=", "flag --transcripts: it is empty", ""},
		{"status --min-hours x", `flag --min-hours: "x" is not a number between 0 and 1000000`, "dream-mcp help"},
		{"status --min-hours -1", `flag --min-hours: "-1" is not a number between 0 and 1000000`, ""},
		{"status --min-hours NaN", `flag --min-hours: "NaN" is not a number between 0 and 1000000`, ""},
		{"status --min-hours 1e9", `flag --min-hours: "1e9" is not a number between 0 and 1000000`, ""},
		{"status --min-sessions 2.5", `flag --min-sessions: "2.5" is not a whole number between 0 and 1000000`, ""},
		{"status --min-sessions -1", `flag --min-sessions: "-1" is not a whole number between 0 and 1000000`, ""},
		{"status --min-sessions 1000001", `flag --min-sessions: "1000001" is not a whole number between 0 and 1000000`, ""},
	}
	for _, test := range tests {
		_, err := Parse(strings.Fields(test.line))
		var misused *Failure
		if !errors.As(err, &misused) {
			t.Errorf("Parse(%q): %v, want a *Failure", test.line, err)
			continue
		}
		if misused.Message != test.message || !strings.Contains(misused.Hint, test.hint) {
			t.Errorf("Parse(%q): %q, hint %q; want %q, hint with %q", test.line, misused.Message, misused.Hint, test.message, test.hint)
		}
	}
	if _, err := Parse([]string{""}); err == nil {
		t.Error("an empty word is taken for no verb")
	}
}

// The help names every verb and flag, and fits a page.
func TestHelp(t *testing.T) {
	t.Parallel()
	help := func(args ...string) string {
		c, err := Parse(args)
		if err != nil {
			t.Fatalf("%q: %v", args, err)
		}
		var out strings.Builder
		c.Out = &out
		if err := c.Run(t.Context(), nil, settings.Setup{}); err != nil {
			t.Fatalf("%q: %v", args, err)
		}
		for line := range strings.Lines(out.String()) {
			if c.Verb != "help" {
				break
			}
			if n := len([]rune(line)); n > terminal.TextWidth+1 {
				t.Errorf("%q: a line of %d characters: %q", args, n, line)
			}
		}
		return out.String()
	}
	all := help("--help")
	if help("help") != all || help("-h") != all || help("nonsense", "--help") != all {
		t.Error("there are several helps")
	}
	if rows := strings.Count(all, "\n"); rows > 22 {
		t.Errorf("the help has %d rows; a screen of 24 has room for 22 and two prompts", rows)
	}
	everything := help("help", "--all")
	for _, v := range verbs {
		if row := " " + v.name + " "; !strings.Contains(everything, row) || strings.Contains(all, row) != (v.group != "") {
			t.Errorf("the help does not name %s, or names it to everybody", v.name)
		}
		own := help(v.name, "--help")
		if own == all || help("help", v.name) != own || !strings.Contains(own, "usage: dream-mcp "+v.name) {
			t.Errorf("%s has no help of its own:\n%s", v.name, own)
		}
		if placeholder := regexp.MustCompile(`--[a-z-]+ [a-z]+ {2}`).FindString(own); placeholder != "" {
			t.Errorf("%s --help: %q is not in capitals", v.name, placeholder)
		}
	}
	if own := help("undo", "-h"); !strings.Contains(own, "--at ID") || !strings.Contains(own, "For example:") || !strings.Contains(own, "usage: dream-mcp undo [ID|FILE] [flags]") {
		t.Error(own)
	}
	if lines := strings.Count(welcomeText, "\n"); lines > 20 {
		t.Errorf("the welcome has %d lines, at most 20 are read", lines)
	}
	if script := help("completion", "bash"); !strings.Contains(script, "dream-mcp") {
		t.Error("there is no completion for bash")
	}
}

func TestWelcomeQuotesItsPath(t *testing.T) {
	t.Parallel()
	tests := []struct{ self, shell, json string }{
		{"/opt/dream-mcp", "/opt/dream-mcp install\n", `"command":"/opt/dream-mcp"`},
		{"/home/a b/dream-mcp", `"/home/a b/dream-mcp" install`, `"command":"/home/a b/dream-mcp"`},
		{`C:\go\dream-mcp.exe`, "C:\\go\\dream-mcp.exe install\n", `"command":"C:\\go\\dream-mcp.exe"`},
	}
	for _, test := range tests {
		var out strings.Builder
		c := Command{Out: &out, Self: test.self, Version: "1.2.3"}
		if err := c.Run(t.Context(), nil, settings.Setup{}); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{test.shell, test.json, "1.2.3"} {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%q is not in\n%s", want, out.String())
			}
		}
	}
}

func TestRunLeavesServeToItsCaller(t *testing.T) {
	t.Parallel()
	c := Command{Verb: "serve", Out: new(strings.Builder)}
	if err := c.Run(t.Context(), nil, settings.Setup{}); err == nil {
		t.Error("serve ran in the console")
	}
}

// full is a reader that has left, or a disk that is full.
type full struct{ err error }

func (f full) Write([]byte) (int, error) { return 0, f.err }

func TestRunWithoutReader(t *testing.T) {
	t.Parallel()
	left := &os.PathError{Op: "write", Path: "/dev/stdout", Err: syscall.EPIPE}
	if err := (&Command{Verb: "version", Out: full{left}}).Run(t.Context(), nil, settings.Setup{}); err != nil {
		t.Errorf("a reader who left is an error: %v", err)
	}
	if err := (&Command{Verb: "version", Out: full{os.ErrClosed}}).Run(t.Context(), nil, settings.Setup{}); err == nil {
		t.Error("a failed write is none")
	}
}

func TestPrintJSON(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	c := Command{Out: terminal.Masked(&out, nil)}
	if err := c.printJSON("a<b>\u202e\u0085\U000e0041é\x1b", ""); err != nil {
		t.Fatal(err)
	}
	// What would hide or act has a mark, and nothing else is changed.
	if want := `"a<b>⟨U+202E⟩⟨U+0085⟩⟨U+E0041⟩é⟨U+001B⟩"` + "\n"; out.String() != want {
		t.Errorf("%s, want %s", out.String(), want)
	}
}

func TestEachVerbHasAnExample(t *testing.T) {
	for _, v := range verbs {
		if !strings.HasPrefix(v.example, "dream-mcp "+v.name) {
			t.Errorf("%s has the example %q", v.name, v.example)
		}
	}
}

// Fixed texts fit a terminal of 80 columns.
func TestFixedTextsFit(t *testing.T) {
	for _, name := range append(verbNames(), "") {
		c, err := Parse(strings.Fields(name + " --help"))
		if err != nil {
			t.Fatal(name, err)
		}
		var out strings.Builder
		c.Out = &out
		if err := runHelp(t.Context(), c, nil, settings.Setup{}); err != nil {
			t.Fatal(name, err)
		}
		for line := range strings.Lines(out.String()) {
			if ansi.StringWidth(strings.TrimSuffix(line, "\n")) > terminal.TextWidth {
				t.Errorf("%s --help: %q is too wide", name, line)
			}
		}
	}
}

// Every verb with --json has its keys in the golden file that the scripts write.
func TestJSONKeys(t *testing.T) {
	golden, err := os.ReadFile("../../testdata/json_keys.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range verbs {
		if v.json && !regexp.MustCompile(`(?m)^`+v.name+`\b`).Match(golden) {
			t.Errorf("no script asks for %s --json: add it and the command keys to testdata/script, then go test ./server/endtoend -update", v.name)
		}
	}
}
