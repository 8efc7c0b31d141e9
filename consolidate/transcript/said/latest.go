package said

import (
	"strings"
)

// latestTail is how much of the end of a transcript is read for what the model said last. A longer tool result hides it
// until the model says more.
const latestTail = 64 << 10

// maxLatest bounds what is returned of it, in bytes.
const maxLatest = 4 << 10

// Latest returns the words that the model said last in a transcript, or in the log of a headless run,
// which has the same lines; "" if the end of the file has none, or cannot be read. It is neither made
// visible nor masked, and cut at 4 KiB.
func Latest(path string) string {
	latest := ""
	_ = File{Path: path}.tail(latestTail, func(r *Record) {
		said, _ := r.parts(nil, &calls{}, false)
		for _, p := range said {
			if words := strings.TrimSpace(p.text); p.speaker == Assistant && words != "" {
				latest = words
			}
		}
	})
	return strings.ToValidUTF8(latest[:min(len(latest), maxLatest)], "")
}
