//go:build unix && !darwin

package lock

func bootSession() string { return "" }
