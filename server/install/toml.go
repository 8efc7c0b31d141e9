package install

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// servers is the table of Codex's config.toml below which each server has its own.
const servers = "mcp_servers"

// addTOML adds our server as a table at the end, or brings the path of ours up to date.
func addTOML(self string) edit {
	return checkedTOML(func(text []byte, entry map[string]any) ([]byte, error) {
		quoted, err := style{}.render(self, "") // what JSON escapes, TOML escapes alike
		if err != nil {
			return nil, err
		}
		if entry == nil {
			newline, lead, end := "\n", "", "\n"
			if bytes.Contains(text, []byte("\r\n")) {
				newline, end = "\r\n", "\r\n"
			}
			switch {
			case len(text) == 0:
			case bytes.HasSuffix(text, []byte("\n")):
				lead = newline
			default:
				lead, end = newline+newline, "" // as the file has it
			}
			section := fmt.Sprintf("%s[%s.%s]%scommand = %s%s", lead, servers, server, newline, quoted, end)
			return append(bytes.Clone(text), section...), nil
		}
		if entry["command"] == self {
			return text, nil
		}
		_, command, err := sections(text)
		if err == nil && command.to == 0 {
			err = errForm
		}
		if err != nil {
			return nil, err
		}
		return bytes.Join([][]byte{text[:command.from], []byte(quoted), text[command.to:]}, nil), nil
	})
}

var errForm = fmt.Errorf("its server %q is written in a form that can only be changed by hand", server)

// removeTOML takes the tables of our server out, with the empty line before them.
func removeTOML() edit {
	return checkedTOML(func(text []byte, entry map[string]any) ([]byte, error) {
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

// sections returns where the tables of our server stand, whole lines from a header to the last value, and
// the value of its command. What a person wrote behind the last value stays.
func sections(text []byte) (tables []span, command span, err error) {
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
		from := -1
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
			tables[len(tables)-1].to = lineEnd(int(e.Raw.Offset + e.Raw.Length))
			if v := e.Value(); exact && len(keys) == 1 && keys[0] == "command" && v.Kind == unstable.String {
				command = span{int(v.Raw.Offset), int(v.Raw.Offset + v.Raw.Length)}
			}
		}
	}
	return tables, command, p.Error()
}

// checkedTOML makes an edit of a TOML file safe, as checked does. The edit is given what the file says of
// our server, nil where it says nothing.
func checkedTOML(do func(text []byte, entry map[string]any) ([]byte, error)) edit {
	return func(whole []byte) ([]byte, error) {
		text, marked := bytes.CutPrefix(whole, bom)
		var was, is map[string]any
		if err := toml.Unmarshal(text, &was); err != nil {
			return nil, err
		}
		list, _ := was[servers].(map[string]any)
		entry, _ := list[server].(map[string]any)
		if entry == nil && list[server] != nil {
			return nil, errForm
		}
		if entry != nil {
			if command, _ := entry["command"].(string); !starts(command) {
				return nil, &TakenError{command}
			}
		}
		after, err := do(text, entry)
		if err != nil {
			return nil, err
		}
		if err := toml.Unmarshal(after, &is); err != nil {
			return nil, errElse
		}
		without(was, servers, server)
		without(is, servers, server)
		if len(was)+len(is) > 0 && !reflect.DeepEqual(was, is) {
			return nil, errElse
		}
		if marked {
			after = slices.Concat(bom, after)
		}
		return after, nil
	}
}
