package sqlite

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"os"
)

// The log's own header, and that of each frame in it: a page, as a transaction wrote it.
const (
	logHeader   = 32
	frameHeader = 24
)

// A log is what the write-ahead log holds, to its last commit. It does not change; the zero log is empty.
type log struct {
	head   [logHeader]byte
	size   int              // of a page
	frames map[uint32]int64 // where the newest of each page begins
	pages  uint32           // of the database, after the last commit; 0: there is none
	end    int64            // after the last commit
	sum    checksum         // to there
}

// A checksum runs over the whole log: a frame is good if all before it are.
type checksum struct {
	a, b  uint32
	order binary.ByteOrder
}

// add takes in a multiple of eight bytes.
func (c *checksum) add(p []byte) {
	for ; len(p) >= 8; p = p[8:] {
		c.a += c.order.Uint32(p) + c.b
		c.b += c.order.Uint32(p[4:]) + c.a
	}
}

// readLog reads a log, or what was appended to it since before; nil: all. A log whose header is none is empty: SQLite
// takes it so.
func readLog(f *os.File, before *log) (*log, error) {
	l := &log{}
	if _, err := f.ReadAt(l.head[:], 0); err == io.EOF {
		return l, nil
	} else if err != nil {
		return l, err
	}
	if before != nil && before.end > 0 && before.head == l.head {
		l = before
	} else if !l.begin() {
		return l, nil
	}
	return l.extend(f)
}

// begin reads the header, and reports whether it is one.
func (l *log) begin() bool {
	big := binary.BigEndian
	magic := big.Uint32(l.head[:])
	size := int(big.Uint32(l.head[8:]))
	if magic&^1 != 0x377f0682 || big.Uint32(l.head[4:]) != 3007000 || size < 512 || size > 1<<16 || size&(size-1) != 0 {
		return false
	}
	l.sum.order = binary.ByteOrder(binary.LittleEndian)
	if magic&1 != 0 {
		l.sum.order = big
	}
	l.sum.add(l.head[:24])
	l.size, l.end = size, logHeader
	return l.sum.a == big.Uint32(l.head[24:]) && l.sum.b == big.Uint32(l.head[28:])
}

// extend returns the log with the commits after its end.
func (l *log) extend(f *os.File) (*log, error) {
	big := binary.BigEndian
	grown := *l
	in := bufio.NewReaderSize(io.NewSectionReader(f, l.end, maxLog+1-l.end), 256<<10)
	frame := make([]byte, frameHeader+l.size)
	since := map[uint32]int64{} // the last commit
	for at, sum := l.end, l.sum; ; {
		if _, err := io.ReadFull(in, frame); err == io.EOF || err == io.ErrUnexpectedEOF {
			if at+int64(len(frame)) > maxLog {
				return l, fmt.Errorf("its log is longer than %d bytes", maxLog)
			}
			return &grown, nil
		} else if err != nil {
			return l, err
		}
		sum.add(frame[:8])
		sum.add(frame[frameHeader:])
		page := big.Uint32(frame)
		if page == 0 || string(frame[8:16]) != string(l.head[16:24]) || sum.a != big.Uint32(frame[16:]) || sum.b != big.Uint32(frame[20:]) {
			return &grown, nil // from before the log was reset, or not yet written
		}
		since[page] = at + frameHeader
		at += int64(len(frame))
		if pages := big.Uint32(frame[4:]); pages > 0 {
			if grown.end == l.end { // the log as it was is read by others
				if grown.frames = maps.Clone(l.frames); grown.frames == nil {
					grown.frames = map[uint32]int64{}
				}
			}
			maps.Copy(grown.frames, since)
			clear(since)
			grown.pages, grown.end, grown.sum = pages, at, sum
		}
	}
}
