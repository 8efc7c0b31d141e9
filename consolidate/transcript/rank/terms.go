package rank

// terms is a set of a query's terms, by index.
type terms [maxTerms / 64]uint64

func (t *terms) add(n int)     { t[n>>6] |= 1 << (n & 63) }
func (t terms) has(n int) bool { return t[n>>6]>>(n&63)&1 != 0 }
func (t terms) any() bool      { return t != terms{} }

func (t *terms) union(o terms) {
	for i := range t {
		t[i] |= o[i]
	}
}
