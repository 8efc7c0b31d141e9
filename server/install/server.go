package install

import (
	"encoding/json"
	"fmt"
	"path"
	"strings"

	"github.com/tailscale/hujson"
)

// server is our name in the hosts' files.
const server = "dream"

// A TakenError is the error of a host's file with a server of our name that does not start us.
type TakenError struct{ Command string }

func (e *TakenError) Error() string {
	return fmt.Sprintf("it has a server %q that starts %q", server, e.Command)
}

// starts reports whether a command is this program, wherever it is.
func starts(command string) bool {
	return strings.TrimSuffix(path.Base(strings.ReplaceAll(command, `\`, "/")), ".exe") == "dream-mcp"
}

// addJSON adds our server below the member list, or updates its command: the path, and the arguments if call has any.
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

// removeJSON removes our server, and the object that this leaves empty.
func removeJSON(list string) edit {
	return checked(editJSON(func(d *document) error {
		at, err := d.server(list)
		prune(d.root, func(v *hujson.Value) bool { return v == at })
		return err
	}), decodeJSON)
}

// server returns our entry below the member list, nil if there is none. It fails with a *TakenError if that does not
// start us.
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

// checkOurs returns a *TakenError unless the decoded entry starts us.
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

// setting sets the value at a path of keys.
func setting(keys []string, value string) edit {
	return editJSON(func(d *document) error { return d.set(value, keys...) })
}

// withoutSetting removes the value at a path of keys, the objects that this leaves empty, and a file with nothing else.
func withoutSetting(keys []string) edit {
	remove := editJSON(func(d *document) error {
		at, err := d.find(keys...)
		if at != nil && err == nil {
			prune(d.root, func(v *hujson.Value) bool { return v == at })
		}
		return err
	})
	return func(text []byte) ([]byte, error) {
		after, err := remove(text)
		if strings.TrimSpace(string(after)) == "{}" {
			after = nil
		}
		return after, err
	}
}
