package rank

// A Matcher finds a query's terms in texts. It is not safe for concurrent use.
type Matcher struct {
	scanner scanner
	query   *Query
}

// Matcher returns one for q.
func (q *Query) Matcher() *Matcher { return &Matcher{newScanner(q.words), q} }

// Match returns how much of each term (see Terms) text holds: 1 for the word in any inflexion, a half for a relative of it, else 0.
func (m *Matcher) Match(text string) []float64 {
	var f found
	m.scanner.scan(text, &f)
	held := make([]float64, len(m.query.terms))
	for n := range held {
		held[n] = min(1, float64(f.counts[n])/whole)
	}
	return held
}

// Weights returns what each term (see Terms) is worth besides its rarity: less for a word that a question has for its grammar, more for a number.
func (q *Query) Weights() []float64 {
	weights := make([]float64, len(q.terms))
	for n, t := range q.terms {
		weights[n] = t.weight
	}
	return weights
}
