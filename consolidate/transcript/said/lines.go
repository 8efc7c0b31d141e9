package said

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"sync/atomic"
)

// maxLine bounds one line; real ones pass 10 MB (CENSUS, head). A longer one is counted, not held: a buffer
// that grows holds the line nearly twice, in each thread.
const maxLine = 24 << 20

// ReadBlock is read at once: large enough to hold most lines, small enough for the cache.
const ReadBlock = 64 << 10

// keptBuffer is the largest buffer for long lines that is kept for the next.
const keptBuffer = 2 << 20

// OpenFile opens a transcript for reading: a regular file, not through a link.
func OpenFile(path string) (*os.File, error) {
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

// A meter reads until its context ends, and counts what it read.
type meter struct {
	ctx    context.Context
	source io.Reader
	read   *atomic.Int64 // shared by all readers of a search
}

func (m *meter) Read(p []byte) (int, error) {
	if err := m.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := m.source.Read(p)
	m.read.Add(int64(n))
	return n, err
}

// A LineReader cuts a transcript into lines, at "\n" and nothing else.
type LineReader struct {
	source io.Reader
	failed error  // of the source, its end among them
	block  int    // bytes read at once
	buffer []byte // what was read and is kept
	at     int    // where the next line begins in the buffer
	whole  int    // after the last newline in the buffer

	Number  int   // of the line last read, from 1
	start   int64 // its offset
	next    int64 // the offset after it
	dropped int64 // of the next line, what is longer than maxLine and not kept
	skipped int   // lines longer than maxLine

	settled struct { // after the last line that ended with a newline
		number, skipped int
		next            int64
	}
}

// NewLineReader returns a reader that reads so many bytes at once.
func NewLineReader(r io.Reader, block int) *LineReader {
	return &LineReader{source: r, block: block, buffer: make([]byte, 0, block)}
}

// lineReaders are those that read readBlock at once: to make one takes longer than to read a small transcript, and of
// 100,000 heads it leaves gigabytes of garbage.
var lineReaders = sync.Pool{New: func() any { return NewLineReader(nil, ReadBlock) }}

// Lines returns the lines of a session from one on whose number and offset are known, to the length that the session had
// when it was opened. read counts the bytes read. close gives the reader back.
func (s *Source) Lines(ctx context.Context, number int, offset int64, read *atomic.Int64) *LineReader {
	l := lineReaders.Get().(*LineReader)
	l.reset(&meter{ctx, io.NewSectionReader(s, offset, s.Length-offset), read}, number, offset)
	return l
}

// Close gives a reader of Lines back.
func (l *LineReader) Close() {
	if cap(l.buffer) > keptBuffer {
		l.buffer = make([]byte, 0, l.block)
	}
	l.source = nil
	lineReaders.Put(l)
}

// reset begins at a line that another reader has found: its number and its offset.
func (l *LineReader) reset(r io.Reader, number int, offset int64) {
	*l = LineReader{source: r, block: l.block, buffer: l.buffer[:0], Number: number - 1, next: offset}
	l.settle()
}

// read returns the next line without its newline, valid until the next call, and whether a newline
// ended it: the last line of a growing file may be half of one. At the end it returns io.EOF.
func (l *LineReader) read() (line []byte, ended bool, err error) {
	for {
		for l.at < l.whole {
			begin := l.at
			end := begin + bytes.IndexByte(l.buffer[begin:l.whole], '\n')
			fits := l.cut(end + 1)
			l.settle()
			if fits {
				return l.buffer[begin:end], true, nil
			}
		}
		err := l.fill()
		if err == nil {
			continue
		}
		begin := l.at
		if err != io.EOF || begin == len(l.buffer) && l.dropped == 0 {
			return nil, false, err
		}
		if l.cut(len(l.buffer)) {
			return l.buffer[begin:], false, nil
		}
	}
}

// ReadAll returns all lines that are in memory, with their newlines, or at the end the line that has none. A line that is
// too long is left out. At the end it returns io.EOF.
func (l *LineReader) ReadAll() ([]byte, error) {
	if l.at == l.whole {
		if err := l.fill(); err != nil && (err != io.EOF || l.at == len(l.buffer) || l.dropped > 0) {
			return nil, err
		} else if err == io.EOF {
			l.whole = len(l.buffer)
		}
	}
	lines := l.buffer[l.at:l.whole]
	l.at, l.dropped = l.whole, 0
	return lines, nil
}

// cut continues after a line, and reports whether the line fits within maxLine.
func (l *LineReader) cut(behind int) (fits bool) {
	size := l.dropped + int64(behind-l.at)
	l.Number++
	l.start, l.next = l.next, l.next+size
	l.at, l.dropped = behind, 0
	if size > maxLine {
		l.skipped++
		return false
	}
	return true
}

func (l *LineReader) settle() {
	l.settled.number, l.settled.next, l.settled.skipped = l.Number, l.next, l.skipped
}

// fill moves what is left to the head of the buffer and reads until there is a newline. The error is
// one of the source, io.EOF among them.
func (l *LineReader) fill() error {
	rest := l.buffer[l.at:]
	l.at, l.whole = 0, 0
	if cap(l.buffer) > keptBuffer && len(rest) < l.block {
		l.buffer = make([]byte, 0, l.block)
	}
	l.buffer = append(l.buffer[:0], rest...)
	for l.failed == nil {
		if len(l.buffer) > maxLine {
			l.dropped += int64(len(l.buffer))
			l.buffer = make([]byte, 0, l.block)
		}
		before := len(l.buffer)
		if before == cap(l.buffer) {
			l.buffer = slices.Grow(l.buffer, min(before, maxLine+l.block-before))
		}
		// A long line has left a long buffer: filled whole, it would not stay in the cache.
		n, err := l.source.Read(l.buffer[before:min(before+l.block, cap(l.buffer))])
		l.buffer, l.failed = l.buffer[:before+n], err
		if i := bytes.LastIndexByte(l.buffer[before:], '\n'); i >= 0 {
			l.whole = before + i + 1
			return nil
		}
	}
	return l.failed
}

// blank is what may be around the records of a line: NULs are what a crash leaves of a block that
// was allocated and never written.
const blank = " \t\r\x00"

// trimmed is a line without what may be around its records, the mark at the head of a file included.
func trimmed(line []byte, first bool) []byte {
	if first {
		line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
	}
	if n := len(line); n > 0 && line[0] == '{' && line[n-1] == '}' {
		return line
	}
	return bytes.Trim(line, blank)
}
