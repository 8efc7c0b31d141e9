package transcript

import (
	"bytes"
	"math"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A needle is a run of characters that no writer of JSON spells in two ways, except as \u, which the
// sieve looks for by itself. So it stands in the raw line of any record whose text contains it.
type needle struct {
	text  []byte
	fold  bool // ASCII letters in either case; text is in lower case then
	alien bool // when folded, a character beyond ASCII may stand for a k or an s

	first, second int // where two of its bytes stand that are rare together, the rarest first

	meant func(rest []byte) bool // reports whether the needle counts, from what stands behind it; nil: it does

	beside []needle // each of them stands on the same line of a transcript
}

// minNeedle is the shortest needle worth a search: a shorter one is on nearly every line.
const minNeedle = 2

// maxNeedles bounds the needles of one pattern: each costs a pass over every line.
const maxNeedles = 8

// A spoiler reports the characters that may stand in an utterance without standing in its record.
type spoiler func(rune) bool

// spoils returns the spoiler for a search. Where tools are searched, the signs between the names and
// the arguments that useText joins are none of the record's.
func spoils(speakers []Speaker) spoiler {
	tools := slices.Contains(speakers, Tool)
	return func(r rune) bool {
		switch {
		case r < 0x20, r == '"', r == '\\', r == '/', r == utf8.RuneError:
			return true
		case tools:
			return strings.ContainsRune(" :=.", r)
		}
		return false
	}
}

// required returns needles of which one stands in every text that an expression matches, or none.
func required(re *syntax.Regexp, spoiled spoiler) []needle {
	switch re.Op {
	case syntax.OpLiteral:
		if n, ok := rarestRun(re.Rune, re.Flags&syntax.FoldCase != 0, spoiled); ok {
			return []needle{n}
		}
	case syntax.OpCapture, syntax.OpPlus:
		return required(re.Sub[0], spoiled)
	case syntax.OpRepeat:
		if re.Min > 0 {
			return required(re.Sub[0], spoiled)
		}
	case syntax.OpConcat:
		var best []needle
		for _, sub := range re.Sub {
			if n := required(sub, spoiled); better(n, best) {
				best = n
			}
		}
		return best
	case syntax.OpAlternate:
		var all []needle
		for _, sub := range re.Sub {
			n := required(sub, spoiled)
			if all = append(all, n...); n == nil || len(all) > maxNeedles {
				return nil
			}
		}
		return all
	}
	return nil
}

// company gives needles what else must stand on the line of a match, where an expression is a row of parts
// and matches within a line of text, so that all of them lie in one record. It takes only what is looked
// for in ASCII alone, so that nothing more must be known of how lines are spelt. Of one needle and its
// company, that with the rarest byte is looked for first.
func company(re *syntax.Regexp, spoiled spoiler, needles []needle) {
	for re.Op == syntax.OpCapture {
		re = re.Sub[0]
	}
	if re.Op != syntax.OpConcat {
		return
	}
	var beside []needle
	for _, sub := range re.Sub {
		all := required(sub, func(r rune) bool { return r > unicode.MaxASCII || spoiled(r) })
		if len(all) == 1 && !all[0].alien && !slices.ContainsFunc(needles, func(n needle) bool { return bytes.Contains(n.text, all[0].text) }) {
			beside = append(beside, all[0])
		}
	}
	if len(needles) == 1 && !needles[0].alien && isASCII(needles[0].text) {
		all := append(beside, needles[0])
		slices.SortStableFunc(all, func(a, b needle) int { return b.rank() - a.rank() })
		needles[0], beside = all[0], all[1:]
	}
	for i := range needles {
		needles[i].beside = beside
	}
}

// rank tells how rare the rarest byte is.
func (n needle) rank() int { return rareness(n.text[n.first]) }

func isASCII(text []byte) bool {
	return !slices.ContainsFunc(text, func(c byte) bool { return c >= utf8.RuneSelf })
}

// better reports whether needles promise fewer lines than others: by the one that is found most.
func better(a, b []needle) bool {
	return lightest(a) > lightest(b)
}

func lightest(needles []needle) int {
	least := 0
	for i, n := range needles {
		if w := weight(n.text); i == 0 || w < least {
			least = w
		}
	}
	return least
}

// weight tells how rare a text is, in fifths of a bit, about.
func weight(text []byte) (w int) {
	for _, c := range text {
		w += 20 + rareness(c)
	}
	return w
}

// isNeedle reports whether the pattern looks for its one needle and nothing else.
func (p *pattern) isNeedle() bool {
	return len(p.needles) == 1 && p.finder.exact && len(p.needles[0].text) == len(p.finder.anchors[0].literal)
}

// rarestRun returns the rarest run of a literal without a character that is spoiled, or, when
// folded, that is beyond ASCII and has another case.
func rarestRun(literal []rune, fold bool, spoiled spoiler) (needle, bool) {
	var best, run []byte
	for _, r := range literal {
		if spoiled(r) || fold && r > unicode.MaxASCII && unicode.SimpleFold(r) != r {
			run = nil
			continue
		}
		if fold && r <= unicode.MaxASCII {
			r = unicode.ToLower(r)
		}
		if run = utf8.AppendRune(run, r); weight(run) > weight(best) {
			best = run
		}
	}
	if len(best) < minNeedle {
		return needle{}, false
	}
	return newNeedle(best, fold), true
}

func newNeedle(text []byte, fold bool) needle {
	n := needle{text: slices.Clone(text), fold: fold, alien: fold && bytes.ContainsAny(text, "ks")}
	for i := range text {
		if rareness(text[i]) > rareness(text[n.first]) {
			n.first = i
		}
	}
	best := math.MinInt
	for i := range text {
		if r := n.rarenessBeside(i); i != n.first && r > best {
			n.second, best = i, r
		}
	}
	return n
}

// rarenessBeside tells how rare a byte of the needle is where its rarest stands: two that are neighbours in a word,
// or the same, are so in others.
func (n *needle) rarenessBeside(i int) int {
	const lessRare = 6 // a tenth fewer places to look at than with none
	r := rareness(n.text[i])
	if n.text[i] == n.text[n.first] {
		r -= lessRare
	}
	if i-n.first == 1 || n.first-i == 1 {
		r -= lessRare
	}
	return r
}
