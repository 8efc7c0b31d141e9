package share

import (
	"time"

	"golang.org/x/sys/unix"
)

// sinceBoot returns the time since the machine booted, sleep included, and which boot that was.
func sinceBoot() (boot string, since time.Duration) {
	boot, _ = unix.Sysctl("kern.bootsessionuuid")
	var t unix.Timespec
	if unix.ClockGettime(unix.CLOCK_MONOTONIC, &t) != nil {
		return "", 0
	}
	return boot, time.Duration(t.Nano())
}
