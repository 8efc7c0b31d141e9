package search

import (
	"cmp"
	"context"
	"slices"

	"dream-mcp/consolidate/transcript/digest"
	"dream-mcp/consolidate/transcript/said"
)

// distinct returns what was found, in no order, of each record the copy in the oldest file, or the first
// in one file.
func (s *scan) distinct() []found {
	all := make([]found, 0, s.amount)
	kept := map[uint64]int{} // by key
	for n, session := range s.found {
		s.found[n] = nil
		for _, f := range session {
			if f.key == 0 {
				all = append(all, f)
				continue
			}
			place, known := kept[f.key]
			if !known {
				kept[f.key] = len(all)
				all = append(all, f)
			} else if old := &all[place]; f.file > old.file || f.file == old.file && f.line < old.line {
				*old = f
			}
		}
	}
	s.found = nil
	return all
}

// page returns what a page shows of all matches, and one more: the first after the page before, or, when hits that are
// alike are folded, the newest of each likeness. Then it returns how many have that likeness.
func (s *scan) page(all []found) (first []found, alike map[uint64]int) {
	before := map[uint64]bool{}
	if s.query.Fold && s.after != nil {
		for i := range all {
			if f := &all[i]; f.alike != 0 && s.shown(f) {
				before[f.alike] = true
			}
		}
	}
	for i := range all {
		if f := &all[i]; !before[f.alike] && !s.shown(f) {
			first = s.lead(first, f)
		}
	}
	if !s.query.Fold {
		return first, nil
	}
	alike = map[uint64]int{}
	for i := range first {
		alike[first[i].alike] = 0
	}
	for i := range all {
		if n, ok := alike[all[i].alike]; ok && all[i].alike != 0 {
			alike[all[i].alike] = n + 1
		}
	}
	return first, alike
}

// lead takes a match into the first of those that a page shows and one more, if it belongs there.
func (s *scan) lead(first []found, f *found) []found {
	most, where := s.query.Limit+1, s.position(f)
	if len(first) == most && where.compare(s.position(&first[most-1])) >= 0 {
		return first
	}
	at, _ := slices.BinarySearchFunc(first, where, func(b found, p position) int { return s.position(&b).compare(p) })
	if slices.ContainsFunc(first[:at], f.like(s.query.Fold)) {
		return first // a copy, or shown with a newer one
	}
	if i := slices.IndexFunc(first[at:], f.like(s.query.Fold)); i >= 0 {
		first = slices.Delete(first, at+i, at+i+1)
	}
	first = slices.Insert(first, at, *f)
	return first[:min(len(first), most)]
}

// shown reports whether a match is on the page that a search continues, or before it.
func (s *scan) shown(f *found) bool {
	return s.after != nil && s.position(f).compare(*s.after) <= 0
}

// like reports whether another match takes no place of its own on a page.
func (f *found) like(fold bool) func(found) bool {
	return func(other found) bool {
		return f.key != 0 && f.key == other.key || fold && f.alike != 0 && f.alike == other.alike
	}
}

// fill reads the hits of a page again, as many as the query wants, and cuts them. It stops when the time is up.
func (s *Store) fill(ctx context.Context, result *Result, scan *scan, rest []found, alike map[uint64]int) error {
	filling, cancel := context.WithTimeout(ctx, s.Budget)
	defer cancel()
	q := scan.query
	shown := rest[:min(len(rest), q.Limit)]
	texts, err := scan.again(filling, shown)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		result.AtLeast = true
		result.Notes = append(result.Notes, "stopped early: not all hits of this page could be read in time; narrow the query, or ask for fewer")
	}
	for i, f := range shown {
		u := texts[i]
		start, end, more, ok := 0, 0, 0, false
		if u != nil {
			start, end, more, ok = scan.place(u)
		}
		if !ok { // the transcript was replaced since it was searched, or the time was up
			if err == nil {
				result.Matches--
			}
			continue
		}
		hit := Hit{
			ID: u.ID, Session: u.Session, Host: u.Host, Origin: u.Origin, Line: u.Line, Time: u.Time, Speaker: u.Speaker,
			CWD: said.Visible(u.CWD), Branch: said.Visible(u.Branch), UUID: said.Visible(u.UUID),
			More: more, Alike: max(0, alike[f.alike]-1),
		}
		hit.Before, hit.Match, hit.After = s.excerpt(u.Text, start, end, q.Context)
		result.Hits = append(result.Hits, hit)
	}
	if len(rest) > len(shown) || len(shown) == q.Limit && scan.certain && result.AtLeast {
		result.Next = q.cursor(scan.position(&shown[len(shown)-1]))
	}
	return nil
}

// place finds the match in an utterance again, and how often else it is there.
func (s *scan) place(u *said.Utterance) (start, end, more int, ok bool) {
	if s.query.Signals != 0 {
		if s.store.FindSignal != nil {
			start, end, ok = s.store.FindSignal(s.query.Signals, u.Speaker, u.Text)
		}
		if !ok || start < 0 || end < start || end > len(u.Text) {
			start, end = 0, 0
		}
		return start, end, 0, true
	}
	more = -1
	for _, p := range s.patterns {
		from, to, found := p.find(u.Text)
		if !found {
			continue
		}
		if more += p.count(u.Text); !ok || from < start {
			start, end, ok = from, to, true
		}
	}
	return start, end, more, ok
}

// again reads matches again; nil for one that is not there any more. Each session is opened once. The error is that of a
// context whose time is up.
func (s *scan) again(ctx context.Context, all []found) ([]*said.Utterance, error) {
	texts := make([]*said.Utterance, len(all))
	bySession := map[int32][]int{}
	for i := range all {
		bySession[all[i].file] = append(bySession[all[i].file], i)
	}
	for session, some := range bySession {
		if err := s.fromSession(ctx, &s.sessions[session], all, some, texts); ctx.Err() != nil {
			return texts, cmp.Or(err, ctx.Err())
		}
	}
	return texts, nil
}

// fromSession reads some matches of one session again.
func (s *scan) fromSession(ctx context.Context, f *said.File, all []found, some []int, texts []*said.Utterance) error {
	var opened *said.Source
	var d *digest.Digest
	var err error
	for _, i := range some {
		if all[i].row < 0 {
			if opened == nil {
				if opened, err = f.Open(); err != nil {
					return err
				}
				defer opened.Close()
			}
			if texts[i], err = s.fromTranscript(ctx, opened, &all[i]); ctx.Err() != nil {
				return ctx.Err()
			}
			continue
		}
		if d == nil {
			if d, err = s.store.digests().Fresh(ctx, s.making, *f, &s.read); err != nil {
				return err
			}
		}
		part, row, err := s.store.digests().Row(*f, d, int(all[i].row))
		if err == nil && positionOf(part, row, f) == s.position(&all[i]) {
			u := part.Utterance(row, f)
			texts[i] = &u
		}
	}
	return nil
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
