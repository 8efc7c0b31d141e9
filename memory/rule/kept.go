package rule

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"dream-mcp/memory"
	"dream-mcp/memory/lazy"
	"dream-mcp/memory/text"
)

// Whether a text keeps the sentences of another. Words are compared, not what they mean: a sentence that is translated or said in
// other words is not found, one that says the opposite without a word of negation is.

// A Fact is a sentence of a merged memory without a counterpart in the one that it was merged into. The words that the
// nearest passage there lacks are marked: ⟨word⟩.
type Fact struct {
	File string `json:"file"`
	Text string `json:"text"`
}

// MaxMerged bounds the texts of one merge, in bytes: the time to compare them grows with their product.
const MaxMerged = 128 << 10

// RestOf returns the accepted text that covers all sentences of a merged memory.
func RestOf(file string) string { return "the rest of " + file }

// Lost returns the sentences of merged memories without a counterpart in the survivor, each once, in the order of the texts.
// An accepted text covers a sentence if it has all the marked words.
func Lost(merged map[memory.Name]*memory.Topic, into memory.Name, survivor *memory.Topic, accepted ...string) []Fact {
	var names []string
	for _, n := range append(sortedNames(merged), into) {
		names = append(names, "[["+memory.StemOf(n.String())+"]]", " ", n.String(), " ")
	}
	sample := survivor.Body()
	for _, t := range merged {
		sample += "\n" + t.Body()
	}
	r := newReader(sample)
	has := r.terms(wholeText(survivor))
	var agreed []map[string][]int
	for _, a := range accepted {
		agreed = append(agreed, r.terms(a))
	}
	unnamed := strings.NewReplacer(names...)
	var lost []Fact
	for _, n := range sortedNames(merged) {
		if slices.Contains(accepted, RestOf(n.String())) {
			continue
		}
		t := merged[n]
		for _, s := range sentencesOf("# " + t.Description() + "\n\n" + t.Body()) {
			s.text = isoDates(unnamed.Replace(s.text))
			gone := uncovered(r.read(s), has)
			if len(gone) == 0 || s.heading && !slices.ContainsFunc(gone, word.isExact) || slices.ContainsFunc(agreed, func(a map[string][]int) bool {
				return !slices.ContainsFunc(gone, func(w word) bool { return a[w.term] == nil })
			}) {
				continue
			}
			f := Fact{n.String(), memory.OneLine(marked(s.text, gone))}
			if !slices.Contains(lost, f) {
				lost = append(lost, f)
			}
		}
	}
	return lost
}

// A claim is a text whose sentences are looked for in other texts.
type claim struct {
	left      [][]word // the words of the sentences that were not found yet
	all, kept int      // words
}

// claim returns what a text says. Of a heading only the exact words count.
func (r *reader) claim(body string) *claim {
	c := &claim{}
	for _, s := range sentencesOf(body) {
		s.text = isoDates(s.text)
		words := slices.DeleteFunc(r.read(s), func(w word) bool { return s.heading && !w.exact })
		if len(words) > 0 {
			c.left, c.all = append(c.left, words), c.all+len(words)
		}
	}
	return c
}

// find looks for the sentences in the terms of a text.
func (c *claim) find(has map[string][]int) {
	c.left = slices.DeleteFunc(c.left, func(words []word) bool {
		found := len(uncovered(words, has)) == 0
		if found {
			c.kept += len(words)
		}
		return found
	})
}

// share returns the percentage of the words that stand in sentences that were found.
func (c *claim) share() int {
	if c.all == 0 {
		return 100
	}
	return 100 * c.kept / c.all
}

// sentence is a sentence, a heading, or a line of code.
type sentence struct {
	text          string
	code, heading bool
}

var marker = lazy.New(`^\s*(?:[-*+]|\d+[.)])\s+`)

// labels begin the lines of a memory that give a reason and a use, as Claude Code asks for them. They say nothing.
var labels = lazy.New(`(?i)^\W*\*\*(why|how to apply):?\*\*:?`)

// sentencesOf cuts a text into sentences. Lines of a paragraph belong together.
func sentencesOf(body string) (all []sentence) {
	var prose strings.Builder
	flush := func() {
		for _, s := range text.Sentences(prose.String()) {
			s = labels.ReplaceAllString(marker.ReplaceAllString(s, ""), "")
			all = append(all, sentence{text: strings.TrimSpace(s), heading: strings.HasPrefix(s, "#")})
		}
		prose.Reset()
	}
	for line, code := range memory.Lines(body) {
		switch {
		case !code:
			prose.WriteString(line + "\n")
		case memory.FenceMark(strings.TrimSpace(line)) == "":
			flush()
			all = append(all, sentence{text: strings.TrimSpace(line), code: true})
		}
	}
	flush()
	return all
}

// word is a word of a sentence.
type word struct {
	from, to int
	term     string
	exact    bool // it must be there: a number and what it counts, code, a name, a negation or a condition
}

func (w word) isExact() bool { return w.exact }

// reader reads the words of texts that are compared.
type reader struct {
	language *text.Language
	lower    map[string]bool   // words that are there in lower case: their capital does not make a name
	stems    map[string]string // by word
}

// newReader returns a reader of texts in the language of a sample of them.
func newReader(sample string) *reader {
	r := &reader{text.LanguageOf(strings.Fields(strings.ToLower(sample))), map[string]bool{}, map[string]string{}}
	text.EachWord(sample, func(start, end int, _ bool) {
		if w := sample[start:end]; w == strings.ToLower(w) {
			r.lower[w] = true
		}
	})
	return r
}

// Words that turn a sentence, as one term each.
const (
	negation  = "¬"
	condition = "?"
)

var cues = func() map[string]string {
	terms := map[string]string{}
	for term, words := range map[string]string{
		negation: `not never no none nothing nobody without neither nor cannot nicht nie niemals kein keine keinen keinem keiner ohne weder
			jamais sans aucun aucune ne pas nunca sin ningún ninguno ninguna não sem non mai senza niet geen nooit zonder
			не нет никогда без ни нельзя لا لم لن ليس ليست بدون غير 不 没 沒 無 无 勿 别 非 않 없 못 말`,
		condition: `only except unless until till provided nur außer bis sofern sauf seulement jusque solo sólo excepto salvo hasta
			только кроме пока فقط إلا حتى 只 仅 僅 除 限`,
	} {
		for w := range strings.FieldsSeq(words) {
			terms[w] = term
		}
	}
	return terms
}()

// Characters that bind: other words say the same without them.
const binding = "的了是在和与與及也就都要会會将將把被这這那个個有为為于於은는이가을를에의로와과도만다요하고지한할함"

var (
	quotedOrCode  = lazy.New("`[^`]*`|\\[\\[[^\\[\\]]*\\]\\]|\"[^\"]{2,60}\"|“[^”]{2,60}”|「[^」]{2,60}」")
	denseNot      = lazy.New(`ない|なし|ません`)
	startsWithDay = lazy.New(`^\d{4}-\d\d-\d\d`)
)

// pathSigns make the words beside them exact.
const pathSigns = "/@_"

// read returns the words of a sentence that say something.
func (r *reader) read(s sentence) (words []word) {
	spans := quotedOrCode.FindAllStringIndex(s.text, -1)
	last, counts := -1, false // the end of the word before, and whether that was a number
	opens := true
	nouns := r.language.Nouns
	r.each(s.text, func(from, to int) {
		w := s.text[from:to]
		lower := strings.ToLower(w)
		first, _ := utf8.DecodeRuneInString(w)
		literal := s.code || slices.ContainsFunc(spans, func(at []int) bool { return at[0] <= from && to <= at[1] })
		number := strings.ContainsFunc(w, unicode.IsNumber)
		one := word{from: from, to: to, term: r.term(w)}
		if text.IsDense(first) {
			one.exact = literal || !strings.Contains(binding, w)
			if one.exact {
				words = append(words, one)
			}
			return
		}
		cue := cues[lower] != "" || lower == "t" && from > 0 && strings.ContainsAny(s.text[max(0, from-3):from], "'’")
		if cue {
			one.term = negation
			if cues[lower] != "" {
				one.term = cues[lower]
			}
		}
		counted := counts && strings.TrimLeft(s.text[last:from], " ") == ""
		label := strings.HasPrefix(s.text[to:], ":") && !strings.HasPrefix(s.text[to:], "://")
		begins := opens || s.heading || last >= 0 && strings.ContainsAny(s.text[last:from], ".:!?;")
		rest := strings.TrimPrefix(w, string(first))
		named := strings.ContainsFunc(rest, unicode.IsUpper) && strings.ToUpper(w) != w ||
			unicode.IsUpper(first) && !label && !r.lower[lower] && !nouns && !(begins && text.IsEveryday(one.term)) && !(s.heading && !number)
		inPath := from > 0 && strings.IndexByte(pathSigns, s.text[from-1]) >= 0 || to < len(s.text) && strings.IndexByte(pathSigns, s.text[to]) >= 0
		small := r.language.Stops(lower) || text.English().Stops(lower)
		one.exact = literal || cue || number || counted && !small || !small && (named || inPath || unicode.Is(unicode.Lo, first))
		if one.exact || !small && utf8.RuneCountInString(w) > 1 {
			words = append(words, one)
		}
		last, counts, opens = to, number, false
	})
	return words
}

// each calls do with each word of a text. The numbers of a date, a time or a version are one word. Of Han and Hangul each
// character is one, of other dense scripts two neighbouring ones are.
func (r *reader) each(s string, do func(from, to int)) {
	from, to := -1, -1
	flush := func() {
		if from >= 0 {
			do(from, to)
		}
		from = -1
	}
	text.EachWord(s, func(start, end int, dense bool) {
		if !dense {
			if from >= 0 && start == to+1 && strings.IndexByte(".-:/,", s[to]) >= 0 && isDigit(s[to-1]) && isDigit(s[start]) {
				to = end
				return
			}
			flush()
			from, to = start, end
			return
		}
		flush()
		for _, at := range denseNot.FindAllStringIndex(s[start:end], -1) {
			do(start+at[0], start+at[1])
		}
		for i, c := range s[start:end] {
			size := utf8.RuneLen(c)
			next, more := utf8.DecodeRuneInString(s[start+i+size : end])
			switch {
			case unicode.Is(unicode.Hiragana, c):
			case unicode.In(c, unicode.Han, unicode.Hangul):
				do(start+i, start+i+size)
			case more > 0 && !unicode.In(next, unicode.Hiragana, unicode.Han):
				do(start+i, start+i+size+more)
			}
		}
	})
	flush()
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// term returns what a word has in common with the forms of the same.
func (r *reader) term(w string) string {
	lower := strings.ToLower(w)
	switch {
	case cues[lower] != "":
		return cues[lower]
	case denseNot.MatchString(w):
		return negation
	case strings.ContainsFunc(w, unicode.IsNumber):
		return lower
	}
	stem, known := r.stems[lower]
	if !known {
		stem = r.language.Stem(lower)
		r.stems[lower] = stem
	}
	return stem
}

// terms returns where a text has which terms, counted in words.
func (r *reader) terms(s string) map[string][]int {
	at, n := map[string][]int{}, 0
	s = isoDates(s)
	r.each(s, func(from, to int) {
		w := s[from:to]
		add := func(term string) { at[term] = append(at[term], n) }
		add(r.term(w))
		if startsWithDay.MatchString(w) { // a date has its month and its day
			add(w[:10])
			add(w[:7])
			add(w[5:10])
		}
		if strings.EqualFold(w, "t") && from > 0 && strings.ContainsAny(s[max(0, from-3):from], "'’") {
			add(negation)
		}
		n++
	})
	return at
}

// A sentence has a counterpart where words near each other have all of its exact words, and of the others two of three.
const (
	nearWords  = 2 // the words that are looked at are so many times those of the sentence, and
	nearMore   = 12
	mostAbsent = 3 // one in so many of the other words may be absent
)

// uncovered returns the words that a text lacks where it has most of them, or nil if it has a counterpart there.
func uncovered(words []word, has map[string][]int) []word {
	type hit struct{ at, word int }
	var hits []hit
	for i, w := range words {
		for _, at := range has[w.term] {
			hits = append(hits, hit{at, i})
		}
	}
	slices.SortFunc(hits, func(a, b hit) int { return a.at - b.at })
	width := nearWords*len(words) + nearMore
	count, covered, most, from, best := make([]int, len(words)), 0, 0, 0, [2]int{}
	for to, h := range hits {
		for ; hits[from].at <= h.at-width; from++ {
			if count[hits[from].word]--; count[hits[from].word] == 0 {
				covered--
			}
		}
		if count[h.word]++; count[h.word] == 1 {
			covered++
		}
		if covered > most {
			most, best = covered, [2]int{from, to + 1}
		}
	}
	clear(count)
	for _, h := range hits[best[0]:best[1]] {
		count[h.word]++
	}
	exact, plain := 0, 0
	var gone []word
	for i, w := range words {
		if count[i] == 0 {
			gone = append(gone, w)
			if w.exact {
				exact++
			}
		}
		if !w.exact {
			plain++
		}
	}
	if exact == 0 && mostAbsent*len(gone) <= plain {
		return nil
	}
	return gone
}

// marked returns a sentence with some of its words marked, neighbours together.
func marked(s string, words []word) string {
	slices.SortFunc(words, func(a, b word) int { return a.from - b.from })
	var out strings.Builder
	at := 0
	for i := 0; i < len(words); {
		from, to := words[i].from, words[i].to
		for i++; i < len(words) && strings.Trim(s[to:max(to, words[i].from)], " ") == ""; i++ {
			to = max(to, words[i].to)
		}
		fmt.Fprintf(&out, "%s⟨%s⟩", s[at:from], s[from:to])
		at = to
	}
	return out.String() + s[at:]
}

// Related reports whether two texts have a term in common that says something.
func Related(a, b string) bool {
	in := termsOf(b)
	for term := range termsOf(a) {
		if in[term] && (utf8.RuneCountInString(term) > 3 || strings.ContainsFunc(term, unicode.IsNumber) || text.IsDense([]rune(term)[0])) {
			return true
		}
	}
	return false
}

func termsOf(s string) map[string]bool {
	terms := map[string]bool{}
	text.EachToken(s, func(token string, kind text.Kind) {
		for _, term := range text.English().Terms(token, kind) {
			terms[term] = true
		}
	})
	return terms
}
