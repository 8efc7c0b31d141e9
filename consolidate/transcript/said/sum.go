package said

import (
	"crypto/sha256"
	"encoding/binary"
)

// Sum is the beginning of a text's SHA-256: the same in every process, and nobody who writes into
// a transcript can make two texts share it.
func Sum(texts ...string) uint64 {
	var room [256]byte // most fit, so that nothing is allocated
	joined := room[:0]
	for i, text := range texts {
		if i > 0 {
			joined = append(joined, 0)
		}
		joined = append(joined, text...)
	}
	return SumOf(joined)
}

// SumOf is Sum of bytes.
func SumOf(b []byte) uint64 {
	sum := sha256.Sum256(b)
	return binary.LittleEndian.Uint64(sum[:])
}
