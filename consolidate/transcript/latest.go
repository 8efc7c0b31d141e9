package transcript

import (
	"bytes"
	"io"
	"path/filepath"
	"strings"
)

// latestTail is how much of the end of a transcript is read for what the model said last. A longer tool result hides it
// until the model says more.
const latestTail = 64 << 10

// maxLatest bounds what is returned of it, in bytes.
const maxLatest = 4 << 10

// PathOf returns the transcript of a session of the project, whether or not it exists in a folder that
// can be read; "" where there is none.
func (s *Store) PathOf(session string) string {
	if !isPlainName(session) {
		return ""
	}
	folders, err := s.candidates()
	if err != nil {
		return ""
	}
	for _, folder := range folders {
		path := filepath.Join(folder.Path, session+".jsonl")
		if f, err := openFile(path); err == nil {
			f.Close()
			return path
		}
	}
	return ""
}

// Latest returns the words that the model said last in a transcript, or in the log of a headless run,
// whose lines are alike; "" where the end of the file has none, or it can't be read. It is neither made
// visible nor masked, and cut at 4 KiB.
func Latest(path string) string {
	f, err := openFile(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return ""
	}
	from := max(0, info.Size()-latestTail)
	tail, err := io.ReadAll(io.NewSectionReader(f, from, latestTail))
	if err != nil {
		return ""
	}
	lines := newDecoder(ClaudeCode)
	latest := ""
	for line := range bytes.Lines(tail) {
		records, _ := lines.line(bytes.Trim(line, blank+"\n"))
		for i := range records {
			said, _ := records[i].parts(nil, own{}, false)
			for _, p := range said {
				if words := strings.TrimSpace(p.text); p.speaker == Assistant && words != "" {
					latest = words
				}
			}
		}
	}
	return strings.ToValidUTF8(latest[:min(len(latest), maxLatest)], "")
}
