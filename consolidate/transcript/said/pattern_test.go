package said

import (
	"bytes"
	"io"
	"testing"
)

// FuzzLines: lines are what lies between newlines, whatever is read at once.
func FuzzLines(f *testing.F) {
	f.Add([]byte("a\nbc\n\nlonger than a block\nhalf"), 3)
	f.Add([]byte("\n\n"), 1)
	f.Add([]byte(""), 64)
	f.Fuzz(func(t *testing.T, text []byte, block int) {
		if block < 1 || block > 1<<12 {
			return
		}
		l := NewLineReader(bytes.NewReader(text), block)
		offset := 0
		for number := 1; ; number++ {
			line, ended, err := l.read()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			want, _, newline := bytes.Cut(text[offset:], []byte("\n"))
			if !bytes.Equal(line, want) || ended != newline || l.Number != number || l.start != int64(offset) {
				t.Fatalf("line %d at %d: %q, ended %v; want %q at %d", l.Number, l.start, line, ended, want, offset)
			}
			if offset += len(line); ended {
				offset++
			}
			if l.next != int64(offset) || ended && l.settled.next != int64(offset) {
				t.Fatalf("line %d: next %d, settled %d, want %d", number, l.next, l.settled.next, offset)
			}
		}
		if offset != len(text) {
			t.Fatalf("%d of %d bytes", offset, len(text))
		}
	})
}
