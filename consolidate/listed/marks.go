// Package listed records which utterances dreams were shown, so that the next dream is shown the rest.
//
// The marks of a dream count after it has landed or was rejected, until it is undone. If marks are lost or damaged,
// their utterances are listed again.
package listed

import (
	"slices"
	"time"

	"dream-mcp/consolidate/transcript/listing"
)

// keptMarks is the number of dreams whose marks are kept separate, since undoing a dream removes its marks. Those of
// older ones are merged.
const keptMarks = 50

// Marks are what the listings of a dream showed.
type Marks struct {
	Dream string             // "" for several dreams, the oldest
	From  time.Time          // sessions modified since then were listed; zero: all
	Taken time.Time          // the time of the listing, if it was shown to its end
	Shown map[string]Stretch // by session
}

// Progress is how far all dreams together have listed.
type Progress struct {
	Since  time.Time          // sessions modified since then are to be listed; zero: all
	Listed bool               // a listing was shown to its end, at Since
	Shown  map[string]Stretch // by session
}

// Last returns the last utterance that was shown of each session.
func (p Progress) Last() map[string]listing.Mark {
	last := make(map[string]listing.Mark, len(p.Shown))
	for session, s := range p.Shown {
		last[session] = s.Last
	}
	return last
}

// add adds the marks of the next dream, as far as they continue where p ends.
func (p *Progress) add(m Marks) {
	for session, s := range m.Shown {
		extend(&p.Shown, session, s, listing.Mark{})
	}
	if !m.Taken.IsZero() && !m.From.After(p.Since) {
		p.Since, p.Listed = m.Taken, true
	}
}

// Joined joins the marks of all dreams that are not undone.
func Joined(all []Marks, undone map[string]bool) Progress {
	p := Progress{Since: all[0].From}
	for _, m := range all {
		if m.Dream == "" || !undone[m.Dream] {
			p.add(m)
		}
	}
	return p
}

// merged returns the marks of several dreams as those of one.
func merged(all []Marks, undone map[string]bool) Marks {
	p := Joined(all, undone)
	m := Marks{From: all[0].From, Shown: p.Shown}
	if p.Listed {
		m.Taken = p.Since
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

// Add adds to the marks of earlier dreams what the listings of a dream showed (nil: nothing was listed since a time).
// Adding it again changes nothing. It calls undone when it merges the oldest marks.
func Add(all []Marks, dream string, since time.Time, r *Record, undone func(dreams ...string) (map[string]bool, error)) ([]Marks, error) {
	if r == nil { // its sessions come back
		r = &Record{From: since}
	}
	m := Marks{Dream: dream, From: r.From, Shown: r.Shown}
	if shown, of := r.Count(); shown == of {
		m.Taken = r.Taken
	}
	all = slices.DeleteFunc(all, func(m Marks) bool { return m.Dream == dream })
	if all = append(all, m); len(all) > keptMarks {
		without, err := undone(Dreams(all)...)
		if err != nil {
			return nil, err
		}
		all = append([]Marks{merged(all[:len(all)-keptMarks+1], without)}, all[len(all)-keptMarks+1:]...)
	}
	return all, nil
}
