package transcript

import (
	"maps"
	"slices"
	"time"
)

// A resume is the state of a reader between two lines.
type resume struct {
	Line      int   // that was read last
	Offset    int64 // after it
	Last      time.Time
	Latest    time.Time
	Dreaming  bool           `json:",omitempty"`
	Stopped   bool           `json:",omitempty"`
	Ours      []uint64       `json:",omitempty"`
	Queued    map[uint64]via `json:",omitempty"`
	Open      *openMessage   `json:",omitempty"`
	HostState *hostState     `json:"Heritage,omitempty"`
}

// An openMessage may be joined by records to come.
type openMessage struct {
	Utterance Utterance
	Offset    int64
	Slot      int
	Place     int
	Message   string
	Words     []string
	Parts     []uint64
}

// state returns the state of a reader, which must be between two lines.
func (r *reader) state() resume {
	s := resume{
		Line:     r.lines.settled.number,
		Offset:   r.lines.settled.next,
		Last:     r.last,
		Latest:   r.latest,
		Dreaming: r.dreaming,
		Stopped:  r.stopped,
		Ours:     slices.Sorted(maps.Keys(r.ours)),
	}
	if r.decoder.form != nil {
		h := r.decoder.hostState
		s.HostState = &h
	}
	for key, v := range r.queued {
		if s.Queued == nil {
			s.Queued = map[uint64]via{}
		}
		s.Queued[key] = v
	}
	if u := r.open; u != nil {
		s.Open = &openMessage{
			Utterance: u.Utterance, Offset: u.offset, Slot: u.slot, Place: u.place,
			Message: r.message, Words: slices.Clone(r.words), Parts: slices.Sorted(maps.Keys(r.parts)),
		}
		s.Open.Utterance.Text = "" // its words are joined when it ends
	}
	return s
}

// restore puts a reader into the state of another.
func (r *reader) restore(s resume) {
	r.last, r.latest, r.dreaming, r.stopped = s.Last, s.Latest, s.Dreaming, s.Stopped
	if s.HostState != nil {
		r.decoder.hostState = restored(*s.HostState)
	}
	for _, sum := range s.Ours {
		r.ours[sum] = true
	}
	for key, v := range s.Queued {
		r.queued[key] = v
	}
	if o := s.Open; o != nil {
		r.open = &utterance{Utterance: o.Utterance, offset: o.Offset, slot: o.Slot, place: o.Place}
		r.message, r.words, r.parts = o.Message, slices.Clone(o.Words), map[uint64]bool{}
		for _, sum := range o.Parts {
			r.parts[sum] = true
		}
		r.size = 0
		for _, text := range r.words {
			r.size += len(text)
		}
	}
}
