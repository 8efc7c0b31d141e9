// Package hook reads what a host says to its hooks: which event of a session occurred, and where.
//
// It promises that an event is read within bounds, without waiting for the end of the input, and that a field of
// another type than is known counts as absent. What is done at an event is package background's.
package hook

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Mark is the variable that says that a process belongs to a background dream: its own sessions are not an occasion for
// another.
const Mark = "DREAM_BACKGROUND"

// Patience is how long a hook may last. Claude Code gives 1.5 s at a session's end.
const Patience = 1200 * time.Millisecond

// The words of the command line by which hosts call us.
const (
	Verb       = "hook"
	Statusline = "statusline"
)

// IsVerb reports whether a word is one of them.
func IsVerb(word string) bool { return word == Verb || word == Statusline }

// Moment is what an event is for us.
type Moment string

// The moments. Others are not used.
const (
	Turn   Moment = "turn"   // a turn has ended
	Start  Moment = "start"  // a session begins, or goes on
	End    Moment = "end"    // a session has ended
	Prompt Moment = "prompt" // the person has asked for something, and the model has not seen it yet
	Tool   Moment = "tool"   // the model is about to use a tool
)

// moments are by the letters of an event's name: SessionStart and sessionStart, agent-turn-complete and AfterAgent.
var moments = map[string]Moment{"stop": Turn, "afteragent": Turn, "agentturncomplete": Turn, "sessionstart": Start, "sessionend": End,
	"userpromptsubmit": Prompt, "beforeagent": Prompt, "beforesubmitprompt": Prompt, "pretooluse": Tool, "beforetool": Tool}

// Event is what a host says in its hook's JSON. Claude Code's names come first; other hosts use the same or others for
// the same.
type Event struct {
	Name    string // as the host calls it, which its answer must repeat
	Moment  Moment
	Session string
	Dir     string // the directory worked in, absolute; "" where it is not said
	Source  string // of a start: startup, resume, clear, compact, fork
	Sub     bool   // it is a sub-agent's
	Again   bool   // a hook has already made this turn go on
	Prompt  string // what the person asked for, its beginning
	Tool    string // the tool, as the host calls it
	File    string // that the tool is about to read or change; "" where it names none
	Command string // that the tool is about to run; "" where it runs none

	Arguments string // the names of the tool's arguments, in order, with commas between them
}

const (
	maxEvent = 4 << 20 // bytes read: an event holds the last message of a turn
	maxWord  = 4 << 10 // bytes of each text that is used whole
	maxText  = 8 << 10 // bytes of a prompt that are used
)

// Read takes the event from the argument that is JSON, as one host passes it, else from in. It fails with io.EOF where
// there is nothing to read.
func Read(args []string, in io.Reader) (Event, error) {
	if i := slices.IndexFunc(args, func(arg string) bool { return strings.HasPrefix(arg, "{") }); i >= 0 {
		in = strings.NewReader(args[i])
	}
	var raw struct {
		Name    text            `json:"hook_event_name"`
		Type    text            `json:"type"` // of a notification
		Session text            `json:"session_id"`
		Thread  text            `json:"thread-id"`
		Talk    text            `json:"conversation_id"`
		Dir     text            `json:"cwd"`
		Roots   []text          `json:"workspace_roots"`
		Source  text            `json:"source"`
		Prompt  text            `json:"prompt"`
		Tool    text            `json:"tool_name"`
		Input   map[string]text `json:"tool_input"` // what a tool is given, as the hosts call it

		Agent      json.RawMessage `json:"agent_id"`
		AgentType  json.RawMessage `json:"agent_type"`
		HookActive json.RawMessage `json:"stop_hook_active"`
	}
	var wrong *json.UnmarshalTypeError
	err := json.NewDecoder(io.LimitReader(in, maxEvent)).Decode(&raw)
	if errors.As(err, &wrong) && wrong.Field == "" || err != nil && wrong == nil {
		return Event{}, err
	}
	first := func(texts ...text) string { return string(cmp.Or(texts...)) }
	e := Event{
		Name: first(raw.Name, raw.Type), Session: first(raw.Talk, raw.Session, raw.Thread), Dir: first(append([]text{raw.Dir}, raw.Roots...)...),
		Source: string(raw.Source), Sub: says(raw.Agent) || says(raw.AgentType), Again: string(raw.HookActive) == "true",
		Prompt: cut(raw.Prompt), Tool: string(raw.Tool), Command: string(raw.Input["command"]),
		Arguments: strings.Join(slices.Sorted(maps.Keys(raw.Input)), ","),
		File:      first(raw.Input["file_path"], raw.Input["notebook_path"], raw.Input["filePath"], raw.Input["path"]),
	}
	for _, word := range []string{e.Name, e.Session, e.Source, e.Tool} {
		if len(word) > maxWord {
			return Event{}, fmt.Errorf("a text of the event has %d bytes", len(word))
		}
	}
	if !filepath.IsAbs(e.Dir) || len(e.Dir) > maxWord || strings.ContainsRune(e.Dir, 0) {
		e.Dir = ""
	}
	if _, patch, ok := strings.Cut(e.Command, "*** Begin Patch"); ok { // a command that changes files
		e.Command, e.File = "", patched(patch)
	}
	e.Moment = moments[strings.NewReplacer("-", "", "_", "").Replace(strings.ToLower(e.Name))]
	return e, nil
}

// text is a JSON string; any other value is "".
type text string

func (t *text) UnmarshalJSON(data []byte) error {
	var s string
	if json.Unmarshal(data, &s) == nil {
		*t = text(s)
	}
	return nil
}

// patched returns the first file that such a patch names.
func patched(patch string) string {
	for line := range strings.Lines(patch) {
		if verb, file, ok := strings.Cut(line, " File: "); ok && strings.HasPrefix(verb, "*** ") {
			return strings.TrimSpace(file)
		}
	}
	return ""
}

// cut returns the beginning of a text.
func cut(t text) string { return strings.ToValidUTF8(string(t[:min(len(t), maxText)]), "") }

// says reports whether a JSON value is there and holds something.
func says(value json.RawMessage) bool {
	return len(value) > 0 && !slices.Contains([]string{"null", `""`, "false"}, string(value))
}

// Ignored reports whether an event is not an occasion for a dream, nor for what one did.
func (e Event) Ignored() bool {
	return e.Moment == "" || e.Moment == Prompt || e.Moment == Tool || e.Sub || e.Again || e.Compacted() || e.Moment == Start && e.Source == "fork"
}

// Compacted reports whether the session goes on with a summary in place of what the model was shown.
func (e Event) Compacted() bool { return e.Moment == Start && e.Source == "compact" }

// Where is the directory that an event is about: what the host says, else where we are.
func (e Event) Where() string {
	if e.Dir != "" {
		return e.Dir
	}
	dir, _ := os.Getwd()
	return dir
}
