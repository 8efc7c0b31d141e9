// Package secret finds credentials in text, so that none is written into a memory and none leaves in
// an answer.
//
// It promises that what Find returns is sorted, does not overlap, and begins and ends between characters; that a View
// leaves no byte of what Find found, keeps all else and the number of every line, and does nothing to what it has
// masked before; and that both take time in proportion to the text, whatever the text. Find is a function of the text;
// a View also masks what the person wanted forgotten (package forgotten).
//
// It does not promise to know every credential: of kinds that it was not made on it finds 0.96 (package measure). It
// knows the shapes of its table, a random word after the name of a vendor, and a value after a name that says what it
// is ("password:", "API_KEY=", "the password for the lab is"), in some thirty languages, where the value looks like
// one. It does not find a piece of a credential, one that was encoded or split over lines, or a password without a
// name. So a text must be masked before it is cut. Nor does it promise to mask a hostile text of values within values
// to its end (maxPasses).
//
// How often it is right is measured by "go run -C .ci ./measure/rule secret". On the credentials of that set, when
// it was made, gitleaks as a library found 0.61 of them, took 44 ms to start and brought 63 modules;
// osv-scalibr's veles found 0.30, and gives positions without lengths, by which nothing can be masked;
// trufflehog could not be had from the module proxy. So this is a table of prefixes, alphabets and names
// of our own, in one pass.
package secret

import (
	"cmp"
	"slices"
	"strings"
	"sync"
)

// Forgotten is the kind of a text that the person wanted forgotten (package forgotten).
const Forgotten = "forgotten"

// Span is a credential within a text.
type Span struct {
	From, To int    // bytes of the text
	Kind     string // what it is: "github-token", "password"
	Key      string // the name before it, "" where there is none; it holds no credential
}

// scan is one pass over a text.
type scan struct {
	text  string
	end   int         // of the last credential that has a shape of its own: what follows is a new word
	named int         // the end of the last name that was read
	tried map[int]int // of each shape, the end of the last body that was read: what is before is not read again
	finds []find
}

// find is a span, and how it is known.
type find struct {
	Span
	shaped bool // by a shape of its own, not by a name before it
}

// Find returns the credentials of a text, in order. Neither the text nor a credential needs to be valid UTF-8.
func Find(text string) []Span {
	s := &scan{text: text}
	table().each(text, func(at int, a anchor) (next int) { return a.match(s, at) })
	s.unknown(merge(s.finds))
	s.repeat(merge(s.finds))
	return merge(s.finds)
}

// Bounds of the values whose other places are found: less is a word, and each is looked for in the whole text.
const (
	leastRepeated = 8
	maxRepeated   = 64
)

// repeat adds the other places of what was found: what a name made a credential is one without its name too.
func (s *scan) repeat(found []Span) {
	seen := make(map[string]bool)
	for _, span := range found {
		value := s.text[span.From:span.To]
		if len(value) < leastRepeated || classes(value) < 2 || seen[value] || len(seen) == maxRepeated {
			continue
		}
		seen[value] = true
		for at := 0; ; at += len(value) {
			n := strings.Index(s.text[at:], value)
			if n < 0 {
				break
			}
			at += n
			s.finds = append(s.finds, find{Span: Span{From: at, To: at + len(value), Kind: span.Kind}})
		}
	}
}

// shaped notes a credential that has a shape of its own, and returns its end.
func (s *scan) shaped(from, to int, kind string) (next int) {
	s.finds = append(s.finds, find{Span: Span{From: from, To: to, Kind: kind}, shaped: true})
	s.end = to
	return to
}

// merge sorts finds and joins those that overlap. A shape says better than a name what a credential is.
func merge(finds []find) []Span {
	slices.SortStableFunc(finds, func(a, b find) int { return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(b.To, a.To)) })
	var spans []Span
	shaped := false // whether the last of spans is
	for _, f := range finds {
		if len(spans) == 0 || f.From >= spans[len(spans)-1].To {
			spans, shaped = append(spans, f.Span), f.shaped
			continue
		}
		last := &spans[len(spans)-1]
		last.To, last.Key = max(last.To, f.To), cmp.Or(last.Key, f.Key)
		if f.shaped && !shaped {
			last.Kind, shaped = f.Kind, true
		}
	}
	return spans
}

// What replaces a credential.
const (
	maskOpen  = "[secret: "
	maskClose = "]"
)

// maxPasses bounds how often View looks at a text. What is masked can show that what is before it is
// a credential too; of a hundred thousand texts put together for that, none takes more than two passes.
const maxPasses = 8

// matchMask passes over the mask of a credential: its words name one.
func matchMask(s *scan, at int) (next int) {
	kind, _, ok := strings.Cut(s.text[at+len(maskOpen):min(len(s.text), at+maxMask)], maskClose)
	if !ok || !kinds()[kind] {
		return 0
	}
	s.end = at + len(maskOpen) + len(kind) + len(maskClose)
	return s.end
}

// maxMask bounds the length of a mask, and by that the length of a kind.
const maxMask = 64

// kinds are those that a mask may name.
var kinds = sync.OnceValue(func() map[string]bool {
	set := make(map[string]bool)
	for _, kind := range shapeless {
		set[kind] = true
	}
	for _, sh := range shapes() {
		set[sh.kind] = true
	}
	return set
})
