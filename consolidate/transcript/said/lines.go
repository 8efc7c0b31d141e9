package said

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
)

// maxLine bounds one line, with its newline; real ones pass 10 MB. A longer one is counted, not held: a
// buffer that grows holds the line nearly twice, in each thread.
const maxLine = 24 << 20

// TooLong says why a longer line is not read.
var TooLong = fmt.Sprintf("larger than %d MB", maxLine>>20)

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

// A LineReader splits a transcript into lines, at "\n" and nothing else.
type LineReader struct {
	in      *bufio.Reader
	long    []byte   // the line last read, if it does not fit into the buffer of in
	records []Record // in memory, in place of lines
	ctx     context.Context

	Number  int   // of the line last read, from 1
	start   int64 // its offset
	next    int64 // the offset after it
	skipped int   // lines longer than maxLine

	settled struct { // after the last line that ended with a newline
		number, skipped int
		next            int64
	}
}

// NewLineReader returns a reader that reads so many bytes at once.
func NewLineReader(r io.Reader, block int) *LineReader {
	return &LineReader{in: bufio.NewReaderSize(r, block)}
}

// lineReaders are readers whose buffer has the size ReadBlock. To make one takes longer than to read a small
// transcript, and one for each of 100,000 heads leaves gigabytes of garbage.
var lineReaders = sync.Pool{New: func() any { return NewLineReader(nil, ReadBlock) }}

// Lines returns the lines of a session from one on whose number and offset are known, to the length that the session
// had when it was opened. read counts the bytes read. Close gives the reader back.
func (s *Source) Lines(ctx context.Context, number int, offset int64, read *atomic.Int64) *LineReader {
	l := lineReaders.Get().(*LineReader)
	l.in.Reset(&meter{ctx, io.NewSectionReader(s, offset, s.Length-offset), read})
	*l = LineReader{in: l.in, long: l.long[:0], records: s.Records, ctx: ctx, Number: number - 1, next: offset}
	l.settle()
	return l
}

// Close gives a reader of Lines back.
func (l *LineReader) Close() {
	l.in.Reset(nil)
	l.records, l.ctx = nil, nil
	if cap(l.long) > keptBuffer {
		l.long = nil
	}
	lineReaders.Put(l)
}

// decode reads the next line, as read does, and returns its records. bad reports that some of it is damaged: the end of
// a growing file is not.
func (l *LineReader) decode(d *decoder) (records []Record, line []byte, ended, bad bool, err error) {
	if l.Number < len(l.records) {
		if err := l.ctx.Err(); err != nil {
			return nil, nil, false, false, err
		}
		l.Number++
		l.settle()
		records = l.records[l.Number-1 : l.Number]
		return records, nil, true, records[0].bad, nil
	}
	line, ended, err = l.read()
	if err == nil {
		line = trimmed(line, l.start == 0)
		records, bad = d.line(line)
	}
	return records, line, ended, bad && ended, err
}

// read returns the next line that is not too long, without its newline, valid until the next call, and whether a
// newline ended it: the last line of a growing file may be half of one. At the end it returns io.EOF.
func (l *LineReader) read() (line []byte, ended bool, err error) {
	for {
		l.start = l.next
		line, err = l.in.ReadSlice('\n')
		l.next += int64(len(line))
		if err == bufio.ErrBufferFull {
			line, err = l.rest(line)
		}
		if err != nil && (err != io.EOF || l.next == l.start) {
			return nil, false, err
		}
		l.Number++
		size := l.next - l.start
		if size > maxLine {
			l.skipped++
		}
		if ended = err == nil; ended {
			l.settle()
			line = line[:len(line)-1]
		}
		if size <= maxLine {
			return line, ended, nil
		}
	}
}

// rest returns the line that begins so. Of one that is too long, it returns some of it.
func (l *LineReader) rest(begin []byte) (line []byte, err error) {
	l.long = append(l.long[:0], begin...)
	for err = bufio.ErrBufferFull; err == bufio.ErrBufferFull; {
		begin, err = l.in.ReadSlice('\n')
		if l.next += int64(len(begin)); l.next-l.start <= maxLine {
			l.long = append(l.long, begin...)
		}
	}
	return l.long, err
}

func (l *LineReader) settle() {
	l.settled.number, l.settled.next, l.settled.skipped = l.Number, l.next, l.skipped
}

// ReadAll returns all lines that are in memory, with their newlines, or the next line. A line that is too long is left
// out. At the end it returns io.EOF.
func (l *LineReader) ReadAll() ([]byte, error) {
	_, _ = l.in.Peek(l.in.Buffered() + 1) // reads on
	lines, _ := l.in.Peek(l.in.Buffered())
	if i := bytes.LastIndexByte(lines, '\n'); i >= 0 {
		l.in.Discard(i + 1)
		return lines[:i+1], nil
	}
	line, _, err := l.read()
	return line, err
}

// Blank is what may be around the records of a line: NULs are what a crash leaves of a block that
// was allocated and never written.
const Blank = " \t\r\x00"

// trimmed is a line without what may be around its records, the mark at the head of a file included.
func trimmed(line []byte, first bool) []byte {
	if first {
		line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
	}
	if n := len(line); n > 0 && line[0] == '{' && line[n-1] == '}' {
		return line
	}
	return bytes.Trim(line, Blank)
}
