package transcript

import (
	"bytes"
	"encoding/json"
	"io"
	"path/filepath"
	"strings"
)

// latestTail is how much of the end of a transcript is read for what the model said last. Longer tool
// results than that hide it, until it speaks again.
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
	lines := bytes.Split(tail, []byte("\n"))
	for i := len(lines) - 1; i >= 0; i-- {
		if words := wordsOf(lines[i]); words != "" {
			return words
		}
	}
	return ""
}

// wordsOf returns the words of the model in one line.
func wordsOf(line []byte) string {
	if !bytes.Contains(line, []byte(`"assistant"`)) {
		return ""
	}
	var record struct {
		Type        string
		IsSidechain bool
		Message     struct{ Content json.RawMessage }
	}
	if json.Unmarshal(line, &record) != nil || record.Type != "assistant" || record.IsSidechain {
		return ""
	}
	var words string
	var blocks []struct{ Type, Text string }
	if json.Unmarshal(record.Message.Content, &blocks) == nil {
		for _, b := range blocks {
			if b.Type == "text" {
				words += b.Text + "\n"
			}
		}
	} else {
		json.Unmarshal(record.Message.Content, &words)
	}
	words = strings.TrimSpace(modelText(words))
	return strings.ToValidUTF8(words[:min(len(words), maxLatest)], "")
}
