package install

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// servers is the table of Codex's config.toml below which each server has its own.
const servers = "mcp_servers"

// addTOML adds our server as a table at the end, or brings what ours is started by up to date: its path, and its arguments where
// call has any.
func addTOML(call []string) edit {
	return editTOML(func(text []byte, entry map[string]any) ([]byte, error) {
		newline := "\n"
		if bytes.Contains(text, []byte("\r\n")) {
			newline = "\r\n"
		}
		line := func(key string, value any) string {
			quoted, _ := render(value, "", "", "") // what JSON escapes, TOML escapes in the same way
			return key + " = " + string(quoted)
		}
		if entry == nil {
			lead, end := "", newline
			switch {
			case len(text) == 0:
			case bytes.HasSuffix(text, []byte("\n")):
				lead = newline
			default:
				lead, end = newline+newline, "" // as the file has it
			}
			lines := []string{fmt.Sprintf("%s[%s.%s]", lead, servers, server), line("command", call[0])}
			if len(call) > 1 {
				lines = append(lines, line("args", call[1:]))
			}
			return append(bytes.Clone(text), strings.Join(lines, newline)+end...), nil
		}
		set := func(key string, value any) error {
			_, values, err := sections(text)
			at, ok := values[key]
			command, known := values["command"]
			switch {
			case err != nil:
				return err
			case ok:
				text = slices.Concat(text[:at.from], []byte(line(key, value)), text[at.to:])
			case known && entry[key] == nil:
				text = slices.Concat(text[:command.from], []byte(line(key, value)+newline), text[command.from:])
			default:
				return errForm
			}
			return nil
		}
		if entry["command"] != call[0] {
			if err := set("command", call[0]); err != nil {
				return nil, err
			}
		}
		if len(call) > 1 && fmt.Sprintf("%q", entry["args"]) != fmt.Sprintf("%q", call[1:]) {
			if err := set("args", call[1:]); err != nil {
				return nil, err
			}
		}
		return text, nil
	})
}

var errForm = fmt.Errorf("its server %q is written in a form that can only be changed by hand", server)

// removeTOML takes the tables of our server out, with the empty line before them.
func removeTOML() edit {
	return editTOML(func(text []byte, entry map[string]any) ([]byte, error) {
		if entry == nil {
			return text, nil
		}
		tables, _, err := sections(text)
		if err == nil && len(tables) == 0 {
			err = errForm
		}
		if err != nil {
			return nil, err
		}
		for _, t := range slices.Backward(tables) {
			before, after := text[:t.from], text[t.to:]
			newline := []byte("\n")
			if bytes.HasSuffix(before, []byte("\r\n")) {
				newline = []byte("\r\n")
			}
			if rest, ok := bytes.CutSuffix(before, newline); ok && (len(rest) == 0 || bytes.HasSuffix(rest, []byte("\n"))) {
				before = rest
				if len(after) == 0 && !bytes.HasSuffix(text, []byte("\n")) {
					before = bytes.TrimSuffix(before, newline)
				}
			}
			text = slices.Concat(before, after)
		}
		return text, nil
	})
}

// span is a part of a text.
type span struct{ from, to int }

// sections returns where the tables of our server are, whole lines from a header to the last value, and
// the keys of its own table with their values. What a person wrote after the last value stays.
func sections(text []byte) (tables []span, values map[string]span, err error) {
	values = map[string]span{}
	p := unstable.Parser{}
	p.Reset(text)
	lineEnd := func(at int) int {
		if i := bytes.IndexByte(text[at:], '\n'); i >= 0 {
			return at + i + 1
		}
		return len(text)
	}
	ours, exact := false, false
	for p.NextExpression() {
		e := p.Expression()
		var keys []string
		from := -1 // where the key begins
		for it := e.Key(); it.Next(); {
			if from < 0 {
				from = int(it.Node().Raw.Offset)
			}
			keys = append(keys, string(it.Node().Data))
		}
		switch e.Kind {
		case unstable.Table, unstable.ArrayTable:
			was := ours
			ours = len(keys) >= 2 && keys[0] == servers && keys[1] == server
			exact = ours && len(keys) == 2
			if ours && !was {
				tables = append(tables, span{from: bytes.LastIndexByte(text[:from], '\n') + 1})
			}
			if ours {
				tables[len(tables)-1].to = lineEnd(from)
			}
		case unstable.KeyValue:
			if !ours {
				continue
			}
			end := int(e.Raw.Offset + e.Raw.Length)
			tables[len(tables)-1].to = lineEnd(end)
			if exact && len(keys) == 1 {
				values[keys[0]] = span{from, end}
			}
		}
	}
	return tables, values, p.Error()
}

// editTOML makes an edit of a TOML file, as editJSON does. The edit is given what the file says of our server, nil where it says
// nothing.
func editTOML(do func(text []byte, entry map[string]any) ([]byte, error)) edit {
	return checked(func(whole []byte) ([]byte, error) {
		text, marked := bytes.CutPrefix(whole, bom)
		all, err := decodeTOML(text)
		if err != nil {
			return nil, err
		}
		list, _ := all[servers].(map[string]any)
		entry, _ := list[server].(map[string]any)
		if entry == nil && list[server] != nil {
			return nil, errForm
		}
		if command, _ := entry["command"].(string); entry != nil && !starts(command) {
			return nil, &TakenError{command}
		}
		after, err := do(text, entry)
		if err == nil && marked {
			after = slices.Concat(bom, after)
		}
		return after, err
	}, decodeTOML)
}

// decodeTOML returns what a text says.
func decodeTOML(text []byte) (all map[string]any, err error) {
	err = toml.Unmarshal(bytes.TrimPrefix(text, bom), &all)
	return all, err
}
