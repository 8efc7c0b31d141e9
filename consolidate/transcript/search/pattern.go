package search

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"dream-mcp/memory/lazy"
	"dream-mcp/memory/text"
)

// maxPattern bounds a pattern, in bytes.
const maxPattern = 1000

// A QueryError says what is wrong with a query: something that whoever asked can fix.
type QueryError struct {
	Field   string // of Query, in lower case: "pattern", "session", "cursor" …
	Message string
}

func (e *QueryError) Error() string { return e.Field + ": " + e.Message }

// A pattern finds a text or an expression in what was said.
type pattern struct {
	regexp   *regexp.Regexp
	fold     bool     // the literals are folded, and looked for in folded texts
	literals literals // of what was said
	raw      literals // of a record as it is encoded
	whole    bool     // it is a word, and matches whole words
}

// compile reads a pattern of a query. An expression is RE2; ^ and $ match at every line.
func compile(q Query, text string) (*pattern, error) {
	refuse := func(format string, args ...any) (*pattern, error) {
		return nil, &QueryError{Field: "pattern", Message: fmt.Sprintf(format, args...)}
	}
	switch {
	case text == "":
		return refuse("it is empty")
	case len(text) > maxPattern:
		return refuse("it has %d bytes, %d are allowed", len(text), maxPattern)
	case !utf8.ValidString(text):
		return refuse("it is not valid UTF-8")
	}
	sensitive := hasUpper(text, q.Regex)
	if q.CaseSensitive != nil {
		sensitive = *q.CaseSensitive
	}
	expression, flags := text, "(?m)"
	if !q.Regex {
		expression = regexp.QuoteMeta(expression)
	}
	if !sensitive {
		flags = "(?mi)"
	}
	tree, err := syntax.Parse(flags+expression, syntax.Perl)
	if err != nil {
		return refuse("%v", strings.Replace(strings.TrimPrefix(err.Error(), "error parsing regexp: "), flags, "", 1))
	}
	re, err := regexp.Compile(flags + expression)
	if err != nil {
		return refuse("%v", err)
	}
	tree = tree.Simplify()
	p := &pattern{regexp: re, fold: ignoresCase(tree), literals: required(tree, nil), raw: required(tree, mayDiffer)}
	if p.fold {
		for _, l := range []literals{p.literals, p.raw} {
			for i := range l {
				l[i] = fold(l[i])
			}
		}
	}
	p.whole = len(q.Patterns) > 0 && !q.Regex && isWord(text)
	return p, nil
}

// mayDiffer reports whether a character of a text may be missing in its record: because it is escaped there, or because
// useText puts it between the names and arguments of tools.
func mayDiffer(r rune) bool {
	return r < ' ' || strings.ContainsRune(`"\/ :=.`, r) || r == utf8.RuneError
}

// hasUpper reports whether a pattern asks for a case: an upper-case letter that is not part of an
// escape such as \S or of a group's name.
func hasUpper(pattern string, expression bool) bool {
	if expression {
		pattern = escapes.ReplaceAllString(pattern, "")
	}
	return strings.ContainsFunc(pattern, unicode.IsUpper)
}

var escapes = lazy.New(`\\[pPx]\{[^}]*\}|\\x[0-9A-Fa-f]{2}|\\[pP]?.|\(\?P?<[^>]*>|\[\[:\^?\w+:\]\]`)

// find returns where the pattern is first in a text: the first match that is not empty, if there is one.
func (p *pattern) find(text string) (start, end int, ok bool) {
	at := p.regexp.FindStringIndex(text)
	if at == nil {
		return 0, 0, false
	}
	if p.whole || at[0] == at[1] {
		for _, other := range p.all(text) {
			if other[0] < other[1] {
				return other[0], other[1], true
			}
		}
	}
	return at[0], at[1], !p.whole
}

// all returns where the pattern is in a text, without overlap, up to maxCounted times.
func (p *pattern) all(text string) [][]int {
	if !p.whole {
		return p.regexp.FindAllStringIndex(text, maxCounted)
	}
	all := slices.DeleteFunc(p.regexp.FindAllStringIndex(text, -1), func(at []int) bool { return !isWhole(text, at[0], at[1]) })
	return all[:min(len(all), maxCounted)]
}

// matches calls in with a text that is not folded yet.
func (p *pattern) matches(text string) (is, within bool) {
	return p.in(text, foldFor([]*pattern{p}, text))
}

// in reports whether p matches a text, which is given folded, too. within is true if p occurs at all, also inside a
// longer word.
func (p *pattern) in(text, folded string) (is, within bool) {
	if !p.literals.in(p.either(text, folded)) || !p.regexp.MatchString(text) {
		return false, false
	}
	if !p.whole {
		return true, true
	}
	_, _, is = p.find(text)
	return is, true
}

// either returns the one of a text and the folded text that has the literals.
func (p *pattern) either(text, folded string) string {
	if p.fold {
		return folded
	}
	return text
}

// foldFor returns a text folded, if one of some patterns looks for that.
func foldFor(patterns []*pattern, text string) string {
	if slices.ContainsFunc(patterns, func(p *pattern) bool { return p.fold }) {
		return fold(text)
	}
	return ""
}

// maxCounted bounds the occurrences that are counted in one utterance.
const maxCounted = 1000

// count returns how often the pattern is in a text, without overlap, up to maxCounted.
func (p *pattern) count(text string) (n int) { return len(p.all(text)) }

// isWord reports whether a text is one word of a script that parts its words by spaces.
func isWord(pattern string) bool {
	return !strings.ContainsFunc(pattern, func(r rune) bool { return !isWordRune(r) || text.IsDense(r) })
}

func isWordRune(r rune) bool { return text.IsWord(r) || r == '_' }

// isWhole reports whether a part of a text is a whole word.
func isWhole(text string, start, end int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:start])
	after, _ := utf8.DecodeRuneInString(text[end:])
	return !isWordRune(before) && !isWordRune(after)
}
