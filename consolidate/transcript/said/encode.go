package said

import "bytes"

// A host's file that is read whole becomes lines of records, as Claude Code writes them. Its values stay encoded.

// A field is one of an object.
type field struct {
	name  string
	value Raw
}

// appendObject appends an object of those fields that have a value.
func appendObject(b []byte, fields ...field) []byte {
	b = append(b, '{')
	for _, f := range fields {
		if f.value == nil {
			continue
		}
		if b[len(b)-1] != '{' {
			b = append(b, ',')
		}
		b = append(append(append(b, '"'), f.name...), `":`...)
		b = append(b, f.value...)
	}
	return append(b, '}')
}

// AppendLine appends a record as a line. One with nothing in it has a line too, so that a message stays on its lines when it,
// or one before it, becomes longer.
func (r *Record) AppendLine(lines []byte) []byte {
	var message Raw
	for i, b := range r.Message.Blocks {
		message = append(message, ","[:min(i, 1)]...)
		message = appendObject(message, field{"type", b.Type}, field{"text", b.Text}, field{"id", b.ID}, field{"name", b.Name},
			field{"input", b.Input}, field{"tool_use_id", b.ToolUseID}, field{"content", b.Content})
	}
	if message != nil {
		message = append(append(Raw(`{"content":[`), message...), "]}"...)
	}
	begin := len(lines)
	lines = appendObject(lines, field{"type", r.Type}, field{"uuid", r.UUID}, field{"timestamp", r.Timestamp}, field{"cwd", r.CWD},
		field{"gitBranch", r.Branch},
		field{"isSidechain", r.Sidechain}, field{"message", message})
	for i, c := range lines[begin:] {
		if c == '\n' { // between values
			lines[begin+i] = ' '
		}
	}
	return append(lines, '\n')
}

// AppendMessage appends what was said and asked in a message, and what tools answered.
func AppendMessage(lines []byte, said, answers *Record) []byte {
	for _, r := range []*Record{said, answers} {
		if len(r.Message.Blocks) == 0 {
			r = &Record{}
		}
		lines = r.AppendLine(lines)
	}
	return lines
}

// AppendBad appends lines that are counted as bad.
func AppendBad(lines []byte, n int) []byte { return append(lines, bytes.Repeat([]byte("{\n"), n)...) }

// Object is an object of one field.
func Object(name string, value Raw) Raw { return appendObject(nil, field{name, value}) }
