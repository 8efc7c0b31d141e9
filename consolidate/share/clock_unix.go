//go:build linux || darwin

package share

import (
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// sinceBoot returns the time since the machine booted, sleep included.
func sinceBoot() time.Duration {
	clock := int32(unix.CLOCK_MONOTONIC)
	if runtime.GOOS == "linux" {
		clock = 7 // CLOCK_BOOTTIME; elsewhere CLOCK_MONOTONIC includes sleep
	}
	var t unix.Timespec
	_ = unix.ClockGettime(clock, &t) // where it fails, no lease is taken over
	return time.Duration(t.Nano())
}
