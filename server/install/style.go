package install

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/tailscale/hujson"
)

// style is how a text is laid out.
type style struct {
	newline string // "" where all is in one line
	unit    string // of indentation
	space   string // behind commas and colons of what stands in one line
}

func styleOf(text []byte, v *hujson.Value) style {
	s := style{newline: "\n", unit: "  ", space: " "}
	if bytes.Contains(text, []byte("\r\n")) {
		s.newline = "\r\n"
	}
	all, _ := items(v)
	if len(all) == 0 {
		return s
	}
	before := text[v.StartOffset+1 : all[0].from]
	if at := bytes.LastIndexByte(before, '\n'); at >= 0 {
		if unit := string(before[at+1:]); unit != "" && strings.Trim(unit, blanks) == "" {
			s.unit = unit
		}
	} else if !bytes.ContainsRune(text[v.StartOffset:v.EndOffset], '\n') {
		s.newline = ""
		if !bytes.ContainsAny(text[v.StartOffset:v.EndOffset], " ") {
			s.space = ""
		}
	}
	return s
}

// render writes a value, each line but the first behind prefix.
func (s style) render(v any, prefix string) (string, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if s.newline != "" {
		e.SetIndent(prefix, s.unit)
	}
	if err := e.Encode(v); err != nil {
		return "", err
	}
	return strings.ReplaceAll(strings.TrimSuffix(b.String(), "\n"), "\n", s.newline), nil
}

// indent returns the blanks at the beginning of the line of an offset.
func indent(text []byte, at int) string {
	line := text[bytes.LastIndexByte(text[:at], '\n')+1 : at]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}
