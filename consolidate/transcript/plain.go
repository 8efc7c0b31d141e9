package transcript

// Plainness says what a transcript does not hold, as a search found that looked at all of it. While the
// file stays as it was, no other search looks for that again: the first of a transcript costs two passes over
// its bytes, and a third where it finds a match, each later one a single pass (BenchmarkSieve).
type plainness byte

const (
	noDreams       plainness = 1 << iota // no mark that opens a dream
	noASCIIEscapes                       // no character of ASCII is spelt as \u
	noEscapes                            // nor any other but controls
	noOwnCalls                           // no name of our own tools
	noBroken                             // no line without the ends of an object
)

// plain returns what is known of a file.
func (s *Store) plain(f file) plainness {
	c, _ := s.cached(f)
	return c.plain
}

// learn notes what a search of a whole file has found out.
func (s *Store) learn(f file, found plainness) {
	if c, ok := s.cached(f); ok && c.plain|found != c.plain {
		c.plain |= found
		s.cache(f, c)
	}
}
