package rank

import "strings"

// word returns what a word, or an identifier, stands for.
func (s *scanner) word(raw string) []credit {
	if i, ok := s.cache[raw]; ok {
		return s.credits[i]
	}
	var credits []credit
	add := func(stem string) {
		for _, c := range s.lookup(stem) {
			if !holdsTerm(credits, c.term) {
				credits = append(credits, c)
			}
		}
	}
	parts := identifierParts(raw)
	add(s.lang.stem(s.table, strings.ReplaceAll(raw, "_", "")))
	if len(parts) > 1 {
		for _, part := range parts {
			add(s.lang.stem(s.table, part))
		}
	}
	if len(s.cache) >= maxCache {
		clear(s.cache)
		s.credits = s.credits[:1]
	}
	index := uint16(0)
	if len(credits) > 0 && len(s.credits) < 1<<16 {
		index = uint16(len(s.credits))
		s.credits = append(s.credits, credits)
	}
	s.cache[strings.Clone(raw)] = index
	return credits
}

func holdsTerm(credits []credit, term uint8) bool {
	for _, c := range credits {
		if c.term == term {
			return true
		}
	}
	return false
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

// identifierParts splits camelCase, HTTPServer and snake_case.
func identifierParts(word string) []string {
	var parts []string
	start := 0
	cut := func(end int) {
		if end > start {
			parts = append(parts, word[start:end])
		}
		start = end
	}
	for i := 1; i < len(word); i++ {
		before, c := class[word[i-1]], class[word[i]]
		switch {
		case c == joint:
			cut(i)
			start = i + 1
		case c == large && before != large && before != joint:
			cut(i)
		case c == small && before == large && i-1 > start && word[i] > '9':
			cut(i - 1)
		}
	}
	cut(len(word))
	return parts
}
