package consolidate

import (
	"encoding/json"
	"slices"
	"time"

	"dream-mcp/consolidate/lock"
	"dream-mcp/consolidate/transcript/listing"
	"dream-mcp/memory"
	"dream-mcp/memory/landing"
)

// marksFile holds what the listings of dreams that have landed showed. Undoing a dream takes its marks back, so those
// of the newest dreams are kept apart. Claude Code's own dreams list nothing, and do not change it.
const (
	marksFile = "listed.json"
	maxMarks  = 16 << 20
	keptMarks = 50 // dreams; those of older ones are joined
)

// marks are what the listings of one dream showed, or of several.
type marks struct {
	Dream  string             `json:"dream,omitempty"` // none: of several
	From   time.Time          `json:"from,omitzero"`   // sessions touched since then were listed; zero: all
	Since  time.Time          `json:"since,omitzero"`  // when they were listed, and all of them were shown; zero: not all were
	Listed bool               `json:"-"`               // some landed listing showed all
	Shown  map[string]stretch `json:"shown,omitempty"` // by session
}

// marks returns the last utterance that was shown of each session.
func (m marks) marks() map[string]listing.Mark {
	last := make(map[string]listing.Mark, len(m.Shown))
	for session, s := range m.Shown {
		last[session] = s.Last
	}
	return last
}

// add takes in the marks of a later dream, as far as they go on where these end.
func (m *marks) add(later marks) {
	if m.Shown == nil {
		m.Shown = map[string]stretch{}
	}
	for session, s := range later.Shown {
		known, ok := m.Shown[session]
		switch {
		case !ok && s.After == listing.Mark{}:
			m.Shown[session] = s
		case ok && !known.Last.Before(s.After) && known.Last.Before(s.Last):
			m.Shown[session] = stretch{known.After, s.Last}
		}
	}
	if !later.Since.IsZero() && !later.From.After(m.Since) {
		m.Since, m.Listed = later.Since, true
	}
}

// joined returns marks with those of older dreams before them.
func joined(all []marks, undone map[string]bool) marks {
	m := marks{From: all[0].From, Since: all[0].From}
	for _, one := range all {
		if one.Dream == "" || !undone[one.Dream] {
			m.add(one)
		}
	}
	return m
}

// sinceLast returns what was listed by dreams that landed and were not undone. Since is the time from which sessions
// are to be listed: of the last dream, whoever dreamt, where nothing was listed before.
func (p *Project) sinceLast() (marks, error) {
	if all := p.readMarks(); len(all) > 0 {
		entries, err := p.landed()
		if err != nil {
			return marks{}, err
		}
		return joined(all, undoneBy(entries)), nil
	}
	dir, err := p.openDir()
	if err != nil {
		return marks{}, err
	}
	if dir != nil {
		defer dir.Close()
	}
	s, err := p.lastConsolidation(dir)
	return marks{Since: s.Time}, err
}

// readMarks returns the marks of each dream, the oldest first. What is damaged is listed again.
func (p *Project) readMarks() (all []marks) {
	state, err := p.openState()
	if err != nil {
		return nil
	}
	data, err := memory.ReadBounded(state, marksFile, maxMarks)
	if err != nil || json.Unmarshal(data, &all) != nil {
		return nil
	}
	return all
}

// keepMarks notes what the listings of a dream showed, when it has landed. To do it again changes nothing.
func (p *Project) keepMarks(i Info) error {
	if i.Kind != lock.KindDream {
		return nil
	}
	listed := i.Listed
	if listed == nil { // its sessions come back
		listed = &Listed{From: i.Since.Time}
	}
	state, err := p.openState()
	if err != nil {
		return err
	}
	m := marks{Dream: i.ID, From: listed.From, Shown: listed.Shown}
	if shown, of := listed.count(); shown == of {
		m.Since = listed.Taken
	}
	all := slices.DeleteFunc(p.readMarks(), func(m marks) bool { return m.Dream == i.ID })
	if all = append(all, m); len(all) > keptMarks {
		entries, err := p.landed()
		if err != nil {
			return err
		}
		older := joined(all[:len(all)-keptMarks+1], undoneBy(entries))
		if !older.Listed {
			older.Since = time.Time{}
		}
		all = append([]marks{older}, all[len(all)-keptMarks+1:]...)
	}
	data, err := json.Marshal(all)
	if err != nil {
		return err
	}
	return landing.Replace(state, marksFile, data, time.Time{})
}
