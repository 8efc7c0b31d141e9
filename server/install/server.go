package install

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"reflect"
	"slices"
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

// An edit makes of a file's text what it is to become: the same text where nothing is to be done.
type edit func(text []byte) ([]byte, error)

// starts reports whether a command is this program, wherever it lies.
func starts(command string) bool {
	return strings.TrimSuffix(path.Base(strings.ReplaceAll(command, `\`, "/")), ".exe") == "dream-mcp"
}

// addJSON adds our server below the member list, or brings what ours is started by up to date: its path, and its arguments where
// call has any.
func addJSON(list string, entry any, call []string) edit {
	return checked(func(text []byte) ([]byte, error) {
		v, err := root(text)
		if err != nil {
			return nil, err
		}
		at, err := find(v, list, server)
		if err != nil {
			return nil, err
		}
		if at == nil {
			return put(text, []string{list, server}, entry)
		}
		command, word, err := commandOf(at)
		if err != nil {
			return text, err
		}
		if word != call[0] {
			if text, err = literal(text, command, call[0]); err != nil {
				return nil, err
			}
		}
		if len(call) == 1 {
			return text, nil
		}
		return setArgs(text, list, call)
	}, func(all map[string]any) { without(all, list, server) })
}

// setArgs gives the entry of our server the arguments of call.
func setArgs(text []byte, list string, call []string) ([]byte, error) {
	v, err := root(text)
	if err != nil {
		return nil, err
	}
	at, err := find(v, list, server)
	if err != nil {
		return nil, err
	}
	wanted := call[1:]
	args, err := member(at, "command")
	if err != nil {
		return nil, err
	}
	if args.Value.Kind() == '[' { // the command is a list, with its arguments
		wanted = call
	} else if args, err = member(at, "args"); err != nil {
		return nil, err
	}
	if args == nil {
		return insert(text, v, at, "args", wanted)
	}
	var have []string
	if plain, err := hujson.Standardize(bytes.Clone(text[args.StartOffset:args.EndOffset])); err == nil &&
		json.Unmarshal(plain, &have) == nil && slices.Equal(have, wanted) {
		return text, nil
	}
	return literal(text, args, wanted)
}

// removeJSON takes our server out.
func removeJSON(list string) edit {
	return checked(func(text []byte) ([]byte, error) {
		v, err := root(text)
		if err != nil {
			return nil, err
		}
		at, err := find(v, list, server)
		if at == nil || err != nil {
			return text, err
		}
		if _, _, err := commandOf(at); err != nil {
			return text, err
		}
		return drop(text, list, server)
	}, func(all map[string]any) { without(all, list, server) })
}

// commandOf is where an entry names the program, and the program; a *TakenError where that is not ours.
func commandOf(entry *hujson.Value) (*hujson.Value, string, error) {
	if entry.Value.Kind() != '{' {
		return nil, "", fmt.Errorf("its server %q is no object", server)
	}
	command, err := member(entry, "command")
	if err != nil {
		return nil, "", err
	}
	if command == nil {
		return nil, "", &TakenError{"something without a command"}
	}
	if words, ok := command.Value.(*hujson.Array); ok && len(words.Elements) > 0 {
		command = &words.Elements[0]
	}
	word, ok := command.Value.(hujson.Literal)
	if !ok || word.Kind() != '"' {
		return nil, "", &TakenError{"something that is no command"}
	}
	if !starts(word.String()) {
		return nil, "", &TakenError{word.String()}
	}
	return command, word.String(), nil
}

var errElse = errors.New("the edit would have changed something else; nothing was written")

// checked makes an edit of a JSON file safe: the byte order mark stays, the same text comes back where
// nothing is to be done, and what the file says beside ours (which strip takes away) must be the same
// afterwards.
func checked(do edit, strip func(map[string]any)) edit {
	return func(text []byte) ([]byte, error) {
		mark, rest := trim(text)
		after, err := do(rest)
		if err != nil {
			return nil, err
		}
		if string(after) == string(rest) {
			return text, nil
		}
		was, err := decode(rest)
		if err != nil {
			return nil, err
		}
		is, err := decode(after)
		if err != nil {
			return nil, err
		}
		strip(was)
		strip(is)
		if !reflect.DeepEqual(was, is) {
			return nil, errElse
		}
		if json.Valid(rest) && !json.Valid(after) { // not every host takes comments
			return nil, errElse
		}
		return append(append([]byte(nil), mark...), after...), nil
	}
}
