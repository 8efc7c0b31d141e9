package said

import (
	"slices"
	"strconv"
	"time"
)

// Speaker is who said something.
type Speaker string

// The speakers. What the model thinks is not an utterance.
const (
	User      Speaker = "user"      // a person
	Assistant Speaker = "assistant" // the model
	Tool      Speaker = "tool"      // what a tool was asked, and what it answered
	Others    Speaker = "others"    // another person, in a chat of several: not evidence of what the person wants
	Memory    Speaker = "memory"    // what the model of a host remembers: its claim
)

// In reports whether a list of speakers asks for one. Who asks for the user is shown what other people said to the
// model, too, and what it remembers.
func (s Speaker) In(speakers []Speaker) bool {
	return slices.Contains(speakers, s) || (s == Others || s == Memory) && slices.Contains(speakers, User)
}

// An Utterance is what one speaker said at one time.
type Utterance struct {
	ID      string // short, unique in the project, stable while the transcript only grows
	Session string // its key
	Host    HostID // the program in which it was said
	Origin  string // the session that recorded it, where a resumed copy says another; else empty
	Line    int    // from 1
	Time    time.Time
	Speaker Speaker
	Text    string // as it was said: valid UTF-8, not made visible
	CWD     string
	Branch  string
	UUID    string
}

// Manner is how a person's words were typed.
type Manner uint8

// The manners.
const (
	Ordinary     Manner = iota
	Busy                // typed while the model was busy
	Interrupting        // typed after the person interrupted the model
	Rejecting           // why the model may not use a tool
	Answering           // words of their own in answer to a question of the host's dialog
	Choosing            // an option that the dialog offered
	Suggested           // words that the host suggested, taken with a key
)

// Entry is an Utterance and where it is in its file.
type Entry struct {
	Utterance
	Offset int64 // of its line
	Timed  bool  // its record has a time
	Slot   int   // within its record
	Place  int   // among the utterances of its line, from 1
	Manner Manner
}

// Key is the same for an utterance and its copies in other sessions; 0 where that is not known. Claude Code may give
// copies other UUIDs; their times are the same. The UUIDs of the other hosts are made by us, so that copies share them.
func (u *Entry) Key() uint64 {
	if u.Host == ClaudeCode && u.Timed {
		return Sum(u.Time.Format(time.RFC3339Nano), string(u.Speaker), strconv.Itoa(u.Slot), u.Text)
	}
	if u.UUID == "" {
		return 0
	}
	return Sum(string(u.Host), u.UUID, string(u.Speaker), strconv.Itoa(u.Slot))
}
