package signal

import (
	"slices"
	"sync"
	"sync/atomic"
)

// A branch is a node of the tree while it is built. There are tens of thousands, and most have nothing but
// one branch below them.
type branch struct {
	key    byte // that leads to it
	spaced bool // a space stands before it
	anchor anchor
	kinds  Set   // that can be reached from here
	laid   int32 // where it lies in the trie, once it does
	below  *branch
	beside *branch // below the same one
	leads  *leads
}

// leads are what few branches have: the rules that are met there, and what leads on by other than a byte.
type leads struct {
	rules []rule
	jumps []*jump
}

// A jump leads to another node by more than a byte.
type jump struct {
	op    op
	text  string // of a suffix or a class
	words map[string]bool

	branch *branch // until that is laid
	to     int32

	// What may come of it, so that what is not wanted, or cannot begin here, is not tried.
	kinds  Set
	anchor anchor
	first  *[256]bool // behind a gap, the bytes with which it can go on; nil: any
}

// unspoken stands among the kinds of a branch for a rule without any, which is always wanted.
const unspoken Set = 1 << 15

// literal is the branch that some bytes lead to.
func (b *branch) literal(text string) *branch {
	for i := 0; i < len(text); i++ {
		at := &b.below
		for *at != nil && (*at).key != text[i] {
			at = &(*at).beside
		}
		if *at == nil {
			*at = &branch{key: text[i], spaced: text[i] == ' '}
		}
		b = *at
	}
	return b
}

// leading is what leads on from a branch; it is made when there is none.
func (b *branch) leading() *leads {
	if b.leads == nil {
		b.leads = &leads{}
	}
	return b.leads
}

// jump is the branch that a jump leads to; equal jumps lead to one.
func (b *branch) jump(j jump) *branch {
	l := b.leading()
	for _, known := range l.jumps {
		if known.op == j.op && known.text == j.text {
			return known.branch
		}
	}
	j.branch = &branch{}
	l.jumps = append(l.jumps, &j)
	return j.branch
}

func (b *branch) rule(r rule) {
	if l := b.leading(); !slices.Contains(l.rules, r) {
		l.rules = append(l.rules, r)
	}
}

// A trie holds all phrases. It is flat: what a node leads to lies side by side, so that a word that
// begins no phrase, as most do, is left after two or three steps. Nodes are small and point nowhere:
// there are tens of thousands, which fit the processor's cache so, and no collection looks at them.
type trie struct {
	nodes  []node
	keys   []byte // of each node, the byte that leads to it
	tables [][256]int32
	more   []*leads

	lines           atomic.Int64 // that were listened to
	ofUser, ofModel func() *prefixes
}

// A node leads to nodes[first:][:count], by one byte each. Where there are many, which is where most
// words come by, a table spares the search: that is half of the time of BenchmarkOf.
type node struct {
	first int32
	count uint8
	kinds Set    // that can be reached from here
	table uint16 // its place in tables; 0: none
	more  int32  // its place in more; 0: nothing
}

// manyKeys is how many make a table of a kilobyte worth it.
const manyKeys = 6

// trie lays the tree out; its root is node 0. The first table and the first of more are nobody's.
func (b *builder) trie() *trie {
	t := &trie{nodes: make([]node, 1), keys: make([]byte, 1), tables: make([][256]int32, 1), more: []*leads{{}}}
	t.lay(b.root)
	t.ofUser = sync.OnceValue(func() *prefixes { return t.prefixes(heard(user)) })
	t.ofModel = sync.OnceValue(func() *prefixes { return t.prefixes(heard(assistant)) })
	return t
}

// node makes a node that a byte leads to, 0 where none does, and returns its place.
func (t *trie) node(key byte) int32 {
	t.nodes, t.keys = append(t.nodes, node{}), append(t.keys, key)
	return int32(len(t.nodes) - 1)
}

// lay fills the node that a branch has been given, and all below it. It leaves in the branch what
// can be reached from there.
func (t *trie) lay(b *branch) {
	n := node{first: int32(len(t.nodes))}
	for next := b.below; next != nil; next = next.beside {
		next.laid = t.node(next.key)
		n.count++
	}
	if n.count >= manyKeys {
		n.table = uint16(len(t.tables))
		t.tables = append(t.tables, [256]int32{})
		for next := b.below; next != nil; next = next.beside {
			t.tables[n.table][next.key] = next.laid
		}
	}

	b.anchor = sentence
	reach := func(kinds Set, from anchor) {
		b.kinds |= kinds
		b.anchor = min(b.anchor, from)
	}
	if b.leads != nil {
		n.more = t.lead(b.leads, reach)
	}
	for next := b.below; next != nil; next = next.beside {
		t.lay(next)
		reach(next.kinds, next.anchor)
	}
	n.kinds = b.kinds
	t.nodes[b.laid] = n
}

// lead lays out what leads on from a branch, tells what can be reached by that, and returns its place.
func (t *trie) lead(l *leads, reach func(Set, anchor)) int32 {
	for _, r := range l.rules {
		if r.kinds == 0 || r.kinds == remember {
			reach(unspoken, r.anchor)
		}
		reach(r.kinds, r.anchor)
	}
	for _, j := range l.jumps {
		if j.branch.laid == 0 {
			j.branch.laid = t.node(0)
			t.lay(j.branch)
		}
		j.to, j.kinds, j.anchor, j.branch = j.branch.laid, j.branch.kinds, j.branch.anchor, nil
		reach(j.kinds, j.anchor)
		if j.op == gap {
			if first := new([256]bool); t.begin(j.to, first) {
				j.first = first
			}
		}
	}
	t.more = append(t.more, l)
	return int32(len(t.more) - 1)
}

// begin notes the bytes with which one can go on from a node, and reports whether those are all.
func (t *trie) begin(at int32, first *[256]bool) bool {
	n := &t.nodes[at]
	for _, key := range t.keys[n.first:][:n.count] {
		first[key] = true
		if key == '\'' {
			return false // there are others
		}
	}
	m := t.more[n.more]
	for _, j := range m.jumps {
		if j.op != then || !t.begin(j.to, first) {
			return false
		}
	}
	return len(m.rules) == 0
}

// step returns the node that a byte leads to, or 0.
func (t *trie) step(at int32, c byte) int32 {
	n := &t.nodes[at]
	if n.table != 0 {
		return t.tables[n.table][c]
	}
	for i, key := range t.keys[n.first:][:n.count] {
		if key == c {
			return n.first + int32(i)
		}
	}
	return 0
}
