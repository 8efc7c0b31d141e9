package lock

import (
	"bytes"
	"math"
	"strconv"
	"time"
)

// hostText is the text of Claude Code's lock file.
//
// There are two formats. In the older one the text is the PID of the process that dreams or dreamed last, or nothing, and
// the file's modification time is the time of the last consolidation. In the newer one (seen in 2.1.329, switched on by a flag)
// the text is "PID\nMILLISECONDS", or "\nMILLISECONDS" where nobody holds the lock. There the second line is the time of
// the last consolidation, and the modification time means nothing. Each client reads the other's files.
type hostText struct {
	pid      int       // 0: nobody holds the lock
	twoLines bool      // the newer format
	time     time.Time // of the last consolidation, in the newer format
}

// maxTime is the latest time that is believed, in milliseconds: the end of 9999. JSON has no later one.
const maxTime = 253_402_300_799_000

// parseHost reads a text as Claude Code does. What it does not understand names nobody, and no time.
func parseHost(text []byte) hostText {
	first, rest, _ := bytes.Cut(text, []byte("\n"))
	second, _, _ := bytes.Cut(rest, []byte("\n"))
	t := hostText{pid: leadingInteger(bytes.TrimSpace(first))}
	ms, err := strconv.ParseFloat(string(bytes.TrimSpace(second)), 64)
	if err == nil && ms >= 0 && ms < maxTime {
		t.twoLines, t.time = true, time.UnixMicro(int64(math.Round(ms*1000)))
	}
	return t
}

// leadingInteger returns the PID that a line begins with. A number that no process can have is none.
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

// bytes returns the text of t. Its time is exact to the microsecond.
func (t hostText) bytes() []byte {
	var text []byte
	if t.pid != 0 {
		text = strconv.AppendInt(text, int64(t.pid), 10)
	}
	if t.twoLines {
		text = append(text, '\n')
		text = strconv.AppendFloat(text, float64(t.time.UnixMicro())/1000, 'f', -1, 64)
	}
	return text
}
