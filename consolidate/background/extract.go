package background

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"dream-mcp/consolidate/store"
	"dream-mcp/consolidate/transcript"
	"dream-mcp/consolidate/transcript/signal"
)

// lastTurns is how many turns of the person the end of a session has: what an extraction reads, at twice
// as many messages as that.
const lastTurns = 10

// Extraction is what the end of a session holds that may deserve a memory.
type Extraction struct {
	Session string
	Signals signal.Counts // of what the person said since the model last saved a memory by itself
	Saved   bool          // it did
}

// endedFile keeps what the end of a session taught until a model is shown it.
const endedFile = "ended.json"

// endedSpan is how long it is worth telling: later a dream is due.
const endedSpan = 7 * 24 * time.Hour

// keptEnd is an Extraction as it waits.
type keptEnd struct {
	Extraction
	Time time.Time `json:"time"`
}

// SaveSuggestion keeps for the next session what the end of one taught, if it taught something: the newest alone, since one
// offer is enough.
func (r *Room) SaveSuggestion(ctx context.Context, path string) error {
	x, err := r.Extract(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // a session in which nothing was said, or one that is not kept
	}
	if err != nil || x.Suggestion() == "" {
		return err
	}
	r.Lock()
	defer r.Unlock()
	unlock, err := r.LockNote(ctx, reportsLock, reportsWait)
	if err != nil {
		return err
	}
	defer unlock()
	return r.SetNote(endedFile, keptEnd{x, r.Now()})
}

// suggestionFor is what to tell the model of a session that begins: nothing where it is the same that goes on, or where much time
// has passed.
func (k keptEnd) suggestionFor(session string, now time.Time) string {
	if age := now.Sub(k.Time); sameSession(k.Session, session) || age < 0 || age > endedSpan {
		return ""
	}
	return k.Suggestion()
}

// sameSession reports whether a session that a host names is the one of an ID: of Gemini CLI's the name begins with the last word.
func sameSession(id, named string) bool {
	last := id[strings.LastIndexByte(id, '-')+1:]
	return id == named || len(last) == len("9f5659bb") && strings.HasPrefix(named, last+"-")
}

// worthy are the signals by which an extraction is worth its turns: the person taught something.
var worthy = []signal.Kind{signal.Corrections, signal.Remember, signal.Preferences}

// Extract returns what the end of the session in a transcript holds. It reads at most 4 MiB, writes nothing
// and takes no lock: it may be asked while a dream is open, and at a session's end.
func (r *Room) Extract(path string) (Extraction, error) {
	var x Extraction
	dirs := []string{filepath.Clean(r.MemoryDir), store.RealPath(r.MemoryDir)}
	ending, err := transcript.ReadEnding(path, lastTurns, func(tool, file string) bool { return savesMemory(dirs, tool, file) })
	if err != nil {
		return x, err
	}
	x.Session, x.Saved = ending.Session, ending.Saved
	for _, words := range ending.Words {
		x.Signals.Add(signal.Of(string(transcript.User), words))
	}
	return x, nil
}

// savesMemory reports whether a tool saves a memory: one of ours, under whatever name of a server, or one of the host's that
// writes a file, where that is a memory in one of the directories. What a shell writes is not seen.
func savesMemory(dirs []string, tool, file string) bool {
	if strings.HasSuffix(tool, "__write_memory") {
		return true
	}
	switch tool {
	case "Write", "Edit", "MultiEdit":
	default:
		return false
	}
	for _, dir := range dirs {
		if within, err := filepath.Rel(dir, filepath.Clean(file)); err == nil && filepath.IsLocal(within) && strings.HasSuffix(file, ".md") {
			return true
		}
	}
	return false
}

// Suggestion is what the model of the next session is to offer, "" where there is nothing to extract. It
// repeats no word of the session.
func (x Extraction) Suggestion() string {
	var taught signal.Counts
	for i, kind := range signal.Kinds() {
		for _, w := range worthy {
			if kind == w {
				taught[i] = x.Signals[i]
			}
		}
	}
	if taught.String() == "" || !transcript.IsSessionID(x.Session) {
		return ""
	}
	since := ", and no memory was saved"
	if x.Saved {
		since = " after the last memory was saved"
	}
	return fmt.Sprintf("The last session (%s) ended with %s of the user%s. When the user's first request is done, offer in one sentence to save it. If they agree: "+
		`grep_transcripts {"session": %q, "pattern": "(?s).+", "regex": true, "context": 400, "limit": 20} and read_memory {"paths": ["MEMORY.md"]}; `+
		"then write_memory, at most three, each with the IDs of the user's words as evidence; merge rather than create, nothing of a passing task. Five turns at most, no investigation. If they don't, leave it.",
		x.Session, taught, since, x.Session)
}
