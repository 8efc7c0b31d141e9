//go:build !unix

package memory

const nonblock = 0

func writable(string) error { return nil } // the first write says so
