package signal

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxWord bounds a word that is looked up in a class, in bytes.
const maxWord = 32

// What asks to remember takes its words away from what begins within them.
var (
	remember    = setOf(Remember)
	remembering = index(Remember)
)

// A phrase is what is found where one begins: the rules that hold, and how far they reach.
type phrase struct {
	*listener
	found  [len(kinds)]int // the end of the longest of each kind
	gaps   int             // how many are open
	near   Set             // found behind the last of them
	taken  int             // the end of the longest innocent phrase
	opened int             // of the longest opener
	joined int             // of the longest joint
}

// walk follows the trie from a node at i, with the text behind, and notes each rule that is met.
func (p *phrase) walk(at int32, i int) {
	for {
		n := &p.table.nodes[at]
		if n.kinds&p.sought == 0 {
			return
		}
		if n.more != 0 {
			p.here(p.table.more[n.more], i)
		}
		if i >= len(p.text) || n.count == 0 {
			return
		}
		c := fold(p.text, i)
		if c == 0xE2 && strings.HasPrefix(p.text[i:], "’") { // a typographer's apostrophe
			c = '\''
			i += len("’") - 1
		}
		if at = p.table.step(at, c); at == 0 {
			return
		}
		i++
	}
}

// here notes the rules of a node at i, and follows what leads on from it.
func (p *phrase) here(m *leads, i int) {
	for k := range m.rules {
		p.meet(&m.rules[k], i)
	}
	for _, j := range m.jumps {
		if j.anchor <= p.at && j.kinds&p.sought != 0 {
			p.jump(j, i)
		}
	}
}

// jump goes on behind what a jump stands for, if that is at i.
func (p *phrase) jump(j *jump, i int) {
	if j.op != then && j.op != stem && p.goesOn(i) {
		return
	}
	switch j.op {
	case then:
		p.walk(j.to, i)
	case oneOf, suffix, stem:
		var buffer [maxWord]byte
		word := p.next(i, &buffer)
		if j.op == stem || len(word) > 0 && (j.op == oneOf && j.words[string(word)] || j.op == suffix && strings.HasSuffix(string(word), j.text)) {
			p.walk(j.to, i+len(word))
		}
	case end:
		if p.ends(i) {
			p.walk(j.to, i)
		}
	case gap:
		p.gap(j, i)
	}
}

// gap goes on behind anything within the sentence: with each kind as near as may be, whatever kinds
// are wanted, so that Find and Of agree.
func (p *phrase) gap(j *jump, i int) {
	n := &p.table.nodes[j.to]
	outer := p.near
	p.near = 0
	p.gaps++
	defer func() {
		p.near = outer
		p.gaps--
	}()
	for at := i; at <= len(p.text) && at-i < maxGap && j.kinds&^p.near != 0; at++ {
		if at < len(p.text) {
			switch c := p.text[at]; {
			case !utf8.RuneStart(c), class[c] == letter && at > 0 && class[p.text[at-1]] == letter: // within a word
				continue
			case c == '!' || c == '?', c == '.' && strings.HasPrefix(p.text[at+1:], " "), strings.HasPrefix(p.text[at:], "。"):
				p.ending(n, at)
				return
			}
			if j.first != nil && !j.first[fold(p.text, at)] {
				continue
			}
		}
		p.walk(j.to, at)
	}
}

// ending tries what asks for the end of a clause where the sentence of a gap ends.
func (p *phrase) ending(n *node, i int) {
	for _, j := range p.table.more[n.more].jumps {
		if j.op == end {
			p.walk(j.to, i)
		}
	}
}

// meet notes a rule that ends at i, if it holds.
func (p *phrase) meet(r *rule, i int) {
	told := r.kinds
	if told == 0 {
		told = unspoken
	}
	if r.anchor > p.at || told&(p.wanted|remember|unspoken) == 0 || told&^p.near == 0 || p.goesOn(i) || !r.asked && p.questioned(i, r.kinds) {
		return
	}
	if p.gaps > 0 {
		p.near |= told
	}
	switch {
	case r.role == innocent:
		p.taken = max(p.taken, i)
	case r.role == opener:
		p.opened = max(p.opened, i)
	case r.role == joint:
		p.joined = max(p.joined, i)
	default:
		p.found[r.kind] = max(p.found[r.kind], i)
	}
}

// next is the word at i in lower case, or nothing: one of letters and digits, which an apostrophe or
// a hyphen may join.
func (l *listener) next(i int, buffer *[maxWord]byte) []byte {
	n := 0
	for i+n < len(l.text) && n < maxWord {
		c := l.text[i+n]
		if class[c] != letter && c < utf8.RuneSelf && (c != '\'' && c != '-' && c != '`' || n == 0 && c != '`') {
			break
		}
		buffer[n] = fold(l.text, i+n)
		n++
	}
	return buffer[:n]
}

// goesOn reports whether a word, of a script that puts spaces between them, goes on at i. (Korean does
// too, but joins particles to its words.)
func (l *listener) goesOn(i int) bool {
	if i == 0 || i >= len(l.text) || !endsWord(l.text[:i]) {
		return false
	}
	c := l.text[i]
	switch {
	case class[c] == letter:
		return true
	case strings.HasPrefix(l.text[i:], "’"):
		return endsWord(l.text[:min(i+len("’")+1, len(l.text))])
	case c >= utf8.RuneSelf:
		r, _ := utf8.DecodeRuneInString(l.text[i:])
		return r < 0x250 && unicode.IsLetter(r)
	}
	return strings.IndexByte("-./'(=\\@", c) >= 0 && i+1 < len(l.text) && (class[l.text[i+1]] == letter || c == '(')
}

// ends reports whether a clause ends at i.
func (l *listener) ends(i int) bool {
	for _, r := range l.text[i:] {
		switch {
		case unicode.IsSpace(r), r == '"', r == '\'':
			continue
		case r < utf8.RuneSelf:
			return strings.ContainsRune(",.!?;:()~", r)
		}
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}
	return true
}
