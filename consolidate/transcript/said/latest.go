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
// whose lines are alike; "" where the end of the file has none, or it can't be read. It is neither made
// visible nor masked, and cut at 4 KiB.
func Latest(path string) string {
	f, err := OpenFile(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return ""
	}
	tail, err := lastLines(f, info.Size(), latestTail)
	if err != nil {
		return ""
	}
	latest := ""
	eachRecord(tail, ClaudeCode, func(r *record) {
		said, _ := r.parts(nil, sums{}, false)
		for _, p := range said {
			if words := strings.TrimSpace(p.text); p.speaker == Assistant && words != "" {
				latest = words
			}
		}
	})
	return strings.ToValidUTF8(latest[:min(len(latest), maxLatest)], "")
}
