package memory

import (
	"strconv"
	"strings"
)

// fence is the line that opens and closes frontmatter.
const fence = "---"

// frontmatter is the lines from "---" to "---", each with its ending, and their fields.
type frontmatter struct {
	head   []string
	fields []field
}

// field is one key of the frontmatter and where it is.
type field struct {
	key      string // dotted where nested
	value    string // as a reader takes it: unquoted, lines joined
	kind     fieldKind
	line     int // of the key, as an index of the frontmatter's lines
	end      int // past the last line that belongs to it
	from, to int // the value within its line; from is just past the colon where there is none
}

type fieldKind int

const (
	scalar  fieldKind = iota // text in one line
	spread                   // text over several lines: a block scalar or a folded one
	mapping                  // an indented block of fields, or nothing
	flow                     // {a: b} in one line
	list                     // an indented block of items
)

// eachLine cuts a text after each line end. Joined, the lines are the text again.
func eachLine(text string) []string {
	lines := strings.SplitAfter(text, "\n")
	if last := len(lines) - 1; lines[last] == "" {
		lines = lines[:last]
	}
	return lines
}

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
	first, _, more := strings.Cut(text, "\n")
	if !isFence(first) {
		return nil, text, false
	}
	if !more {
		return nil, text, true
	}
	end := 0
	for line := range strings.SplitAfterSeq(text, "\n") {
		head = append(head, line)
		end += len(line)
		if len(head) > 1 && isFence(line) {
			return head, text[end:], false
		}
	}
	return nil, text, true
}

// parseFields reads the lines between the fences, leniently: a line that is not a field belongs to the
// one above it or to nobody, and none is an error.
func parseFields(head []string) []field {
	if len(head) == 0 {
		return nil
	}
	return parseBlock(nil, head, "", 1, len(head)-1)
}

// parseBlock appends the fields of head[start:end], and for a mapping at the top level its fields too.
// Deeper ones are text of the field that they are in.
func parseBlock(fields []field, head []string, prefix string, start, end int) []field {
	for i := start; i < end; i++ {
		text, _ := cutEnd(head[i])
		if isVoid(text) {
			continue
		}
		indent := indentOf(text)
		key, colon := cutKey(text[indent:])
		if key == "" {
			continue
		}
		f := field{key: prefix + key, line: i, end: blockEnd(head, i+1, end, indent)}
		f.readValue(head, text, indent+colon)
		fields = append(fields, f)
		if prefix == "" {
			switch f.kind {
			case mapping:
				fields = parseBlock(fields, head, key+".", f.line+1, f.end)
			case flow:
				fields = f.appendFlow(fields, text)
			}
		}
		i = f.end - 1
	}
	return fields
}

// readValue fills in what is after the colon and below.
func (f *field) readValue(head []string, text string, colon int) {
	raw := strings.TrimSpace(text[colon:])
	f.from = strings.Index(text[colon:], raw) + colon
	f.to = f.from + len(raw)
	below := make([]string, 0, f.end-f.line-1)
	for _, line := range head[f.line+1 : f.end] {
		if line = strings.TrimSpace(line); !isVoid(line) {
			below = append(below, line)
		}
	}
	switch {
	case raw == "" || raw[0] == '#':
		f.from, f.to = colon, colon
		if len(below) == 0 {
			f.kind = mapping
		} else if below[0] == "-" || strings.HasPrefix(below[0], "- ") {
			f.kind, f.value = list, strings.Join(f.items(head), ", ")
		} else if key, _ := cutKey(below[0]); key != "" {
			f.kind = mapping
		} else {
			f.kind, f.value = spread, strings.Join(below, " ")
		}
	case isBlockScalar(raw):
		f.kind, f.value = spread, strings.Join(below, " ")
	case len(below) > 0:
		f.kind, f.value = spread, unquote(strings.Join(append([]string{raw}, below...), " "))
	case isFlow(raw):
		f.kind, f.value = flow, raw
	default:
		f.value = unquote(raw)
	}
}

// appendFlow appends the fields of a mapping in braces.
func (f *field) appendFlow(fields []field, text string) []field {
	at := f.from + 1
	items, _ := splitFlow(text[at:f.to])
	for _, item := range items {
		indent := indentOf(item)
		if key, colon := cutKey(item[indent:]); key != "" {
			inner := field{key: f.key + "." + key, line: f.line, end: f.line + 1}
			raw := strings.TrimSpace(item[indent+colon:])
			inner.from = at + indent + colon + strings.Index(item[indent+colon:], raw)
			inner.to = inner.from + len(raw)
			inner.value = unquote(raw)
			fields = append(fields, inner)
		}
		at += len(item) + 1
	}
	return fields
}

// items returns the values of a list in either form: "[a, b]" or one "- a" below the other.
func (f *field) items(head []string) []string {
	var items []string
	add := func(raw string) {
		if item := unquote(strings.TrimSpace(raw)); item != "" {
			items = append(items, item)
		}
	}
	if f.kind != list {
		text, _ := cutEnd(head[f.line])
		raw := text[f.from:f.to]
		for _, line := range head[f.line+1 : f.end] {
			raw += " " + strings.TrimSpace(line)
		}
		written, _ := splitFlow(strings.TrimPrefix(raw, "["))
		for _, item := range written {
			add(item)
		}
		return items
	}
	for _, line := range head[f.line+1 : f.end] {
		if item, ok := strings.CutPrefix(strings.TrimSpace(line), "-"); ok {
			add(item)
		}
	}
	return items
}

// unquote takes off the quotes that a value is wholly in, and the comment after them.
func unquote(raw string) string {
	n := quotedLen(raw)
	if n == 0 {
		return raw
	}
	if raw[0] == '\'' {
		return strings.ReplaceAll(raw[1:n-1], "''", "'")
	}
	if s, err := strconv.Unquote(raw[:n]); err == nil {
		return s
	}
	return strings.NewReplacer(`\"`, `"`, `\\`, `\`).Replace(raw[1 : n-1])
}

// quotedLen returns the length of a value that is wholly in quotes, but for a comment, and else 0: a
// value that goes on after its closing quote is plain text.
func quotedLen(raw string) int {
	if raw == "" || raw[0] != '"' && raw[0] != '\'' {
		return 0
	}
	for i := 1; i < len(raw); i++ {
		switch {
		case raw[i] == '\\' && raw[0] == '"', raw[0] == '\'' && strings.HasPrefix(raw[i:], "''"):
			i++
		case raw[i] == raw[0] && isVoid(raw[i+1:]):
			return i + 1
		case raw[i] == raw[0]:
			return 0
		}
	}
	return 0
}

// isFlow reports whether a value is a mapping in braces, to which a field can be added.
func isFlow(raw string) bool {
	_, rest := splitFlow(raw[1:])
	return raw[0] == '{' && rest == "}"
}

// splitFlow cuts the inside of brackets at its commas, but for those in quotes or inner brackets. The
// rest begins with the bracket that closes it, and is empty where none does.
func splitFlow(text string) (items []string, rest string) {
	start, depth, quote, last := 0, 0, byte(0), byte(',') // last: the sign before, spaces aside
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case quote == '"' && c == '\\':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case (c == '"' || c == '\'') && strings.IndexByte(",:[{", last) >= 0:
			quote = c
		case c == '[' || c == '{':
			depth++
		case (c == ']' || c == '}') && depth == 0:
			return append(items, text[start:i]), text[i:]
		case c == ']' || c == '}':
			depth--
		case c == ',' && depth == 0:
			items = append(items, text[start:i])
			start = i + 1
		}
		if c != ' ' {
			last = c
		}
	}
	return append(items, text[start:]), ""
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
		return unquote(key), i + 1
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

// isBlockScalar reports whether a value only announces the text below it: "|", ">-", "|2+".
func isBlockScalar(raw string) bool {
	return (raw[0] == '|' || raw[0] == '>') && len(raw) <= 3 && strings.Trim(raw[1:], "+-123456789") == ""
}

// isVoid reports whether a text is blank but for a comment.
func isVoid(text string) bool {
	text = strings.TrimSpace(text)
	return text == "" || text[0] == '#'
}

func indentOf(text string) int { return len(text) - len(strings.TrimLeft(text, " \t")) }

// InOneLine reports whether the value of a field is text in one line.
func (m *frontmatter) InOneLine(key string) bool {
	f := m.field(key)
	return f != nil && f.kind == scalar
}

// Quoted returns the line of a field in one line, and that line with the value in quotes where YAML does not
// read it as the text that it is; else the same line twice.
func (m *frontmatter) Quoted(key string) (line, quoted string) {
	f := m.field(key)
	line, _ = cutEnd(m.head[f.line])
	if f.plainYAML(line) {
		return line, line
	}
	return line, line[:f.from] + quoteYAML(f.value) + line[f.to:]
}

// plainYAML reports whether YAML reads the value of a field in its line as the text that it is.
func (f *field) plainYAML(line string) bool {
	raw := line[f.from:f.to]
	if raw == "" || quotedLen(raw) > 0 {
		return true
	}
	return !strings.Contains(raw, ": ") && !strings.Contains(raw, " #") && !strings.HasSuffix(raw, ":") &&
		!strings.ContainsAny(raw[:1], "[]{}&*!|>'\"%@`,#") && !strings.HasPrefix(raw, "- ") && !strings.HasPrefix(raw, "? ")
}

// quoteYAML writes a text in double quotes.
func quoteYAML(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
}
