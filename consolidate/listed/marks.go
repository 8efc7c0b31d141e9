// Package listed records which utterances dreams were shown, so that the next dream is shown the rest.
//
// The marks of a dream count after it has landed or was rejected, until it is undone. If marks are lost or damaged, their
// utterances are listed again.
package listed

import (
	"slices"
	"time"

	"dream-mcp/consolidate/transcript/listing"
)

// keptMarks is the number of dreams whose marks are kept separate, since undoing a dream removes its marks. Those of older ones are
// joined.
const keptMarks = 50

// Marks are what the listings of one or several dreams showed.
type Marks struct {
	Dream  string             // "" for several dreams
	From   time.Time          // sessions modified since then were listed; zero: all
	Since  time.Time          // the time of the listing, if it was shown to its end
	Listed bool               // a listing was shown to its end
	Shown  map[string]Stretch // by session
}

// Last returns the last utterance that was shown of each session.
func (m Marks) Last() map[string]listing.Mark {
	last := make(map[string]listing.Mark, len(m.Shown))
	for session, s := range m.Shown {
		last[session] = s.Last
	}
	return last
}

// add adds the marks of a later dream that continue where these end.
func (m *Marks) add(later Marks) {
	for session, s := range later.Shown {
		extend(&m.Shown, session, s, listing.Mark{})
	}
	if !later.Since.IsZero() && !later.From.After(m.Since) {
		m.Since, m.Listed = later.Since, true
	}
}

// Joined joins the marks of all dreams that are not undone.
func Joined(all []Marks, undone map[string]bool) Marks {
	m := Marks{From: all[0].From, Since: all[0].From}
	for _, one := range all {
		if one.Dream == "" || !undone[one.Dream] {
			m.add(one)
		}
	}
	return m
}

// Dreams returns the dreams that marks are of.
func Dreams(all []Marks) (ids []string) {
	for _, m := range all {
		ids = append(ids, m.Dream)
	}
	return ids
}

// Add adds to the marks of earlier dreams what the listings of a dream showed (nil: nothing was listed since a time). Adding it
// again changes nothing. It calls undone when it joins the oldest marks.
func Add(all []Marks, dream string, since time.Time, r *Record, undone func(dreams ...string) (map[string]bool, error)) ([]Marks, error) {
	if r == nil { // its sessions come back
		r = &Record{From: since}
	}
	m := Marks{Dream: dream, From: r.From, Shown: r.Shown}
	if shown, of := r.Count(); shown == of {
		m.Since = r.Taken
	}
	all = slices.DeleteFunc(all, func(m Marks) bool { return m.Dream == dream })
	if all = append(all, m); len(all) > keptMarks {
		without, err := undone(Dreams(all)...)
		if err != nil {
			return nil, err
		}
		older := Joined(all[:len(all)-keptMarks+1], without)
		if !older.Listed {
			older.Since = time.Time{}
		}
		all = append([]Marks{older}, all[len(all)-keptMarks+1:]...)
	}
	return all, nil
}
