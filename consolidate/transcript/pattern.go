package transcript

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"dream-mcp/consolidate/transcript/dfa"
)

// maxPattern bounds a pattern, in bytes.
const maxPattern = 1000

// A QueryError says what is wrong with a query: something that whoever asked can mend.
type QueryError struct {
	Field   string // of Query, in lower case: "pattern", "session", "cursor" …
	Message string
}

func (e *QueryError) Error() string { return e.Field + ": " + e.Message }

// A pattern finds a literal or an expression in what was said.
type pattern struct {
	literal string         // when expression is nil
	regexp  *regexp.Regexp // an expression, or a literal in any case: where it matches
	matcher *dfa.Matcher   // and whether it does
	fold    bool
	needles []needle // one of them stands in whatever matches; none: nothing is known
	finder  *finder  // finds where it may match
	inLine  bool     // no match of the expression goes beyond a line, nor depends on what does
}

// compile reads the pattern of a query. An expression is RE2; ^ and $ match at every line.
func compile(q Query) (*pattern, error) {
	refuse := func(format string, args ...any) (*pattern, error) {
		return nil, &QueryError{Field: "pattern", Message: fmt.Sprintf(format, args...)}
	}
	switch {
	case q.Pattern == "":
		return refuse("it is empty")
	case len(q.Pattern) > maxPattern:
		return refuse("it has %d bytes, %d are allowed", len(q.Pattern), maxPattern)
	case !utf8.ValidString(q.Pattern):
		return refuse("it is not valid UTF-8")
	}
	p := &pattern{fold: !hasUpper(q.Pattern, q.Regex)}
	if q.CaseSensitive != nil {
		p.fold = !*q.CaseSensitive
	}
	expression := q.Pattern
	if !q.Regex {
		if p.fold = p.fold && hasCase(q.Pattern); !p.fold {
			p.literal = q.Pattern
		}
		expression = regexp.QuoteMeta(q.Pattern)
	}
	flags := "(?m)"
	if p.fold {
		flags = "(?mi)"
	}
	tree, err := syntax.Parse(flags+expression, syntax.Perl)
	if err != nil {
		return refuse("%v", strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	if p.literal == "" {
		if p.regexp, err = regexp.Compile(flags + expression); err != nil {
			return refuse("%v", err)
		}
		p.matcher = dfa.New(p.regexp)
	}
	tree = tree.Simplify()
	p.needles = required(tree, spoils(q.Speakers))
	p.finder, p.inLine = newFinder(p), inLine(tree)
	if p.inLine {
		company(tree, spoils(q.Speakers), p.needles)
	}
	return p, nil
}

// inLine reports whether all that an expression can match, or look at, lies in one line.
func inLine(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpAnyChar, syntax.OpBeginText, syntax.OpEndText:
		return false
	case syntax.OpLiteral:
		return !slices.Contains(re.Rune, '\n')
	case syntax.OpCharClass:
		for i := 0; i < len(re.Rune); i += 2 {
			if re.Rune[i] <= '\n' && '\n' <= re.Rune[i+1] {
				return false
			}
		}
	}
	return !slices.ContainsFunc(re.Sub, func(sub *syntax.Regexp) bool { return !inLine(sub) })
}

// hasUpper reports whether a pattern asks for a case: an upper-case letter that is not part of an
// escape such as \S or of a group's name.
func hasUpper(pattern string, expression bool) bool {
	if expression {
		pattern = escapes.ReplaceAllString(pattern, "")
	}
	return strings.ContainsFunc(pattern, unicode.IsUpper)
}

var escapes = regexp.MustCompile(`\\[pPx]\{[^}]*\}|\\x[0-9A-Fa-f]{2}|\\[pP]?.|\(\?P?<[^>]*>|\[\[:\^?\w+:\]\]`)

// hasCase reports whether any letter of a text has another case.
func hasCase(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return unicode.SimpleFold(r) != r })
}

// find returns where the pattern stands first in a text: the first place that is not empty, if there
// is one.
func (p *pattern) find(text string) (start, end int, ok bool) {
	if p.regexp == nil {
		i := strings.Index(text, p.literal)
		return i, i + len(p.literal), i >= 0
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

// matches reports whether the pattern stands in a text.
func (p *pattern) matches(text string) bool {
	if p.regexp == nil {
		return strings.Contains(text, p.literal)
	}
	if p.inLine && p.finder.anchors != nil && !p.finder.alien(text) {
		return slices.ContainsFunc(p.finder.anchors, func(a anchor) bool { return p.matchesBeside(&a, text) })
	}
	return p.matcher.Match(text)
}

// matchesBeside reports whether the pattern stands in a line in which an anchor does. Most of a long
// text holds none, and to match the expression takes longer than to look for one.
func (p *pattern) matchesBeside(a *anchor, text string) bool {
	for from := 0; from < len(text); {
		at := a.index(text, from)
		if at < 0 {
			return false
		}
		if p.finder.exact {
			return true
		}
		begin, end := strings.LastIndexByte(text[:at], '\n')+1, len(text)
		if n := strings.IndexByte(text[at:], '\n'); n >= 0 {
			end = at + n
		}
		if p.matcher.Match(text[begin:end]) {
			return true
		}
		from = end + 1
	}
	return false
}

// hears tells from the spelling of a text whether an expression matches in it: to decode it takes three
// times as long, and most hold no match.
func (p *pattern) hears(spelt []byte) hearing {
	switch {
	case p.matcher == nil || p.finder.exact:
		return maybe
	case p.inLine && len(p.needles) > 0:
		return p.hearsBeside(spelt)
	}
	switch matches, known := p.matcher.MatchQuoted(spelt); {
	case !known:
		return maybe
	case matches:
		return surely
	}
	return nothing
}

// hearsBeside tells it from the lines in which a needle stands.
func (p *pattern) hearsBeside(spelt []byte) hearing {
	if escaped(spelt) >= 0 { // a needle may hide
		return maybe
	}
	for i := range p.needles {
		for _, k := range p.needles[i].kernels() {
			for rest := spelt; ; {
				at := k(rest)
				if at < 0 {
					break
				}
				begin, end := lineAround(rest, at)
				matches, known := p.matcher.MatchQuoted(rest[begin:end])
				if matches || !known && p.matcher.Match(unquote(rest[begin:end])) {
					return surely
				}
				if rest = rest[end:]; len(rest) == 0 {
					break
				}
			}
		}
	}
	return nothing
}

// lineAround returns where the line of a text begins and ends in which a place stands, in a record or in a
// value of one, as JSON spells it. Where the place is the last byte of an escape, it may return more.
func lineAround(spelt []byte, at int) (begin, end int) {
	for end = at; end < len(spelt) && spelt[end] != '"' && spelt[end] != '\n'; end++ {
		if spelt[end] == '\\' {
			if end+1 < len(spelt) && spelt[end+1] == 'n' {
				break
			}
			end++
		}
	}
	for begin = at; begin > 0 && !endsLine(spelt, begin-1); begin-- {
	}
	return begin, min(end, len(spelt))
}

// endsLine reports whether a byte is the last of what ends a line of a text.
func endsLine(spelt []byte, at int) bool {
	switch spelt[at] {
	case '\n':
		return true
	case '"', 'n':
		escaped := at > 0 && spelt[at-1] == '\\' && opensEscape(spelt, at-1)
		return escaped == (spelt[at] == 'n')
	}
	return false
}

// opensEscape reports whether a backslash in a spelling is the first byte of an escape, not the last of one.
func opensEscape(spelt []byte, at int) bool {
	first := at
	for first > 0 && spelt[first-1] == '\\' {
		first--
	}
	return (at-first)%2 == 0
}

// maxCounted bounds the occurrences that are counted in one utterance.
const maxCounted = 1000

// count returns how often the pattern stands in a text, without overlap, up to maxCounted.
func (p *pattern) count(text string) int {
	if p.regexp == nil {
		return min(strings.Count(text, p.literal), maxCounted)
	}
	return len(p.regexp.FindAllStringIndex(text, maxCounted))
}
