package forgotten

import (
	"crypto/hmac"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Span is a forgotten text within a text, in bytes.
type Span struct{ From, To int }

// Spans returns the forgotten texts within a text, in order. Names of Markdown files do not count: links need them; nor
// do the keys of frontmatter and the values that are not texts.
func (l *List) Spans(text string) (spans []Span) {
	if l == nil || len(l.Texts) == 0 {
		return nil
	}
	runes, places := normalize(text)
	base := l.base()
	for _, t := range l.Texts {
		top := uint64(1) // base to the power of the window's length
		for range t.Runes {
			top *= base
		}
		sum := uint64(0)
		for end, r := range runes {
			sum = sum*base + uint64(r)
			from := end + 1 - t.Runes
			if from > 0 {
				sum -= top * uint64(runes[from-1])
			}
			if from < 0 || uint16(sum>>48) != t.Filter || inWord(runes, from) || inWord(runes, end+1) || !hmac.Equal(l.hash(runes[from:end+1]), t.Hash) {
				continue
			}
			_, size := utf8.DecodeRuneInString(text[places[end]:])
			if s := (Span{places[from], places[end] + size}); !inFileName(text, s) && !inHead(text, s) {
				spans = append(spans, s)
			}
		}
	}
	slices.SortFunc(spans, func(a, b Span) int { return a.From - b.From })
	apart := spans[:0]
	for _, s := range spans {
		if last := len(apart) - 1; last >= 0 && s.From < apart[last].To {
			apart[last].To = max(apart[last].To, s.To)
		} else {
			apart = append(apart, s)
		}
	}
	return apart
}

// withoutSpaces reports whether a character is of a script that puts no spaces between words.
func withoutSpaces(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai)
}

// inWord reports whether runes[at] continues a word. In scripts without spaces no character does.
func inWord(runes []rune, at int) bool {
	continues := func(r rune) bool { return r != ' ' && !withoutSpaces(r) }
	return at > 0 && at < len(runes) && continues(runes[at-1]) && continues(runes[at])
}

func inFileName(text string, s Span) bool {
	const ends = " \t\r\n()[]<>{}\"'`|,;"
	word := text[strings.LastIndexAny(text[:s.From], ends)+1 : s.From]
	rest := text[s.From:]
	if i := strings.IndexAny(rest, ends); i >= 0 {
		rest = rest[:i]
	}
	return strings.Contains(strings.ToLower(word+rest), ".md")
}

// heads are the keys of frontmatter that are kept, and whether the value is a text.
var heads = map[string]bool{"name": true, "description": true, "metadata": true, "type": false, "sources": false, "created": false,
	"modified": false, "node_type": false, "originSessionId": false, "originSessionIds": false}

// inHead reports whether a span begins in a key of frontmatter, or in a value that is not a text.
func inHead(text string, s Span) bool {
	if end := strings.Index(text, "\n---"); !strings.HasPrefix(text, "---\n") || s.From > end {
		return false
	}
	start := strings.LastIndexByte(text[:s.From], '\n') + 1
	key, _, ok := strings.Cut(text[start:], ":")
	isText, known := heads[strings.TrimSpace(key)]
	return ok && known && (!isText || s.From < start+len(key))
}

// Redact replaces the forgotten texts within a text by Mark. Every line keeps its number.
func (l *List) Redact(text string) string {
	spans := l.Spans(text)
	if spans == nil {
		return text
	}
	var b strings.Builder
	at := 0
	for _, s := range spans {
		b.WriteString(text[at:s.From] + Mark + strings.Repeat("\n", strings.Count(text[s.From:s.To], "\n")))
		at = s.To
	}
	return b.String() + text[at:]
}
