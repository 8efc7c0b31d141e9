package transcript

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync/atomic"
)

// maxLine bounds one line; real ones pass 10 MB (CENSUS, head). A longer one is counted, not held.
const maxLine = 64 << 20

// readBlock is read at once: big enough that most lines lie in it whole, small enough for the cache.
const readBlock = 256 << 10

// keptBuffer is the largest buffer for long lines that is kept for the next.
const keptBuffer = 1 << 20

// openFile opens a transcript for reading: a regular file, not through a link.
func openFile(path string) (*os.File, error) {
	before, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !before.Mode().IsRegular() {
		return nil, fmt.Errorf("%q is not a regular file", path)
	}
	f, err := os.OpenFile(path, os.O_RDONLY|openFlags, 0)
	if err != nil {
		return nil, err
	}
	if now, err := f.Stat(); err != nil || !now.Mode().IsRegular() || !os.SameFile(before, now) {
		f.Close()
		return nil, fmt.Errorf("%q changed while it was opened", path)
	}
	return f, nil
}

// errBudget stops a search whose bytes are spent.
var errBudget = errors.New("byte budget spent")

// A meter reads until its context ends or its budget is spent, and counts what it read.
type meter struct {
	ctx    context.Context
	source io.Reader
	read   *atomic.Int64 // shared by all readers of a search
	budget int64         // 0: none
}

func (m *meter) Read(p []byte) (int, error) {
	if err := m.ctx.Err(); err != nil {
		return 0, err
	}
	if m.budget > 0 && m.read.Load() >= m.budget {
		return 0, errBudget
	}
	n, err := m.source.Read(p)
	m.read.Add(int64(n))
	return n, err
}

// A lineReader cuts a transcript into lines, at "\n" and nothing else.
type lineReader struct {
	source *bufio.Reader
	long   []byte // a line that is longer than the source's buffer

	number  int   // of the line last read, from 1
	start   int64 // its offset
	next    int64 // the offset behind it
	skipped int   // lines longer than maxLine

	settled struct { // behind the last line that a newline ended
		number, skipped int
		next            int64
	}
}

// newLineReader returns a reader that reads so many bytes at once.
func newLineReader(r io.Reader, block int) *lineReader {
	return &lineReader{source: bufio.NewReaderSize(r, block)}
}

// reset begins at a line that another reader has found: its number and its offset.
func (l *lineReader) reset(r io.Reader, number int, offset int64) {
	l.source.Reset(r)
	l.number, l.next, l.skipped = number-1, offset, 0
	l.settled.number, l.settled.next, l.settled.skipped = l.number, l.next, 0
}

// read returns the next line without its newline, valid until the next call, and whether a newline
// ended it: the last line of a growing file may be half of one. At the end it returns io.EOF.
func (l *lineReader) read() (line []byte, ended bool, err error) {
	for {
		l.number++
		l.start = l.next
		line, fits, err := l.whole()
		if err != nil && (err != io.EOF || l.next == l.start) {
			return nil, false, err
		}
		if !fits {
			l.skipped++
		}
		ended := err == nil
		if ended {
			l.settled.number, l.settled.next, l.settled.skipped = l.number, l.next, l.skipped
		}
		if !fits {
			continue
		}
		if ended {
			line = line[:len(line)-1]
		}
		return line, ended, nil
	}
}

// whole reads up to and with the next newline. What does not fit within maxLine is read and forgotten.
func (l *lineReader) whole() (line []byte, fits bool, err error) {
	line, err = l.source.ReadSlice('\n')
	l.next += int64(len(line))
	if err != bufio.ErrBufferFull {
		return line, true, err
	}
	if cap(l.long) > keptBuffer {
		l.long = nil
	}
	l.long = append(l.long[:0], line...)
	for fits = true; err == bufio.ErrBufferFull; {
		line, err = l.source.ReadSlice('\n')
		l.next += int64(len(line))
		if fits = fits && len(l.long)+len(line) <= maxLine; fits {
			l.long = append(l.long, line...)
		}
	}
	if !fits {
		l.long = nil
	}
	return l.long, fits, err
}

// blank is what may stand around the records of a line: NULs are what a crash leaves of a block that
// was allocated and never written.
const blank = " \t\r\x00"

// trimmed is a line without what may stand around its records, the mark at the head of a file included.
func (l *lineReader) trimmed(line []byte) []byte {
	if l.start == 0 {
		line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
	}
	if n := len(line); n > 0 && line[0] == '{' && line[n-1] == '}' {
		return line
	}
	return bytes.Trim(line, blank)
}
