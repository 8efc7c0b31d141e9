package listed

import (
	"maps"
	"time"

	"dream-mcp/consolidate/transcript/listing"
)

// Record is what a dream was shown by listings.
type Record struct {
	From  time.Time               `json:"from,omitzero"`  // sessions modified since then are to be shown; zero: all
	Taken time.Time               `json:"taken,omitzero"` // the time of the first listing
	Ends  map[string]listing.Mark `json:"ends,omitempty"` // the last utterance to show, by session
	Shown map[string]Stretch      `json:"shown"`          // by session
}

// A Stretch is a range of utterances of a session.
type Stretch struct {
	After listing.Mark `json:"after"`
	Last  listing.Mark `json:"last"`
}

// Count returns how many sessions were shown to their end, of how many.
func (r *Record) Count() (shown, of int) {
	if r == nil {
		return 0, 0
	}
	for session, end := range r.Ends {
		if !r.Shown[session].Last.Before(end) {
			shown++
		}
	}
	return shown, len(r.Ends)
}

// maxListed is the maximum number of sessions in a record.
const maxListed = 5_000

// Open records that a listing since the last dream has begun.
func (r *Record) Open(list *listing.List) {
	if r.Taken.IsZero() {
		r.Taken = list.Taken
	}
	if r.Ends == nil {
		r.Ends = map[string]listing.Mark{}
	}
	maps.DeleteFunc(r.Ends, func(_ string, m listing.Mark) bool { return m == listing.Never }) // such a session may have been read later
	maps.Copy(r.Ends, list.Ends())
}

// Add adds what a page shows, if there is no gap before it.
func (r *Record) Add(page listing.Page, before map[string]listing.Mark) {
	for _, part := range page.Shown {
		r.extend(part.Session, Stretch{part.After, part.Last}, before[part.Session])
	}
}

func (r *Record) extend(session string, s Stretch, from listing.Mark) {
	if _, known := r.Shown[session]; known || len(r.Shown) < maxListed {
		extend(&r.Shown, session, s, from)
	}
}

// extend adds a stretch of a session where it continues what was shown. The first begins at from.
func extend(shown *map[string]Stretch, session string, s Stretch, from listing.Mark) {
	if *shown == nil {
		*shown = map[string]Stretch{}
	}
	known, ok := (*shown)[session]
	if !ok {
		known = Stretch{from, from}
	}
	if !known.Last.Before(s.After) && known.Last.Before(s.Last) {
		(*shown)[session] = Stretch{known.After, s.Last}
	}
}
