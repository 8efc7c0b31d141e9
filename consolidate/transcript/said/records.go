package said

import "slices"

// A host's session that is read whole is a list of records, each of which counts as a line.

// AppendMessage appends what was said and asked in a message, and what tools answered. Where there is nothing of the
// one it has a line all the same, so that a message stays on its lines when it, or one before it, becomes longer.
func AppendMessage(records []Record, said, answers Record) []Record {
	for _, r := range []Record{said, answers} {
		if len(r.Message.Blocks) == 0 {
			r = Record{}
		}
		records = append(records, r)
	}
	return records
}

// AppendBad appends lines that are counted as bad.
func AppendBad(records []Record, n int) []Record {
	return append(records, slices.Repeat([]Record{{bad: true}}, n)...)
}

// Object returns an object with one field, or an empty one if there is no value.
func Object(name string, value Raw) Raw {
	if value == nil {
		return Raw("{}")
	}
	return slices.Concat(Raw(`{"`+name+`":`), value, Raw("}"))
}
