package transcript

import (
	"math/bits"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A finder finds a pattern in digests: by its literal, or one of the literals of which one stands in
// whatever an expression matches, over the whole text at once; only what those leave is matched.
type finder struct {
	pattern *pattern
	anchors []anchor // none: every text is matched
	exact   bool     // where an anchor stands, the pattern matches
}

// An anchor is a literal, in one case or in any.
type anchor struct {
	literal string
	fold    bool

	// When folded: which byte is rare, or -1. For two bytes of the literal, the bits in which all cases agree and what they are
	// there, in each byte of a word; and what else may stand for a letter, in more or fewer bytes.
	rare, first, second int
	firstMask           uint64
	firstBits           uint64
	secondMask          uint64
	secondBits          uint64
	aliens              []string
}

// finders are those of a query's patterns.
func finders(patterns []*pattern) []*finder {
	var all []*finder
	for _, p := range patterns {
		all = append(all, newFinder(p))
	}
	return all
}

func newFinder(p *pattern) *finder {
	if p.regexp == nil {
		return &finder{pattern: p, anchors: []anchor{{literal: p.literal}}, exact: true}
	}
	f := &finder{pattern: p}
	tree, err := syntax.Parse(p.regexp.String(), syntax.Perl)
	if err != nil {
		return f // the expression was compiled before
	}
	tree = tree.Simplify()
	if tree.Op == syntax.OpLiteral {
		if a, ok := newAnchor(string(tree.Rune), tree.Flags&syntax.FoldCase != 0); ok {
			f.anchors, f.exact = []anchor{a}, true
			return f
		}
	}
	for _, n := range required(tree, func(rune) bool { return false }) {
		a, ok := newAnchor(string(n.text), n.fold)
		if !ok {
			f.anchors = nil
			return f
		}
		f.anchors = append(f.anchors, a)
	}
	return f
}

// newAnchor prepares a literal; a folded one may be of no use, when no two of its bytes tell anything.
func newAnchor(literal string, fold bool) (anchor, bool) {
	a := anchor{literal: literal, fold: fold}
	if !fold {
		return a, literal != ""
	}
	if strings.ContainsRune(literal, utf8.RuneError) || len(literal) < 2 {
		return a, false
	}
	masks := make([]byte, 0, len(literal))
	for _, r := range literal {
		var plain, other [utf8.UTFMax]byte
		size := utf8.EncodeRune(plain[:], r)
		mask := [utf8.UTFMax]byte{0xff, 0xff, 0xff, 0xff}
		for c := unicode.SimpleFold(r); c != r; c = unicode.SimpleFold(c) {
			if utf8.EncodeRune(other[:], c) != size {
				a.aliens = append(a.aliens, string(c))
				continue
			}
			for i := range size {
				mask[i] &^= plain[i] ^ other[i]
			}
		}
		masks = append(masks, mask[:size]...)
	}
	a.first, a.second = -1, -1
	for i := range literal {
		a.better(i, masks)
	}
	for i := range len(literal) {
		if !utf8.RuneStart(literal[i]) {
			a.better(i, masks)
		}
	}
	a.rare = -1
	if c := literal[a.first]; rarity(c, masks[a.first]) >= rareRank && (masks[a.first] == 0xff || c < utf8.RuneSelf) {
		a.rare = a.first
	}
	a.firstMask, a.secondMask = uint64(masks[a.first])*ones, uint64(masks[a.second])*ones
	a.firstBits = uint64(literal[a.first]&masks[a.first]) * ones
	a.secondBits = uint64(literal[a.second]&masks[a.second]) * ones
	return a, true
}

// better takes a byte in place of one of the two that are looked for, when it is rarer.
func (a *anchor) better(i int, masks []byte) {
	switch {
	case a.first < 0 || rarity(a.literal[i], masks[i]) > rarity(a.literal[a.first], masks[a.first]):
		a.first, a.second = i, a.first
	case a.second < 0 || rarity(a.literal[i], masks[i]) > rarity(a.literal[a.second], masks[a.second]):
		a.second = i
	}
}

// rarity ranks a byte: the higher, the rarer in what is said. The first byte of a character beyond
// ASCII is the same for a whole script.
func rarity(c, mask byte) int {
	if c >= utf8.RuneSelf {
		if utf8.RuneStart(c) || mask != 0xff {
			return len(common) / 4
		}
		return len(common)
	}
	if mask != 0xff {
		c |= 0x20
	}
	if i := strings.IndexByte(common, c); i >= 0 {
		return i
	}
	return len(common)
}

// index returns the first place of an anchor in a text from a place on, or -1.
func (a *anchor) index(text string, from int) int {
	if !a.fold {
		if i := strings.Index(text[from:], a.literal); i >= 0 {
			return from + i
		}
		return -1
	}
	return a.foldedIndex(text, from)
}

// foldedIndex looks for both bytes at once, eight places at a time, in whatever case: at 3 GB/s whatever
// they are, where looking for one of them in each case goes at 2 to 10. Where one is rare, that is done,
// at 40 GB/s (BenchmarkAnchor).
func (a *anchor) foldedIndex(text string, from int) int {
	places := len(text) - len(a.literal) + 1 // where it may stand
	if places <= from {
		return -1
	}
	if a.rare >= 0 {
		return a.rareIndex(text, from, places)
	}
	firsts, seconds := text[a.first:a.first+places], text[a.second:a.second+places]
	firstMask, firstBits, secondMask, secondBits := a.firstMask, a.firstBits, a.secondMask, a.secondBits
	i := from
	for ; i+8 <= len(firsts) && i+8 <= len(seconds); i += 8 {
		x := word(firsts[i:])&firstMask ^ firstBits | word(seconds[i:])&secondMask ^ secondBits
		// A byte that is none is marked only above one that is.
		for marked := (x - ones) &^ x & highs; marked != 0; marked &= marked - 1 {
			if j := i + bits.TrailingZeros64(marked)>>3; a.stands(text[j:]) {
				return j
			}
		}
	}
	for ; i < places; i++ {
		if a.stands(text[i:]) {
			return i
		}
	}
	return -1
}

// rareIndex looks for the rare byte, in each of its cases: for the second only as far as the first
// is found, so that nothing is looked at more than twice.
func (a *anchor) rareIndex(text string, from, places int) int {
	rares := text[a.rare : a.rare+places]
	for ; from < places; from++ {
		next := places
		for _, c := range [...]byte{a.literal[a.rare], otherCase(a.literal[a.rare])} {
			if i := strings.IndexByte(rares[from:next], c); i >= 0 {
				next = from + i
			}
		}
		if from = next; from < places && a.stands(text[from:]) {
			return from
		}
	}
	return -1
}

// word is the first eight bytes of a text as one number.
func word(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// otherCase is a letter of ASCII in its other case, and any other byte as it is.
func otherCase(c byte) byte {
	if lower := c | 0x20; 'a' <= lower && lower <= 'z' {
		return c ^ 0x20
	}
	return c
}

// stands reports whether the literal, in any case, stands at the head of a text that is no shorter.
func (a *anchor) stands(text string) bool {
	return text[a.first]&byte(a.firstMask) == byte(a.firstBits) &&
		text[a.second]&byte(a.secondMask) == byte(a.secondBits) &&
		strings.EqualFold(text[:len(a.literal)], a.literal)
}

// find calls hit for each row that a pattern matches, in their order.
func (d *digest) find(all []*finder, hit func(i int)) {
	if len(all) == 1 {
		d.each(all[0], func(int) bool { return true }, hit)
		return
	}
	found := make([]bool, len(d.rows))
	for _, f := range all {
		d.each(f, func(i int) bool { return !found[i] }, func(i int) { found[i] = true })
	}
	for i, ok := range found {
		if ok {
			hit(i)
		}
	}
}

// each calls hit for each row that one pattern matches, of those that are wanted.
func (d *digest) each(f *finder, wanted func(i int) bool, hit func(i int)) {
	if f.anchors == nil {
		i := 0
		f.pattern.matcher.MatchEach(d.text, func(end int) {
			if i = d.at(i, end); wanted(i) {
				hit(i)
			}
		})
		return
	}
	if len(f.anchors) == 1 && !d.alien(&f.anchors[0]) {
		d.stand(&f.anchors[0], func(i int) {
			if wanted(i) && (f.exact || f.pattern.matches(d.said(i))) {
				hit(i)
			}
		})
		return
	}
	// Several may stand in one row, or a row must be looked at for what may stand for a letter.
	may := make([]bool, len(d.rows))
	mark := func(i int) { may[i] = true }
	for i := range f.anchors {
		a := &f.anchors[i]
		d.stand(a, mark)
		for _, alien := range a.aliens {
			d.stand(&anchor{literal: alien}, mark)
		}
	}
	for i, ok := range may {
		if ok && wanted(i) && f.pattern.matches(d.said(i)) {
			hit(i)
		}
	}
}

// alien reports whether a character of other length than the literal's may stand for one of it.
func (d *digest) alien(a *anchor) bool {
	for _, alien := range a.aliens {
		if strings.Contains(d.text, alien) {
			return true
		}
	}
	return false
}

// alien reports whether a text holds what may stand for a letter of an anchor in more or fewer bytes.
func (f *finder) alien(text string) bool {
	return slices.ContainsFunc(f.anchors, func(a anchor) bool {
		return slices.ContainsFunc(a.aliens, func(alien string) bool { return strings.Contains(text, alien) })
	})
}

// stand calls row for each row in which an anchor stands.
func (d *digest) stand(a *anchor, row func(i int)) {
	i := 0
	for from := 0; from < len(d.text); {
		at := a.index(d.text, from)
		if at < 0 {
			return
		}
		i = d.at(i, at)
		row(i)
		from = int(d.rows[i].text) + len(gap)
		i++
	}
}
