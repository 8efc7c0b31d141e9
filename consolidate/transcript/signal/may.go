package signal

import "strings"

// manyLines are listened to before it pays to know the prefixes of all phrases, which takes as long as
// some thousand lines do: a hook that looks at a session's last words never does.
const manyLines = 4000

// may reports whether a wanted signal may stand in a line from a position on. Most lines have none: of
// generated sessions it lets pass 1 % and takes off a third of the time, the other signs of a line and
// phrases with gaps being most of the rest. Wherever a word may begin it looks for the wanted phrases
// alone, as if each place began a sentence and nothing innocent took words away; and for the signs without
// which there is no reference and no frustration. In what it says no to a listener finds nothing (FuzzMay).
func (l *listener) may(i int) bool {
	if l.wanted&references != 0 && refers(l.text[i:]) || l.wanted&frustration != 0 && cries(l.text[i:]) {
		return true
	}
	known := l.table.ofUser
	if l.wanted&^heardModel == 0 {
		known = l.table.ofModel
	}
	table := known()
	told := *l
	told.at, told.sought = sentence, l.wanted
	p := phrase{listener: &told}
	for before := blank; i < len(l.text); i++ {
		c := class[l.text[i]]
		begins := c == letter && before != letter || l.text[i] >= 0xC0
		before = c
		if !begins || !table.begins(l, i) {
			continue
		}
		if root := l.table.step(0, fold(l.text, i)); root != 0 {
			p.walk(root, i+1)
		}
		for k, to := range p.found {
			if to > 0 && l.wanted&bit(k) != 0 {
				return true
			}
		}
	}
	return false
}

// refers reports whether a line may name a page or a ticket.
func refers(line string) bool {
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case '#', '-':
			if i+1 < len(line) && '0' <= line[i+1] && line[i+1] <= '9' {
				return true
			}
		case '/':
			host := strings.TrimRight(line[:i], "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
			if len(host) < i && strings.HasSuffix(host, ".") || strings.HasSuffix(line[:i], ":") {
				return true
			}
		}
	}
	return false
}

// cries reports whether a line may show that somebody lost patience: by its marks, or for lack of letters
// that are not upper-case.
func cries(line string) bool {
	return strings.Contains(line, "??") || strings.Contains(line, "?!") || strings.Contains(line, "!?") || shout(line) > 0
}
