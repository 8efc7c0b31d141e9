package memory

import (
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// fence is the line that opens and closes frontmatter.
const fence = "---"

// frontmatter is the lines from "---" to "---", each with its ending, and their fields.
type frontmatter struct {
	head     []string
	fields   []field
	unclosed bool // a first "---" has no second
}

// field is one key of the frontmatter and where it is.
type field struct {
	key      string // dotted where nested
	value    string // as a reader takes it: unquoted, lines joined
	kind     fieldKind
	items    []string // of a list
	line     int      // of the key, as an index of the frontmatter's lines
	end      int      // past the last line that belongs to it
	from, to int      // the value within its line; from is just past the colon where there is none
}

type fieldKind int

const (
	scalar  fieldKind = iota // text in one line
	spread                   // text over several lines: a block scalar or a folded one
	mapping                  // an indented block of fields, or nothing
	flow                     // {a: b} in one line
	list                     // [a, b], or an indented block of items
)

// cutEnd parts a line from its ending: "\n", "\r\n", or none.
func cutEnd(line string) (text, end string) {
	text = strings.TrimSuffix(line, "\n")
	if len(text) < len(line) {
		text = strings.TrimSuffix(text, "\r")
	}
	return text, line[len(text):]
}

// cutFrontmatter parts the frontmatter, with both its fences, from the text that follows.
func cutFrontmatter(text string) (head []string, rest string, unclosed bool) {
	isFence := func(line string) bool { return strings.TrimRight(line, " \t\r\n") == fence }
	end := 0
	for line := range strings.Lines(text) {
		if len(head) == 0 && !isFence(line) {
			break
		}
		head = append(head, line)
		if end += len(line); len(head) > 1 && isFence(line) {
			return head, text[end:], false
		}
	}
	return nil, text, len(head) > 0
}

// parseFields reads the lines between the fences, leniently: a line that is not a field belongs to the
// one above it or to nobody, and none is an error.
func parseFields(head []string) []field {
	return parseBlock(nil, head, "", 1, len(head)-1)
}

// parseBlock appends the fields of head[start:end], and for a mapping at the top level its fields too.
// Deeper ones are text of the field that they are in.
func parseBlock(fields []field, head []string, prefix string, start, end int) []field {
	for i := start; i < end; i++ {
		text, _ := cutEnd(head[i])
		indent := indentOf(text)
		key, colon := cutKey(text[indent:])
		if key == "" {
			continue
		}
		f := field{key: prefix + key, line: i, end: blockEnd(head, i+1, end, indent)}
		inner := f.readValue(head, text, indent+colon, len(fields) < maxFields)
		fields = append(fields, f)
		if prefix == "" && f.kind == mapping {
			fields = parseBlock(fields, head, key+".", f.line+1, f.end)
		} else if prefix == "" {
			fields = append(fields, inner...)
		}
		i = f.end - 1
	}
	return fields
}

// readValue fills in what is after the colon and below, and returns the fields of a mapping in braces. A plain
// text in one line is the value as it is written, whatever YAML makes of it, and so is any other where asYAML is false.
func (f *field) readValue(head []string, text string, colon int, asYAML bool) (inner []field) {
	raw := strings.TrimSpace(text[colon:])
	f.from = strings.Index(text[colon:], raw) + colon
	f.to = f.from + len(raw)
	f.value = raw
	var below []string
	for _, line := range head[f.line+1 : f.end] {
		if line = strings.TrimSpace(line); !isVoid(line) {
			below = append(below, line)
		}
	}
	key := ""
	if len(below) > 0 {
		f.kind, f.value = spread, OneLine(raw+" "+strings.Join(below, " "))
		key, _ = cutKey(below[0])
	}
	if isVoid(raw) {
		if f.from, f.to = colon, colon; len(below) == 0 || key != "" {
			f.kind, f.value = mapping, ""
			return nil
		}
	} else if len(below) == 0 && !strings.ContainsAny(raw[:1], "\"'[{|>") {
		return nil
	}
	if !asYAML {
		return nil
	}
	n, err := readYAML(raw + "\n" + strings.Join(head[f.line+1:f.end], ""))
	if err != nil {
		return nil
	}
	if len(below) == 0 && n.LineComment != "" {
		f.to = f.from + len(strings.TrimRight(raw[:strings.LastIndex(raw, n.LineComment)], " \t"))
	}
	if n.Kind == yaml.MappingNode && len(below) == 0 {
		f.kind = flow
		return f.inBraces(n, text)
	}
	f.decode(n)
	return nil
}

// decode sets the value to what YAML reads.
func (f *field) decode(n *yaml.Node) {
	switch n.Kind {
	case yaml.SequenceNode:
		f.kind = list
		for _, item := range n.Content {
			if item.Value != "" {
				f.items = append(f.items, item.Value)
			}
		}
		f.value = strings.Join(f.items, ", ")
	case yaml.ScalarNode:
		if f.value = n.Value; f.kind == spread {
			f.value = OneLine(n.Value)
		}
	}
}

// inBraces returns the fields of a mapping in braces.
func (f *field) inBraces(n *yaml.Node, text string) []field {
	place := func(n *yaml.Node) int { // in text; the column counts characters
		at := f.from
		for range n.Column - 1 - len(yamlKey) {
			_, size := utf8.DecodeRuneInString(text[at:])
			at += size
		}
		return at
	}
	var fields []field
	for i := 0; i+1 < len(n.Content); i += 2 {
		inner := field{key: f.key + "." + n.Content[i].Value, line: f.line, end: f.line + 1, from: place(n.Content[i+1]), to: f.to - 1}
		if i+2 < len(n.Content) {
			inner.to = place(n.Content[i+2])
		}
		inner.to = inner.from + len(strings.TrimRight(text[inner.from:inner.to], " \t,"))
		inner.decode(n.Content[i+1])
		fields = append(fields, inner)
	}
	return fields
}

// yamlKey precedes a value that is read as YAML. maxYAML bounds such a value, in bytes, and maxFields how many fields
// of a topic may have one: a hostile topic must not take long.
const (
	yamlKey   = "k: "
	maxYAML   = 8 << 10
	maxFields = 500
)

// readYAML reads what follows the colon of a field.
func readYAML(value string) (*yaml.Node, error) {
	var doc yaml.Node
	if len(value) > maxYAML {
		return nil, ErrTooLarge
	}
	if err := yaml.Unmarshal([]byte(yamlKey+value), &doc); err != nil {
		return nil, err
	}
	return doc.Content[0].Content[1], nil
}

// cutKey returns the key of a line without its indent, and the offset past its colon. A colon ends
// a key only before a space or the end of the line.
func cutKey(text string) (key string, colon int) {
	for i := 0; i < len(text); i++ {
		if text[i] != ':' || i+1 < len(text) && text[i+1] != ' ' && text[i+1] != '\t' {
			continue
		}
		key = strings.TrimSpace(text[:i])
		if key == "" || strings.HasPrefix(key, "- ") || key[0] == '#' {
			return "", 0
		}
		return strings.Trim(key, `"'`), i + 1
	}
	return "", 0
}

// blockEnd returns where the lines end that belong to a field: those further to the right, items
// of a list as far left as itself, and what is void between them.
func blockEnd(head []string, start, limit, indent int) int {
	end := start
	for i := start; i < limit; i++ {
		text, _ := cutEnd(head[i])
		in := indentOf(text)
		switch {
		case in > indent && strings.TrimSpace(text) != "":
			end = i + 1
		case isVoid(text):
		case in == indent && (text[in:] == "-" || strings.HasPrefix(text[in:], "- ")):
			end = i + 1
		default:
			return end
		}
	}
	return end
}

// isVoid reports whether a text is blank but for a comment.
func isVoid(text string) bool {
	text = strings.TrimSpace(text)
	return text == "" || text[0] == '#'
}

func indentOf(text string) int { return len(text) - len(strings.TrimLeft(text, " \t")) }

// A Syntax says how the frontmatter of a topic is written.
type Syntax struct{ of *frontmatter }

// Syntax returns how the frontmatter is written.
func (m *frontmatter) Syntax() Syntax { return Syntax{m} }

// Unclosed reports whether the file begins with "---" and no second one follows, so that a host
// sees no frontmatter at all.
func (s Syntax) Unclosed() bool { return s.of.unclosed }

// EveryType returns each type that the frontmatter gives, in any form and spelling of the key. A file should have one.
func (s Syntax) EveryType() (kinds []string) {
	for _, f := range s.of.fields {
		if key := f.key[strings.LastIndexByte(f.key, '.')+1:]; strings.EqualFold(key, "type") && f.value != "" {
			kind, _, _ := strings.Cut(f.value, " #")
			kinds = append(kinds, strings.TrimSpace(kind))
		}
	}
	return kinds
}

// InOneLine reports whether the value of a field is text in one line.
func (s Syntax) InOneLine(key string) bool {
	f := s.of.find(key)
	return f != nil && f.kind == scalar
}

// Quoted returns the line of a field in one line, and that line with the value in quotes where YAML does not
// read it as the text that it is; else the same line twice.
func (s Syntax) Quoted(key string) (line, quoted string) {
	f := s.of.find(key)
	line, _ = cutEnd(s.of.head[f.line])
	n, err := readYAML(line[f.from:])
	if f.from == f.to || err == nil && n.Kind == yaml.ScalarNode && n.Value == f.value {
		return line, line
	}
	value := `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(f.value) + `"`
	if _, err := readYAML(value); err != nil {
		return line, line // quotes do not help
	}
	return line, line[:f.from] + value + line[f.to:]
}
