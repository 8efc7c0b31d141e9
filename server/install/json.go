package install

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"dream-mcp/server/settings"
)

var bom = []byte("\ufeff")

// An edit returns the new text of a file: the same text if there is nothing to change.
type edit func(text []byte) ([]byte, error)

// editJSON returns an edit of a JSON file with comments and trailing commas. A byte order mark stays.
func editJSON(do func(*document) error) edit {
	return func(text []byte) ([]byte, error) {
		rest, marked := bytes.CutPrefix(text, bom)
		if len(bytes.TrimSpace(rest)) == 0 {
			rest = []byte("{}\n")
		}
		d, err := parse(rest)
		if err != nil {
			return nil, err
		}
		if err := do(d); err != nil {
			return nil, err
		}
		after := d.root.Pack()
		switch {
		case bytes.Equal(after, rest):
			return text, nil
		case json.Valid(rest) && !json.Valid(after): // not every host reads comments
			return nil, errElse
		case marked:
			after = slices.Concat(bom, after)
		}
		return after, nil
	}
}

// document is a JSON file and its layout.
type document struct {
	root    *hujson.Value
	newline string // "" if the file is one line
	unit    string // of indentation
	space   string // after commas and colons in a line
}

const blanks = " \t\r\n"

func parse(text []byte) (*document, error) {
	v, err := settings.ParseJSON(text)
	if err != nil {
		return nil, err
	}
	o, ok := v.Value.(*hujson.Object)
	if !ok {
		return nil, errors.New("it does not hold a JSON object")
	}
	d := &document{root: &v, newline: "\n", unit: "  ", space: " "}
	if bytes.Contains(text, []byte("\r\n")) {
		d.newline = "\r\n"
	}
	if len(o.Members) == 0 {
		return d, nil
	}
	body := text[v.StartOffset:v.EndOffset]
	if unit, ok := indentOf(o.Members[0].Name.BeforeExtra); ok && unit != "" {
		d.unit = unit
	} else if !bytes.ContainsRune(body, '\n') {
		d.newline = ""
		if !bytes.ContainsRune(body, ' ') {
			d.space = ""
		}
	}
	return d, nil
}

// indentOf returns the indentation of a value from what is before it; ok is false if the value does not begin a line.
func indentOf(before hujson.Extra) (string, bool) {
	at := bytes.LastIndexByte(before, '\n')
	indent := string(before[at+1:])
	return indent, at >= 0 && strings.Trim(indent, " \t") == ""
}

// member returns the value of a name in the object v, nil if there is none. A duplicate name is an error: programs
// differ in which of the two they read.
func member(v *hujson.Value, name string) (found *hujson.Value, err error) {
	o, ok := v.Value.(*hujson.Object)
	if !ok {
		return nil, nil
	}
	for i := range o.Members {
		if o.Members[i].Name.Value.(hujson.Literal).String() != name {
			continue
		}
		if found != nil {
			return nil, fmt.Errorf("duplicate key %q", name)
		}
		found = &o.Members[i].Value
	}
	return found, nil
}

// find follows names from the root. It returns nil if one is missing.
func (d *document) find(path ...string) (v *hujson.Value, err error) {
	v = d.root
	for _, name := range path {
		if v, err = member(v, name); v == nil || err != nil {
			return nil, err
		}
	}
	return v, nil
}

// set sets the value at a path of names, and creates the objects that are missing on the way. If the last name is "",
// the value is appended to an array.
func (d *document) set(value any, path ...string) error {
	c, indent := d.root, ""
	for i, name := range path {
		next, err := member(c, name)
		if err != nil {
			return err
		}
		if next == nil || name == "" {
			for _, below := range slices.Backward(path[i+1:]) {
				if below == "" {
					value = []any{value}
				} else {
					value = map[string]any{below: value}
				}
			}
			return d.insert(c, indent, name, value)
		}
		c, indent = next, d.inner(c, indent)
	}
	update(c, value)
	return nil
}

// items returns the first and the last value of each item of an object or array, and the extra after the last item.
func items(c *hujson.Value) (first, last []*hujson.Value, after *hujson.Extra) {
	switch c := c.Value.(type) {
	case *hujson.Object:
		for i := range c.Members {
			first, last = append(first, &c.Members[i].Name), append(last, &c.Members[i].Value)
		}
		return first, last, &c.AfterExtra
	case *hujson.Array:
		for i := range c.Elements {
			first = append(first, &c.Elements[i])
		}
		return first, first, &c.AfterExtra
	}
	return nil, nil, new(hujson.Extra)
}

// inner returns the indentation of the items of c, which begins in a line with the indentation indent.
func (d *document) inner(c *hujson.Value, indent string) string {
	first, _, _ := items(c)
	for _, v := range slices.Backward(first) {
		if in, ok := indentOf(v.BeforeExtra); ok {
			return in
		}
	}
	return indent + d.unit
}

// insert appends an item to c, a member or with the name "" an element, in the layout of those before it.
func (d *document) insert(c *hujson.Value, indent, name string, value any) error {
	first, last, after := items(c)
	prefix, newline := d.inner(c, indent), d.newline
	if len(first) > 0 && !bytes.ContainsRune(first[0].BeforeExtra, '\n') && !bytes.ContainsRune(*after, '\n') {
		newline = "" // this list is in one line
	}
	lead := d.space
	switch {
	case newline != "":
		lead = newline + prefix
	case len(first) == 0:
		lead = ""
	}
	comments := len(bytes.TrimRight(*after, blanks)) // they stay with the item before
	before := slices.Concat((*after)[:comments], hujson.Extra(lead))
	*after = (*after)[comments:]
	if len(first) == 0 && newline != "" {
		*after = hujson.Extra(newline + indent)
	}
	item := render(value, newline, prefix, d.unit)
	if len(last) > 0 && last[len(last)-1].AfterExtra != nil {
		item.AfterExtra = hujson.Extra{} // a comma follows it too
	}
	object, _ := c.Value.(*hujson.Object)
	array, _ := c.Value.(*hujson.Array)
	switch {
	case object != nil && name != "":
		item.BeforeExtra = hujson.Extra(d.space)
		object.Members = append(object.Members, hujson.ObjectMember{Name: hujson.Value{BeforeExtra: before, Value: hujson.String(name)}, Value: item})
	case array != nil && name == "":
		item.BeforeExtra = before
		array.Elements = append(array.Elements, item)
	default:
		return fmt.Errorf("%q cannot be added: what should hold it has another type", name)
	}
	return nil
}

// prune removes what is ours below v, and the objects and arrays that this leaves empty. It reports whether v itself
// should be removed.
func prune(v *hujson.Value, ours func(*hujson.Value) bool) (gone bool) {
	if ours(v) {
		return true
	}
	_, values, after := items(v)
	for i, item := range slices.Backward(values) {
		if prune(item, ours) {
			remove(v, i)
			gone = true
		}
	}
	first, _, _ := items(v)
	return gone && len(first) == 0 && len(bytes.Trim(*after, blanks)) == 0 // comments are kept
}

// remove removes item i of an object or array and its comma. Comments stay.
func remove(c *hujson.Value, i int) {
	first, last, after := items(c)
	before, beforeComma := first[i].BeforeExtra, last[i].AfterExtra
	comment := beforeComma
	if len(bytes.Trim(comment, blanks)) == 0 {
		comment = nil
	}
	if i+1 < len(first) {
		next := &first[i+1].BeforeExtra
		*next = slices.Concat(before, comment, bytes.TrimLeft(*next, blanks))
	} else {
		*after = slices.Concat(bytes.TrimRight(before, blanks), comment, *after)
		switch {
		case i == 0 && len(bytes.Trim(*after, blanks)) == 0:
			*after = nil
		case i > 0 && beforeComma == nil: // no trailing comma: the one before the item is removed
			*after = slices.Concat(last[i-1].AfterExtra, *after)
			last[i-1].AfterExtra = nil
		case i > 0 && last[i-1].AfterExtra == nil:
			last[i-1].AfterExtra = hujson.Extra{}
		}
	}
	switch c := c.Value.(type) {
	case *hujson.Object:
		c.Members = slices.Delete(c.Members, i, i+1)
	case *hujson.Array:
		c.Elements = slices.Delete(c.Elements, i, i+1)
	}
}

// update sets a value, in one line, unless it is equal already.
func update(v *hujson.Value, value any) {
	now, was := render(value, "", "", ""), v.Clone()
	if was.Minimize(); !bytes.Equal(was.Pack(), now.Pack()) {
		v.Value = now.Value
	}
}

// render encodes a value of strings, lists and objects. prefix begins each line but the first.
func render(v any, newline, prefix, unit string) hujson.Value {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if newline != "" {
		e.SetIndent(prefix, unit)
	}
	e.Encode(v) // it cannot fail, and neither can Parse
	parsed, _ := hujson.Parse(bytes.ReplaceAll(bytes.TrimSpace(b.Bytes()), []byte("\n"), []byte(newline)))
	return parsed
}
