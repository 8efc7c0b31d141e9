package install

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/tailscale/hujson"
)

var bom = []byte("\ufeff")

// root parses a JSON file in which comments and trailing commas are allowed. What is blank is an empty
// object.
func root(text []byte) (*hujson.Value, error) {
	v, err := hujson.Parse(text)
	if err != nil {
		return nil, err
	}
	if v.Value.Kind() != '{' {
		return nil, errors.New("it holds no JSON object")
	}
	return &v, nil
}

// trim splits the byte order mark off, and makes an object of what is blank.
func trim(text []byte) (mark, rest []byte) {
	rest, found := bytes.CutPrefix(text, bom)
	if found {
		mark = bom
	}
	if len(bytes.TrimSpace(rest)) == 0 {
		rest = []byte("{}\n")
	}
	return mark, rest
}

// member returns the value of a name in an object, nil where there is none. A name that stands twice is
// an error: which of them counts is the reader's choice.
func member(v *hujson.Value, name string) (*hujson.Value, error) {
	o, ok := v.Value.(*hujson.Object)
	if !ok {
		return nil, fmt.Errorf("line with %q: an object is expected around it", name)
	}
	var found *hujson.Value
	for i := range o.Members {
		if o.Members[i].Name.Value.(hujson.Literal).String() != name {
			continue
		}
		if found != nil {
			return nil, fmt.Errorf("%q stands there twice", name)
		}
		found = &o.Members[i].Value
	}
	return found, nil
}

// find follows names from the root; nil where one is missing.
func find(v *hujson.Value, path ...string) (*hujson.Value, error) {
	for _, name := range path {
		var err error
		if v, err = member(v, name); v == nil || err != nil {
			return nil, err
		}
	}
	return v, nil
}

// span is where an item of an object or array stands, its name included.
type span struct{ from, to int }

// items are the items of an object or array, and whether a comma follows the last.
func items(v *hujson.Value) (all []span, trailing bool) {
	switch c := v.Value.(type) {
	case *hujson.Object:
		for _, m := range c.Members {
			all = append(all, span{m.Name.StartOffset, m.Value.EndOffset})
			trailing = m.Value.AfterExtra != nil
		}
	case *hujson.Array:
		for _, e := range c.Elements {
			all = append(all, span{e.StartOffset, e.EndOffset})
			trailing = e.AfterExtra != nil
		}
	}
	return all, trailing
}

const blanks = " \t\r\n"

// content returns where the last thing that is not blank ends in text[from:to]; from where there is none.
func content(text []byte, from, to int) int {
	return from + len(bytes.TrimRight(text[from:to], blanks))
}

// comma returns the offset of the comma in text[from:to], which holds nothing else but blanks and comments;
// -1 where there is none.
func comma(text []byte, from, to int) int {
	for i := from; i < to; i++ {
		switch {
		case text[i] == ',':
			return i
		case bytes.HasPrefix(text[i:to], []byte("//")):
			end := bytes.IndexByte(text[i:to], '\n')
			if end < 0 {
				return -1
			}
			i += end
		case bytes.HasPrefix(text[i:to], []byte("/*")):
			i += 3 + bytes.Index(text[i+2:to], []byte("*/"))
		}
	}
	return -1
}

// insert puts an item behind the last one of the object or array c: a member, or with the name "" an
// element. It is laid out as those that stand there.
func insert(text []byte, v, c *hujson.Value, name string, value any) ([]byte, error) {
	s := styleOf(text, v)
	all, trailing := items(c)
	open, end := c.StartOffset+1, c.EndOffset-1
	prefix := indent(text, c.StartOffset) + s.unit
	last := span{open, open}
	if len(all) > 0 {
		last = all[len(all)-1]
		before := text[open:last.from]
		if !bytes.ContainsRune(text[open:all[0].from], '\n') && !bytes.ContainsRune(text[last.to:end], '\n') {
			s.newline = "" // the list stands in one line, whatever the rest of the file does
		} else if at := bytes.LastIndexByte(before, '\n'); at >= 0 && len(bytes.Trim(before[at+1:], " \t")) == 0 {
			prefix = string(before[at+1:])
		}
	}
	item, err := s.render(value, prefix)
	if err != nil {
		return nil, err
	}
	if name != "" {
		quoted, err := s.render(name, "")
		if err != nil {
			return nil, err
		}
		item = quoted + ":" + s.space + item
	}
	lead := s.space
	if s.newline != "" {
		lead = s.newline + prefix
	}
	at := content(text, last.to, end) // behind the comments: they belong to what stands before them
	var b bytes.Buffer
	b.Write(text[:last.to])
	switch {
	case len(all) == 0 && s.newline == "":
		lead = ""
	case len(all) > 0 && !trailing:
		b.WriteByte(',')
	}
	b.Write(text[last.to:at])
	b.WriteString(lead + item)
	if trailing {
		b.WriteByte(',')
	}
	if len(all) == 0 && s.newline != "" {
		b.WriteString(s.newline + indent(text, c.StartOffset))
		at = end
	}
	b.Write(text[at:])
	return b.Bytes(), nil
}

// remove takes the item i of an object or array out, with its comma. Comments stay.
func remove(text []byte, c *hujson.Value, i int) []byte {
	all, trailing := items(c)
	open, end := c.StartOffset+1, c.EndOffset-1
	item, before, after := all[i], open, end
	if i > 0 {
		before = all[i-1].to
	}
	if i < len(all)-1 {
		after = all[i+1].from
	}
	from, to := content(text, before, item.from), item.to
	switch {
	case i < len(all)-1 || trailing:
		to = comma(text, item.to, after) + 1
		if from == open && !bytes.ContainsRune(text[from:item.from], '\n') && i < len(all)-1 {
			to += len(text[to:after]) - len(bytes.TrimLeft(text[to:after], " "))
		}
	case i > 0: // the comma before it goes with it
		at := comma(text, before, item.from)
		from = content(text, at+1, item.from)
		return bytes.Join([][]byte{text[:at], text[at+1 : from], text[to:]}, nil)
	}
	if len(all) == 1 && from == open && content(text, to, end) == to {
		to = end
	}
	return bytes.Join([][]byte{text[:from], text[to:]}, nil)
}

// bare reports whether an object or array holds nothing, not even a comment.
func bare(text []byte, v *hujson.Value) bool {
	return len(bytes.Trim(text[v.StartOffset+1:v.EndOffset-1], blanks)) == 0
}

// drop removes a member that a path names, and what it leaves empty above it.
func drop(text []byte, path ...string) ([]byte, error) {
	for len(path) > 0 {
		v, err := root(text)
		if err != nil {
			return nil, err
		}
		up, name := path[:len(path)-1], path[len(path)-1]
		c, err := find(v, up...)
		if err != nil {
			return nil, err
		}
		for i, m := range c.Value.(*hujson.Object).Members {
			if m.Name.Value.(hujson.Literal).String() == name {
				text = remove(text, c, i)
				break
			}
		}
		if path = up; len(path) == 0 {
			break
		}
		if v, err = root(text); err != nil {
			return nil, err
		}
		if c, err = find(v, path...); err != nil || !bare(text, c) {
			return text, err
		}
	}
	return text, nil
}

// put adds a member below the objects that a path names, which it makes where they are missing.
func put(text []byte, path []string, value any) ([]byte, error) {
	v, err := root(text)
	if err != nil {
		return nil, err
	}
	c := v
	for i, name := range path {
		if c.Value.Kind() != '{' {
			return nil, fmt.Errorf("%q is no object", strings.Join(path[:i], "."))
		}
		next, err := member(c, name)
		if err != nil {
			return nil, err
		}
		if next == nil {
			for j := len(path) - 1; j > i; j-- {
				value = map[string]any{path[j]: value}
			}
			return insert(text, v, c, name, value)
		}
		c = next
	}
	return nil, fmt.Errorf("%q stands there already", strings.Join(path, "."))
}

// literal puts a value in the place of another.
func literal(text []byte, v *hujson.Value, value any) ([]byte, error) {
	quoted, err := style{}.render(value, "")
	if err != nil {
		return nil, err
	}
	return bytes.Join([][]byte{text[:v.StartOffset], []byte(quoted), text[v.EndOffset:]}, nil), nil
}

// decode returns what a text says, however it is laid out.
func decode(text []byte) (map[string]any, error) {
	plain, err := hujson.Standardize(bytes.Clone(text)) // it works in place
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(plain))
	d.UseNumber()
	var all map[string]any
	return all, d.Decode(&all)
}

// without takes a member out of what decode returned, and what it leaves empty above it.
func without(all map[string]any, path ...string) {
	below, ok := all[path[0]].(map[string]any)
	if len(path) > 1 && ok {
		without(below, path[1:]...)
	}
	if len(path) == 1 || ok && len(below) == 0 {
		delete(all, path[0])
	}
}
