//go:build !linux

package main

import "time"

func peakMemory() (int64, bool) { return 0, false }

// cpuTime is not measured here.
func cpuTime() time.Duration { return 0 }
