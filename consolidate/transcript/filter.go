package transcript

import (
	"bytes"
	"slices"
)

// A filter passes over lines undecoded: it lets pass every line that may hold a match, and every line
// without which another would be misread. Most bytes of a transcript are neither, and looking costs a
// twentieth of decoding (BenchmarkSearch).
type filter struct {
	needles  []needle
	speakers []Speaker
}

var (
	markBytes      = []byte(DreamMarker)
	assistantBytes = []byte(`"assistant"`)
	textBytes      = []byte(`"text"`)
	useBytes       = []byte(`tool_use"`)
	ownBytes       = byteSlices(ownTools)
)

func byteSlices(texts []string) (all [][]byte) {
	for _, t := range texts {
		all = append(all, []byte(t))
	}
	return all
}

// passes reports whether a line must be decoded.
func (f *filter) passes(line []byte) bool {
	return slices.ContainsFunc(f.needles, func(n needle) bool { return n.in(line) }) ||
		opensDream(line) ||
		escaped(line) ||
		slices.Contains(f.speakers, Assistant) && mayJoin(line) ||
		slices.Contains(f.speakers, Tool) && callsUs(line)
}

// opensDream: what follows is no utterance.
func opensDream(line []byte) bool { return bytes.Contains(line, markBytes) }

// mayJoin: a text of the model may be part of a message that matches elsewhere, and name it.
func mayJoin(line []byte) bool {
	return bytes.Contains(line, textBytes) && bytes.Contains(line, assistantBytes)
}

// callsUs: the answer, on another line, is no utterance.
func callsUs(line []byte) bool {
	return bytes.Contains(line, useBytes) &&
		slices.ContainsFunc(ownBytes, func(own []byte) bool { return bytes.Contains(line, own) })
}

// escaped reports whether a line spells as \u what could have been spelt plainly, so that a needle may
// hide in it. Controls are always spelt so, and are in no needle. A backslash that is itself escaped
// is taken for the start of an escape, at the price of a line decoded in vain.
func escaped(line []byte) bool {
	for {
		i := bytes.Index(line, []byte(`\u`))
		if i < 0 {
			return false
		}
		line = line[i+2:]
		if !bytes.HasPrefix(line, []byte("000")) && !bytes.HasPrefix(line, []byte("001")) {
			return true
		}
	}
}
