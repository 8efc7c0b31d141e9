package background

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"dream-mcp/consolidate/store"
	"dream-mcp/consolidate/transcript"
	"dream-mcp/consolidate/transcript/signal"
)

// lastTurns is the number of the person's turns in the end of a session, which an extraction reads as twice as many
// messages.
const lastTurns = 10

// Extraction describes what may deserve a memory in the end of a session.
type Extraction struct {
	Session string
	Signals signal.Counts // in what the person said after the model last saved a memory
	Saved   bool          // the model saved a memory
}

// endedFile holds the Extraction of the last session until a model is shown its suggestion.
const endedFile = "ended.json"

// endedSpan is how long a suggestion is useful. Later a dream is due.
const endedSpan = 7 * 24 * time.Hour

// keptEnd is a saved Extraction.
type keptEnd struct {
	Extraction
	Time time.Time `json:"time"`
}

// SaveSuggestion saves the Extraction of a session for the next session, if it has a suggestion. It replaces an
// earlier one.
func (r *Room) SaveSuggestion(ctx context.Context, path string) error {
	x, err := r.Extract(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // nothing was said in the session, or it has no transcript
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

// suggestionFor returns the suggestion for a session that begins: "" if it continues the same session or k is too old.
func (k keptEnd) suggestionFor(session string, now time.Time) string {
	if age := now.Sub(k.Time); sameSession(k.Session, session) || age < 0 || age > endedSpan {
		return ""
	}
	return k.Suggestion()
}

// sameSession reports whether the session that a host names has this ID. The last part of an ID of Gemini CLI is the
// beginning of the name.
func sameSession(id, named string) bool {
	last := id[strings.LastIndexByte(id, '-')+1:]
	return id == named || len(last) == len("9f5659bb") && strings.HasPrefix(named, last+"-")
}

// worthy are the signals that justify a suggestion: the person taught something.
var worthy = []signal.Kind{signal.Corrections, signal.Remember, signal.Preferences}

// Extract returns the Extraction of the session in a transcript. It reads at most 4 MiB, writes nothing and takes no
// lock, so it can be called while a dream is open.
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

// savesMemory reports whether a tool call saves a memory: a call of our tool, whatever the name of the server, or of
// a tool of the host that writes a memory in one of the directories. It does not recognize writes by a shell.
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

// Suggestion returns what the model of the next session should offer, or "". It repeats no word of the session.
func (x Extraction) Suggestion() string {
	var taught signal.Counts
	for i, kind := range signal.Kinds() {
		if slices.Contains(worthy, kind) {
			taught[i] = x.Signals[i]
		}
	}
	if taught.String() == "" || !transcript.IsSessionID(x.Session) {
		return ""
	}
	since := ", and no memory was saved"
	if x.Saved {
		since = " after the last memory was saved"
	}
	return fmt.Sprintf("The last session (%s) ended with %s of the user%s. "+
		"When the user's first request is done, offer in one sentence to save it. If they agree: "+
		`grep_transcripts {"session": %q, "pattern": "(?s).+", "regex": true, "context": 400, "limit": 20} and read_memory {"paths": ["MEMORY.md"]}; `+
		"then write_memory, at most three, each with the IDs of the user's words as evidence; "+
		"merge rather than create, nothing of a passing task. Five turns at most, no investigation. If they don't, leave it.",
		x.Session, taught, since, x.Session)
}
