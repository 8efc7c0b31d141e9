package install

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"strings"

	"dream-mcp/server/hook"
	"dream-mcp/server/host"
)

// openCodePlugin is the plugin that calls our hook: opencode has no hooks in its settings.
//
//go:embed opencode.js
var openCodePlugin string

// pluginMark is the first line of a plugin of ours.
const pluginMark = "// dream-mcp"

// pluginPart returns the part that is opencode's plugin. It subscribes to all events, because a call at which nothing is shown costs
// nothing.
func (i Installer) pluginPart(file string) Part {
	words := []string{hook.Verb, "--client", host.OpenCode}
	if i.Guard {
		words = append(words, guardFlag)
	}
	command, _ := json.Marshal(append(append([]string{i.Self}, words...), i.Args...)) // strings always encode
	text := []byte(strings.Replace(openCodePlugin, "[] // COMMAND", string(command), 1))
	return Part{Name: Hook, File: file,
		add: func(now []byte) ([]byte, error) {
			if len(now) > 0 && !bytes.HasPrefix(now, []byte(pluginMark)) {
				return nil, errors.New("it is not a plugin of ours")
			}
			return text, nil
		},
		take: func(now []byte) ([]byte, error) {
			if bytes.HasPrefix(now, []byte(pluginMark)) {
				return nil, nil
			}
			return now, nil
		},
	}
}
