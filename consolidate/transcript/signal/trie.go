package signal

import (
	"bytes"
	"slices"
	"sync"
	"sync/atomic"
)

// A branch is a node of the tree while it is built.
type branch struct {
	keys   []byte
	next   []*branch // by the keys
	jumps  []*jump
	rules  []rule
	spaced bool // a space stands before it

	laid   int32 // where it lies in the trie, once it does
	kinds  Set   // that can be reached from here
	anchor anchor
}

// A jump leads to another node by more than a byte.
type jump struct {
	op    op
	text  string // of a suffix or a class
	words map[string]bool

	branch *branch
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
		at := bytes.IndexByte(b.keys, text[i])
		if at < 0 {
			at = len(b.keys)
			b.keys = append(b.keys, text[i])
			b.next = append(b.next, &branch{spaced: text[i] == ' '})
		}
		b = b.next[at]
	}
	return b
}

// jump is the branch that a jump leads to; equal jumps lead to one.
func (b *branch) jump(j jump) *branch {
	for _, known := range b.jumps {
		if known.op == j.op && known.text == j.text {
			return known.branch
		}
	}
	j.branch = &branch{}
	b.jumps = append(b.jumps, &j)
	return j.branch
}

func (b *branch) rule(r rule) {
	if !slices.Contains(b.rules, r) {
		b.rules = append(b.rules, r)
	}
}

// A trie holds all phrases. It is flat: what a node leads to lies side by side, so that a word that
// begins no phrase, as most do, is left after two or three steps.
type trie struct {
	nodes []node

	lines           atomic.Int64 // that were listened to
	ofUser, ofModel func() *prefixes
}

// A node leads to nodes[first:][:len(keys)], by one byte each. Where there are many, which is where
// most words come by, a table spares the search: that is half of the time of BenchmarkOf.
type node struct {
	keys  string
	first int32
	kinds Set // that can be reached from here
	table *[256]int32
	more  *more
}

// more is what few nodes have: the rules that are met there, and what leads on by other than a byte.
type more struct {
	rules []rule
	jumps []jump
}

// manyKeys is how many make a table of a kilobyte worth it.
const manyKeys = 6

// trie lays the tree out; its root is node 0.
func (b *builder) trie() *trie {
	t := &trie{nodes: make([]node, 1)}
	t.lay(b.root)
	t.ofUser = sync.OnceValue(func() *prefixes { return t.prefixes(heard(user)) })
	t.ofModel = sync.OnceValue(func() *prefixes { return t.prefixes(heard(assistant)) })
	return t
}

// lay fills the node that a branch has been given, and all below it. It leaves in the branch what
// can be reached from there.
func (t *trie) lay(b *branch) {
	n := node{keys: string(b.keys), first: int32(len(t.nodes))}
	if len(b.rules)+len(b.jumps) > 0 {
		n.more = &more{rules: b.rules}
	}
	if len(n.keys) >= manyKeys {
		n.table = new([256]int32)
	}
	for i, next := range b.next {
		next.laid = n.first + int32(i)
		if n.table != nil {
			n.table[n.keys[i]] = next.laid
		}
	}
	t.nodes = append(t.nodes, make([]node, len(b.next))...)

	b.anchor = sentence
	reach := func(kinds Set, from anchor) {
		b.kinds |= kinds
		b.anchor = min(b.anchor, from)
	}
	for _, r := range b.rules {
		if r.kinds == 0 || r.kinds == remember {
			reach(unspoken, r.anchor)
		}
		reach(r.kinds, r.anchor)
	}
	for _, j := range b.jumps {
		if j.branch.laid == 0 {
			j.branch.laid = int32(len(t.nodes))
			t.nodes = append(t.nodes, node{})
			t.lay(j.branch)
		}
		j.to, j.kinds, j.anchor = j.branch.laid, j.branch.kinds, j.branch.anchor
		reach(j.kinds, j.anchor)
		if j.op == gap {
			if first := new([256]bool); t.begin(j.to, first) {
				j.first = first
			}
		}
		n.more.jumps = append(n.more.jumps, *j)
	}
	for _, next := range b.next {
		t.lay(next)
		reach(next.kinds, next.anchor)
	}
	n.kinds = b.kinds
	t.nodes[b.laid] = n
}

// begin notes the bytes with which one can go on from a node, and reports whether those are all.
func (t *trie) begin(at int32, first *[256]bool) bool {
	n := &t.nodes[at]
	for i := range len(n.keys) {
		first[n.keys[i]] = true
		if n.keys[i] == '\'' {
			return false // there are others
		}
	}
	if n.more == nil {
		return true
	}
	for i := range n.more.jumps {
		if j := &n.more.jumps[i]; j.op != then || !t.begin(j.to, first) {
			return false
		}
	}
	return len(n.more.rules) == 0
}

// step returns the node that a byte leads to, or 0.
func (t *trie) step(at int32, c byte) int32 {
	n := &t.nodes[at]
	if n.table != nil {
		return n.table[c]
	}
	for i := 0; i < len(n.keys); i++ {
		if n.keys[i] == c {
			return n.first + int32(i)
		}
	}
	return 0
}
