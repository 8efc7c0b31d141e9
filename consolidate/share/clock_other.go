//go:build !linux && !darwin && !windows

package share

import "time"

// sinceBoot: no lease is ever taken over here.
func sinceBoot() (boot string, since time.Duration) { return "", 0 }
