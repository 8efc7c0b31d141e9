package install

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

var bom = []byte("\ufeff")

// An edit returns what a file's text is to become: the same text where nothing is to be done.
type edit func(text []byte) ([]byte, error)

// editJSON makes an edit of a JSON file, in which comments and trailing commas are allowed. The byte order mark stays, and the same
// text comes back where nothing is to be done.
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
		case json.Valid(rest) && !json.Valid(after): // not every host takes comments
			return nil, errElse
		case marked:
			after = slices.Concat(bom, after)
		}
		return after, nil
	}
}

// document is a JSON file that is edited, and how it is laid out.
type document struct {
	root    *hujson.Value
	newline string // "" where all is in one line
	unit    string // of indentation
	space   string // after commas and colons within a line
}

const blanks = " \t\r\n"

func parse(text []byte) (*document, error) {
	v, err := hujson.Parse(text)
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

// indentOf returns the blanks before what begins a line.
func indentOf(before hujson.Extra) (string, bool) {
	at := bytes.LastIndexByte(before, '\n')
	indent := string(before[at+1:])
	return indent, at >= 0 && strings.Trim(indent, " \t") == ""
}

// member returns the value of a name in an object, nil where there is none or v is something else. A name that occurs twice is
// an error: which of them counts is the reader's choice.
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

// find follows names from the root; nil where one is missing.
func (d *document) find(path ...string) (v *hujson.Value, err error) {
	v = d.root
	for _, name := range path {
		if v, err = member(v, name); v == nil || err != nil {
			return nil, err
		}
	}
	return v, nil
}

// put adds a member below the objects that a path names, which it makes where they are missing. After the path of an array, the
// name "" adds an element to it.
func (d *document) put(value any, path ...string) error {
	c, indent := d.root, ""
	for i, name := range path {
		if name == "" {
			return d.insert(c, indent, name, value)
		}
		next, err := member(c, name)
		if err != nil {
			return err
		}
		if next == nil {
			for j := len(path) - 1; j > i; j-- {
				value = map[string]any{path[j]: value}
			}
			return d.insert(c, indent, name, value)
		}
		c, indent = next, d.inner(c, indent)
	}
	return fmt.Errorf("duplicate key %q", strings.Join(path, "."))
}

// items are the first and the last value of each item of an object or array, and what follows the last item.
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

// inner is the indentation of the items of c, which itself begins in a line that is indented by indent.
func (d *document) inner(c *hujson.Value, indent string) string {
	first, _, _ := items(c)
	for _, v := range slices.Backward(first) {
		if in, ok := indentOf(v.BeforeExtra); ok {
			return in
		}
	}
	return indent + d.unit
}

// insert adds an item after the last one of c: a member, or with the name "" an element. It is laid out as those before it.
func (d *document) insert(c *hujson.Value, indent, name string, value any) error {
	first, last, after := items(c)
	prefix, newline := d.inner(c, indent), d.newline
	if len(first) > 0 && !bytes.ContainsRune(first[0].BeforeExtra, '\n') && !bytes.ContainsRune(*after, '\n') {
		newline = "" // the list is in one line, whatever the rest of the file does
	}
	text, err := render(value, newline, prefix, d.unit)
	if err != nil {
		return err
	}
	item, err := hujson.Parse(text)
	if err != nil {
		return err
	}
	lead := d.space
	switch {
	case newline != "":
		lead = newline + prefix
	case len(first) == 0:
		lead = ""
	}
	comments := len(bytes.TrimRight(*after, blanks)) // they belong to the item before them
	before := slices.Concat((*after)[:comments], hujson.Extra(lead))
	*after = (*after)[comments:]
	if len(first) == 0 && newline != "" {
		*after = hujson.Extra(newline + indent)
	}
	item.AfterExtra = nil
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
		return fmt.Errorf("%q cannot be added: what should hold it is not an object", name)
	}
	return nil
}

// remove takes the item i of an object or array out, with its comma. Comments stay.
func remove(c *hujson.Value, i int) {
	first, last, after := items(c)
	comma, n := last[len(last)-1].AfterExtra != nil, len(first)-1
	comments := func(e hujson.Extra) hujson.Extra { return bytes.TrimRight(e, blanks) }
	kept := slices.Concat(comments(first[i].BeforeExtra), comments(last[i].AfterExtra))
	next := after
	if i < n {
		next = &first[i+1].BeforeExtra
	}
	switch {
	case i == 0 && i < n && !bytes.ContainsRune(first[0].BeforeExtra, '\n'):
		*next = slices.Concat(kept, bytes.TrimLeft(*next, " ")) // what follows begins where the item did
	case n == 0 && len(kept) == 0 && len(comments(*next)) == 0:
		*next = nil
	default:
		*next = slices.Concat(kept, *next)
	}
	if i == n && i > 0 && !comma {
		if extra := last[i-1].AfterExtra; len(extra) > 0 {
			*next = slices.Concat(extra, *next)
		}
		last[i-1].AfterExtra = nil
	} else if i == n && i > 0 && last[i-1].AfterExtra == nil {
		last[i-1].AfterExtra = hujson.Extra{}
	}
	switch c := c.Value.(type) {
	case *hujson.Object:
		c.Members = slices.Delete(c.Members, i, i+1)
	case *hujson.Array:
		c.Elements = slices.Delete(c.Elements, i, i+1)
	}
}

// drop removes a member that a path names, and what that leaves empty above it.
func (d *document) drop(path ...string) error {
	up, name := path[:len(path)-1], path[len(path)-1]
	c, err := d.find(up...)
	if err != nil {
		return err
	}
	first, _, _ := items(c)
	remove(c, slices.IndexFunc(first, func(v *hujson.Value) bool { return v.Value.(hujson.Literal).String() == name }))
	if len(up) > 0 && empty(c) {
		return d.drop(up...)
	}
	return nil
}

// empty reports whether an object or array holds nothing, not even a comment.
func empty(c *hujson.Value) bool {
	first, _, after := items(c)
	return len(first) == 0 && len(bytes.Trim(*after, blanks)) == 0
}

// replace puts a value in the place of another, in one line.
func replace(v *hujson.Value, value any) error {
	text, err := render(value, "", "", "")
	if err != nil {
		return err
	}
	now, err := hujson.Parse(text)
	v.Value = now.Value
	return err
}

// render writes a value, each line but the first after prefix.
func render(v any, newline, prefix, unit string) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if newline != "" {
		e.SetIndent(prefix, unit)
	}
	err := e.Encode(v)
	return bytes.ReplaceAll(bytes.TrimSuffix(b.Bytes(), []byte("\n")), []byte("\n"), []byte(newline)), err
}
