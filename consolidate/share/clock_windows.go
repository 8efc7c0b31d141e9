package share

import (
	"time"

	"golang.org/x/sys/windows"
)

// sinceBoot returns the time since the machine booted. Which boot that was Windows does not say; a later one makes a lease only seem
// younger than it is.
func sinceBoot() (boot string, since time.Duration) { return "windows", windows.DurationSinceBoot() }
