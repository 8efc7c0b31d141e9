package signal

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// A pattern is a line of the rules on its way to a regular expression.
type pattern struct{ classes map[string][]string }

// What the signs of a pattern become.
const (
	restOfWord = `[a-z0-9\p{Hangul}]*`
	oneWord    = `[^ ,;:.!?()"]+`
	gapExpr    = `[^.!?\n]*?`
	clauseEnd  = ` ?(?:$|[,;:.!?()"])`
	wordEnd    = `\b`
)

// expression returns the regular expression of a pattern.
func (p pattern) expression(line string) (string, error) {
	var b strings.Builder
	b.WriteString(`^(?:`)
	depth, last := 0, byte(' ') // last is what the text before ends with: a letter of ASCII, another, or a space
	literal := func(s string) {
		for _, r := range s {
			switch {
			case r == '\'':
				b.WriteString(`'?`)
			case r == 'ä' || r == 'ö' || r == 'ü':
				b.WriteString(folds[r] + `e?`)
				last = 'a'
			default:
				to, ok := folds[r]
				if !ok {
					to = string(r)
				}
				b.WriteString(regexp.QuoteMeta(to))
				last = to[len(to)-1]
			}
		}
	}
	for line != "" {
		size := 1
		switch c := line[0]; {
		case c == '(':
			depth++
			b.WriteString(`(?:`)
		case c == '|':
			if depth == 0 {
				return "", fmt.Errorf("a choice outside parentheses")
			}
			b.WriteByte('|')
		case c == ')':
			if depth--; depth < 0 {
				return "", fmt.Errorf("a parenthesis is not opened")
			}
			b.WriteByte(')')
		case c == '@':
			name := line[1:]
			name = name[:len(name)-len(strings.TrimLeft(name, "abcdefghijklmnopqrstuvwxyz"))]
			words := p.classes[name]
			if words == nil {
				return "", fmt.Errorf("no class is named %q", name)
			}
			b.WriteString(`(?:`)
			for i, w := range words {
				if i > 0 {
					b.WriteByte('|')
				}
				literal(w)
			}
			b.WriteByte(')')
			b.WriteString(wordEnd)
			size += len(name)
			last = ' '
		case c == '*':
			suffix := line[1:]
			suffix = suffix[:len(suffix)-len(strings.TrimLeft(suffix, "abcdefghijklmnopqrstuvwxyz"))]
			switch {
			case suffix != "":
				b.WriteString(restOfWord + suffix + wordEnd)
			case last == ' ':
				b.WriteString(oneWord)
			default:
				b.WriteString(restOfWord)
			}
			size += len(suffix)
			last = 0
		case c == '$':
			b.WriteString(clauseEnd)
			last = 0
		case strings.HasPrefix(line, "..."):
			if isWordByte(last) {
				b.WriteString(wordEnd)
			}
			b.WriteString(gapExpr)
			size = len("...") + len(line[3:]) - len(strings.TrimLeft(line[3:], " "))
			if rest := strings.TrimLeft(line[size:], "("); rest != "" && isWordByte(rest[0]) {
				b.WriteString(wordEnd) // or its beginning
			}
		default:
			_, size = utf8.DecodeRuneInString(line)
			literal(line[:size])
		}
		line = line[size:]
	}
	if depth != 0 {
		return "", fmt.Errorf("a parenthesis is not closed")
	}
	b.WriteByte(')')
	if isWordByte(last) {
		b.WriteString(wordEnd)
	}
	return b.String(), nil
}

func isWordByte(c byte) bool { return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' }

// beginnings returns how a pattern begins, one for each choice.
func (p pattern) beginnings(line string) []beginning {
	switch {
	case line == "":
		return []beginning{{}}
	case line[0] == '(':
		var all []beginning
		choices, rest := choicesOf(line)
		for _, c := range choices {
			all = append(all, p.beginnings(c+rest)...)
		}
		return all
	case line[0] == '@':
		name := line[1:]
		name = name[:len(name)-len(strings.TrimLeft(name, "abcdefghijklmnopqrstuvwxyz"))]
		var all []beginning
		for _, w := range p.classes[name] {
			all = append(all, p.beginnings(w+" ")...)
		}
		return all
	}
	// Both spellings of an umlaut, and of an apostrophe.
	spelled := []string{line}
	if strings.ContainsAny(leading(line), "äöü") {
		spelled = []string{strings.NewReplacer("ä", "a", "ö", "o", "ü", "u").Replace(line), strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue").Replace(line)}
	}
	if word, after, ok := strings.Cut(leading(line), "'"); ok {
		spelled = append(spelled, word+" ", word+after+line[len(leading(line)):])
	}
	var all []beginning
	for _, s := range spelled {
		f := fold(s).text
		n := 0
		for n < len(f) && isWordByte(f[n]) {
			n++
		}
		switch {
		case n == 0 && f != "" && f[0] >= utf8.RuneSelf:
			r, _ := utf8.DecodeRuneInString(f)
			all = append(all, beginning{text: string(r)})
		case n == 0:
			all = append(all, beginning{})
		default:
			whole := n == len(f) || strings.IndexByte("*(@", f[n]) < 0
			all = append(all, beginning{f[:n], whole})
		}
	}
	return slices.Compact(all)
}

// leading returns the first word of a pattern with its apostrophes.
func leading(line string) string {
	end := strings.IndexAny(line, " *(@|)$.,")
	if end < 0 {
		return line
	}
	return line[:end]
}

// choicesOf takes apart the group that a pattern begins with.
func choicesOf(line string) (choices []string, rest string) {
	depth, start := 0, 1
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case '(':
			depth++
		case '|':
			if depth == 1 {
				choices = append(choices, line[start:i])
				start = i + 1
			}
		case ')':
			if depth--; depth == 0 {
				return append(choices, line[start:i]), line[i+1:]
			}
		}
	}
	return append(choices, line[start:]), ""
}
