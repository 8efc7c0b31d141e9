package related

import "slices"

// field is an inverted index.
type field struct {
	size  int     // documents
	from  []int32 // by term, where its holders begin
	terms []int32 // the documents that hold a term, in order
}

// holders returns the documents that hold a term.
func (f *field) holders(term int32) []int32 { return f.terms[f.from[term]:f.from[term+1]] }

// holds reports whether a document holds a term.
func (f *field) holds(term, document int32) bool {
	_, held := slices.BinarySearch(f.holders(term), document)
	return held
}

// newField returns a field of the terms of each document. all is the number of terms.
func newField(documents [][]int32, all int) field {
	f := field{size: len(documents), from: make([]int32, all+1)}
	for _, terms := range documents {
		for _, t := range terms {
			f.from[t+1]++
		}
	}
	for t := range all {
		f.from[t+1] += f.from[t]
	}
	f.terms = make([]int32, f.from[all])
	at := slices.Clone(f.from)
	for d, terms := range documents {
		for _, t := range terms {
			f.terms[at[t]] = int32(d)
			at[t]++
		}
	}
	return f
}
