package host

import (
	"github.com/klauspost/compress/zstd"

	"dream-mcp/consolidate/transcript/said"
)

// unpacked returns what a zstd frame holds, of at most said.MaxWhole bytes.
func unpacked(frame []byte) ([]byte, error) {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(said.MaxWhole))
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return d.DecodeAll(frame, nil)
}
