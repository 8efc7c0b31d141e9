package hook

import (
	"bytes"
	"io"
	"os"
	"slices"
	"strconv"
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
	switch age := now.Sub(last.ended); {
	case last.outcome == "proposed":
		return "dream: waits for you (dream-mcp review)"
	case !k.Enabled:
		return ""
	case k.due(now):
		return "dream: due"
	case last.outcome == "committed" && !undone && age >= 0 && age.Hours() < k.MinHours:
		return "dreamed " + roughly(age) + ": " + strconv.Itoa(last.improved) + " improved"
	}
	return ""
}

// roughly says how long ago something was, as a bar has room for it.
func roughly(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return strconv.Itoa(int(d.Minutes())) + "m ago"
	case d < 48*time.Hour:
		return strconv.Itoa(int(d.Hours())) + "h ago"
	}
	return strconv.Itoa(int(d.Hours()/24)) + "d ago"
}

// dreaming tells of the open dream, by the record in the lock file, whose first byte is another's to lock.
func (k Known) dreaming(now time.Time) (word string, open bool) {
	record := only(bytes.Trim(tail(join(k.MemoryDir, ".dream.lock"), 1, maxNote), "\x00"+space))
	dream := record.at("dream").text()
	if record.at("kind").text() != "dream" || !plain(dream) {
		return "", false
	}
	folder := join(k.StateDir, "dreams", dream)
	info := note(join(folder, "dream.json"), maxState)
	phase := info.at("phase").text()
	if !plain(phase) {
		return "dreaming", true
	}
	if now.Sub(info.at("last_call").time()) > lease {
		return "", false // its process has died, or sleeps
	}
	word = "dreaming (" + phase
	if staged := len(note(join(folder, "manifest.json"), maxState).at("changes").list()); staged > 0 {
		word += ", " + strconv.Itoa(staged) + " staged"
	}
	return word + ")", true
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

// ending is how a dream ended.
type ending struct {
	ended    time.Time
	outcome  string
	improved int
}

// maxJournalTail is what is read of the end of the journal: some dozen entries.
const maxJournalTail = 16 << 10

// lastDream returns how the dream ended that ended last, of those at the journal's end, and whether it was undone.
func (k Known) lastDream() (last ending, undone bool) {
	lines := bytes.Split(tail(join(k.StateDir, "journal.jsonl"), 0, maxJournalTail), []byte("\n"))
	var taken []string // back, since
	for _, line := range slices.Backward(lines) {
		e := only(line)
		outcome := e.at("outcome").text()
		if undoes := e.at("undoes").text(); undoes != "" && outcome == "committed" {
			taken = append(taken, undoes)
		}
		if e.at("kind").text() != "dream" || outcome == "fired" {
			continue
		}
		files := slices.DeleteFunc(e.at("files").texts(), func(file string) bool { return file == "MEMORY.md" })
		return ending{e.at("time").time(), outcome, len(files)}, slices.Contains(taken, e.at("id").text())
	}
	return ending{}, false
}

// due reports whether the time has come and the last scan found sessions enough.
func (k Known) due(now time.Time) bool {
	since, known := k.consolidated()
	if !known || !since.IsZero() && now.Sub(since).Hours() < k.MinHours {
		return false
	}
	scan, ok := k.scanned(Due)
	return ok && scan.found >= k.MinSessions && scan.since.Equal(since)
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
