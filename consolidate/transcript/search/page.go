package search

import (
	"context"
	"slices"

	"dream-mcp/consolidate/transcript/cache"
	"dream-mcp/consolidate/transcript/said"
)

// A choice is the hits of a page: each of a pattern, with the files of those that are like it.
type choice struct {
	match
	pattern int
	alike   []int32
}

// choose returns the hits of a page, and whether there are more. Of several patterns each has its share: the newest of
// each in turn, until the page is full.
func (s *scan) choose(all []match) (shown []choice, more bool) {
	lists := make([][]choice, len(s.patterns))
	taken := map[position]bool{}
	for k := range lists {
		some := all
		if len(lists) > 1 {
			some = slices.DeleteFunc(slices.Clone(all), func(f match) bool { return f.mask&(1<<k) == 0 })
		}
		page, alike := s.page(some, s.after)
		for _, f := range page {
			lists[k] = append(lists[k], choice{f, k, alike[f.alike]})
		}
	}
	chosen, n := make([][]choice, len(lists)), 0
	for rounds := 0; rounds <= s.query.Limit; rounds++ {
		for k, list := range lists {
			for len(list) > 0 && taken[s.position(list[0].match)] {
				list = list[1:]
			}
			if lists[k] = list; len(list) == 0 || n >= s.query.Limit && rounds > 0 {
				more = more || len(list) > 0
				continue
			}
			taken[s.position(list[0].match)] = true
			chosen[k], lists[k] = append(chosen[k], list[0]), list[1:]
			n++
		}
	}
	return slices.Concat(chosen...), more
}

// fill reads the hits of a page again, as many as the query wants, and cuts them.
func (s *scan) fill(ctx context.Context, result *Result, all []match) error {
	shown, more := s.choose(all)
	places := make([]match, len(shown))
	for i, f := range shown {
		places[i] = f.match
	}
	texts, err := s.again(ctx, places)
	if err != nil {
		return err
	}
	for i, f := range shown {
		u := texts[i]
		start, end, n, ok := 0, 0, 0, false
		if u != nil {
			start, end, n, ok = s.place(u, f.pattern)
		}
		if !ok { // the transcript was replaced since it was searched
			result.Matches--
			continue
		}
		hit := s.store.hit(u, start, end, s.query.Context)
		hit.Pattern, hit.More, hit.Alike = f.pattern, n, max(0, len(f.alike)-1)
		for _, file := range f.alike {
			if name := s.short[file]; file != f.file && !slices.Contains(hit.In, name) {
				hit.In = append(hit.In, name)
			}
		}
		result.Hits, result.shown = append(result.Hits, hit), append(result.shown, s.position(f.match))
	}
	result.query, result.Limit = s.query, s.query.Limit
	s.count(result, all)
	if n := len(result.shown); n > 0 && len(s.patterns) == 1 && more {
		result.Next = s.query.cursor(result.shown[n-1])
	}
	return nil
}

// count counts what each pattern found.
func (s *scan) count(result *Result, all []match) {
	if len(s.query.Patterns) == 0 {
		return
	}
	result.Patterns = make([]Found, len(s.patterns))
	for k := range s.patterns {
		result.Patterns[k].Within = int(s.within[k].Load())
		for i := range all {
			if all[i].mask&(1<<k) != 0 {
				result.Patterns[k].Matches++
			}
		}
	}
}

// place finds the match of a pattern in an utterance again, and how often else it is there.
func (s *scan) place(u *said.Utterance, pattern int) (start, end, more int, ok bool) {
	p := s.patterns[pattern]
	if start, end, ok = p.find(u.Text); ok {
		more = p.count(u.Text) - 1
	}
	return start, end, more, ok
}

// again reads matches again; nil for one that is not there any more. Each session is opened once.
func (s *scan) again(ctx context.Context, all []match) (texts []*said.Utterance, err error) {
	opened := map[int32]*said.Source{}
	defer func() {
		for _, source := range opened {
			source.Close()
		}
	}()
	for _, f := range all {
		u, err := s.readAgain(ctx, opened, &f)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			u = nil
		}
		texts = append(texts, u)
	}
	return texts, nil
}

// readAgain reads one match again.
func (s *scan) readAgain(ctx context.Context, opened map[int32]*said.Source, f *match) (*said.Utterance, error) {
	file := s.sessions[f.file]
	if f.recorded == nil {
		u, found, err := s.store.cache().At(ctx, file, int(f.line), int(f.place))
		if !found || err != nil || cache.Nanoseconds(u.Time) != f.time {
			return nil, err
		}
		return &u, nil
	}
	source := opened[f.file]
	if source == nil {
		var err error
		if source, err = file.Open(); err != nil {
			return nil, err
		}
		opened[f.file] = source
	}
	return s.fromTranscript(ctx, source, f)
}
