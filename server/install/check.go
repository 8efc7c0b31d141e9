package install

import (
	"bytes"
	"encoding/json"
	"errors"
	"path/filepath"
	"reflect"
	"slices"

	"dream-mcp/server/settings"
)

var errElse = errors.New("the edit would have changed something else; nothing was written")

// checked makes an edit fail if anything but what starts us would differ in the decoded file.
func checked(do edit, decode func([]byte) (map[string]any, error)) edit {
	return func(text []byte) ([]byte, error) {
		after, err := do(text)
		if err != nil || bytes.Equal(after, text) {
			return after, err
		}
		was, _ := decode(text) // nil for a blank file
		is, err := decode(after)
		if err != nil || !reflect.DeepEqual(others(was), others(is)) {
			return nil, errElse
		}
		return after, nil
	}
}

// decoder returns the function that decodes a file of that name.
func decoder(path string) func([]byte) (map[string]any, error) {
	if filepath.Ext(path) == ".toml" {
		return decodeTOML
	}
	return decodeJSON
}

// decodeJSON decodes JSON with comments and trailing commas.
func decodeJSON(text []byte) (all map[string]any, err error) {
	v, err := settings.ParseJSON(bytes.TrimPrefix(text, bom))
	if err != nil {
		return nil, err
	}
	v.Standardize()
	d := json.NewDecoder(bytes.NewReader(v.Pack()))
	d.UseNumber()
	return all, d.Decode(&all)
}

// others removes from a decoded value what starts us, our rules, groups of nothing but our hooks, and what is empty. It
// returns nil if nothing is left.
func others(v any) any {
	switch v := v.(type) {
	case map[string]any:
		if command := commandLine(v); len(command) > 0 && (starts(command[0]) || isHook(command[0])) {
			return nil
		}
		if group, _ := v["hooks"].([]any); len(group) > 0 && others(group) == nil {
			return nil
		}
		for name := range v {
			if v[name] = others(v[name]); v[name] == nil {
				delete(v, name)
			}
		}
		if len(v) > 0 {
			return v
		}
		return nil
	case string:
		if isRule(v) {
			return nil
		}
	case []any:
		for i := range v {
			v[i] = others(v[i])
		}
		if v = slices.DeleteFunc(v, func(value any) bool { return value == nil }); len(v) > 0 {
			return v
		}
		return nil
	}
	return v
}
