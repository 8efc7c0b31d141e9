package secret

import (
	"bytes"
	"encoding/json"
	"io"
	"slices"
	"strings"

	"dream-mcp/memory/visible"
)

// maxContext bounds the value, in bytes, that is judged together with its key.
const maxContext = 4 << 10

// ShowJSON masks the credentials and hidden characters of the strings of a JSON text, keys included; all else of it
// stays. A string that is itself a JSON object or array is treated the same way. exact is called with the key of a
// value, and with how many objects and arrays it is in; if it returns true, the value stays. A text that is not JSON is
// returned as it is.
func (a Allowed) ShowJSON(data []byte, exact func(depth int, key string) bool) []byte {
	return MapJSON(data, func(depth int, key, text string, isKey bool) string {
		switch {
		case isKey:
		case exact != nil && exact(depth, key):
			return text
		case IsJSON(text):
			return string(a.ShowJSON([]byte(text), nil))
		}
		shown := showHidden(a.credentials(text)).Text
		if !isKey && shown == text && key != "" && len(text) <= maxContext {
			shown = a.showValue(key, text)
		}
		return shown
	})
}

// IsJSON reports whether a text is a JSON object or array.
func IsJSON(text string) bool {
	start := strings.TrimLeft(text, " \t\r\n")
	return start != "" && strings.Contains("{[", start[:1]) && json.Valid([]byte(text))
}

// MapJSON replaces the strings of a JSON text, keys included, by what change makes of them, and leaves all else as it
// is. change is given the key of a value, and how many objects and arrays it is in. A text that is not JSON is returned
// as it is.
func MapJSON(data []byte, change func(depth int, key, text string, isKey bool) string) []byte {
	if !json.Valid(data) {
		return data
	}
	var out []byte // nil as long as nothing was replaced
	kept, depth, key := 0, 0, ""
	for i := 0; i < len(data); i++ {
		switch data[i] {
		case '{', '[':
			depth, key = depth+1, ""
		case '}', ']':
			depth, key = depth-1, ""
		}
		if data[i] != '"' {
			continue
		}
		from := i
		for i++; data[i] != '"'; i++ {
			if data[i] == '\\' {
				i++
			}
		}
		var text string
		json.Unmarshal(data[from:i+1], &text) // it cannot fail
		isKey := bytes.HasPrefix(bytes.TrimLeft(data[i+1:], " \t\r\n"), []byte(":"))
		if isKey {
			key = text
		}
		if is := change(depth, key, text, isKey); is != text {
			quoted, _ := JSON(is) // a string can always be encoded
			out = append(append(out, data[kept:from]...), quoted...)
			kept = i + 1
		}
	}
	if out == nil {
		return data
	}
	return append(out, data[kept:]...)
}

// showValue masks a value that only its key makes a credential.
func (a Allowed) showValue(key, value string) string {
	before := key + ": "
	spans := slices.DeleteFunc(a.find(before+value), func(s Span) bool { return s.From < len(before) })
	for i := range spans {
		spans[i].From -= len(before)
		spans[i].To -= len(before)
	}
	return cover(value, spans).Text
}

// JSON encodes v on one line. It leaves <, > and & as they are, whose escapes cost a model tokens.
func JSON(v any) ([]byte, error) {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(text.Bytes(), []byte("\n")), err
}

// Writer masks the credentials and hidden characters of what is written through it. A credential is recognised only
// within one Write.
type Writer struct {
	Out     io.Writer
	Allowed Allowed
	Colours []string // the sequences that set colours on a terminal, which pass; nil for none
}

// Write writes the text as it may be shown, and reports as written what was given.
func (w *Writer) Write(p []byte) (int, error) {
	text := w.Allowed.credentials(string(p)).Text
	runs := slices.DeleteFunc(visible.Runs(text), func(r visible.Run) bool {
		return slices.ContainsFunc(w.Colours, func(c string) bool { return r.To == r.From+1 && strings.HasPrefix(text[r.From:], c) })
	})
	if _, err := io.WriteString(w.Out, visible.Replace(text, runs)); err != nil {
		return 0, err
	}
	return len(p), nil
}
