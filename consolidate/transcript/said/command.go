package said

import (
	"bytes"
	"strings"

	"dream-mcp/memory/lazy"
)

// localCommands are Claude Code's commands that say nothing to the model: they change a setting, show a dialog or begin
// another session. true: their arguments are for the model. Any other command is a prompt, the person's own or a
// plug-in's, and its name says what was asked for.
var localCommands = map[string]bool{
	"btw": true, "compact": true, "subtask": true,

	"add-dir": false, "agents": false, "allowed-tools": false, "branch": false, "bug": false, "chrome": false, "clear": false,
	"color": false, "config": false, "context": false, "copy": false, "cost": false, "desktop": false, "diff": false,
	"doctor": false, "effort": false, "exit": false, "export": false, "extra-usage": false, "fast": false, "feedback": false,
	"fork": false, "help": false, "hooks": false, "ide": false, "install-github-app": false, "install-slack-app": false,
	"keybindings": false, "login": false, "logout": false, "mcp": false, "memory": false, "migrate-installer": false,
	"mobile": false, "model": false, "new": false, "output-style": false, "passes": false, "permissions": false,
	"plugin": false, "plugins": false, "privacy-settings": false, "quit": false, "rate-limit-options": false,
	"release-notes": false, "reload-plugins": false, "remote-control": false, "remote-env": false, "rename": false,
	"reset": false, "resume": false, "rewind": false, "sandbox": false, "settings": false, "skills": false, "stats": false,
	"status": false, "stickers": false, "tasks": false, "teleport": false, "terminal-setup": false, "theme": false,
	"todos": false, "upgrade": false, "usage": false, "vim": false, "voice": false, "web-setup": false,

	"dream": false, "learn": false, // a dream must not learn from itself
}

// maxSetting is how many words the arguments of a command have that a person may type as the beginning of a text:
// "/config is generated, never edit it" is not a command.
const maxSetting = 2

// commandName is the name of a command at the head of a text. A path has a second slash.
var commandName = lazy.New(`^/([A-Za-z][A-Za-z0-9:_.-]*)(?:\s+|$)`)

// typedCommand returns what a person said with a text that may be a command: nothing with one that says nothing to the
// model.
func typedCommand(text string) string {
	m := commandName.FindStringSubmatch(text)
	if m == nil {
		return text
	}
	if args := text[len(m[0]):]; len(strings.Fields(args)) <= maxSetting {
		return commandWords(m[1], args)
	}
	return text
}

// taggedCommand returns what a person said with a command that the host recorded in elements: its name, or its message
// and its name, then its arguments. The first tag is cut off.
func taggedCommand(text string) string {
	head, args, _ := strings.Cut(text, "<command-args>")
	if _, after, ok := strings.Cut(head, "<command-name>"); ok {
		head = after
	}
	name, _, _ := strings.Cut(head, "</command-name>")
	args, _, _ = strings.Cut(args, "</command-args>")
	return commandWords(strings.TrimPrefix(strings.TrimSpace(name), "/"), strings.TrimSpace(args))
}

// unknownName is what a host writes of a command that it does not know: its name, and perhaps the nearest.
var unknownName = lazy.New(`^/?(\S*?)(?:\. Did you mean /?\S+\?)?$`)

// unknownCommand returns the name of the command in a host's answer that it does not know it; "" if v is not one.
func unknownCommand(v Raw) string {
	if !bytes.HasPrefix(v, []byte(`"Unknown `)) {
		return ""
	}
	for _, begin := range []string{"Unknown skill: ", "Unknown command: "} {
		if rest, ok := strings.CutPrefix(v.Text(), begin); ok {
			if m := unknownName.FindStringSubmatch(strings.TrimSpace(rest)); m != nil {
				return m[1]
			}
		}
	}
	return ""
}

// commandWords returns a command as it was typed, if it says anything to the model.
func commandWords(name, args string) string {
	said, local := localCommands[name]
	if name == "" || local && (!said || args == "") || strings.HasSuffix(name, "__dream") || strings.HasSuffix(name, ":dream") {
		return ""
	}
	return strings.TrimSpace("/" + name + " " + args)
}
