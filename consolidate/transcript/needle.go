package transcript

import (
	"bytes"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A needle is a run of characters that no writer of JSON spells in two ways, except as \u, which the
// filter looks for by itself. So it stands in the raw line of any record whose text contains it.
type needle struct {
	text  []byte
	fold  bool // ASCII letters in either case; text is in lower case then
	alien bool // when folded, a character beyond ASCII may stand for a k or an s

	// When folded: the rarest byte of text, in both cases, and where it stands.
	lower, upper byte
	at           int
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
		if n, ok := longestRun(re.Rune, re.Flags&syntax.FoldCase != 0, spoiled); ok {
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

// better reports whether needles promise fewer lines than others: by their shortest.
func better(a, b []needle) bool {
	return shortest(a) > shortest(b)
}

func shortest(needles []needle) int {
	if len(needles) == 0 {
		return 0
	}
	return len(slices.MinFunc(needles, func(a, b needle) int { return len(a.text) - len(b.text) }).text)
}

// longestRun returns the longest run of a literal without a character that is spoiled, or, when
// folded, that is beyond ASCII and has another case.
func longestRun(literal []rune, fold bool, spoiled spoiler) (needle, bool) {
	var best, run []byte
	for _, r := range literal {
		if spoiled(r) || fold && r > unicode.MaxASCII && unicode.SimpleFold(r) != r {
			run = nil
			continue
		}
		if fold && r <= unicode.MaxASCII {
			r = unicode.ToLower(r)
		}
		if run = utf8.AppendRune(run, r); len(run) > len(best) {
			best = run
		}
	}
	if len(best) < minNeedle {
		return needle{}, false
	}
	n := needle{text: slices.Clone(best), fold: fold}
	if fold {
		n.alien = bytes.ContainsAny(n.text, "ks")
		n.at = rarest(n.text)
		n.lower = n.text[n.at]
		n.upper = upper(n.lower)
	}
	return n, true
}

// common are the bytes of transcripts, the most common first; a byte that is not here is rare.
const common = ` etaonirsldcu-phm0fg1b2y3vw54,6:978._kxjqz`

func rarest(text []byte) int {
	best, rank := 0, -1
	for i, c := range text {
		r := strings.IndexByte(common, c)
		if r < 0 {
			return i
		}
		if r > rank {
			best, rank = i, r
		}
	}
	return best
}

// in reports whether the needle may stand in a line.
func (n *needle) in(line []byte) bool {
	if !n.fold {
		return bytes.Contains(line, n.text)
	}
	return n.folded(line, n.lower) || n.upper != n.lower && n.folded(line, n.upper) ||
		n.alien && (bytes.Contains(line, []byte("ſ")) || bytes.Contains(line, []byte("\u212a")))
}

// folded looks for the needle where one byte stands.
func (n *needle) folded(line []byte, c byte) bool {
	for from := n.at; ; {
		i := -1
		if from < len(line) {
			i = bytes.IndexByte(line[from:], c)
		}
		if i < 0 {
			return false
		}
		start := from + i - n.at
		if len(line)-start < len(n.text) {
			return false
		}
		if equalLower(line[start:], n.text) {
			return true
		}
		from += i + 1
	}
}

// equalLower reports whether a line begins with text, which is in lower case, in either case.
func equalLower(line, text []byte) bool {
	for i, c := range text {
		if line[i] != c && line[i] != upper(c) {
			return false
		}
	}
	return true
}

func upper(c byte) byte {
	if 'a' <= c && c <= 'z' {
		return c - 'a' + 'A'
	}
	return c
}
