package install

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"dream-mcp/memory/lazy"
)

// servers is the table of a host's TOML file that holds a table for each server.
const servers = "mcp_servers"

// addTOML adds our server as a table at the end, or updates its command: the path, and the arguments if call has any.
func addTOML(call []string) edit {
	type field struct {
		key   string
		value any
	}
	fields := []field{{"command", call[0]}}
	if len(call) > 1 {
		fields = append(fields, field{"args", call[1:]})
	}
	return editTOML(func(text []byte, entry map[string]any) ([]byte, error) {
		newline := "\n"
		if bytes.Contains(text, []byte("\r\n")) {
			newline = "\r\n"
		}
		line := func(f field) string {
			value := render(f.value, "", "", "") // TOML escapes what JSON does
			return f.key + " = " + string(value.Pack())
		}
		if entry == nil {
			table, end := fmt.Sprintf("[%s.%s]", servers, server), newline
			for _, f := range fields {
				table += newline + line(f)
			}
			switch {
			case len(text) == 0:
			case bytes.HasSuffix(text, []byte("\n")):
				table = newline + table
			default:
				table, end = newline+newline+table, "" // as before, no newline at the end
			}
			return append(bytes.Clone(text), table+end...), nil
		}
		for _, f := range fields {
			if fmt.Sprintf("%q", entry[f.key]) == fmt.Sprintf("%q", f.value) {
				continue
			}
			_, values, err := sections(text)
			if err != nil {
				return nil, err
			}
			at, ok := values[f.key]
			end := ""
			if !ok && entry[f.key] == nil {
				at, ok = values["command"] // insert a line before it
				at.to, end = at.from, newline
			}
			if !ok {
				return nil, errForm
			}
			text = slices.Concat(text[:at.from], []byte(line(f)+end), text[at.to:])
		}
		return text, nil
	})
}

var errForm = fmt.Errorf("its server %q is written in a form that can only be changed by hand", server)

// emptyLine matches an empty line at the end of a text.
var emptyLine = lazy.New(`(^|\n)\r?\n$`)

// removeTOML removes the tables of our server, each with the empty line before it.
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
			before, after := emptyLine.ReplaceAll(text[:t.from], []byte("$1")), text[t.to:]
			if len(after) == 0 && !bytes.HasSuffix(text, []byte("\n")) {
				before = bytes.TrimSuffix(bytes.TrimSuffix(before, []byte("\n")), []byte("\r"))
			}
			text = slices.Concat(before, after)
		}
		return text, nil
	})
}

// span is a part of a text.
type span struct{ from, to int }

// sections returns the tables of our server, as lines from the header to the last value, and the pairs of its own table
// by key. Comments after the last value are not part of a table.
func sections(text []byte) (tables []span, values map[string]span, err error) {
	values = map[string]span{}
	lineEnd := func(at int) int {
		if i := bytes.IndexByte(text[at:], '\n'); i >= 0 {
			return at + i + 1
		}
		return len(text)
	}
	var table []string
	p := unstable.Parser{}
	p.Reset(text)
	for p.NextExpression() {
		e := p.Expression()
		var keys []string
		from := len(text) // where the key begins
		for it := e.Key(); it.Next(); {
			from = min(from, int(it.Node().Raw.Offset))
			keys = append(keys, string(it.Node().Data))
		}
		if e.Kind != unstable.KeyValue {
			table = keys
		}
		switch ours := len(table) >= 2 && table[0] == servers && table[1] == server; {
		case !ours:
		case e.Kind == unstable.KeyValue:
			end := int(e.Raw.Offset + e.Raw.Length)
			tables[len(tables)-1].to = lineEnd(end)
			if len(table) == 2 && len(keys) == 1 {
				values[keys[0]] = span{from, end}
			}
		default:
			tables = append(tables, span{bytes.LastIndexByte(text[:from], '\n') + 1, lineEnd(from)})
		}
	}
	return tables, values, p.Error()
}

// editTOML returns an edit of a TOML file. do is given the decoded entry of our server, nil if there is none.
func editTOML(do func(text []byte, entry map[string]any) ([]byte, error)) edit {
	return checked(func(whole []byte) ([]byte, error) {
		text, marked := bytes.CutPrefix(whole, bom)
		all, err := decodeTOML(text)
		if err != nil {
			return nil, err
		}
		list, _ := all[servers].(map[string]any)
		entry, _ := list[server].(map[string]any)
		if list[server] != nil {
			if err := checkOurs(entry); err != nil {
				return nil, err
			}
		}
		after, err := do(text, entry)
		if err == nil && marked {
			after = slices.Concat(bom, after)
		}
		return after, err
	}, decodeTOML)
}

// decodeTOML decodes TOML.
func decodeTOML(text []byte) (all map[string]any, err error) {
	err = toml.Unmarshal(bytes.TrimPrefix(text, bom), &all)
	return all, err
}
