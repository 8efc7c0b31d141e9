package transcript

import (
	"crypto/sha256"
	"encoding/binary"
)

// sum64 is the beginning of a text's SHA-256: the same in every process, and nobody who writes into
// a transcript can make two texts share it.
func sum64(texts ...string) uint64 {
	var room [256]byte // most fit, so that nothing is allocated
	joined := room[:0]
	for i, text := range texts {
		if i > 0 {
			joined = append(joined, 0)
		}
		joined = append(joined, text...)
	}
	return sumBytes(joined)
}

func sumBytes(b []byte) uint64 {
	sum := sha256.Sum256(b)
	return binary.LittleEndian.Uint64(sum[:])
}
