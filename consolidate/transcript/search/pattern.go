package search

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"dream-mcp/consolidate/transcript/literal"
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

// A pattern finds a literal or an expression in what was said.
type pattern struct {
	literals []literal.Literal // one of them is in every text that matches; none: nothing is known
	regexp   *regexp.Regexp    // nil: the pattern is its one literal
	whole    bool              // the literal is a word, and matches whole words
	raw      []literal.Literal // one of them is in every record that matches, as it is encoded; none: nothing is known
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
	fold := !hasUpper(text, q.Regex)
	if q.CaseSensitive != nil {
		fold = !*q.CaseSensitive
	}
	expression, flags := text, "(?m)"
	if !q.Regex {
		expression = regexp.QuoteMeta(expression)
	}
	if fold {
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
	p := &pattern{literals: literal.Required(tree, nil), raw: literal.Required(tree, mayDiffer)}
	if tree.Op != syntax.OpLiteral {
		p.regexp = re
	}
	p.whole = len(q.Patterns) > 0 && !q.Regex && p.regexp == nil && isWord(text)
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
	if p.whole {
		p.literals[0].Each(text, func(s, e int) int {
			if start, end, ok = s, e, isWhole(text, s, e); ok {
				return len(text) + 1
			}
			return s + 1
		})
		return start, end, ok
	}
	if p.regexp == nil {
		return p.literals[0].Index(text)
	}
	at := p.regexp.FindStringIndex(text)
	if at == nil {
		return 0, 0, false
	}
	if at[0] == at[1] {
		for _, other := range p.regexp.FindAllStringIndex(text, maxCounted) {
			if other[0] < other[1] {
				return other[0], other[1], true
			}
		}
	}
	return at[0], at[1], true
}

// matches reports whether the pattern is in a text. An expression takes a hundred times as long as a literal.
func (p *pattern) matches(text string) bool {
	if p.whole {
		_, _, ok := p.find(text)
		return ok
	}
	has := func(l literal.Literal) bool { _, _, ok := l.Index(text); return ok }
	return (len(p.literals) == 0 || slices.ContainsFunc(p.literals, has)) && (p.regexp == nil || p.regexp.MatchString(text))
}

// isWithin reports whether a pattern that is a whole word is in a text at all.
func (p *pattern) isWithin(text string) bool {
	if !p.whole {
		return false
	}
	_, _, ok := p.literals[0].Index(text)
	return ok
}

// maxCounted bounds the occurrences that are counted in one utterance.
const maxCounted = 1000

// count returns how often the pattern is in a text, without overlap, up to maxCounted.
func (p *pattern) count(text string) (n int) {
	if p.whole {
		p.literals[0].Each(text, func(s, e int) int {
			if isWhole(text, s, e) {
				n++
			}
			if n == maxCounted {
				return len(text) + 1
			}
			return s + 1
		})
		return n
	}
	if p.regexp == nil {
		return p.literals[0].Count(text, maxCounted)
	}
	return len(p.regexp.FindAllStringIndex(text, maxCounted))
}

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
