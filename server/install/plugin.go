package install

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

	"dream-mcp/consolidate/host"
	"dream-mcp/server/hook"
)

// pluginMark is the first line of a plugin of ours.
const pluginMark = "// dream-mcp"

// pluginPart returns the part that is a program, for a host that has no hooks in its settings. It subscribes to all
// events, because a call at which nothing is shown costs nothing.
func (i Installer) pluginPart(h *host.Host, file string) Part {
	words := []string{hook.Verb, "--client", h.ID}
	if i.Guard {
		words = append(words, guardFlag)
	}
	command, _ := json.Marshal(append(append([]string{i.Self}, words...), i.Args...)) // strings always encode
	return filePart(Hook, file, strings.Replace(h.Hooks.Plugin, "[] // COMMAND", string(command), 1), pluginMark)
}

// skill asks for a dream in hosts that ask no server for prompts. The form is that of agentskills.io.
//
//go:embed skill.md
var skill string

// skillMark is in each skill of ours.
const skillMark = "<!-- dream-mcp -->"

func (i Installer) skillPart(file string) Part { return filePart(Skill, file, skill, skillMark) }

// filePart returns the part that is a whole file. mark is in each version of it.
func filePart(name, file, text, mark string) Part {
	return Part{Name: name, File: file,
		add: func(now []byte) ([]byte, error) {
			if len(now) > 0 && !bytes.Contains(now, []byte(mark)) {
				return nil, fmt.Errorf("this %s is not ours", name)
			}
			return []byte(text), nil
		},
		remove: func(now []byte) ([]byte, error) {
			if bytes.Contains(now, []byte(mark)) {
				return nil, nil
			}
			return now, nil
		},
	}
}
