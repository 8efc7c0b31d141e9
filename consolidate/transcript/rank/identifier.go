package rank

import (
	"regexp"
	"slices"
	"strings"
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
	add(s.lang.stem(strings.ReplaceAll(raw, "_", "")))
	for _, part := range identifierParts(raw) {
		add(s.lang.stem(part))
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

var (
	smallLarge = regexp.MustCompile(`([^A-Z_])([A-Z])`)
	largeSmall = regexp.MustCompile(`([A-Z])([A-Z][a-z])`)
)

// identifierParts splits camelCase, HTTPServer and snake_case; nil: the word has one part.
func identifierParts(word string) []string {
	if !strings.ContainsAny(word[min(1, len(word)):], "_ABCDEFGHIJKLMNOPQRSTUVWXYZ") {
		return nil // most words, without a quarter of the time of a search
	}
	split := smallLarge.ReplaceAllString(strings.ReplaceAll(word, "_", " "), "$1 $2")
	if parts := strings.Fields(largeSmall.ReplaceAllString(split, "$1 $2")); len(parts) > 1 {
		return parts
	}
	return nil
}
