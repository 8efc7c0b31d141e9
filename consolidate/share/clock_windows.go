package share

import (
	"time"

	"golang.org/x/sys/windows"
)

// sinceBoot returns the time since the machine booted, sleep included.
func sinceBoot() time.Duration { return windows.DurationSinceBoot() }
