//go:build !linux

package tmpfs

func folder() string { return "" }
