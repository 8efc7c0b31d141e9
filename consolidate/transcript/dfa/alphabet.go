package dfa

import (
	"encoding/binary"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A program is a compiled expression, and the alphabet of its texts: runes in classes that it cannot tell
// apart, and bytes in classes that lead to the same classes of runes.
type program struct {
	*syntax.Prog
	looks    syntax.EmptyOp // what its assertions look at
	anchored bool           // it matches at the beginning of a text or not at all

	starts  []rune   // where spans of runes begin that are of one class, and of another than the one before; from 0 on
	classes []uint16 // of each span
	ascii   [utf8.RuneSelf]uint16
	kinds   []kind   // of each class: what it is to an assertion beside it
	accepts [][]bool // of each class: which sets of runes it is in
	sets    []uint16 // of each instruction that reads a rune: the set that it accepts

	bytes  [256]uint8 // the class of each byte
	apart  [256]uint8 // the same where Gap ends a text
	quoted [256]uint8 // the same where a backslash escapes, as in a JSON string
	end    uint8      // the class of the end of a text
	escape uint8      // the class of such a backslash
	stride int        // how many classes of bytes there are
}

// A kind is what a rune is to an assertion beside it.
type kind uint8

const (
	other kind = iota
	edge       // none: the text begins or ends here
	newline
	wordy
)

// like is a rune of each kind, as syntax.EmptyOpContext takes it.
var like = [...]rune{other: ' ', edge: -1, newline: '\n', wordy: 'a'}

const (
	atLines = syntax.EmptyBeginLine | syntax.EmptyEndLine
	atWords = syntax.EmptyWordBoundary | syntax.EmptyNoWordBoundary
)

func newProgram(prog *syntax.Prog) *program {
	p := &program{Prog: prog, anchored: prog.StartCond()&syntax.EmptyBeginText != 0}
	distinct, cuts := p.distinct()
	p.classify(distinct, cuts)
	p.classifyBytes()
	return p
}

// distinct numbers the sets of runes that instructions accept, and returns one instruction for each, and
// the runes at which one of them, or what an assertion looks at, begins or ends.
func (p *program) distinct() (distinct []*syntax.Inst, cuts []rune) {
	cuts = []rune{0}
	numbers := map[string]uint16{}
	p.sets = make([]uint16, len(p.Inst))
	for pc := range p.Inst {
		in := &p.Inst[pc]
		switch in.Op {
		case syntax.InstEmptyWidth:
			p.looks |= syntax.EmptyOp(in.Arg)
			continue
		case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
		default:
			continue
		}
		key := binary.AppendUvarint(nil, uint64(in.Arg))
		for _, r := range in.Rune {
			key = binary.AppendUvarint(key, uint64(r))
		}
		n, known := numbers[string(key)]
		if !known {
			n = uint16(len(distinct))
			numbers[string(key)] = n
			distinct = append(distinct, in)
			cuts = append(cuts, edges(in)...)
		}
		p.sets[pc] = n
	}
	if p.looks&atLines != 0 {
		cuts = append(cuts, '\n', '\n'+1)
	}
	if p.looks&atWords != 0 {
		cuts = append(cuts, '0', '9'+1, 'A', 'Z'+1, '_', '_'+1, 'a', 'z'+1)
	}
	slices.Sort(cuts)
	return distinct, slices.Compact(cuts)
}

// edges returns where the spans of runes begin and end that an instruction accepts.
func edges(in *syntax.Inst) (cuts []rune) {
	if len(in.Rune) != 1 { // pairs, or none where nothing matches
		for i := 0; i < len(in.Rune); i += 2 {
			cuts = append(cuts, in.Rune[i], in.Rune[i+1]+1)
		}
		return cuts
	}
	r := in.Rune[0]
	cuts = append(cuts, r, r+1)
	if syntax.Flags(in.Arg)&syntax.FoldCase != 0 {
		for c := unicode.SimpleFold(r); c != r; c = unicode.SimpleFold(c) {
			cuts = append(cuts, c, c+1)
		}
	}
	return cuts
}

// classify puts the runes between two cuts into one class with those that are accepted by the same
// instructions, and are of one kind.
func (p *program) classify(distinct []*syntax.Inst, cuts []rune) {
	numbers := map[string]uint16{}
	for _, r := range cuts {
		if r > unicode.MaxRune {
			break
		}
		accepts := make([]bool, len(distinct))
		key := make([]byte, 0, len(distinct)+1)
		for i, in := range distinct {
			accepts[i] = in.MatchRune(r)
			key = append(key, '0')
			if accepts[i] {
				key[i] = '1'
			}
		}
		k := p.kind(r)
		key = append(key, byte(k))
		class, known := numbers[string(key)]
		if !known {
			class = uint16(len(numbers))
			numbers[string(key)] = class
			p.accepts, p.kinds = append(p.accepts, accepts), append(p.kinds, k)
		}
		if n := len(p.classes); n == 0 || p.classes[n-1] != class {
			p.starts, p.classes = append(p.starts, r), append(p.classes, class)
		}
	}
	for r := range p.ascii {
		p.ascii[r] = p.classes[p.span(rune(r))]
	}
}

// kind is what a rune is to the assertions of this program.
func (p *program) kind(r rune) kind {
	switch {
	case p.looks&atLines != 0 && r == '\n':
		return newline
	case p.looks&atWords != 0 && syntax.IsWordChar(r):
		return wordy
	}
	return other
}

// span is the number of the span that a rune is in.
func (p *program) span(r rune) int {
	i, found := slices.BinarySearch(p.starts, r)
	if !found {
		i--
	}
	return i
}

func (p *program) class(r rune) uint16 {
	if r < utf8.RuneSelf {
		return p.ascii[r]
	}
	return p.classes[p.span(r)]
}

// structure is where bytes begin that mean something else to UTF-8: the second bytes that may follow E0,
// ED, F0 and F4, the others that go on, those that begin two, three and four bytes, and those that do not
// occur.
var structure = []int{0x80, 0x90, 0xa0, 0xc0, 0xc2, 0xe0, 0xe1, 0xed, 0xee, 0xf0, 0xf1, 0xf4, 0xf5}

// classifyBytes puts bytes into one class that lead to the same classes of runes, whatever stands before
// and behind them. Beyond ASCII a byte of a rune at which a span begins is alone in its class: of two
// others next to each other neither has such a rune below it, nor is one between theirs, so that those
// below both are of one span. There are at most 245 classes, since 13 bytes never occur.
func (p *program) classifyBytes() {
	var begins [257]bool
	for _, c := range structure {
		begins[c] = true
	}
	for _, r := range p.starts {
		if r < utf8.RuneSelf {
			continue
		}
		if 0xd800 <= r && r < 0xe000 {
			r = 0xe000 // surrogates are no runes of a text
		}
		for _, c := range utf8.AppendRune(nil, r) {
			begins[c], begins[int(c)+1] = true, true
		}
	}
	numbers := map[uint16]uint8{}
	n := 0
	for c := range 256 {
		if unescape(uint8(c)) != 0 || c == 'u' { // behind a backslash it is another rune
			p.bytes[c] = uint8(n)
			n++
			continue
		}
		if c >= utf8.RuneSelf {
			if begins[c] {
				n++
			}
			p.bytes[c] = uint8(n - 1)
			continue
		}
		class, known := numbers[p.ascii[c]]
		if !known {
			class = uint8(n)
			numbers[p.ascii[c]] = class
			n++
		}
		p.bytes[c] = class
	}
	p.end, p.escape, p.stride = uint8(n), uint8(n+1), n+2
	p.apart = p.bytes
	p.apart[Gap[0]] = p.end
	p.quoted = p.bytes
	p.quoted['\\'] = p.escape
}

// unescape is what a byte stands for behind a backslash; 0: nothing, or it is the u of an escape that ends
// nobody knows where.
func unescape(c uint8) uint8 {
	const escapes, meant = `"\/bfnrt`, "\"\\/\b\f\n\r\t"
	if i := strings.IndexByte(escapes, c); i >= 0 {
		return meant[i]
	}
	return 0
}
