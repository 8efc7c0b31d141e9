package hook

import (
	"encoding/json"
	"errors"
	"io"
	"path/filepath"
	"strings"
)

// Moment is what an event is for us.
type Moment string

// The moments. Others are none of ours.
const (
	Turn  Moment = "turn"  // a turn has ended
	Start Moment = "start" // a session begins, or goes on
	End   Moment = "end"   // a session has ended
)

// Event is what a host says in its hook's JSON. Claude Code's names come first (FACTS 6.1); Codex, Gemini CLI and Cursor
// use the same or others for the same.
type Event struct {
	Name    string // as the host calls it, which its answer must repeat
	Moment  Moment
	Session string
	Dir     string // the directory worked in, absolute; "" where it is not said
	Source  string // of a start: startup, resume, clear, compact, fork
	Path    string // the session's transcript, absolute; "" where it is not said
	Sub     bool   // it is a sub-agent's
	Again   bool   // a hook has already made this turn go on
}

// maxEvent bounds what is read: an event holds the last message of a turn.
const maxEvent = 4 << 20

// maxWord bounds each word of an event that is used.
const maxWord = 4 << 10

// ParseEvent reads one JSON object and waits for nothing behind it. Fields of another type than is known are passed over.
func ParseEvent(r io.Reader) (Event, error) {
	var raw struct {
		Name    string          `json:"hook_event_name"`
		Type    string          `json:"type"` // Codex notify
		Session string          `json:"session_id"`
		Thread  string          `json:"thread-id"`
		Chat    string          `json:"conversation_id"`
		Dir     string          `json:"cwd"`
		Roots   []string        `json:"workspace_roots"`
		Source  string          `json:"source"`
		Path    string          `json:"transcript_path"`
		Agent   json.RawMessage `json:"agent_id"`
		Kind    json.RawMessage `json:"agent_type"`
		Again   bool            `json:"stop_hook_active"`
	}
	err := json.NewDecoder(io.LimitReader(r, maxEvent)).Decode(&raw)
	if kind := (*json.UnmarshalTypeError)(nil); errors.As(err, &kind) && kind.Field != "" {
		err = nil
	}
	if err != nil {
		return Event{}, err
	}
	e := Event{
		Name: first(raw.Name, raw.Type), Session: first(raw.Session, raw.Thread, raw.Chat), Source: raw.Source,
		Sub: says(raw.Agent) || says(raw.Kind), Again: raw.Again,
	}
	if raw.Dir == "" && len(raw.Roots) > 0 {
		raw.Dir = raw.Roots[0]
	}
	e.Dir, e.Path = whole(raw.Dir), whole(raw.Path)
	if len(e.Name) > maxWord || len(e.Session) > maxWord || len(e.Source) > maxWord {
		return Event{}, errors.New("a word of the event is too long")
	}
	e.Moment = momentOf(e.Name)
	return e, nil
}

// whole returns an absolute path, "" where it is none.
func whole(path string) string {
	if !filepath.IsAbs(path) || len(path) > maxWord || strings.ContainsRune(path, 0) {
		return ""
	}
	return path
}

// momentOf knows the names by their letters: SessionStart and sessionStart, agent-turn-complete and AfterAgent.
func momentOf(name string) Moment {
	switch strings.ToLower(strings.NewReplacer("-", "", "_", "").Replace(name)) {
	case "stop", "afteragent", "agentturncomplete":
		return Turn
	case "sessionstart":
		return Start
	case "sessionend":
		return End
	}
	return ""
}

// Ignored reports whether an event is no occasion for anything.
func (e Event) Ignored() bool {
	return e.Moment == "" || e.Sub || e.Again || e.Moment == Start && (e.Source == "compact" || e.Source == "fork")
}

// says reports whether a field is there and holds something.
func says(raw json.RawMessage) bool {
	s := string(raw)
	return s != "" && s != "null" && s != `""` && s != "false"
}

func first(words ...string) string {
	for _, w := range words {
		if w != "" {
			return w
		}
	}
	return ""
}

// read takes the event from the one argument that is JSON (Codex), else from in.
func read(args []string, in io.Reader) (Event, error) {
	for _, arg := range args {
		if strings.HasPrefix(arg, "{") {
			in = strings.NewReader(arg)
		}
	}
	return ParseEvent(in)
}
