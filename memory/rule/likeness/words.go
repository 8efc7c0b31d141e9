package likeness

import (
	"strings"
	"sync"
	"unicode/utf8"

	"dream-mcp/memory"
	"dream-mcp/memory/lazy"
)

// What is read of a memory at most. The largest real topic that was measured has 58.7 KB, half of them
// have less than 1.8 KB.
const (
	maxRead     = 16 << 10 // bytes of a text
	maxFeatures = 1 << 10  // of a memory
)

// stemRunes is how much of a word of an alphabet counts: "migration", "migrations" and "migrated" are
// one word, in most languages of Europe.
const stemRunes = 6

// feature is a hash of a word or a phrase. Its lowest bits say which.
type feature uint64

type kind int

const (
	letters kind = iota // a word of an alphabet with spaces
	pair                // two characters of a script without spaces, or one where grammar is glued to words
	phrase
)

const (
	kindBits    = 2
	featureBits = 64 - holderBits
)

func (f feature) kind() kind { return kind(f & (1<<kindBits - 1)) }

func (h hash) feature(k kind) feature { return feature(h)>>holderBits&^(1<<kindBits-1) | feature(k) }

// phraseSize is the length of a phrase: four words, or eight pairs of characters.
const phraseSize = 8

func phrasesOf(words []feature) []feature {
	features := make([]feature, 0, 2*len(words))
	from, size := 0, 0
	for to, w := range words {
		size += w.size()
		for size-words[from].size() >= phraseSize {
			size -= words[from].size()
			from++
		}
		if size >= phraseSize {
			var h hash
			for _, w := range words[from : to+1] {
				h = h.add(hash(w))
			}
			features = append(features, h.feature(phrase))
		}
	}
	return features
}

func (f feature) size() int {
	if f.kind() == pair {
		return 1
	}
	return 2
}

// target matches what is in [[…]] and in the parentheses of [text](…).
var target = lazy.New(`\[\[[^\]\n]*\]\]|\]\([^)\n]*\)`)

// withoutTargets returns the beginning of a text without the targets of its links.
func withoutTargets(text string) string {
	text = text[:min(len(text), maxRead)]
	if !strings.Contains(text, "[[") && !strings.Contains(text, "](") {
		return text // most have no link
	}
	return target.ReplaceAllString(text, " ")
}

// wordsOf returns the words of a text, of which the first maxRead bytes count.
func wordsOf(text string) []feature {
	var words []feature
	before := "" // the character of a script without spaces right before
	for _, w := range memory.WordsOf(strings.ReplaceAll(text[:min(len(text), maxRead)], "_", " ")) {
		if r, size := utf8.DecodeRuneInString(w); size == len(w) && (r == 'ー' || memory.Unspaced(r)) {
			if before != "" {
				words = append(words, hashOf(before+w).feature(pair))
			}
			before = w
			continue
		}
		before = ""
		if (len(w) > 1 || w[0] <= '9') && !stops()[stem(w)] {
			words = append(words, hashOf(stem(w)).feature(letters))
		}
	}
	return words
}

// stem returns what the forms of a word of an alphabet have in common: its beginning, and of a short one all but a last "s".
func stem(w string) string {
	n := 0
	for i := range w {
		if n == stemRunes {
			return w[:i]
		}
		n++
	}
	if n > 3 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") {
		return w[:len(w)-1]
	}
	return w
}

// hash is the same in every process, so that findings are.
type hash uint64

// add returns the hash with one more value. The shift brings the upper bits of the product down.
func (h hash) add(v hash) hash {
	h = (h ^ v ^ 0x9E3779B97F4A7C15) * 0xFF51AFD7ED558CCD
	return h ^ h>>32
}

func hashOf(text string) (h hash) {
	for i := range len(text) {
		h = h.add(hash(text[i]))
	}
	return h
}

// stops are the words that say nothing about the subject of a text, in the languages of the labelled
// pairs, and what is in every memory.
var stops = sync.OnceValue(func() map[string]bool {
	stems := make(map[string]bool)
	for _, w := range strings.Fields(stopWords) {
		stems[stem(w)] = true
	}
	return stems
})

const stopWords = `
a an and are as at be but by can do does for from had has have he her his how if in into is it its more must never no
not of on once one only or our out over
she should so such than that the their them then there these they this to too up use uses used using was we were what
when where which while who why will with without you your all any each every also always after before because since
until
apply user wants want feedback project reference memory md
der die das des dem den ein eine einen einem einer eines und oder nicht kein keine keinen ist sind war werden wird
wurde hat haben im in am an auf aus bei bis mit nach von vom vor zu zum zur für es er sie wir man dass weil wenn als
auch nur immer nie
le la les un une des du de et ou ne pas est sont dans sur avec sans pour par que qui au aux ce cette ces se sa son ses
il elle on nous toujours jamais avant après car
el los las una unos unas del y o no es son en con sin para por que se su sus al lo como más siempre nunca antes después porque hay`
