package install

import (
	"encoding/json"
	"fmt"
	"path"
	"reflect"
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
		at, err := d.find(list, server)
		if err != nil {
			return err
		}
		if at == nil {
			return d.put(entry, list, server)
		}
		command, err := commandOf(at)
		if err != nil {
			return err
		}
		if words, ok := command.Value.(*hujson.Array); ok { // with its arguments
			if len(call) > 1 {
				return update(command, call)
			}
			return update(&words.Elements[0], call[0])
		}
		if err := update(command, call[0]); err != nil || len(call) == 1 {
			return err
		}
		args, err := member(at, "args")
		if err != nil {
			return err
		}
		if args == nil {
			return d.put(call[1:], list, server, "args")
		}
		return update(args, call[1:])
	}), decodeJSON)
}

// removeJSON takes our server out.
func removeJSON(list string) edit {
	return checked(editJSON(func(d *document) error {
		at, err := d.find(list, server)
		if at == nil || err != nil {
			return err
		}
		if _, err := commandOf(at); err != nil {
			return err
		}
		return d.drop(list, server)
	}), decodeJSON)
}

// setting sets the text that keys name.
func setting(keys []string, value string) edit {
	return editJSON(func(d *document) error {
		at, err := d.find(keys...)
		if err != nil {
			return err
		}
		if at == nil {
			return d.put(value, keys...)
		}
		return update(at, value)
	})
}

// update sets a value, unless it says the same already.
func update[T any](v *hujson.Value, wanted T) error {
	had := v.Clone()
	had.Standardize()
	var have T
	if json.Unmarshal(had.Pack(), &have) == nil && reflect.DeepEqual(have, wanted) {
		return nil
	}
	return replace(v, wanted)
}

// commandOf returns the command of an entry, a string or an array; it is a *TakenError where that does not start us.
func commandOf(entry *hujson.Value) (*hujson.Value, error) {
	command, err := member(entry, "command")
	if err != nil {
		return nil, err
	}
	if command == nil {
		return nil, &TakenError{"something without a command"}
	}
	program := command
	if words, ok := command.Value.(*hujson.Array); ok && len(words.Elements) > 0 {
		program = &words.Elements[0]
	}
	word, ok := program.Value.(hujson.Literal)
	if !ok || word.Kind() != '"' {
		return nil, &TakenError{"something that is not a command"}
	}
	if !starts(word.String()) {
		return nil, &TakenError{word.String()}
	}
	return command, nil
}
