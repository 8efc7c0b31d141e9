package secret

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"slices"
	"strings"
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

// View is a text as it may be shown, and where each piece of it stands in the real one.
type View struct {
	Text  string
	real  string
	Spans []Span // what was replaced, of the real text, in order
	masks []Span // of each span, where its mask stands in Text
}

// View returns what may be shown of a text: each credential that is not allowed is replaced by
// [secret: KIND] and by the line ends that it held, so that every line keeps its number.
func (a Allowed) View(text string) View {
	v := cover(text, a.Find(text))
	for range maxPasses - 1 {
		if len(v.Spans) == 0 {
			break
		}
		spans := slices.Clone(v.Spans)
		for _, s := range Find(v.Text) {
			if s.From, s.To = v.Real(s.From, s.To); !a.allows(text[s.From:s.To]) {
				spans = append(spans, s)
			}
		}
		if len(spans) == len(v.Spans) {
			break
		}
		v = cover(text, union(spans))
	}
	return v
}

// union sorts spans and joins those that overlap.
func union(spans []Span) []Span {
	slices.SortStableFunc(spans, func(a, b Span) int { return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(b.To, a.To)) })
	joined := spans[:0]
	for _, s := range spans {
		if n := len(joined); n > 0 && s.From < joined[n-1].To {
			joined[n-1].To = max(joined[n-1].To, s.To)
			continue
		}
		joined = append(joined, s)
	}
	return joined
}

func cover(text string, spans []Span) View {
	if len(spans) == 0 {
		return View{Text: text, real: text}
	}
	v := View{real: text, Spans: spans, masks: make([]Span, len(spans))}
	var b strings.Builder
	b.Grow(len(text))
	at := 0
	for i, s := range spans {
		b.WriteString(text[at:s.From])
		v.masks[i].From = b.Len()
		b.WriteString(maskOpen + s.Kind + maskClose + strings.Repeat("\n", strings.Count(text[s.From:s.To], "\n")))
		v.masks[i].To = b.Len()
		at = s.To
	}
	b.WriteString(text[at:])
	v.Text = b.String()
	return v
}

// Marked returns Text with the mark of each credential, which mark makes of its value, behind its mask.
func (v View) Marked(mark func(value string) string) string {
	var b strings.Builder
	at := 0
	for i, s := range v.Spans {
		mask := v.masks[i]
		line := mask.From + len(maskOpen+s.Kind+maskClose) // where the line ends of the mask begin
		b.WriteString(v.Text[at:line] + mark(v.real[s.From:s.To]))
		at = line
	}
	b.WriteString(v.Text[at:])
	return b.String()
}

// Real returns what Text[from:to] stands for: a part of a mask stands for its whole credential.
func (v View) Real(from, to int) (int, int) {
	return moved(from, false, v.masks, v.Spans), moved(to, true, v.masks, v.Spans)
}

// Shown returns where [from:to] of the real text stands in Text: a part of a credential has its whole mask.
func (v View) Shown(from, to int) (int, int) {
	return moved(from, false, v.Spans, v.masks), moved(to, true, v.Spans, v.masks)
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

// MaskJSON masks the strings of a JSON text, and nothing else of it. What is no JSON is returned as it is.
func (a Allowed) MaskJSON(data []byte) []byte {
	if !json.Valid(data) {
		return data
	}
	var out []byte // nil as long as nothing was masked
	kept := 0
	for i := 0; i < len(data); i++ {
		if data[i] != '"' {
			continue
		}
		from := i
		for i++; data[i] != '"'; i++ {
			if data[i] == '\\' {
				i++
			}
		}
		var text string
		if json.Unmarshal(data[from:i+1], &text) != nil {
			continue
		}
		if v := a.View(text); len(v.Spans) > 0 {
			var quoted bytes.Buffer
			e := json.NewEncoder(&quoted)
			e.SetEscapeHTML(false)
			if e.Encode(v.Text) != nil {
				continue // a string can always be encoded
			}
			out = append(append(out, data[kept:from]...), bytes.TrimSuffix(quoted.Bytes(), []byte("\n"))...)
			kept = i + 1
		}
	}
	if out == nil {
		return data
	}
	return append(out, data[kept:]...)
}

// Writer masks what is written through it. What is to be masked must come in one Write.
type Writer struct {
	Out     io.Writer
	Allowed Allowed
}

// Write writes the masked text, and reports as written what was given.
func (w *Writer) Write(p []byte) (int, error) {
	if _, err := io.WriteString(w.Out, w.Allowed.Mask(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}
