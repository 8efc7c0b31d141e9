package install

import (
	"errors"
	"regexp"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"dream-mcp/consolidate/recall"
	"dream-mcp/server/hook"
	"dream-mcp/server/host"
)

// hooks are how a host lists hooks in its settings: at which events a dream may be due or end, and when it is to give a
// hook of ours up, which answers in milliseconds.
type hooks struct {
	events  []string
	prompt  string // the event before a prompt, for who is to be shown memories then
	tool    string // the event before a tool, for that and for the guard
	timeout int
	words   []string // of the hook's command line, where the environment does not say which host it is
}

// All keep them in the same shape; Claude Code and Codex count seconds, Gemini CLI milliseconds (0.61, docs/hooks).
var (
	claudeHooks = hooks{[]string{"SessionStart", "Stop", "SessionEnd"}, "UserPromptSubmit", "PreToolUse", 5, nil}
	codexHooks  = hooks{[]string{"SessionStart", "Stop"}, "UserPromptSubmit", "PreToolUse", 5, []string{"--client", host.Codex}}
	geminiHooks = hooks{[]string{"SessionStart", "AfterAgent", "SessionEnd"}, "BeforeAgent", "BeforeTool", 5000, nil}
)

// guardFlag has the hook before a tool guard an open dream.
const guardFlag = "--guard"

// wanted are the events to subscribe to, by the level of what is shown.
func (h hooks) wanted(level string, guard bool) []string {
	events := slices.Clone(h.events)
	if recall.Includes(level, recall.Prompt) {
		events = append(events, h.prompt)
	}
	if guard || recall.Includes(level, recall.All) {
		events = append(events, h.tool)
	}
	return events
}

// all are the events that may be ours.
func (h hooks) all() []string { return append(slices.Clone(h.events), h.prompt, h.tool) }

// The shapes are those of settings.json.
type (
	settingsHook struct {
		Type    string `json:"type"`
		Command string `json:"command"`
		Timeout int    `json:"timeout"`
	}
	group struct {
		Hooks []settingsHook `json:"hooks"`
	}
)

// hookCommand is the command line of the hook. The form with args needs no quoting, but versions that do
// not know it would start a server instead.
func hookCommand(goos string, call []string, more ...string) string {
	words := slices.Insert(slices.Clone(call), 1, append([]string{hook.Verb}, more...)...)
	for i, word := range words {
		if goos == "windows" { // by Git Bash or by PowerShell: both take slashes
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

var plainPath = regexp.MustCompile(`^[A-Za-z0-9_./@%+=:,-]+$`)

// Hooks are our hooks as Claude Code's files list them below "hooks", each by one command line.
func Hooks(command string) any {
	all := map[string][]group{}
	for _, event := range claudeHooks.events {
		all[event] = []group{claudeHooks.group(command)}
	}
	return all
}

func (h hooks) group(command string) group {
	return group{[]settingsHook{{"command", command, h.timeout}}}
}

// isHook reports whether a command line is our hook, in whatever folder the program is.
func isHook(command string) bool {
	program, _, ok := strings.Cut(strings.TrimSpace(command)+" --", " "+hook.Verb+" --")
	return ok && starts(strings.Trim(program, `'"`))
}

// eachHook calls do with each hook of ours in the groups of an event, from the last to the first.
func eachHook(groups *hujson.Value, do func(group int, hooks *hujson.Value, i int, command *hujson.Value)) error {
	list, ok := groups.Value.(*hujson.Array)
	if !ok {
		return errors.New("its hooks are not a list")
	}
	for g, group := range slices.Backward(list.Elements) {
		hooks, err := member(&group, "hooks")
		if err != nil {
			return err
		}
		if hooks == nil {
			continue
		}
		each, _ := hooks.Value.(*hujson.Array)
		if each == nil {
			continue
		}
		for i, one := range slices.Backward(each.Elements) {
			command, err := member(&one, "command")
			if err != nil {
				return err
			}
			if command == nil {
				continue
			}
			if line, ok := command.Value.(hujson.Literal); ok && isHook(line.String()) {
				do(g, hooks, i, command)
			}
		}
	}
	return nil
}

// add adds our hook to each event that is wanted, or brings it up to date. At others it stays, and so does a guard.
func (h hooks) add(goos string, call, wanted []string, guard bool) edit {
	return checked(editJSON(func(d *document) error {
		for _, event := range h.all() {
			groups, err := d.find("hooks", event)
			if err != nil {
				return err
			}
			var ours *hujson.Value
			if groups != nil {
				err = eachHook(groups, func(_ int, _ *hujson.Value, _ int, command *hujson.Value) { ours = command })
			}
			words := h.words
			if event == h.tool && (guard || ours != nil && strings.Contains(ours.Value.(hujson.Literal).String(), guardFlag)) {
				words = append(slices.Clone(words), guardFlag)
			}
			command := hookCommand(goos, call, words...)
			switch {
			case err != nil:
			case ours != nil:
				err = update(ours, command)
			case !slices.Contains(wanted, event):
			case groups == nil:
				err = d.put([]group{h.group(command)}, "hooks", event)
			default:
				err = d.put(h.group(command), "hooks", event, "")
			}
			if err != nil {
				return err
			}
		}
		return nil
	}), decodeJSON)
}

// take takes our hooks out, with what they leave empty.
func (h hooks) take() edit {
	return checked(editJSON(func(d *document) error {
		for _, event := range h.all() {
			groups, err := d.find("hooks", event)
			if err != nil {
				return err
			}
			if groups == nil {
				continue
			}
			found := false
			err = eachHook(groups, func(group int, hooks *hujson.Value, i int, _ *hujson.Value) {
				found = true
				if remove(hooks, i); len(hooks.Value.(*hujson.Array).Elements) == 0 {
					remove(groups, group)
				}
			})
			if err == nil && found && empty(groups) {
				err = d.drop("hooks", event)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}), decodeJSON)
}
