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

// openCodePlugin is what opencode has in place of hooks: a program of its own that asks ours.
//
//go:embed opencode.js
var openCodePlugin string

// pluginMark is the first line of a plugin of ours.
const pluginMark = "// dream-mcp"

// pluginPart is the file of opencode's plugin. Its events are all there: it costs nothing to ask at those at which nothing is shown.
func (i Installer) pluginPart(file string) Part {
	words := []string{hook.Verb, "--client", host.OpenCode}
	if i.Guard {
		words = append(words, guardFlag)
	}
	command, _ := json.Marshal(append(append([]string{i.Self}, words...), i.Args...)) // texts are always written
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
