package said

// maxRecords bounds the records of one line; two records on a line were seen.
const maxRecords = 16

// A decoder reads lines. What it returns is valid until the next line.
type decoder struct {
	records   []Record
	other     func(Raw, *Record, *HostState) // reads another host's lines; nil: they are Claude Code's
	HostState *HostState                     // of those lines
}

// newDecoder returns what reads the lines of a format.
func newDecoder(f *Format) decoder {
	d := decoder{records: make([]Record, 1)}
	if f != nil && f.Line != nil {
		d.other, d.HostState = f.Line, &HostState{}
	}
	return d
}

// line reads the records of a line: one as a rule, two where a concurrent append lost its newline. bad
// reports that some of the line is not JSON. Values that are not objects are skipped, as are fields of the wrong type.
func (d *decoder) line(line []byte) (records []Record, bad bool) {
	n := 0
	for i := space(line, 0); i < len(line); i = space(line, i) {
		if n == maxRecords {
			return d.records[:n], true
		}
		if line[i] != '{' {
			if i = skip(line, i, 0); i == malformed {
				return d.records[:n], true
			}
			continue
		}
		if n == len(d.records) {
			d.records = append(d.records, Record{})
		}
		if i = d.object(line, i, &d.records[n]); i == malformed {
			return d.records[:n], true
		}
		n++
	}
	return d.records[:n], false
}

// object reads the record at i, and returns the index after it.
func (d *decoder) object(line []byte, i int, r *Record) int {
	if d.other == nil {
		return r.walk(line, i)
	}
	*r = Record{Message: Message{Blocks: r.Message.Blocks[:0]}}
	end := skip(line, i, 0)
	if end != malformed {
		d.other(line[i:end:end], r, d.HostState)
	}
	return end
}
