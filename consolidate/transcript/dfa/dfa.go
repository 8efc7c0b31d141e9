// Package dfa tells whether a regular expression matches somewhere in a text, thirty times as fast as
// package regexp does, or more (BenchmarkMatch).
//
// It promises regexp's own answer for every expression and every text, valid UTF-8 or not (FuzzMatch), in
// bounded memory: some 700 KiB for each expression and thread (maxTable, maxKeys). It does not promise to
// be fast: where an expression is too big, or a text leads it to more states than pay, regexp itself
// answers. Where a match lies it does not tell.
//
// How: the program that regexp would run is a set of places that it may be in. Each such set that a text
// leads to is a state, each byte then one look into a table, whatever the set holds. States are made when
// they are first come to (machine.go), from runes that the expression cannot tell apart (alphabet.go). A
// look into the table waits for the one before it, so four parts of a text are run through at once
// (lanes.go).
package dfa

import (
	"regexp"
	"regexp/syntax"
	"strings"
	"sync"
	"sync/atomic"
)

// maxProgram bounds the instructions of an expression that is taken on. Its states take a bit each, so
// that some thousands fit into maxKeys.
const maxProgram = 4096

// A Matcher tells whether an expression matches. Several threads may use it at once.
type Matcher struct {
	regexp   *regexp.Regexp
	program  *program    // nil: it is too big
	hopeless atomic.Bool // it has led to more states than pay
	machines sync.Pool
}

// New returns what matches as an expression does.
func New(re *regexp.Regexp) *Matcher { return newMatcher(re, limits{maxTable, maxKeys}) }

func newMatcher(re *regexp.Regexp, l limits) *Matcher {
	m := &Matcher{regexp: re}
	tree, err := syntax.Parse(re.String(), syntax.Perl)
	if err != nil {
		return m // it is none of regexp.Compile's, which parses so
	}
	prog, err := syntax.Compile(tree.Simplify())
	if err != nil || len(prog.Inst) > maxProgram {
		return m
	}
	m.program = newProgram(prog)
	m.machines.New = func() any { return newMachine(m.program, l) }
	return m
}

// Match reports whether the expression matches somewhere in a text.
func (m *Matcher) Match(text string) bool {
	if r := m.machine(); r != nil {
		state := match(r, text, &r.bytes)
		if m.putBack(r) {
			return state == r.row(matched)
		}
	}
	return m.regexp.MatchString(text)
}

// MatchQuoted does the same for the text that is spelt between the quotes of a JSON string, where that can
// be known without decoding it: not where \u is in it, nor where a Matcher is not worth its while.
func (m *Matcher) MatchQuoted(spelt []byte) (matches, known bool) {
	r := m.machine()
	if r == nil {
		return false, false
	}
	state := match(r, spelt, &r.quoted)
	known = m.putBack(r) && state != r.row(dead)
	return state == r.row(matched), known
}

// Gap ends each of the texts that MatchEach is given: a byte that stands nowhere in valid UTF-8.
const Gap = "\xff"

// MatchEach runs through many texts that stand one behind the other, each of them valid UTF-8 and ended
// by Gap, and calls hit with the place of that for each in which the expression matches, in their order.
func (m *Matcher) MatchEach(texts string, hit func(end int)) {
	if r := m.machine(); r != nil {
		if ends := r.matchEach(texts); m.putBack(r) {
			for _, end := range ends {
				hit(end)
			}
			return
		}
	}
	for from := 0; from < len(texts); {
		size := strings.Index(texts[from:], Gap)
		if size < 0 {
			return
		}
		if m.regexp.MatchString(texts[from : from+size]) {
			hit(from + size)
		}
		from += size + len(Gap)
	}
}

func (m *Matcher) machine() *machine {
	if m.program == nil || m.hopeless.Load() {
		return nil
	}
	return m.machines.Get().(*machine)
}

// putBack gives a machine back whose answer holds; one that gave up is of no use any more.
func (m *Matcher) putBack(r *machine) (holds bool) {
	if !r.pays() {
		m.hopeless.Store(true)
		return false
	}
	m.machines.Put(r)
	return true
}
