package install

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"dream-mcp/server/hook"
)

// hooks are how a host lists hooks in its settings: at which events a dream may be due or end, and when it is to give a
// hook of ours up, which answers in milliseconds.
type hooks struct {
	events  []string
	timeout int
}

// Both keep them in the same shape; Claude Code counts seconds (FACTS 6.1), Gemini CLI milliseconds (0.61, docs/hooks).
var (
	claudeHooks = hooks{[]string{"SessionStart", "Stop", "SessionEnd"}, 5}
	geminiHooks = hooks{[]string{"SessionStart", "AfterAgent", "SessionEnd"}, 5000}
)

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
func hookCommand(goos string, call []string) string {
	words := slices.Insert(slices.Clone(call), 1, hook.Verb)
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

// isHook reports whether a command line is our hook, wherever the program lies.
func isHook(command string) bool {
	program, _, ok := strings.Cut(strings.TrimSpace(command)+" --", " "+hook.Verb+" --")
	return ok && starts(strings.Trim(program, `'"`))
}

// ourHook is where a hook of ours stands below hooks.EVENT, and its command.
type ourHook struct {
	group, index int
	command      *hujson.Value
}

// ourHooks finds them in the groups of an event.
func ourHooks(groups *hujson.Value) ([]ourHook, error) {
	list, ok := groups.Value.(*hujson.Array)
	if !ok {
		return nil, fmt.Errorf("its hooks are no list")
	}
	var all []ourHook
	for g := range list.Elements {
		if list.Elements[g].Value.Kind() != '{' {
			continue
		}
		hooks, err := member(&list.Elements[g], "hooks")
		if err != nil {
			return nil, err
		}
		if hooks == nil || hooks.Value.Kind() != '[' {
			continue
		}
		each := hooks.Value.(*hujson.Array)
		for i := range each.Elements {
			if each.Elements[i].Value.Kind() != '{' {
				continue
			}
			command, err := member(&each.Elements[i], "command")
			if err != nil {
				return nil, err
			}
			if command == nil || command.Value.Kind() != '"' || !isHook(command.Value.(hujson.Literal).String()) {
				continue
			}
			all = append(all, ourHook{g, i, command})
		}
	}
	return all, nil
}

// add adds our hook to each event, or brings its path up to date.
func (h hooks) add(command string) edit {
	return checked(func(text []byte) ([]byte, error) {
		for _, event := range h.events {
			v, err := root(text)
			if err != nil {
				return nil, err
			}
			groups, err := find(v, "hooks", event)
			if err != nil {
				return nil, err
			}
			wanted := h.group(command)
			if groups == nil {
				if text, err = put(text, []string{"hooks", event}, []group{wanted}); err != nil {
					return nil, err
				}
				continue
			}
			ours, err := ourHooks(groups)
			switch {
			case err != nil:
			case len(ours) == 0:
				text, err = insert(text, v, groups, "", wanted)
			case ours[0].command.Value.(hujson.Literal).String() != command:
				text, err = literal(text, ours[0].command, command)
			}
			if err != nil {
				return nil, err
			}
		}
		return text, nil
	}, h.strip)
}

// take takes our hooks out, with what they leave empty.
func (h hooks) take() edit {
	return checked(func(text []byte) ([]byte, error) {
		for _, event := range h.events {
			for {
				v, err := root(text)
				if err != nil {
					return nil, err
				}
				groups, err := find(v, "hooks", event)
				if err != nil {
					return nil, err
				}
				if groups == nil {
					break
				}
				ours, err := ourHooks(groups)
				if err != nil {
					return nil, err
				}
				if len(ours) == 0 {
					break
				}
				of := &groups.Value.(*hujson.Array).Elements[ours[0].group]
				hooks, err := member(of, "hooks")
				if err != nil {
					return nil, err
				}
				switch all, _ := items(hooks); {
				case len(all) > 1:
					text = remove(text, hooks, ours[0].index)
				case len(groups.Value.(*hujson.Array).Elements) > 1:
					text = remove(text, groups, ours[0].group)
				default:
					if text, err = drop(text, "hooks", event); err != nil {
						return nil, err
					}
				}
			}
		}
		return text, nil
	}, h.strip)
}

// strip takes our hooks out of what a file says.
func (h hooks) strip(all map[string]any) {
	hooks, _ := all["hooks"].(map[string]any)
	for _, event := range h.events {
		groups, _ := hooks[event].([]any)
		var kept []any
		for _, g := range groups {
			of, _ := g.(map[string]any)
			each, _ := of["hooks"].([]any)
			var others []any
			for _, h := range each {
				if one, _ := h.(map[string]any); one != nil {
					if command, _ := one["command"].(string); isHook(command) {
						continue
					}
				}
				others = append(others, h)
			}
			if len(each) > 0 {
				if len(others) == 0 {
					continue
				}
				of["hooks"] = others
			}
			kept = append(kept, g)
		}
		if len(kept) > 0 {
			hooks[event] = kept
		} else if groups != nil {
			without(all, "hooks", event)
		}
	}
}
