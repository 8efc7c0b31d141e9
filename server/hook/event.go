package hook

import (
	"bytes"
	"errors"
	"io"
	"slices"
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

// ParseEvent reads one JSON object, and does not wait for the end of r. Fields of another type than is known are passed over.
func ParseEvent(r io.Reader) (Event, error) {
	v, err := readObject(r, maxEvent)
	if err != nil {
		return Event{}, err
	}
	raw := v.object()
	dir := raw.at("cwd").text()
	if roots := raw.at("workspace_roots").texts(); dir == "" && len(roots) > 0 {
		dir = roots[0]
	}
	e := Event{
		Name:    first(raw.at("hook_event_name"), raw.at("type")), // type: Codex notify
		Session: first(raw.at("session_id"), raw.at("thread-id"), raw.at("conversation_id")),
		Dir:     whole(dir), Source: raw.at("source").text(), Path: whole(raw.at("transcript_path").text()),
		Sub: says(raw.at("agent_id")) || says(raw.at("agent_type")), Again: raw.at("stop_hook_active").holds(),
	}
	if len(e.Name) > maxWord || len(e.Session) > maxWord || len(e.Source) > maxWord {
		return Event{}, errors.New("a word of the event is too long")
	}
	e.Moment = momentOf(e.Name)
	return e, nil
}

// whole returns an absolute path, "" where it is none.
func whole(path string) string {
	if !absolute(path) || len(path) > maxWord || slices.Contains([]byte(path), 0) {
		return ""
	}
	return path
}

// momentOf knows the names by their letters: SessionStart and sessionStart, agent-turn-complete and AfterAgent.
func momentOf(name string) Moment {
	letters := slices.DeleteFunc([]byte(name), func(c byte) bool { return c == '-' || c == '_' })
	switch string(bytes.ToLower(letters)) {
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
func says(v value) bool {
	switch string(v) {
	case "", "null", `""`, "false":
		return false
	}
	return true
}

// first returns the first text that is not empty.
func first(values ...value) string {
	for _, v := range values {
		if text := v.text(); text != "" {
			return text
		}
	}
	return ""
}

// read takes the event from the one argument that is JSON (Codex), else from in.
func read(args []string, in io.Reader) (Event, error) {
	for _, arg := range args {
		if value(arg).is('{') {
			in = bytes.NewReader([]byte(arg))
		}
	}
	return ParseEvent(in)
}
