package transcript

import (
	"bytes"
	"slices"
	"unicode"
)

// A filter passes over lines undecoded: it lets pass every line that may hold a match, and every line
// without which another would be misread. Most lines of a transcript are neither, and looking costs a
// third of decoding, or a sixteenth where a transcript is known to be plain (BenchmarkSieve).
type filter struct {
	needles  []needle
	literal  bool // each of them is all of a pattern
	speakers []Speaker
	decides  func(raw) bool // reports whether a needle in a tool's value is all that must be known of it
}

// sieve returns what holds back lines of a transcript of which so much is known. Where joins is false,
// it lets parts of the model's messages pass only while it is told to.
func (f *filter) sieve(known plainness, joins bool) *sieve {
	ascii, tools := true, slices.Contains(f.speakers, Tool)
	var needles []kernel
	for i := range f.needles {
		n := &f.needles[i]
		plain := n.plain()
		if len(n.beside) == 0 { // or else a key is passed over for want of company
			plain = n.inValues(plain, tools)
		}
		for _, k := range append([]kernel{plain}, n.aliens()...) {
			needles = append(needles, n.inCompany(k, tools))
		}
		ascii = ascii && !n.alien && isASCII(n.text)
	}
	s := &sieve{whole: known&noBroken != 0}
	if !s.whole {
		s.tells = noBroken
	}
	s.look(opensDream, noDreams, known)
	if ascii && known&noEscapes == 0 {
		s.look(escapedASCII, noASCIIEscapes, known)
	} else if !ascii {
		s.look(escaped, noASCIIEscapes|noEscapes, known)
	}
	if tools {
		s.look(callsUs, noOwnCalls, known)
	}
	for _, w := range s.watch {
		s.kernels = append(s.kernels, w.finds)
		s.tells |= w.without
	}
	s.kernels = append(append(s.kernels, needles...), mayJoin)
	s.joining = joins && slices.Contains(f.speakers, Assistant)
	s.next = make([]int, len(s.kernels))
	return s
}

// inValues is a kernel of a needle that passes over the ends of keys, of which a transcript has more than of
// words: what was said is in values. Only what a tool was asked tells of keys, if anybody asks for that.
func (n *needle) inValues(k kernel, tools bool) kernel {
	return func(b []byte) int {
		told := 0 // the end of the last record that was looked at as a whole
		return next(b, k, func(at int) bool {
			if !bytes.HasPrefix(b[at+len(n.text):], keyEnd) {
				return true
			}
			if !tools || at < told {
				return false
			}
			first, last := recordAround(b, at)
			told = last
			return findUse(b[first:last]) >= 0
		})
	}
}

// inCompany is a kernel of a needle that finds it only where the line of text holds all that must stand
// beside it; in what a tool was asked, if anybody asks for that, where the record does: there a line of
// text is made of several strings.
func (n *needle) inCompany(k kernel, tools bool) kernel {
	if len(n.beside) == 0 {
		return k
	}
	var beside [][]kernel
	for i := range n.beside {
		beside = append(beside, n.beside[i].kernels())
	}
	lonely := func(b []byte) bool {
		return slices.ContainsFunc(beside, func(kernels []kernel) bool { return !anyIn(b, kernels...) })
	}
	return func(b []byte) int {
		told := 0 // the end of the last record that was looked at as a whole
		for from := 0; from < len(b); {
			at := k(b[from:])
			if at < 0 {
				return -1
			}
			at += from
			begin, end := lineAround(b[from:], at-from)
			begin, end = begin+from, end+from
			if !lonely(b[begin:end]) {
				return at
			}
			if tools && at >= told && (begin > 0 && b[begin-1] == '"' || end < len(b) && b[end] == '"') {
				first, last := recordAround(b, at)
				if told = last; findUse(b[first:last]) >= 0 && !lonely(b[first:last]) {
					return at
				}
			}
			from = end
		}
		return -1
	}
}

// hears returns what tells of a tool's value, in a transcript of which so much is known, whether its text
// holds a match.
func (f *filter) hears(known plainness) func(raw) hearing {
	var whole, others []kernel
	for i := range f.needles {
		n := f.needles[i]
		if f.literal {
			whole = append(whole, n.plain())
		} else {
			others = append(others, n.plain())
		}
		others = append(others, n.aliens()...)
	}
	if known&noEscapes == 0 { // seldom looked for: a value that holds a needle is not looked through for it
		others = append(others, escaped)
	}
	return func(v raw) hearing {
		for _, k := range whole {
			met := false
			at := next(v, k, func(i int) bool {
				met = true
				return !inEscape(v, i)
			})
			switch {
			case at > 0 && f.decides(v) && (known&noASCIIEscapes != 0 || escapedASCII(v) < 0): // or a reminder may hide in one
				return surely
			case met:
				return maybe
			}
		}
		if anyIn(v, others...) {
			return maybe
		}
		return nothing
	}
}

// inEscape reports whether a place in a value may belong to what an escape before it is spelt with.
func inEscape(v raw, i int) bool {
	for j := max(0, i-len(`\u000`)); j < i; j++ {
		if v[j] == '\\' && (j == i-1 || v[j+1] == 'u') {
			return true
		}
	}
	return false
}

// isAllText reports whether a value of a tool is a string of which all is said, and that is not nothing.
func (v raw) isAllText() bool { return !v.empty() && len(v) <= maxText && findReminder(v) < 0 }

// anyIn reports whether one of the kernels finds something.
func anyIn(b []byte, kernels ...kernel) bool {
	return slices.ContainsFunc(kernels, func(k kernel) bool { return k(b) >= 0 })
}

var (
	findMark = exactly(DreamMarker).kernels()[0]
	findText = exactly(string(textBytes)).kernels()[0]
	findUse  = exactly(`tool_use"`).kernels()[0]

	findReminder = exactly("system-reminder").kernels()[0] // some writers of JSON spell what stands around it as \u003c

	keyEnd         = []byte(`":`) // a quote within a string is escaped
	textBytes      = []byte(`"text"`)
	assistantBytes = []byte(`"assistant"`)
	ownBytes       = byteSlices(ownTools)
)

func exactly(text string) *needle {
	n := newNeedle([]byte(text), false)
	return &n
}

func byteSlices(texts []string) (all [][]byte) {
	for _, t := range texts {
		all = append(all, []byte(t))
	}
	return all
}

// opensDream: what follows is no utterance.
func opensDream(b []byte) int { return findMark(b) }

// mayJoin: a text of the model may be part of a message that matches elsewhere, and name it.
func mayJoin(b []byte) int {
	for from := 0; from < len(b); {
		at := findText(b[from:])
		if at < 0 {
			return -1
		}
		at += from
		begin, end := recordAround(b, at)
		if bytes.Contains(b[begin:end], assistantBytes) {
			return at
		}
		from = end // each line is looked at once, however many texts are in it
	}
	return -1
}

// tellsOfMessage reports whether a line may tell what belongs to a message of the model that began before it: more
// of its texts, or a dream between them.
func tellsOfMessage(line []byte) bool { return anyIn(line, mayJoin, opensDream, escaped) }

// The bytes of these are common: they are not looked for by the rarest.
var (
	// callsUs: a call of one of our tools, whose answer, on another line, is no utterance. So is the name
	// of the tool alone, at the price of a line decoded in vain.
	callsUs = meaning(ownPrefix, func(rest []byte) bool {
		return slices.ContainsFunc(ownBytes, func(own []byte) bool { return bytes.HasPrefix(rest, own[len(ownPrefix):]) })
	}).pair()

	// escaped: spelt as \u is what could have been spelt plainly, so that a needle may hide in it. Controls
	// are always spelt so, and are in no needle.
	escaped = escape(func(r rune) bool { return r >= ' ' })

	// escapedASCII: so is a character of ASCII, which is all that there is in a needle.
	escapedASCII = escape(func(r rune) bool { return ' ' <= r && r <= unicode.MaxASCII })
)

// meaning is a needle that counts where what stands behind it does.
func meaning(text string, meant func(rest []byte) bool) *needle {
	n := exactly(text)
	n.meant = meant
	return n
}

// escape is a kernel that finds what is spelt as \u and stands for such a character. It is not met by a backslash
// before a u, as in the paths of Windows, nor by JSON within JSON: there a backslash ends an escape.
func escape(meant func(r rune) bool) kernel {
	k := meaning(`\u`, func(rest []byte) bool {
		r, ok := hex4(rest)
		return ok && meant(r)
	}).pair()
	return func(b []byte) int {
		return next(b, k, func(at int) bool { return opensEscape(b, at) })
	}
}

// next returns the first place that a kernel finds and that is meant.
func next(b []byte, k kernel, meant func(i int) bool) int {
	for from := 0; ; {
		i := k(b[from:])
		if i < 0 {
			return -1
		}
		if from += i; meant(from) {
			return from
		}
		from++
	}
}

// recordAround returns where the line of a transcript begins and ends in which a place of a block lies.
func recordAround(block []byte, at int) (begin, end int) {
	begin, end = lastNewline(block[:at])+1, len(block)
	if i := bytes.IndexByte(block[at:], '\n'); i >= 0 {
		end = at + i
	}
	return begin, end
}
