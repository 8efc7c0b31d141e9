package sqlite

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"os"
)

// The sizes of the log's header, and of that before each page in it.
const (
	logHeader   = 32
	frameHeader = 24
)

// A log is what the write-ahead log holds up to its last commit. It does not change; the zero log is empty.
type log struct {
	head   [logHeader]byte
	size   int              // of a page
	frames map[uint32]int64 // the offset of the newest copy of each page
	pages  uint32           // of the database, after the last commit; 0: there was none
	end    int64            // after the last commit; 0: there is no log
	sum    checksum         // up to there
}

// A checksum is over the whole log: a frame is valid if all before it are.
type checksum struct {
	a, b  uint32
	order binary.ByteOrder
}

// add adds a multiple of eight bytes.
func (c *checksum) add(p []byte) {
	for ; len(p) >= 8; p = p[8:] {
		c.a += c.order.Uint32(p) + c.b
		c.b += c.order.Uint32(p[4:]) + c.a
	}
}

// is reports whether the checksum is the one at the head of p.
func (c *checksum) is(p []byte) bool {
	return c.a == binary.BigEndian.Uint32(p) && c.b == binary.BigEndian.Uint32(p[4:])
}

// update returns the log as it is now. A log without a valid header is empty, as it is to SQLite.
func (l log) update(f *os.File) (log, error) {
	var head [logHeader]byte
	if _, err := f.ReadAt(head[:], 0); err != nil && err != io.EOF {
		return log{}, err
	}
	if l.end == 0 || head != l.head {
		l = newLog(head)
	}
	if l.end == 0 {
		return l, nil
	}
	in := bufio.NewReaderSize(io.NewSectionReader(f, l.end, maxLog-l.end), 256<<10)
	frame := make([]byte, frameHeader+l.size)
	l.frames = maps.Clone(l.frames)
	pending := map[uint32]int64{} // what is not committed yet
	sum := l.sum
	for at := l.end; ; {
		if _, err := io.ReadFull(in, frame); err == io.EOF || err == io.ErrUnexpectedEOF {
			if at+int64(len(frame)) > maxLog {
				return log{}, fmt.Errorf("its log is longer than %d bytes", maxLog)
			}
			return l, nil
		} else if err != nil {
			return log{}, err
		}
		sum.add(frame[:8])
		sum.add(frame[frameHeader:])
		page := binary.BigEndian.Uint32(frame)
		if page == 0 || string(frame[8:16]) != string(l.head[16:24]) || !sum.is(frame[16:]) {
			return l, nil // from before the log was reset, or not yet written
		}
		pending[page] = at + frameHeader
		at += int64(len(frame))
		if pages := binary.BigEndian.Uint32(frame[4:]); pages > 0 {
			maps.Copy(l.frames, pending)
			clear(pending)
			l.pages, l.end, l.sum = pages, at, sum
		}
	}
}

// newLog returns the log with a header, of which nothing is read yet.
func newLog(head [logHeader]byte) log {
	magic, size := binary.BigEndian.Uint32(head[:]), int(binary.BigEndian.Uint32(head[8:]))
	l := log{head: head, size: size, frames: map[uint32]int64{}, end: logHeader, sum: checksum{order: binary.LittleEndian}}
	if magic&1 != 0 {
		l.sum.order = binary.BigEndian
	}
	l.sum.add(head[:24])
	if magic&^1 != 0x377f0682 || binary.BigEndian.Uint32(head[4:]) != 3007000 ||
		size < 512 || size > 1<<16 || size&(size-1) != 0 || !l.sum.is(head[24:]) {
		return log{}
	}
	return l
}
