//go:build !unix

package memory

const nonblock = 0
