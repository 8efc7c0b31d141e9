package signal

import "slices"

// A branch is a node of the tree while it is built.
type branch struct {
	next  map[byte]*branch
	rules []rule
}

func (b *branch) add(text string, r rule) {
	for i := 0; i < len(text); i++ {
		if b.next == nil {
			b.next = map[byte]*branch{}
		}
		if b.next[text[i]] == nil {
			b.next[text[i]] = &branch{}
		}
		b = b.next[text[i]]
	}
	b.rules = append(b.rules, r)
}

// A trie holds the first literals of all rules. It is flat: what a node leads to lies side by side,
// so that a word that begins no phrase, as most do, is left after two or three steps.
type trie struct {
	nodes []node
	root  [256]int32 // by the first byte; 0: nothing begins so
}

// A node leads to nodes[first:][:len(keys)], by one byte each.
type node struct {
	keys  string
	first int32
	rules []rule
}

// trie lays the tree out.
func (b *builder) trie() *trie {
	t := &trie{nodes: []node{{}}}
	queue := []*branch{b.root}
	for at := 0; at < len(queue); at++ {
		from := queue[at]
		keys := make([]byte, 0, len(from.next))
		for key := range from.next {
			keys = append(keys, key)
		}
		slices.Sort(keys)
		t.nodes[at] = node{keys: string(keys), first: int32(len(queue)), rules: from.rules}
		for _, key := range keys {
			queue = append(queue, from.next[key])
			t.nodes = append(t.nodes, node{})
		}
	}
	for i := range len(t.nodes[0].keys) {
		t.root[t.nodes[0].keys[i]] = t.nodes[0].first + int32(i)
	}
	return t
}

// step returns the node that a byte leads to, or 0.
func (t *trie) step(at int32, c byte) int32 {
	n := &t.nodes[at]
	for i := 0; i < len(n.keys); i++ {
		if n.keys[i] == c {
			return n.first + int32(i)
		}
	}
	return 0
}
