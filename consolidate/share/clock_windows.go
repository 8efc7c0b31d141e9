package share

import (
	"time"

	"golang.org/x/sys/windows"
)

// sinceBoot returns the time since the machine booted, sleep included. Windows has no ID of the boot; a later boot
// makes a lease only seem younger than it is.
func sinceBoot() (boot string, since time.Duration) { return "windows", windows.DurationSinceBoot() }
