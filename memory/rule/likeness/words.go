package likeness

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// What is read of a memory at most. Of 350 real topics the largest had 58.7 KB, half of them less
// than 1.8 KB.
const (
	maxRead     = 16 << 10 // bytes of a text
	maxFeatures = 1 << 10  // of a memory
)

// stemRunes is how much of a word of an alphabet counts: "migration", "migrations" and "migrated" are
// one word, in most languages of Europe.
const stemRunes = 6

// feature is a hash of a word or a phrase. Its lowest bits say which.
type feature uint64

const (
	kindBits    = 3
	phrase      = 4
	featureBits = 64 - holderBits
)

func (f feature) isPhrase() bool { return f&(1<<kindBits-1) == phrase }

// weight is what a word weighs by its script. A word of a script without spaces makes several pairs of characters.
func (f feature) weight() float64 { return weights[f&(1<<kindBits-1)] }

var weights = [...]float64{letters: 1, pairs: 0.4}

// featureOf makes a feature of a hash.
func featureOf(h hash, kind script) feature {
	return feature(h)>>holderBits&^(1<<kindBits-1) | feature(kind)
}

// word is a word of a text and its script.
type word struct {
	hash hash
	in   script
}

func wordsOf(words []word) []feature {
	features := make([]feature, len(words))
	for i, w := range words {
		features[i] = featureOf(w.hash, w.in)
	}
	return features
}

// phraseSize is the length of a phrase: four words, or eight pairs of characters.
const phraseSize = 8

func phrasesOf(words []word) []feature {
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
				h = h.add(rune(w.hash)).add(rune(w.hash >> 32))
			}
			features = append(features, featureOf(h, phrase))
		}
	}
	return features
}

func (w word) size() int {
	if w.in == letters {
		return 2
	}
	return 1
}

// script is how a run of letters is cut into words.
type script int

const (
	letters script = iota // an alphabet with spaces
	pairs                 // no spaces, or words that grammar is glued to
	other                 // no letter
)

func scriptOf(r rune) script {
	switch {
	case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9':
		return letters
	case r < utf8.RuneSelf:
		return other
	case r < 0x3000: // before all that has no spaces, but for old forms of Hangul
		if unicode.In(r, unicode.L, unicode.N, unicode.M) {
			return letters
		}
		return other
	case unicode.In(r, unicode.Han, unicode.Hangul, unicode.Hiragana, unicode.Katakana) || r == 'ー':
		return pairs
	case unicode.In(r, unicode.L, unicode.N, unicode.M):
		return letters
	}
	return other
}

// target matches what is in [[…]] and in the parentheses of [text](…).
var target = regexp.MustCompile(`\[\[[^\]\n]*\]\]|\]\([^)\n]*\)`)

// withoutTargets returns the beginning of a text without the targets of its links.
func withoutTargets(text string) string {
	text = text[:min(len(text), maxRead)]
	if !strings.Contains(text, "[[") && !strings.Contains(text, "](") {
		return text // most have no link
	}
	return target.ReplaceAllString(text, " ")
}

// addWords appends the words of a text, of which the first maxRead bytes count.
func addWords(words []word, text string) []word {
	text = text[:min(len(text), maxRead)]
	start, in := 0, other
	for i, r := range text {
		if s := scriptOf(r); s != in {
			words = addRun(words, text[start:i], in)
			start, in = i, s
		}
	}
	return addRun(words, text[start:], in)
}

// addRun appends the words of a run of one script.
func addRun(words []word, run string, in script) []word {
	switch in {
	case letters:
		if h := stemWord(run); (len(run) > 1 || run[0] <= '9') && !stops()[h] {
			words = append(words, word{h, letters})
		}
	case pairs:
		before := rune(-1)
		for _, r := range run {
			if before >= 0 {
				words = append(words, word{hash(0).add(before).add(r), in})
			}
			before = r
		}
	}
	return words
}

// stemWord returns what the forms of a word of an alphabet have in common: its beginning in lower
// case, and of a short one all but a last "s".
func stemWord(run string) hash {
	var h, bare hash
	n, last, beforeLast := 0, rune(0), rune(0)
	for _, r := range run {
		if n == stemRunes {
			return h
		}
		n++
		beforeLast, last = last, r
		if 'A' <= r && r <= 'Z' {
			last += 'a' - 'A'
		} else if r >= utf8.RuneSelf {
			last = unicode.ToLower(r)
		}
		bare, h = h, h.add(last)
	}
	if n > 3 && last == 's' && beforeLast != 's' {
		return bare
	}
	return h
}

// hash is the same in every process, so that findings are.
type hash uint64

// add returns the hash with one more rune. The shift brings the upper bits of the product down.
func (h hash) add(r rune) hash {
	h = (h ^ hash(r) ^ 0x9E3779B97F4A7C15) * 0xFF51AFD7ED558CCD
	return h ^ h>>32
}

// stops are the words that say nothing about the subject of a text, in the languages of the labelled
// pairs, and what is in every memory.
var stops = sync.OnceValue(func() map[hash]bool {
	stems := make(map[hash]bool)
	for _, w := range strings.Fields(stopWords) {
		stems[stemWord(w)] = true
	}
	return stems
})

const stopWords = `
a an and are as at be but by can do does for from had has have he her his how if in into is it its more must never no not of on once one only or our out over
she should so such than that the their them then there these they this to too up use uses used using was we were what when where which while who why will with without you your all any each every also always after before because since until
apply user wants want feedback project reference memory md
der die das des dem den ein eine einen einem einer eines und oder nicht kein keine keinen ist sind war werden wird wurde hat haben im in am an auf aus bei bis mit nach von vom vor zu zum zur für es er sie wir man dass weil wenn als auch nur immer nie
le la les un une des du de et ou ne pas est sont dans sur avec sans pour par que qui au aux ce cette ces se sa son ses il elle on nous toujours jamais avant après car
el los las una unos unas del y o no es son en con sin para por que se su sus al lo como más siempre nunca antes después porque hay`
