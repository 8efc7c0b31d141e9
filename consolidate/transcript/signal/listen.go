package signal

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A listener goes through one line, from phrase to phrase, knowing whether it stands at the beginning
// of a sentence, of a clause, or within one.
type listener struct {
	table  *trie
	text   string // ends where the line ends
	wanted Set
	sought Set // what is followed: the wanted, and what is not spoken of, save in may
	report func(signal) bool
	at     anchor
}

// classes of bytes, as the listener meets them.
const (
	other  uint8 = iota // a sign: the clause goes on
	blank               // the place stays what it is
	letter              // of a word
	breaks              // a clause begins
	stops               // a sentence begins
	quote               // what is quoted is passed over
	wide                // the first byte of a rune beyond ASCII
)

var class = func() (c [256]uint8) {
	for i := range c {
		switch b := byte(i); {
		case b >= utf8.RuneSelf:
			c[i] = wide
		case 'a' <= b|0x20 && b|0x20 <= 'z', '0' <= b && b <= '9', b == '_':
			c[i] = letter
		case strings.IndexByte(" \t\r'*#-", b) >= 0:
			c[i] = blank
		case strings.IndexByte(",;:()", b) >= 0:
			c[i] = breaks
		case strings.IndexByte(".!?\n", b) >= 0:
			c[i] = stops
		case b == '"' || b == '`':
			c[i] = quote
		}
	}
	return c
}()

// line reports the signals from a position to the end of the text, until report returns false.
func (l *listener) line(i int) bool {
	lines := &l.table.lines
	return (lines.Load() > manyLines || lines.Add(1) > manyLines) && !l.may(i) || l.hear(i)
}

// hear does so word by word.
func (l *listener) hear(i int) bool {
	l.at = sentence
	if l.wanted&frustration != 0 {
		if to := shout(l.text[i:]); to > 0 && !l.report(signal{frustration, i, i + to}) {
			return false
		}
	}
	for i < len(l.text) {
		next, more := i+1, true
		switch class[l.text[i]] {
		case other:
			l.at = anywhere
		case blank:
			next, more = l.blank(i)
		case letter:
			next, more = l.word(i)
		case breaks:
			l.at = max(l.at, clause)
		case stops:
			next, more = l.stop(i)
		case quote:
			next = l.quoted(i, l.text[i:i+1])
		case wide:
			next, more = l.wide(i)
		}
		if !more {
			return false
		}
		i = next
	}
	return true
}

// blank passes a sign that leaves the place as it is; #12 names a ticket, and a dash between two
// spaces divides clauses.
func (l *listener) blank(i int) (next int, more bool) {
	switch l.text[i] {
	case '#':
		if to := l.number(i); to > 0 {
			l.at = anywhere
			return to, l.report(signal{references, i, to})
		}
	case '-':
		if i > 0 && l.text[i-1] == ' ' && strings.HasPrefix(l.text[i+1:], " ") {
			l.at = max(l.at, clause)
		}
	}
	return i + 1, true
}

// stop passes the end of a sentence, unless it is a full stop within a word. Several question marks
// in a row, or a mixture, are impatience.
func (l *listener) stop(i int) (next int, more bool) {
	next = i + 1
	if l.text[i] == '.' {
		if next == len(l.text) || class[l.text[next]] != letter {
			l.at = sentence
		}
		return next, true
	}
	l.at = sentence
	for next < len(l.text) && (l.text[next] == '!' || l.text[next] == '?') {
		next++
	}
	marks := l.text[i:next]
	if l.wanted&frustration != 0 && (strings.Contains(marks, "???") || strings.Contains(marks, "?!") || strings.Contains(marks, "!?")) {
		return next, l.report(signal{frustration, i, next})
	}
	return next, true
}

// maxQuoted bounds a quotation, in bytes: behind a lone quote the line is not lost.
const maxQuoted = 400

// quoted passes a quotation, whose mark stands at i, or the mark alone where the quotation does not end.
func (l *listener) quoted(i int, mark string) (next int) {
	next = i + len(mark)
	if mark == `"` && i > 0 && (class[l.text[i-1]] == letter || class[l.text[i-1]] == wide && endsWord(l.text[:i])) {
		return next // an inch, or the end of a quotation that was too long
	}
	n := strings.IndexAny(l.text[next:min(len(l.text), next+maxQuoted)], closing[mark])
	if n < 0 {
		return next
	}
	l.at = anywhere
	_, size := utf8.DecodeRuneInString(l.text[next+n:])
	return next + n + size
}

// closing are the marks that end what a mark opens.
var closing = map[string]string{`"`: `"`, "`": "`", "“": "”", "„": "“”", "«": "»", "「": "」", "『": "』", "《": "》"}

// wide passes a rune beyond ASCII: a letter, or a sign.
func (l *listener) wide(i int) (next int, more bool) {
	r, size := utf8.DecodeRuneInString(l.text[i:])
	next = i + size
	switch r {
	case '。', '！', '？', '…':
		l.at = sentence
	case '，', '、', '；', '：', '（', '）', '—', '–':
		l.at = max(l.at, clause)
	case '“', '„', '«', '「', '『', '《':
		next = l.quoted(i, l.text[i:next])
	default:
		if !unicode.IsLetter(r) {
			break
		}
		if r < 0x250 {
			return l.word(i)
		}
		if l.at == anywhere && i > 0 && class[l.text[i-1]] != wide {
			l.at = wordStart
		}
		return l.phrase(i, next)
	}
	return next, true
}

// word passes a word of a script that puts spaces between words.
func (l *listener) word(i int) (next int, more bool) {
	for next = i; next < len(l.text); {
		c := l.text[next]
		if class[c] == letter {
			next++
			continue
		}
		if c < 0xC3 || c > 0xC9 { // what is not Latin with accents
			break
		}
		_, size := utf8.DecodeRuneInString(l.text[next:])
		next += size
	}
	if next == i { // an invalid byte
		next++
	}
	if i > 0 && l.joined(i-1) {
		l.at = anywhere
		return next, true
	}
	switch c := l.text[i]; {
	case '0' <= c && c <= '9' && l.at == sentence && next+1 < len(l.text) && (l.text[next] == '.' || l.text[next] == ')') && l.text[next+1] == ' ':
		return next + 1, true // 1. of a list
	case next < len(l.text) && strings.IndexByte(":-.", l.text[next]) >= 0:
		if to, named := l.reference(i, next); to > 0 {
			l.at = anywhere
			return to, !named || l.report(signal{references, i, to})
		}
	}
	return l.phrase(i, next)
}

// joined reports whether the byte at i ties the word behind it to something before.
func (l *listener) joined(i int) bool {
	switch l.text[i] {
	case '_', '/', '@', '$', '\\', '\'':
		return true
	case '-', '.':
		return i > 0 && (class[l.text[i-1]] == letter || l.text[i-1] == l.text[i] || l.text[i-1] == '/')
	}
	return false
}

// phrase reports the phrases that begin at i, where a word (or a rune of a script without spaces)
// ends at next, and returns where to go on.
func (l *listener) phrase(i, next int) (int, bool) {
	root := l.table.step(0, fold(l.text, i))
	if root == 0 || next-i > 1 && l.table.step(root, fold(l.text, i+1)) == 0 { // most words are left here
		l.at = anywhere
		return next, true
	}
	p := phrase{listener: l}
	p.walk(root, i+1)

	then := anywhere
	remembered := p.found[remembering] // within "don't forget" nothing is corrected
	switch {
	case p.taken > 0:
		next = max(next, p.taken)
	case remembered > 0:
		next = max(next, remembered)
	case p.joined >= next:
		next, then = p.joined, max(l.at, clause)
	case p.opened >= next:
		next, then = p.opened, l.at
	}
	l.at = then
	for k, to := range p.found {
		if to > p.taken && l.wanted&bit(k) != 0 && !l.report(signal{bit(k), i, to}) {
			return 0, false
		}
	}
	return next, true
}

// fold is the byte at i in lower case, for Latin with accents too.
func fold(text string, i int) byte {
	c := text[i]
	switch {
	case 'A' <= c && c <= 'Z':
		return c + 'a' - 'A'
	case 0x80 <= c && c <= 0x9E && c != 0x97 && i > 0 && text[i-1] == 0xC3:
		return c + 0x20
	}
	return c
}

// questioned reports whether what ends at to is only asked, which it takes to be no preference,
// decision, error or confirmation. A confirmation is asked by its own clause only.
func (l *listener) questioned(to int, k Set) bool {
	if k&^stated != 0 || k == 0 {
		return false
	}
	last := ' '
	for i, r := range l.text[to:] {
		switch r {
		case '?', '？':
			return true
		case '!', '。', '！', '…':
			return asking(last)
		case '.':
			if to+i+1 == len(l.text) || l.text[to+i+1] == ' ' {
				return asking(last)
			}
		case ',', '，', ';', '、':
			if k == confirmations {
				return asking(last)
			}
		}
		if !unicode.IsSpace(r) {
			last = r
		}
	}
	return asking(last)
}

// asking reports whether a last rune makes a question without a mark.
func asking(last rune) bool { return strings.ContainsRune("か吗嗎呢까", last) }
