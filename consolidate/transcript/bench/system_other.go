//go:build !linux

package main

func peakMemory() (int64, bool) { return 0, false }
