package rank

import (
	"slices"
	"strings"

	"dream-mcp/memory/text"
)

// word returns what a word, or an identifier, stands for.
func (s *scanner) word(raw string) []credit {
	credits, ok := s.cache[raw]
	if ok {
		return credits
	}
	add := func(stem string) {
		for _, c := range s.lookup(stem) {
			if !holdsTerm(credits, c.term) {
				credits = append(credits, c)
			}
		}
	}
	add(s.lang.Stem(strings.ReplaceAll(raw, "_", "")))
	for _, part := range text.Parts(raw) {
		add(s.lang.Stem(part))
	}
	if len(s.cache) >= maxCache {
		clear(s.cache)
	}
	s.cache[strings.Clone(raw)] = credits
	return credits
}

func holdsTerm(credits []credit, term uint8) bool {
	return slices.ContainsFunc(credits, func(c credit) bool { return c.term == term })
}

// lookup finds a stem, or the terms that it is a relative of: one begins with the other.
func (s *scanner) lookup(stem string) []credit {
	if c, ok := s.forms[stem]; ok || len(stem) < shortest {
		return c
	}
	var credits []credit
	for i, own := range s.stems {
		if len(own) >= longer && strings.HasPrefix(stem, own) ||
			2*len(stem) >= len(own) && strings.HasPrefix(own, stem) {
			credits = append(credits, credit{uint8(i), related})
		}
	}
	return credits
}

// Bytes that a stem needs so that what continues it is a relative: five for the query's own
// (photograph, photographer), four for the text's (photo).
const (
	shortest = 4
	longer   = 5
)
