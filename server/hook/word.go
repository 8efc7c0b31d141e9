package hook

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// Word returns what a status bar has room for: that somebody dreams, that a dream waits for its person or is due, or what
// the last one did, until it is time for the next; "" where there is nothing to say. It reads what others left and counts
// no sessions: due is what was due when somebody asked the gates.
func (k Known) Word(now time.Time) string {
	if word, open := k.dreaming(now); open {
		return word
	}
	last, undone := k.lastDream()
	switch age := now.Sub(last.Time); {
	case last.Outcome == "proposed":
		return "dream: waits for you (dream-mcp review)"
	case !k.Enabled:
		return ""
	case k.due(now):
		return "dream: due"
	case last.Outcome == "committed" && !undone && age >= 0 && age.Hours() < k.MinHours:
		return fmt.Sprintf("dreamed %s ago: %d improved", roughly(age), last.improved())
	}
	return ""
}

// roughly is a span as a bar has room for it.
func roughly(d time.Duration) string {
	switch {
	case d < time.Hour:
		return fmt.Sprintf("%dm", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh", int(d.Hours()))
	}
	return fmt.Sprintf("%dd", int(d.Hours()/24))
}

// dreaming tells of the open dream, by the record in the lock file, whose first byte is another's to lock.
func (k Known) dreaming(now time.Time) (word string, open bool) {
	var record struct {
		Kind  string `json:"kind"`
		Dream string `json:"dream"`
	}
	text := tail(filepath.Join(k.MemoryDir, ".dream.lock"), 1, maxNote)
	if json.Unmarshal(bytes.Trim(text, "\x00\n "), &record) != nil || record.Kind != "dream" || !plain(record.Dream) {
		return "", false
	}
	folder := filepath.Join(k.StateDir, "dreams", record.Dream)
	var info struct {
		Phase    string    `json:"phase"`
		LastCall time.Time `json:"last_call"`
	}
	var manifest struct {
		Changes []json.RawMessage `json:"changes"`
	}
	if !note(filepath.Join(folder, "dream.json"), maxState, &info) || !plain(info.Phase) {
		return "dreaming", true
	}
	if now.Sub(info.LastCall) > lease {
		return "", false // its process has died, or sleeps
	}
	if !note(filepath.Join(folder, "manifest.json"), maxState, &manifest) || len(manifest.Changes) == 0 {
		return fmt.Sprintf("dreaming (%s)", info.Phase), true
	}
	return fmt.Sprintf("dreaming (%s, %d staged)", info.Phase, len(manifest.Changes)), true
}

// lease is how long a dream stays open without a call.
const lease = time.Hour

// maxState bounds what is read of a dream's own files: one larger than that is told of in fewer words.
const maxState = 1 << 20

// plain reports whether a word may be shown, and be a folder's name.
func plain(word string) bool {
	for i := range len(word) {
		if c := word[i]; c != '-' && (c < '0' || c > '9') && (c < 'a' || c > 'z') {
			return false
		}
	}
	return word != "" && len(word) <= 64
}

// entry is what is used of a line of the journal.
type entry struct {
	Time    time.Time `json:"time"`
	Outcome string    `json:"outcome"`
	Kind    string    `json:"kind"`
	ID      string    `json:"id"`
	Files   []string  `json:"files"`
	Undoes  string    `json:"undoes"`
}

func (e entry) improved() int {
	n := len(e.Files)
	for _, file := range e.Files {
		if file == "MEMORY.md" {
			n--
		}
	}
	return n
}

// maxJournalTail is what is read of the end of the journal: some dozen entries.
const maxJournalTail = 16 << 10

// lastDream returns the dream that ended last, of those at the journal's end, and whether it was undone.
func (k Known) lastDream() (last entry, undone bool) {
	for line := range bytes.Lines(tail(filepath.Join(k.StateDir, "journal.jsonl"), 0, maxJournalTail)) {
		var e entry
		switch {
		case json.Unmarshal(line, &e) != nil:
		case e.Kind == "dream" && e.Outcome != "fired":
			last, undone = e, false
		case e.Undoes != "" && e.Undoes == last.ID && e.Outcome == "committed":
			undone = true
		}
	}
	return last, undone
}

// due reports whether the time has come and the last scan found sessions enough.
func (k Known) due(now time.Time) bool {
	since, known := k.consolidated()
	if !known || !since.IsZero() && now.Sub(since).Hours() < k.MinHours {
		return false
	}
	scan, ok := k.scanned()
	return ok && scan.Found >= k.MinSessions && scan.of(since)
}

// tail returns the end of a regular file, but for its first bytes; nil where it can't be read.
func tail(path string, but, most int64) []byte {
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil
	}
	from := max(but, info.Size()-most)
	data, err := io.ReadAll(io.NewSectionReader(f, from, most))
	if err != nil {
		return nil
	}
	return data
}
