package tools

import (
	"bytes"
	"encoding/json"
	"fmt"

	"dream-mcp/memory"
	"dream-mcp/memory/secret"
	"dream-mcp/memory/visible"
)

// A measure says how much of a value is shown.
type measure struct {
	items  int // of a list
	nested int // of a list in a list
	fields int // of an object: more than the longest type has, so that only maps are cut
	chars  int // of a string
}

// less keeps fields, and strings that can be a path, as long as there are lists.
func (m measure) less() measure {
	if m.items == 0 {
		return measure{0, 0, m.fields / 2, m.chars / 2}
	}
	return measure{m.items / 2, m.nested / 2, m.fields, max(m.chars/2, memory.MaxNameBytes)}
}

// bounded shortens a JSON object that has more than so many bytes: of each list it keeps the first items, and says how
// many more there are, of each string the beginning. rest says how to get what is left out.
func bounded(object []byte, most int, rest string) []byte {
	if len(object) <= most {
		return object
	}
	cut, _ := secret.JSON("this is shortened; " + rest)
	head := fmt.Appendf(nil, `{"cut":%s,`, cut)
	for m := (measure{512, 16, 32, 4_000}); ; m = m.less() {
		var b bytes.Buffer
		d := json.NewDecoder(bytes.NewReader(object))
		d.UseNumber()
		m.copy(&b, d, 0)
		if short := append(head[:len(head):len(head)], b.Bytes()[1:]...); len(short) <= most || m.fields == 0 {
			return short
		}
	}
}

// copy copies the next value of a valid JSON text, shortened. lists is how many lists it is in.
func (m measure) copy(b *bytes.Buffer, d *json.Decoder, lists int) {
	token, _ := d.Token()
	open, isDelim := token.(json.Delim)
	if !isDelim {
		if text, isText := token.(string); isText {
			token = visible.Short(text, m.chars)
		}
		value, _ := secret.JSON(token)
		b.Write(value)
		return
	}
	most := m.fields
	if open == '[' {
		most = m.items
		if lists++; lists > 1 {
			most = m.nested
		}
	}
	b.WriteByte(byte(open))
	n := 0
	for ; d.More(); n++ {
		end := b.Len()
		if n > 0 {
			b.WriteByte(',')
		}
		m.copy(b, d, lists)
		if open == '{' {
			b.WriteByte(':')
			m.copy(b, d, lists)
		}
		if n >= most {
			b.Truncate(end)
		}
	}
	_, _ = d.Token()
	if n > most {
		if most > 0 {
			b.WriteByte(',')
		}
		if open == '{' {
			b.WriteString(`"more":`)
		}
		fmt.Fprintf(b, `"… and %d more"`, n-most)
	}
	b.WriteByte(byte(open) + 2)
}
