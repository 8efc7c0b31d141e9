package lock

import (
	"bytes"
	"math"
	"strconv"
	"time"
)

// There are two formats of Claude Code's lock file. In the older one the text is the PID of the process of the last
// dream, or empty, and the modification time is the time of the last consolidation. In the newer one (seen in 2.1.329,
// enabled by a flag) the text is "PID\nMILLISECONDS", or "\nMILLISECONDS" if nobody holds the lock; the second line is
// the time of the last consolidation, and the modification time means nothing. Each client can read both.

// maxTime is the latest valid time in milliseconds: the end of the year 9999, the last that JSON can hold.
const maxTime = 253_402_300_799_000

// parseHost parses a text as Claude Code does. It ignores an invalid PID or time.
func parseHost(text []byte, modified time.Time) HostRecord {
	first, rest, _ := bytes.Cut(text, []byte("\n"))
	second, _, _ := bytes.Cut(rest, []byte("\n"))
	n := HostRecord{Stamp: Stamp{Exists: true, Time: modified}, PID: leadingInteger(bytes.TrimSpace(first)), body: text}
	ms, err := strconv.ParseFloat(string(bytes.TrimSpace(second)), 64)
	if err == nil && ms >= 0 && ms < maxTime {
		n.twoLines, n.Time = true, time.UnixMicro(int64(math.Round(ms*1000)))
	}
	return n
}

// leadingInteger returns the PID at the beginning of a line, or 0 if it is not a valid PID.
func leadingInteger(line []byte) int {
	end := 0
	for end < len(line) && line[end] >= '0' && line[end] <= '9' {
		end++
	}
	pid, err := strconv.ParseInt(string(line[:end]), 10, 32)
	if err != nil {
		return 0
	}
	return int(pid)
}

// text returns the content of the file for a process (0: nobody) and a time, in microseconds, in the format of n.
func (n HostRecord) text(pid int, at time.Time) []byte {
	var text []byte
	if pid != 0 {
		text = strconv.AppendInt(text, int64(pid), 10)
	}
	if n.twoLines {
		text = append(text, '\n')
		text = strconv.AppendFloat(text, float64(at.UnixMicro())/1000, 'f', -1, 64)
	}
	return text
}
