package search

import (
	"dream-mcp/consolidate/transcript/digest"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
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
	literals []literal      // one of them is in every text that matches; none: nothing is known
	regexp   *regexp.Regexp // nil: the pattern is its one literal
	inLine   bool           // the expression matches within a line, whatever the others are
	raw      []literal      // one of them is in every record that matches, as it is encoded; none: nothing is known
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
	fold := !hasUpper(q.Pattern, q.Regex)
	if q.CaseSensitive != nil {
		fold = !*q.CaseSensitive
	}
	expression, flags := q.Pattern, "(?m)"
	if !q.Regex {
		expression = regexp.QuoteMeta(expression)
	}
	if fold {
		flags = "(?mi)"
	}
	tree, err := syntax.Parse(flags+expression, syntax.Perl)
	if err != nil {
		return refuse("%v", strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	re, err := regexp.Compile(flags + expression)
	if err != nil {
		return refuse("%v", err)
	}
	tree = tree.Simplify()
	p := &pattern{literals: required(tree, func(rune) bool { return false }), raw: required(tree, mayDiffer), inLine: inLine(tree)}
	if tree.Op != syntax.OpLiteral {
		p.regexp = re
	}
	return p, nil
}

// inLine reports whether all that an expression can match, or look at, is in one line.
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

// mayDiffer reports whether a character of a text may be missing in its record: because it is escaped there, or because
// useText puts it between the names and arguments of tools.
func mayDiffer(r rune) bool {
	return r < ' ' || strings.ContainsRune(`"\/ :=.`, r) || r == utf8.RuneError
}

// maxLiterals bounds the literals of one expression: each costs a pass over the text.
const maxLiterals = 8

// required returns literals of which one is in every text that an expression matches, or none. They are without the
// characters that are left out.
func required(re *syntax.Regexp, leftOut func(rune) bool) []literal {
	switch re.Op {
	case syntax.OpLiteral:
		best := ""
		for _, run := range strings.FieldsFunc(string(re.Rune), leftOut) {
			if weight(run) > weight(best) {
				best = run
			}
		}
		if best != "" {
			return []literal{newLiteral(best, re.Flags&syntax.FoldCase != 0)}
		}
	case syntax.OpCapture, syntax.OpPlus:
		return required(re.Sub[0], leftOut)
	case syntax.OpRepeat:
		if re.Min > 0 {
			return required(re.Sub[0], leftOut)
		}
	case syntax.OpConcat:
		var best []literal
		for _, sub := range re.Sub {
			if all := required(sub, leftOut); lightest(all) > lightest(best) {
				best = all
			}
		}
		return best
	case syntax.OpAlternate:
		var all []literal
		for _, sub := range re.Sub {
			some := required(sub, leftOut)
			if all = append(all, some...); some == nil || len(all) > maxLiterals {
				return nil
			}
		}
		return all
	}
	return nil
}

// weight orders literals by how rare they are.
func weight(text string) (w int) {
	for _, r := range text {
		w += 20 + rarity(r)
	}
	return w
}

// lightest is the least weight of some literals.
func lightest(all []literal) int {
	least := 0
	for i, l := range all {
		if w := weight(l.text); i == 0 || w < least {
			least = w
		}
	}
	return least
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

// find returns where the pattern is first in a text: the first match that is not empty, if there is one.
func (p *pattern) find(text string) (start, end int, ok bool) {
	if p.regexp == nil {
		return p.literals[0].index(text)
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

// matches reports whether the pattern is in a text.
func (p *pattern) matches(text string) bool {
	if len(p.literals) == 0 {
		return p.regexp.MatchString(text)
	}
	matches := false
	for i := 0; i < len(p.literals) && !matches; i++ {
		// An expression takes a hundred times as long as a literal: only lines that have one are matched.
		p.literals[i].each(text, func(start, end int) int {
			line, next := text, len(text)+1
			if p.inLine && p.regexp != nil {
				begin := strings.LastIndexByte(text[:start], '\n') + 1
				if n := strings.IndexByte(text[end:], '\n'); n >= 0 {
					next = end + n + 1
				}
				line = text[begin : next-1]
			}
			if matches = p.regexp == nil || p.regexp.MatchString(line); matches {
				return len(text) + 1
			}
			return next
		})
	}
	return matches
}

// maxCounted bounds the occurrences that are counted in one utterance.
const maxCounted = 1000

// count returns how often the pattern is in a text, without overlap, up to maxCounted.
func (p *pattern) count(text string) int {
	if p.regexp == nil {
		return p.literals[0].count(text, maxCounted)
	}
	return len(p.regexp.FindAllStringIndex(text, maxCounted))
}

// rows calls hit with each row of a digest that is wanted and that the pattern matches, in their order.
func (p *pattern) rows(d *digest.Digest, wanted func(i int) bool, hit func(i int)) {
	candidates := holding(d, p.literals)
	for i := range d.Rows {
		if (candidates == nil || candidates[i]) && wanted(i) && (p.regexp == nil || p.matches(d.Said(i))) {
			hit(i)
		}
	}
}

// holding returns which rows hold one of some literals; nil: there are none, and any row may match.
func holding(d *digest.Digest, literals []literal) []bool {
	if len(literals) == 0 {
		return nil
	}
	held := make([]bool, len(d.Rows))
	for n := range literals {
		i := 0
		literals[n].each(d.Text, func(start, _ int) int {
			i = d.At(i, start)
			held[i] = true
			end := int(d.Rows[i].Text) + len(digest.Gap)
			if i++; i == len(d.Rows) {
				return len(d.Text) + 1
			}
			return end
		})
	}
	return held
}
