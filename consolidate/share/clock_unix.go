//go:build linux || darwin

package share

import (
	"os"
	"runtime"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// sinceBoot returns the time since the machine booted, sleep included, and the ID of the boot. Without an ID a later
// boot makes a lease only seem younger than it is.
func sinceBoot() (boot string, since time.Duration) {
	id, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	clock := int32(unix.CLOCK_MONOTONIC)
	if runtime.GOOS == "linux" {
		clock = 7 // CLOCK_BOOTTIME; elsewhere CLOCK_MONOTONIC includes sleep
	}
	var t unix.Timespec
	_ = unix.ClockGettime(clock, &t) // where it fails, no lease is taken over
	return strings.TrimSpace(string(id)), time.Duration(t.Nano())
}
