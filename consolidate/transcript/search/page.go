package search

import (
	"context"

	"dream-mcp/consolidate/transcript/digest"
	"dream-mcp/consolidate/transcript/said"
)

// fill reads the hits of a page again, as many as the query wants, and cuts them. It stops when the time is up.
func (s *scan) fill(ctx context.Context, result *Result, all []found) error {
	filling, cancel := context.WithTimeout(ctx, s.store.Budget)
	defer cancel()
	rest, alike := s.page(all, s.after)
	shown := rest[:min(len(rest), s.query.Limit)]
	texts, err := s.again(filling, shown)
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
			start, end, more, ok = s.place(u)
		}
		if !ok { // the transcript was replaced since it was searched, or the time was up
			if err == nil {
				result.Matches--
			}
			continue
		}
		hit := s.store.hit(u, start, end, s.query.Context)
		hit.More, hit.Alike = more, max(0, alike[f.alike]-1)
		result.Hits = append(result.Hits, hit)
	}
	if len(rest) > len(shown) || len(shown) == s.query.Limit && s.certain && result.AtLeast {
		result.Next = s.query.cursor(s.position(shown[len(shown)-1]))
	}
	return nil
}

// place finds the match in an utterance again, and how often else it is there.
func (s *scan) place(u *said.Utterance) (start, end, more int, ok bool) {
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

// An opened session is where matches are read again.
type opened struct {
	source *said.Source
	digest *digest.Digest
}

// again reads matches again; nil for one that is not there any more. Each session is opened once. The error is that of a
// context whose time is up.
func (s *scan) again(ctx context.Context, all []found) ([]*said.Utterance, error) {
	texts := make([]*said.Utterance, len(all))
	sessions := map[int32]*opened{}
	for i, f := range all {
		o := sessions[f.file]
		if o == nil {
			o = &opened{}
			sessions[f.file] = o
			defer func() {
				if o.source != nil {
					o.source.Close()
				}
			}()
		}
		u, err := s.readAgain(ctx, o, &f)
		if err == nil {
			texts[i] = u
		} else if ctx.Err() != nil {
			return texts, ctx.Err()
		}
	}
	return texts, nil
}

// readAgain reads one match again.
func (s *scan) readAgain(ctx context.Context, o *opened, f *found) (_ *said.Utterance, err error) {
	file := &s.sessions[f.file]
	if f.row < 0 {
		if o.source == nil {
			if o.source, err = file.Open(); err != nil {
				return nil, err
			}
		}
		return s.fromTranscript(ctx, o.source, f)
	}
	if o.digest == nil {
		if o.digest, err = s.store.digests().Fresh(ctx, *file, &s.read); err != nil {
			return nil, err
		}
	}
	part, row, err := s.store.digests().Row(*file, o.digest, int(f.row))
	if err != nil || positionOf(part, row, file) != s.position(*f) {
		return nil, err
	}
	u := part.Utterance(row, file)
	return &u, nil
}
