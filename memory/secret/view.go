package secret

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"dream-mcp/memory/visible"
)

// minAllowed is how many hex digits of a SHA-256 name a value: as many as a sum of a memory has.
const minAllowed = 12

// Allowed are values that a person has declared to be no secret: the beginnings, of 12 or more hex digits,
// of their SHA-256. The zero value allows none.
type Allowed []string

// allows reports whether a value is one of them.
func (a Allowed) allows(value string) bool {
	if len(a) == 0 {
		return false
	}
	sum := sha256.Sum256([]byte(value))
	digits := hex.EncodeToString(sum[:])
	return slices.ContainsFunc(a, func(prefix string) bool {
		return len(prefix) >= minAllowed && strings.HasPrefix(digits, strings.ToLower(prefix))
	})
}

// Find is Find without what is allowed.
func (a Allowed) Find(text string) []Span {
	return slices.DeleteFunc(Find(text), func(s Span) bool { return a.allows(text[s.From:s.To]) })
}

// Mask is Mask without what is allowed.
func (a Allowed) Mask(text string) string { return a.View(text).Text }

// View is a text as it may be shown, and where each piece of it is in the real one.
type View struct {
	Text     string
	Spans    []Span // the credentials of the real text, in order
	real     string
	replaced []Span // what was replaced, of the real text, in order: Spans, and after Show what is hidden
	marks    []Span // for each of replaced, where its mark is in Text
}

// Show returns a text as it may leave the process: each credential that is not allowed is masked, and each
// hidden character has a mark (package visible). Every line keeps its number. Everything that is sent, printed
// or written down for later passes Show, ShowJSON or a Writer; what is cut is shown before it is cut, since a
// piece of a credential is not recognised.
func (a Allowed) Show(text string) View {
	v := a.View(text)
	var hidden []replacement
	for _, r := range visible.Runs(v.Text) {
		from, to := v.Real(r.From, r.To)
		hidden = append(hidden, replacement{Span{From: from, To: to}, r.Mark})
	}
	if hidden == nil {
		return v
	}
	return cover(text, v.Spans, hidden...)
}

// Line is Show for a text that must not leave its line.
func (a Allowed) Line(text string) string {
	return strings.ReplaceAll(a.Show(text).Text, "\n", "; ")
}

// View returns what may be shown of a text: each credential that is not allowed is replaced by
// [secret: KIND] and by the line ends that it held, so that every line keeps its number.
func (a Allowed) View(text string) View {
	v := cover(text, a.Find(text))
	for range maxPasses - 1 {
		if len(v.Spans) == 0 {
			break
		}
		var finds []find
		for _, s := range v.Spans {
			finds = append(finds, find{Span: s})
		}
		for _, s := range Find(v.Text) {
			if s.From, s.To = v.Real(s.From, s.To); !a.allows(text[s.From:s.To]) {
				finds = append(finds, find{Span: s})
			}
		}
		if len(finds) == len(v.Spans) {
			break
		}
		v = cover(text, merge(finds))
	}
	return v
}

// mask returns what a credential of text is shown as.
func (s Span) mask(text string) string {
	return maskOpen + s.Kind + maskClose + strings.Repeat("\n", strings.Count(text[s.From:s.To], "\n"))
}

type replacement struct {
	Span
	mark string
}

// cover returns a text with the masks of spans and with other replacements.
func cover(text string, spans []Span, all ...replacement) View {
	v := View{Text: text, Spans: spans, real: text}
	if len(spans)+len(all) == 0 {
		return v
	}
	for _, s := range spans {
		all = append(all, replacement{s, s.mask(text)})
	}
	slices.SortFunc(all, func(a, b replacement) int { return cmp.Compare(a.From, b.From) })
	var b strings.Builder
	b.Grow(len(text))
	at := 0
	for _, r := range all {
		b.WriteString(text[at:r.From])
		from := b.Len()
		b.WriteString(r.mark)
		v.replaced, v.marks = append(v.replaced, r.Span), append(v.marks, Span{From: from, To: b.Len()})
		at = r.To
	}
	b.WriteString(text[at:])
	v.Text = b.String()
	return v
}

// Marked returns the Text of a View that only masks, with what mark makes of each credential's value after
// its mask.
func (v View) Marked(mark func(value string) string) string {
	var b strings.Builder
	at := 0
	for i, s := range v.Spans {
		mask := v.marks[i]
		line := mask.From + len(maskOpen+s.Kind+maskClose) // where the line ends of the mask begin
		b.WriteString(v.Text[at:line] + mark(v.real[s.From:s.To]))
		at = line
	}
	b.WriteString(v.Text[at:])
	return b.String()
}

// Real returns the part of the real text that Text[from:to] shows. A part of a mark shows all that it replaced.
func (v View) Real(from, to int) (int, int) {
	return moved(from, false, v.marks, v.replaced), moved(to, true, v.marks, v.replaced)
}

// Shown returns where [from:to] of the real text is in Text. A part of a credential is its whole mask.
func (v View) Shown(from, to int) (int, int) {
	return moved(from, false, v.replaced, v.marks), moved(to, true, v.replaced, v.marks)
}

// moved returns where a place of a text is after each span of it has become another one. Within a span
// that is its beginning, or its end.
func moved(place int, end bool, spans, become []Span) int {
	shift := 0
	for i, s := range spans {
		if place <= s.From {
			break
		}
		if place < s.To {
			if end {
				return become[i].To
			}
			return become[i].From
		}
		shift = become[i].To - s.To
	}
	return place + shift
}
