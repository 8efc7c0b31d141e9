package said

import (
	"maps"
	"slices"
	"time"
)

// A State is what a reader knows between two lines. It is kept with what was read.
type State struct {
	Line     int   // that was read last
	Offset   int64 // after it
	Last     time.Time
	Latest   time.Time // of all records
	Dreaming bool      `json:",omitempty"`
	Stopped  bool      `json:",omitempty"` // the person interrupted the model, and has typed nothing since
	calls
	Typed     map[uint64]recorded `json:",omitempty"` // how a person's words were recorded last, by sum
	Waiting   []waiting           `json:",omitempty"` // the texts that were queued last and are not known to have left the queue
	Open      *openMessage        `json:",omitempty"`
	Queued    *queued             `json:",omitempty"`
	HostState HostState           `json:",omitzero"`
}

// An openMessage is a message of the model that may go on.
type openMessage struct {
	Entry          // without its text
	Message string // its id
	Words   []string
	Parts   sums // the records that the words came from, by their UUIDs
}

// A queued text was typed, and nothing was read since: the next record says whether the model was busy.
type queued struct {
	Entry
	Idle Manner // in place of Busy
}

// A waiting text is in the queue.
type waiting struct {
	Sum  uint64
	Size int // in bytes
}

// maxWaiting bounds the texts that are known to wait.
const maxWaiting = 64

// atOnce is how soon a text leaves the queue if the model is not busy: some hosts queue whatever is typed.
const atOnce = time.Second

// clone returns a state that shares nothing with s.
func (s State) clone() State {
	s.Waiting = slices.Clone(s.Waiting)
	s.Ours, s.Servers, s.Typed = maps.Clone(s.Ours), maps.Clone(s.Servers), maps.Clone(s.Typed)
	if s.Open != nil {
		o := *s.Open
		o.Words, o.Parts = slices.Clone(o.Words), maps.Clone(o.Parts)
		s.Open = &o
	}
	if s.Queued != nil {
		q := *s.Queued
		s.Queued = &q
	}
	return s
}

// Mask hides in the state what must not be kept; mask may be nil.
func (s *State) Mask(mask func(text string) string) {
	if mask == nil {
		return
	}
	if s.Queued != nil {
		s.Queued.Text = mask(s.Queued.Text)
	}
	if s.Open != nil {
		for i, words := range s.Open.Words {
			s.Open.Words[i] = mask(words)
		}
	}
}

// sums are a set of texts, by their sums.
type sums map[uint64]bool

// Checkpoint returns the state of a reader, which must be between two lines.
func (r *Reader) Checkpoint() State {
	s := r.State.clone()
	s.Line, s.Offset = r.lines.settled.number, r.lines.settled.next
	return s
}

// SettledSkips are what was passed over up to the same line.
func (r *Reader) SettledSkips() Skipped {
	skipped := maps.Clone(r.Skipped)
	if n := r.lines.settled.skipped; n > 0 {
		skipped[LongLine] += n
	}
	return skipped
}

// Restore puts a reader into a state.
func (r *Reader) Restore(s State) {
	r.State = s.clone()
	if r.Typed == nil {
		r.Typed = map[uint64]recorded{}
	}
	r.decoder.HostState = &r.HostState
	if r.size = 0; r.Open != nil {
		for _, text := range r.Open.Words {
			r.size += len(text)
		}
	}
}
