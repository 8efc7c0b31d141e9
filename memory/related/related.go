// Package related finds the passages of memories that a text touches.
//
// A passage is a paragraph or an item of a memory. A text touches a passage where they share two words or more, and
// enough of all their words. Words that few memories hold count more, and those of the text that none holds count, too.
// Numbers that differ beside the same words make two passages nearer. Each answer names the shared terms (see
// text.Terms). Nothing is judged: two passages that touch each other may say the same, contradict each other, or
// neither.
//
// The same memories and texts give the same answer. An index is safe for concurrent use; only Said changes it after
// New. No file is read. Not promised: to find what is said in other words or in another language.
package related

import (
	"slices"
	"strings"
	"sync/atomic"

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
	Outside     bool // it is of another directory
}

// Documents returns the topics of a memory, and its index without the lines that link to topics. Texts are taken as
// they are: of a Snapshot.Shown they are safe to show.
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
		passages = append(passages, Passage{File: d.File, Line: max(1, d.DescribedAt), Text: d.Description, described: true})
	}
	return append(passages, split(d.Body, d.File, d.BodyAt)...)
}

// Beginning returns the description and the body as one passage.
func (d Document) Beginning() Passage {
	return Passage{File: d.File, Line: max(1, d.DescribedAt), Text: d.Description + ". " + d.Body}
}

// An Index holds passages by their terms.
type Index struct {
	Passages []Passage

	languages []*text.Language // of the memories: all texts are stemmed as the first, and small words of each are left out
	said      []atomic.Int32   // by term: in how many texts somebody said it
	files     []string
	fileOf    []int32 // by passage
	ids       map[string]int32
	terms     []string
	tokens    map[string][]int32 // the terms of a token
	lengths   []int              // by passage, in terms
	passages  field
	whole     field // the same by file
}

// New returns an index of memories.
func New(docs []Document) *Index {
	x := &Index{ids: map[string]int32{}, tokens: map[string][]int32{}, languages: languagesOf(docs)}
	var passages, files [][]int32
	for f, d := range docs {
		x.files = append(x.files, d.File)
		whole := x.termsOf(d.Description)
		if d.File != memory.IndexName.String() {
			whole = append(whole, x.termsOf(memory.NameWords(d.File))...)
		}
		for _, p := range d.Passages() {
			terms := x.termsOf(p.Text)
			whole = append(whole, terms...)
			x.Passages, x.fileOf, x.lengths = append(x.Passages, p), append(x.fileOf, int32(f)), append(x.lengths, len(terms))
			passages = append(passages, each(terms))
		}
		files = append(files, each(whole))
	}
	x.said = make([]atomic.Int32, len(x.terms))
	x.passages, x.whole = newField(passages, len(x.terms)), newField(files, len(x.terms))
	return x
}

// each returns terms, each once.
func each(terms []int32) []int32 {
	slices.Sort(terms)
	return slices.Compact(terms)
}

// languagesOf guesses the languages that many of the memories are in, the most frequent first.
func languagesOf(docs []Document) (languages []*text.Language) {
	const sample, many = 200, 0.1
	in, all := map[*text.Language]int{}, 0
	for i := 0; i < len(docs); i += 1 + len(docs)/sample {
		d := &docs[i]
		l := text.LanguageOf(strings.Fields(strings.ToLower(d.Description + " " + d.Body[:min(len(d.Body), 300)])))
		if all++; in[l] == 0 {
			languages = append(languages, l)
		}
		in[l]++
	}
	slices.SortStableFunc(languages, func(a, b *text.Language) int { return in[b] - in[a] })
	if len(languages) == 0 {
		return []*text.Language{text.English()}
	}
	return slices.DeleteFunc(languages, func(l *text.Language) bool { return float64(in[l]) < many*float64(all) })
}

// cognate is how many letters of a word count where memories are in several languages: "migration" is "migración" then.
const cognate = 5

// termsOfToken returns the terms of a token. A small word of any of the languages has none.
func (x *Index) termsOfToken(token string, kind text.Kind) []string {
	for _, l := range x.languages[1:] {
		if l.Stops(strings.ToLower(token)) {
			return nil
		}
	}
	terms := x.languages[0].Terms(token, kind)
	if len(x.languages) > 1 && kind == text.Plain && !strings.ContainsAny(token, "0123456789") {
		for i, t := range terms {
			if letters := []rune(t); len(letters) > cognate {
				terms[i] = string(letters[:cognate])
			}
		}
	}
	return terms
}

// termsOf returns the terms of a text, new ones included.
func (x *Index) termsOf(s string) (terms []int32) {
	text.EachToken(s, func(token string, kind text.Kind) {
		known, ok := x.tokens[token]
		if !ok {
			for _, term := range x.termsOfToken(token, kind) {
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

// Said counts the words of a text that somebody said. What is said again and again in other words is the work of the
// day: it says little of which memory a text is about.
func (x *Index) Said(s string) {
	terms, _ := x.lookUp(s)
	for _, t := range each(terms) {
		x.said[t].Add(1)
	}
}

// lookUp returns the terms of a text that the index has, and how many terms it has in all.
func (x *Index) lookUp(s string) (terms []int32, all int) {
	text.EachToken(s, func(token string, kind text.Kind) {
		if known, ok := x.tokens[token]; ok {
			terms, all = append(terms, known...), all+len(known)
			return
		}
		for _, term := range x.termsOfToken(token, kind) {
			all++
			if id, ok := x.ids[term]; ok {
				terms = append(terms, id)
			}
		}
	})
	return terms, all
}

// lookUpWhole returns the term of a path or of a name of code, if the index has it.
func (x *Index) lookUpWhole(w string) []int32 {
	longest, its := "", text.Plain
	text.EachToken(w, func(token string, kind text.Kind) {
		if len(token) > len(longest) {
			longest, its = token, kind
		}
	})
	if longest == "" {
		return nil
	}
	if all := x.termsOfToken(longest, its); len(all) > 0 { // the whole is the first
		if id, ok := x.ids[all[0]]; ok {
			return []int32{id}
		}
	}
	return nil
}
