package install

import (
	"encoding/json"
	"fmt"
	"path"
	"strings"

	"github.com/tailscale/hujson"
)

// server is what the hosts call us.
const server = "dream"

// A TakenError says that a host's file has a server of our name that is not ours.
type TakenError struct{ Command string }

func (e *TakenError) Error() string {
	return fmt.Sprintf("it has a server %q that starts %q", server, e.Command)
}

// starts reports whether a command is this program, in whatever folder.
func starts(command string) bool {
	return strings.TrimSuffix(path.Base(strings.ReplaceAll(command, `\`, "/")), ".exe") == "dream-mcp"
}

// addJSON adds our server below the member list, or brings what ours is started by up to date: its path, and its arguments where
// call has any.
func addJSON(list string, entry any, call []string) edit {
	return checked(editJSON(func(d *document) error {
		at, err := d.server(list)
		if err != nil {
			return err
		}
		if at == nil {
			return d.set(entry, list, server)
		}
		command, err := member(at, "command")
		if words, ok := command.Value.(*hujson.Array); ok { // with its arguments
			if len(call) > 1 {
				update(command, call)
			} else {
				update(&words.Elements[0], call[0])
			}
			return err
		}
		update(command, call[0])
		if err == nil && len(call) > 1 {
			err = d.set(call[1:], list, server, "args")
		}
		return err
	}), decodeJSON)
}

// removeJSON removes our server, and what that leaves empty.
func removeJSON(list string) edit {
	return checked(editJSON(func(d *document) error {
		at, err := d.server(list)
		prune(d.root, func(v *hujson.Value) bool { return v == at })
		return err
	}), decodeJSON)
}

// server returns our entry below the member list, nil where there is none. It is a *TakenError where that does not start us.
func (d *document) server(list string) (*hujson.Value, error) {
	at, err := d.find(list, server)
	if at == nil || err != nil {
		return nil, err
	}
	var entry any
	plain, _ := hujson.Standardize(at.Pack())
	json.Unmarshal(plain, &entry)
	return at, checkOurs(entry)
}

// checkOurs returns a *TakenError where a server of our name does not start us.
func checkOurs(entry any) error {
	command := commandLine(entry)
	if len(command) == 0 {
		return &TakenError{"something else"}
	}
	if !starts(command[0]) {
		return &TakenError{command[0]}
	}
	return nil
}

// setting sets the text that keys name.
func setting(keys []string, value string) edit {
	return editJSON(func(d *document) error { return d.set(value, keys...) })
}
