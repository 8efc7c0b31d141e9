// Package listed records which utterances dreams were shown, so that the next dream is shown the rest.
//
// The marks of a dream count after it has landed or was rejected, until it is undone. If marks are lost or damaged, their
// utterances are listed again.
package listed

import (
	"encoding/json"
	"os"
	"slices"
	"time"

	"dream-mcp/consolidate/transcript/listing"
	"dream-mcp/memory"
	"dream-mcp/memory/atomicfile"
)

// marksFile holds the marks of dreams that have landed. Those of the newest dreams are kept separate, since undoing a dream
// removes its marks. Claude Code's own dreams do not change it.
const (
	marksFile = "listed.json"
	maxMarks  = 16 << 20
	keptMarks = 50 // dreams; the marks of older ones are joined
)

// Marks are what the listings of one or several dreams showed.
type Marks struct {
	Dream  string             `json:"dream,omitempty"` // "" for several dreams
	From   time.Time          `json:"from,omitzero"`   // sessions modified since then were listed; zero: all
	Since  time.Time          `json:"since,omitzero"`  // the time of the listing, if it was shown to its end
	Listed bool               `json:"-"`               // a listing was shown to its end
	Shown  map[string]Stretch `json:"shown,omitempty"` // by session
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

// Read returns the marks of each dream, the oldest first.
func Read(state *os.Root) (all []Marks) {
	data, err := memory.ReadBounded(state, marksFile, maxMarks)
	if err != nil || json.Unmarshal(data, &all) != nil {
		return nil
	}
	return all
}

// Keep records what the listings of a dream showed (nil: nothing was listed since a time). Calling it again changes nothing.
// It calls undone when it joins the oldest marks.
func Keep(state *os.Root, dream string, since time.Time, r *Record, undone func() (map[string]bool, error)) error {
	if r == nil { // its sessions come back
		r = &Record{From: since}
	}
	m := Marks{Dream: dream, From: r.From, Shown: r.Shown}
	if shown, of := r.Count(); shown == of {
		m.Since = r.Taken
	}
	all := slices.DeleteFunc(Read(state), func(m Marks) bool { return m.Dream == dream })
	if all = append(all, m); len(all) > keptMarks {
		without, err := undone()
		if err != nil {
			return err
		}
		older := Joined(all[:len(all)-keptMarks+1], without)
		if !older.Listed {
			older.Since = time.Time{}
		}
		all = append([]Marks{older}, all[len(all)-keptMarks+1:]...)
	}
	data, err := json.Marshal(all)
	if err != nil {
		return err
	}
	return atomicfile.Replace(state, marksFile, data, time.Time{})
}
