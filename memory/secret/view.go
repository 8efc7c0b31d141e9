package secret

import (
	"cmp"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"dream-mcp/memory/forgotten"
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

// sources are what decides what Find finds: these files, without those of tests, whose samples are not for the program.
//
//go:embed anchors.go form.go judge.go name.go prose.go random.go secret.go shapes.go shapes.txt show.go value.go view.go
var sources embed.FS

// Rules returns a number that differs for other sources of Find and for other allowed values: what was masked by others
// is masked again.
func (a Allowed) Rules() uint64 {
	h := fnv.New64a()
	files, _ := sources.ReadDir(".")
	for _, f := range files {
		text, _ := sources.ReadFile(f.Name())
		h.Write(text)
	}
	fmt.Fprintln(h, []string(a))
	return h.Sum64()
}

// find is Find without what is allowed.
func (a Allowed) find(text string) []Span {
	return slices.DeleteFunc(Find(text), func(s Span) bool { return a.allows(text[s.From:s.To]) })
}

// Mask is Mask without what is allowed.
func (a Allowed) Mask(text string) string { return a.View(text).Text }

// View is a text as it may be shown, and where each piece of it is in the real one.
type View struct {
	Text  string
	Spans []Span // the credentials of the real text, in order
	real  string
	runs  []visible.Run // what of the real text was replaced: Spans, and after Show what is hidden
}

// Show returns a text as it may leave the process: each credential that is not allowed and each text that was forgotten
// is masked, and each hidden character has a mark (package visible). Every line keeps its number. What memories,
// sessions and others said passes Show before it is cut, since a piece of a credential is not recognised. Everything
// that is sent, printed or written down for later passes ShowJSON or a Writer too: these do not mask what was
// forgotten, which may be a word of our own answers.
func (a Allowed) Show(text string) View { return showHidden(a.View(text)) }

// showHidden marks the hidden characters of what v shows.
func showHidden(v View) View {
	hidden := visible.Runs(v.Text)
	for i, r := range hidden {
		hidden[i].From, hidden[i].To = v.Real(r.From, r.To)
	}
	return cover(v.real, v.Spans, hidden...)
}

// Line is Show for a text that must not leave its line.
func (a Allowed) Line(text string) string {
	return strings.ReplaceAll(a.Show(text).Text, "\n", "; ")
}

// View returns what may be shown of a text: each credential that is not allowed is replaced by [secret: KIND], each
// text that was forgotten by forgotten.Mark, and by the line ends that it held, so that every line keeps its number.
func (a Allowed) View(text string) View {
	var unwanted []Span
	for _, f := range forgotten.Current().Spans(text) {
		unwanted = append(unwanted, Span{From: f.From, To: f.To, Kind: Forgotten})
	}
	return a.viewWith(text, unwanted)
}

// credentials is View without what was forgotten.
func (a Allowed) credentials(text string) View { return a.viewWith(text, nil) }

func (a Allowed) viewWith(text string, unwanted []Span) View {
	v := cover(text, joined(a.find(text), unwanted))
	for range maxPasses - 1 {
		if len(v.Spans) == 0 {
			break
		}
		var more []Span
		for _, s := range Find(v.Text) {
			if s.From, s.To = v.Real(s.From, s.To); !a.allows(text[s.From:s.To]) {
				more = append(more, s)
			}
		}
		if more == nil {
			break
		}
		v = cover(text, joined(v.Spans, more))
	}
	return v
}

// joined merges two lists of spans.
func joined(a, b []Span) []Span {
	if len(b) == 0 {
		return a
	}
	var finds []find
	for _, s := range slices.Concat(a, b) {
		finds = append(finds, find{Span: s})
	}
	return merge(finds)
}

// mask returns what a credential of text is shown as.
func (s Span) mask(text string) string {
	mark := maskOpen + s.Kind + maskClose
	if s.Kind == Forgotten {
		mark = forgotten.Mark
	}
	return mark + strings.Repeat("\n", strings.Count(text[s.From:s.To], "\n"))
}

// cover returns a text with the masks of spans, and with the marks of what is hidden outside of them.
func cover(text string, spans []Span, runs ...visible.Run) View {
	for _, s := range spans {
		runs = append(runs, visible.Run{From: s.From, To: s.To, Mark: s.mask(text)})
	}
	slices.SortFunc(runs, func(a, b visible.Run) int { return cmp.Compare(a.From, b.From) })
	return View{Text: visible.Replace(text, runs), Spans: spans, real: text, runs: runs}
}

// Marked returns the Text of a View that only masks, with what mark makes of each credential's value after
// its mask.
func (v View) Marked(mark func(value string) string) string {
	runs := slices.Clone(v.runs)
	for i, r := range runs {
		runs[i].Mark = strings.Replace(r.Mark, maskClose, maskClose+mark(v.real[r.From:r.To]), 1)
	}
	return visible.Replace(v.real, runs)
}

// Real returns the part of the real text that Text[from:to] shows. A part of a mark shows all that it replaced.
func (v View) Real(from, to int) (int, int) {
	return v.moved(from, false, true), v.moved(to, true, true)
}

// Shown returns where [from:to] of the real text is in Text. A part of a credential is its whole mask.
func (v View) Shown(from, to int) (int, int) {
	return v.moved(from, false, false), v.moved(to, true, false)
}

// moved returns where a place of the real text is in Text, or the reverse. Within what was replaced that is its
// beginning, or its end.
func (v View) moved(place int, end, reverse bool) int {
	shift := 0 // from the real text to the shown one
	for _, r := range v.runs {
		was, is := Span{From: r.From, To: r.To}, Span{From: r.From + shift, To: r.From + shift + len(r.Mark)}
		if reverse {
			was, is = is, was
		}
		switch {
		case place <= was.From:
			return place + is.From - was.From
		case place < was.To && end:
			return is.To
		case place < was.To:
			return is.From
		}
		shift += len(r.Mark) - (r.To - r.From)
	}
	if reverse {
		return place - shift
	}
	return place + shift
}
