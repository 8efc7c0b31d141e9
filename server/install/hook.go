package install

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"dream-mcp/consolidate/recall"
	"dream-mcp/memory/lazy"
	"dream-mcp/server/hook"
	"dream-mcp/server/host"
)

// hooks describes the hooks of a host, and how its settings list them.
type hooks struct {
	events  []string // at which a dream may be due, or ends
	prompt  string   // the event before a prompt, for memories shown then
	tool    string   // the event before a tool, for the guard
	timeout int      // in seconds, in Gemini CLI in milliseconds (its docs/hooks); ours answer in milliseconds
	words   []string // arguments of the command, if the environment of a hook does not say which host it is
	file    string   // where they are, beside the file of the servers; "" is that file, in Claude Code its settings
	flat    bool     // an event lists its hooks, not groups of hooks, and the file has a version
	plugin  bool     // they are a program, opencode's
}

var (
	claudeHooks = hooks{events: []string{"SessionStart", "Stop", "SessionEnd"}, prompt: "UserPromptSubmit", tool: "PreToolUse", timeout: 5}
	codexHooks  = hooks{
		events: []string{"SessionStart", "Stop"}, prompt: "UserPromptSubmit", tool: "PreToolUse", timeout: 5,
		words: []string{"--client", host.Codex}, file: "hooks.json",
	}
	geminiHooks = hooks{events: []string{"SessionStart", "AfterAgent", "SessionEnd"}, prompt: "BeforeAgent", tool: "BeforeTool", timeout: 5000}
	cursorHooks = hooks{
		events: []string{"sessionStart"}, prompt: "beforeSubmitPrompt", tool: "preToolUse", timeout: 5,
		words: []string{"--client", host.Cursor}, file: "hooks.json", flat: true,
	}
	openCodeHooks = hooks{file: "plugins/dream-mcp.js", plugin: true}
)

// noHooks is a file of flat hooks that has none.
const noHooks = "{\n  \"version\": 1\n}\n"

// guardFlag is the argument of the hook before a tool that guards an open dream.
const guardFlag = "--guard"

// wanted returns the events for a level of what is shown, and for the guard.
func (h hooks) wanted(level string, guard bool) []string {
	events := slices.Clone(h.events)
	if recall.Includes(level, recall.Prompt) {
		events = append(events, h.prompt)
	}
	if guard {
		events = append(events, h.tool)
	}
	return events
}

// all returns all events that can be wanted.
func (h hooks) all() []string { return append(slices.Clone(h.events), h.prompt, h.tool) }

// The forms of settings.json, and of Cursor's hooks.json.
type (
	settingsHook struct {
		Type    string `json:"type,omitempty"`
		Command string `json:"command"`
		Timeout int    `json:"timeout"`
	}
	group struct {
		Hooks []settingsHook `json:"hooks"`
	}
)

// hookCommand returns the command line of the hook. Claude Code also has a form with args, which needs no quoting, but a version
// that does not know it would start a server instead.
func hookCommand(goos string, call []string, more ...string) string {
	return ShellWords(goos, slices.Insert(slices.Clone(call), 1, append([]string{hook.Verb}, more...)...))
}

// ShellWords quotes a command for a shell: on Windows for Git Bash and PowerShell, which both read slashes.
func ShellWords(goos string, command []string) string {
	words := slices.Clone(command)
	for i, word := range words {
		if goos == "windows" {
			word = strings.ReplaceAll(word, `\`, "/")
			if strings.ContainsAny(word, " &()';,") {
				word = `"` + word + `"`
			}
		} else if !plainPath.MatchString(word) {
			word = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
		words[i] = word
	}
	return strings.Join(words, " ")
}

var plainPath = lazy.New(`^[A-Za-z0-9_./@%+=:,-]+$`)

// Hooks returns the value of "hooks" in Claude Code's settings, with one command line at each event.
func Hooks(command string) any {
	all := map[string][]any{}
	for _, event := range claudeHooks.events {
		all[event] = []any{claudeHooks.item(command)}
	}
	return all
}

// item returns our hook in the form of an event's list.
func (h hooks) item(command string) any {
	if h.flat {
		return settingsHook{Command: command, Timeout: h.timeout}
	}
	return group{[]settingsHook{{"command", command, h.timeout}}}
}

// isHook reports whether a command line is our hook, wherever the program is.
func isHook(command string) bool {
	program, _, ok := strings.Cut(strings.TrimSpace(command)+" --", " "+hook.Verb+" --")
	return ok && starts(strings.Trim(program, `'"`))
}

// hookLine returns the command line of v if v is our hook, else nil.
func hookLine(v *hujson.Value) *hujson.Value {
	command, _ := member(v, "command")
	if command == nil {
		return nil
	}
	if line, ok := command.Value.(hujson.Literal); !ok || !isHook(line.String()) {
		return nil
	}
	return command
}

// isOurs reports whether v is our hook, or a group of nothing but our hooks.
func isOurs(v *hujson.Value) bool {
	hooks, _ := member(v, "hooks")
	if hooks == nil {
		return hookLine(v) != nil
	}
	_, list, _ := items(hooks)
	return len(list) > 0 && !slices.ContainsFunc(list, func(hook *hujson.Value) bool { return hookLine(hook) == nil })
}

// add adds our hook to the wanted events, and updates those at any event. A guard stays a guard.
func (h hooks) add(goos string, call, wanted []string, guard bool) edit {
	do := checked(editJSON(func(d *document) error {
		for _, event := range h.all() {
			list, err := d.find("hooks", event)
			if err != nil {
				return err
			}
			var have *hujson.Value
			if list != nil {
				for hook := range list.All() {
					have = cmp.Or(have, hookLine(hook))
				}
			}
			words := h.words
			if event == h.tool && (guard || have != nil && strings.Contains(have.Value.(hujson.Literal).String(), guardFlag)) {
				words = append(slices.Clone(words), guardFlag)
			}
			command := hookCommand(goos, call, words...)
			if have != nil {
				update(have, command)
			} else if slices.Contains(wanted, event) {
				err = d.set(h.item(command), "hooks", event, "")
			}
			if err != nil {
				return err
			}
		}
		return nil
	}), decodeJSON)
	return func(text []byte) ([]byte, error) {
		if h.flat && len(bytes.TrimSpace(text)) == 0 {
			text = []byte(noHooks)
		}
		return do(text)
	}
}

// removeHooks removes our hooks, and the lists and objects that this leaves empty.
var removeHooks = checked(editJSON(func(d *document) error {
	prune(d.root, isOurs)
	return nil
}), decodeJSON)
