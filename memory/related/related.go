// Package related finds the passages of memories that a text touches.
//
// A passage is a paragraph or an item of a memory. A text touches a passage where they share terms (see text.Terms) that
// few memories of the directory hold. Each answer names the shared terms. Nothing is judged: two passages that touch each
// other may say the same, contradict each other, or neither.
//
// The same memories and text give the same answer. An index is not changed after New and is safe for concurrent use. No
// file is read. Not promised: to find what is said in other words or in another language.
package related

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"dream-mcp/memory"
	"dream-mcp/memory/text"
)

// A Document is a memory to be indexed.
type Document struct {
	File        string
	Description string
	DescribedAt int // the line of the description
	Body        string
	BodyAt      int  // the line that the body begins in
	Outside     bool // it is not a memory: it is found beside memories, and never beside another of its kind
}

// Documents returns the topics of a memory, and its index without the lines that link to topics. Texts are taken as they
// are: of a Snapshot.Shown they are safe to show.
func Documents(s *memory.Snapshot) []Document {
	docs := make([]Document, 0, len(s.Topics)+1)
	for n, t := range s.Topics {
		_, line, _ := t.Field("description")
		docs = append(docs, Document{File: n.String(), Description: t.Description(), DescribedAt: line, Body: t.Body(), BodyAt: t.BodyLine()})
	}
	slices.SortFunc(docs, func(a, b Document) int { return strings.Compare(a.File, b.File) })
	if s.Index != nil {
		var body strings.Builder
		for _, line := range s.Index.Lines() {
			if len(line.Scan.Links) == 0 {
				body.WriteString(line.Text)
			}
			body.WriteByte('\n')
		}
		docs = append(docs, Document{File: memory.IndexName.String(), Body: body.String(), BodyAt: 1})
	}
	return docs
}

// Passages returns the description and the passages of the body.
func (d Document) Passages() (passages []Passage) {
	if d.Description != "" {
		passages = append(passages, Passage{File: d.File, Line: max(1, d.DescribedAt), Text: d.Description, about: NameWords(d.File)})
	}
	return append(passages, split(d.Body, d.File, d.BodyAt)...)
}

// NameWords returns the words of a file's name.
func NameWords(file string) string {
	return strings.NewReplacer("-", " ", "_", " ", "/", " ").Replace(strings.TrimSuffix(file, ".md"))
}

// The numbers of a score. On half of the real directories each can be halved or doubled without a difference that is more
// than chance.
const (
	k1         = 1.2
	shortening = 0.5  // b of BM25
	ofFile     = 0.3  // of the score of the whole memory
	inAbout    = 0.25 // times that a term of the headings above counts in a passage
	ofContext  = 0.3  // weight of a term that only the context of a question has
)

// maxQuestion is the number of terms of a question that are looked for, the rarest.
const maxQuestion = 64

// An Index holds passages by their terms.
type Index struct {
	Passages []Passage

	language *text.Language
	files    []string
	outside  []bool  // by file
	fileOf   []int32 // by passage
	ids      map[string]int32
	terms    []string
	tokens   map[string][]int32 // the terms of a token
	passages field
	whole    field // the same by file
}

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

// New returns an index of memories.
func New(docs []Document) *Index {
	x := &Index{ids: map[string]int32{}, tokens: map[string][]int32{}, language: languageOf(docs)}
	var passages, files collector
	about, above := "", []int32(nil) // of the passage before
	for f, d := range docs {
		x.files, x.outside = append(x.files, d.File), append(x.outside, d.Outside)
		files.next()
		if d.File != memory.IndexName.String() {
			files.add(x.termsOf(NameWords(d.File)), 1)
		}
		files.add(x.termsOf(d.Description), 1)
		x.Passages = append(x.Passages, d.Passages()...)
		for _, p := range x.Passages[len(x.fileOf):] {
			x.fileOf = append(x.fileOf, int32(f))
			passages.next()
			terms := x.termsOf(p.Text)
			passages.add(terms, 1)
			passages.length(len(terms))
			if p.about != about {
				about, above = p.about, x.termsOf(p.about)
			}
			passages.add(above, inAbout)
			files.add(terms, 1)
			files.length(len(terms))
		}
	}
	x.passages, x.whole = passages.field(len(x.terms)), files.field(len(x.terms))
	return x
}

// languageOf guesses the language that most of the descriptions are in.
func languageOf(docs []Document) *text.Language {
	const enough = 2000
	var words []string
	for _, d := range docs {
		sample := d.Description + " " + d.Body[:min(len(d.Body), 300)]
		for w := range strings.FieldsSeq(strings.ToLower(sample)) {
			words = append(words, w)
		}
		if len(words) > enough {
			break
		}
	}
	return text.LanguageOf(words)
}

// termsOf returns the terms of a text, new ones included.
func (x *Index) termsOf(s string) (terms []int32) {
	text.EachToken(s, func(token string, kind text.Kind) {
		known, ok := x.tokens[token]
		if !ok {
			for _, term := range x.language.Terms(token, kind) {
				id, ok := x.ids[term]
				if !ok {
					id = int32(len(x.terms))
					x.ids[term], x.terms = id, append(x.terms, term)
				}
				known = append(known, id)
			}
			x.tokens[token] = known
		}
		terms = append(terms, known...)
	})
	return terms
}

// lookUp returns the terms of a text that the index has.
func (x *Index) lookUp(s string) (terms []int32) {
	text.EachToken(s, func(token string, kind text.Kind) {
		for _, term := range x.language.Terms(token, kind) {
			if id, ok := x.ids[term]; ok {
				terms = append(terms, id)
			}
		}
	})
	return terms
}

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

// A Question asks which passages a text touches.
type Question struct {
	Text    string
	Context string                 // what the text is about, such as the name of its memory; it counts less
	Skip    func(file string) bool // files that are not asked for; nil: none
	Max     int                    // hits at most; 0: 5
	PerFile int                    // of one file at most; 0: no bound
}

// A Hit is a passage that the text of a question touches.
type Hit struct {
	Passage
	i      int
	Score  float64 // about the number of terms that only one memory holds and that text and passage share
	Shared []Term  // what they share, the rarest first
}

// Strength is about the number of rare terms that text and passage share, without the words of everyday work, dates and
// short numbers. Less than two are often chance.
func (h Hit) Strength() (sum float64) {
	for _, t := range h.Shared {
		if !text.IsEveryday(t.Text) && !dateOrShort.MatchString(t.Text) {
			sum += t.Weight
		}
	}
	return sum
}

// A Term is a word that a question and a passage share, as its stem.
type Term struct {
	Text   string
	Files  int     // that hold it
	Weight float64 // from 0 to 1: 1 if one file of many holds it
}

// asked is a term of a question.
type asked struct {
	id     int32
	weight float64 // with its rarity
	rarity float64
}

// Touched returns the passages that a text touches, the best first.
func (x *Index) Touched(q Question) []Hit {
	terms := x.ask(q)
	if len(terms) == 0 {
		return nil
	}
	files := make([]float64, len(x.files))
	x.whole.score(terms, files)
	scores := make([]float64, len(x.Passages))
	x.passages.score(terms, scores)
	skip := make([]bool, len(x.files))
	for f, file := range x.files {
		skip[f] = q.Skip != nil && q.Skip(file)
	}
	most := 0.0
	for p := range scores {
		if f := x.fileOf[p]; skip[f] {
			scores[p] = 0
		} else if scores[p] > 0 {
			scores[p] += ofFile * files[f]
			most = max(most, scores[p])
		}
	}
	hits := x.best(terms, scores, most/2, q)
	if len(hits) < cmp.Or(q.Max, 5) {
		hits = x.best(terms, scores, 0, q)
	}
	return hits
}

// best returns the hits whose score is above a bound.
func (x *Index) best(terms []asked, scores []float64, above float64, q Question) (hits []Hit) {
	var order []int32
	for p, score := range scores {
		if score > above {
			order = append(order, int32(p))
		}
	}
	slices.SortFunc(order, func(a, b int32) int { return cmp.Or(cmp.Compare(scores[b], scores[a]), cmp.Compare(a, b)) })
	perFile := map[int32]int{}
	for _, p := range order {
		f, shared := x.fileOf[p], x.shared(p, terms)
		if len(shared) == 0 || q.PerFile > 0 && perFile[f] == q.PerFile {
			continue
		}
		perFile[f]++
		hits = append(hits, Hit{Passage: x.Passages[p], Score: scores[p], Shared: shared})
		if len(hits) == cmp.Or(q.Max, 5) {
			break
		}
	}
	return hits
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

// ask returns the terms of a question, the rarest first.
func (x *Index) ask(q Question) []asked {
	counts := map[int32]float64{}
	for _, t := range x.lookUp(q.Context) {
		counts[t] = ofContext
	}
	for _, t := range x.lookUp(q.Text) {
		counts[t] = 1
	}
	terms := make([]asked, 0, len(counts))
	for t, weight := range counts {
		rarity := x.rarity(t)
		terms = append(terms, asked{t, weight * rarity, rarity})
	}
	slices.SortFunc(terms, func(a, b asked) int { return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(a.id, b.id)) })
	return terms[:min(len(terms), maxQuestion)]
}

// rarity returns the weight of a term: 1 if one of many memories holds it, 0 if all do.
func (x *Index) rarity(term int32) float64 {
	return Rarity(len(x.whole.holders(term)), len(x.files))
}

// Rarity returns the weight of a term that some documents of all hold, from 0 to 1.
func Rarity(holders, all int) float64 {
	n, df := float64(all), float64(holders)
	return math.Log(1+(n-df+0.5)/(df+0.5)) / math.Log(1+(n-0.5)/1.5)
}

// Saturated returns what a term counts that a document holds so often, from 0 to k1+1, as in BM25.
func Saturated(count, length, mean float64) float64 {
	return count * (k1 + 1) / (count + k1*(1-shortening+shortening*length/mean))
}

// score adds to the scores of the documents what the terms count.
func (f *field) score(terms []asked, scores []float64) {
	for _, t := range terms {
		for _, p := range f.holders(t.id) {
			scores[p.document] += t.weight * Saturated(float64(p.count), float64(f.lengths[p.document]), float64(f.mean))
		}
	}
}

// shared returns the terms of a question that a passage holds.
func (x *Index) shared(passage int32, terms []asked) (shared []Term) {
	for _, t := range terms {
		if x.passages.count(t.id, passage) >= 1 {
			shared = append(shared, Term{x.terms[t.id], len(x.whole.holders(t.id)), t.rarity})
		}
	}
	return shared
}
