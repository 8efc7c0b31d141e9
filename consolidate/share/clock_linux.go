package share

import (
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// sinceBoot returns the time since the machine booted, sleep included, and which boot that was.
func sinceBoot() (boot string, since time.Duration) {
	id, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	var t unix.Timespec
	if unix.ClockGettime(unix.CLOCK_BOOTTIME, &t) != nil {
		return "", 0
	}
	return strings.TrimSpace(string(id)), time.Duration(t.Nano())
}
