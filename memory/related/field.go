package related

import (
	"cmp"
	"slices"

	"dream-mcp/memory/text"
)

// field is an inverted index.
type field struct {
	lengths  []float32 // by document
	mean     float32
	from     []int32 // by term, where its postings begin
	postings []posting
}

type posting struct {
	document int32
	count    float32
}

// holders returns the documents that hold a term.
func (f *field) holders(term int32) []posting { return f.postings[f.from[term]:f.from[term+1]] }

// collector counts the terms of one document after the other.
type collector struct {
	lengths []float32
	counts  []float32 // by term, of the last document
	terms   []int32   // with a count
	entries []entry
}

type entry struct {
	term int32
	posting
}

func (c *collector) next() {
	c.end()
	c.lengths = append(c.lengths, 0)
}

func (c *collector) end() {
	for _, t := range c.terms {
		c.entries = append(c.entries, entry{t, posting{int32(len(c.lengths) - 1), c.counts[t]}})
		c.counts[t] = 0
	}
	c.terms = c.terms[:0]
}

func (c *collector) add(terms []int32, weight float32) {
	for _, t := range terms {
		if int(t) >= len(c.counts) {
			c.counts = append(c.counts, make([]float32, int(t)+1)...)
		}
		if c.counts[t] == 0 {
			c.terms = append(c.terms, t)
		}
		c.counts[t] += weight
	}
}

func (c *collector) length(n int) { c.lengths[len(c.lengths)-1] += float32(n) }

func (c *collector) field(terms int) field {
	if len(c.lengths) > 0 {
		c.end()
	}
	f := field{lengths: c.lengths, from: make([]int32, terms+1), postings: make([]posting, len(c.entries))}
	for _, e := range c.entries {
		f.from[e.term+1]++
	}
	for t := range terms {
		f.from[t+1] += f.from[t]
	}
	at := slices.Clone(f.from)
	for _, e := range c.entries {
		f.postings[at[e.term]] = e.posting
		at[e.term]++
	}
	total := float32(0)
	for _, n := range f.lengths {
		total += n
	}
	f.mean = max(1, total/float32(max(1, len(f.lengths))))
	return f
}

// count returns how often a document holds a term.
func (f *field) count(term, document int32) float64 {
	holders := f.holders(term)
	i, held := slices.BinarySearchFunc(holders, document, func(p posting, document int32) int { return cmp.Compare(p.document, document) })
	if !held {
		return 0
	}
	return float64(holders[i].count)
}

// score adds to the scores of the documents what the terms count.
func (f *field) score(terms []asked, scores []float64) {
	for _, t := range terms {
		for _, p := range f.holders(t.id) {
			scores[p.document] += t.weight * text.Saturated(float64(p.count), float64(f.lengths[p.document]), float64(f.mean))
		}
	}
}
