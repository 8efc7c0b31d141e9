package main

import (
	"bytes"
	"os"
	"strconv"
)

// peakMemory is the most memory that this process had, in bytes. What the system says of an ended
// child would not do: there counts what its parent had when it began.
func peakMemory() (int64, bool) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, false
	}
	_, rest, _ := bytes.Cut(status, []byte("VmHWM:"))
	fields := bytes.Fields(rest)
	if len(fields) == 0 {
		return 0, false
	}
	n, err := strconv.ParseInt(string(fields[0]), 10, 64)
	return n << 10, err == nil
}
