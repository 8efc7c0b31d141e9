package signal

import (
	"strings"
	"unicode/utf8"
)

// maxReference bounds a URL, in bytes.
const maxReference = 2000

// reference tells what begins with the word text[i:next] when it is a URL, a host with a path, or a
// ticket: where that ends, and whether it names something (a local address does not). Else to is 0.
func (l *listener) reference(i, next int) (to int, named bool) {
	word := l.text[i:next]
	switch l.text[next] {
	case ':':
		if !strings.HasPrefix(l.text[next:], "://") || !strings.EqualFold(word, "http") && !strings.EqualFold(word, "https") {
			return 0, false
		}
		to = l.spaceless(next)
		return to, l.wanted&references != 0 && !local(l.text[next+len("://"):to])
	case '-':
		to = next + 1
		for to < len(l.text) && '0' <= l.text[to] && l.text[to] <= '9' {
			to++
		}
		if to == next+1 || l.goesOn(to) || !key(word) {
			return 0, false
		}
		return to, l.wanted&references != 0
	}
	to = l.spaceless(next)
	host, path, deep := strings.Cut(l.text[i:to], "/")
	if !deep || path == "" || !domains[host[strings.LastIndexByte(host, '.')+1:]] {
		return 0, false
	}
	return to, l.wanted&references != 0
}

// spaceless returns where a URL ends that goes on at i.
func (l *listener) spaceless(i int) int {
	to := i
	for to < len(l.text) && to-i < maxReference && l.text[to] > ' ' && l.text[to] < utf8.RuneSelf && strings.IndexByte("\"<>`)]", l.text[to]) < 0 {
		to++
	}
	return i + len(strings.TrimRight(l.text[i:to], ".,;:!?'"))
}

// domains are the ends of hosts that are written without https:// before them.
var domains = map[string]bool{
	"ai": true, "app": true, "cloud": true, "cn": true, "co": true, "com": true, "de": true, "dev": true, "es": true, "fr": true,
	"io": true, "jp": true, "kr": true, "net": true, "org": true, "so": true,
}

// local reports whether an address is that of the machine itself, or of nothing.
func local(address string) bool {
	for _, host := range []string{"localhost", "127.", "0.0.0.0", "[::", "192.168.", "10.", "example.", "www.example.", "host.docker.internal"} {
		if strings.HasPrefix(strings.ToLower(address[:min(len(address), 40)]), host) {
			return true
		}
	}
	return address == ""
}

// standards look like the keys of tickets.
var standards = map[string]bool{
	"AES": true, "ARM": true, "BASE": true, "BM": true, "COVID": true, "CP": true, "ECMA": true, "ED": true, "ES": true, "GB": true, "GPT": true,
	"HTTP": true, "IEEE": true, "IPV": true, "ISO": true, "KOI": true, "LATIN": true, "MD": true, "MP": true, "PEP": true, "RFC": true,
	"RSA": true, "SHA": true, "SHIFT": true, "TLS": true, "UCS": true, "USB": true, "UTC": true, "GMT": true, "UTF": true, "VT": true, "WIN": true, "X": true,
}

// key reports whether a word is the key of a project in a tracker: two to ten upper-case letters
// and digits, the first a letter.
func key(word string) bool {
	if len(word) < 2 || len(word) > 10 || word[0] < 'A' || word[0] > 'Z' || standards[word] {
		return false
	}
	for i := 0; i < len(word); i++ {
		if c := word[i]; (c < 'A' || c > 'Z') && (c < '0' || c > '9') {
			return false
		}
	}
	return true
}

// number returns where the number of a ticket ends whose # stands at i, or 0: two to six digits, and
// no color.
func (l *listener) number(i int) (to int) {
	if l.wanted&references == 0 || i > 0 && (class[l.text[i-1]] == letter || strings.IndexByte("&/#", l.text[i-1]) >= 0) {
		return 0
	}
	to = i + 1
	for to < len(l.text) && '0' <= l.text[to] && l.text[to] <= '9' {
		to++
	}
	if to-i < 3 || to-i > 7 || l.goesOn(to) {
		return 0
	}
	before := strings.ToLower(l.text[max(0, i-60):i])
	for _, word := range colors {
		if strings.Contains(before, word) {
			return 0
		}
	}
	return to
}

// colors are the words before a # that begins a color.
var colors = []string{"color", "colour", "background", "farbe", "couleur", "颜色", "背景", "색", "色"}

// minShout is how many upper-case words make a shout, of how many letters in all: fewer are names of
// constants, or a heading.
const (
	minShout        = 4
	minShoutLetters = 14
)

// shout returns where the words in upper case end that a line begins with, or 0 where they are few or
// not all of it.
func shout(line string) (to int) {
	words, letters, within := 0, 0, false
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case 'a' <= c && c <= 'z', c == '_', c == '=', c >= utf8.RuneSelf:
			return 0
		case 'A' <= c && c <= 'Z':
			letters++
			if !within {
				words++
			}
			within, to = true, i+1
		case c != '\'':
			within = false
		}
	}
	if words < minShout || letters < minShoutLetters {
		return 0
	}
	return to
}
