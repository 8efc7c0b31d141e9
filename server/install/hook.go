package install

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"dream-mcp/consolidate/host"
	"dream-mcp/consolidate/recall"
	"dream-mcp/memory/lazy"
	"dream-mcp/server/hook"
)

// noHooks is a file of flat hooks that has none.
const noHooks = "{\n  \"version\": 1\n}\n"

// guardFlag is the argument of the hook before a tool that guards an open dream.
const guardFlag = "--guard"

// wanted returns the events for a level of what is shown, and for the guard.
func wanted(h *host.Hooks, level string, guard bool) []string {
	events := slices.Clone(h.Events)
	if recall.Includes(level, recall.Prompt) {
		events = append(events, h.Prompt)
	}
	if guard {
		events = append(events, h.Tool)
	}
	return events
}

// The forms of a hook: in a group, or flat.
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

// hookCommand returns the command line of the hook. Claude Code also has a form with args, which needs no quoting, but
// a version that does not know it would start a server instead.
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

// item returns our hook in the form of an event's list.
func item(h *host.Hooks, command string) any {
	if h.Flat {
		return settingsHook{Command: command, Timeout: h.Timeout}
	}
	return group{[]settingsHook{{"command", command, h.Timeout}}}
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

// addHooks adds our hook to the wanted events of a host, and updates those at any event. A guard stays a guard.
func (i Installer) addHooks(of *host.Host) edit {
	h := of.Hooks
	wanted := wanted(h, i.Recall, i.Guard)
	do := checked(editJSON(func(d *document) error {
		for _, event := range append(slices.Clone(h.Events), h.Prompt, h.Tool) {
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
			var words []string
			if h.Named {
				words = []string{"--client", of.ID}
			}
			if event == h.Tool && (i.Guard || have != nil && strings.Contains(have.Value.(hujson.Literal).String(), guardFlag)) {
				words = append(words, guardFlag)
			}
			command := hookCommand(i.Env.GOOS, i.call(), words...)
			if have != nil {
				update(have, command)
			} else if slices.Contains(wanted, event) {
				err = d.set(item(h, command), "hooks", event, "")
			}
			if err != nil {
				return err
			}
		}
		return nil
	}), decodeJSON)
	return func(text []byte) ([]byte, error) {
		if h.Flat && len(bytes.TrimSpace(text)) == 0 {
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
