package signal

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// An op leads on where no literal does.
type op uint8

const (
	then   op = iota // nothing: the next piece follows
	oneOf            // the next word is one of words
	suffix           // the next word ends with text
	stem             // the rest of the word, if any
	gap              // anything within the sentence, up to maxGap bytes
	end              // the clause ends
)

// maxGap bounds what may stand between two pieces of a phrase, in bytes.
const maxGap = 90

// add parses a pattern and hangs its rule into the tree.
func (b *builder) add(r rule, pattern string) error {
	if optional, rest, ok := cutOptional(pattern); ok {
		if err := b.add(r, rest); err != nil { // nothing may lead away from the root without a byte
			return err
		}
		pattern = optional + rest
	}
	at, rest, err := b.sequence(b.root, pattern)
	if err == nil && rest != "" {
		err = fmt.Errorf("%q is not opened", rest[:1])
	}
	if err == nil && at == b.root {
		err = fmt.Errorf("a pattern needs words")
	}
	if err != nil {
		return fmt.Errorf("%q: %w", pattern, err)
	}
	at.rule(r)
	return nil
}

// cutOptional takes the empty choice, the last, from the parentheses that a pattern begins with.
func cutOptional(pattern string) (group, rest string, ok bool) {
	depth := 0
	for i := 0; i < len(pattern); i++ {
		switch pattern[i] {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth == 0 {
			return pattern[:max(i-1, 0)] + ")", pattern[i+1:], i > 1 && pattern[i-1] == '|'
		}
	}
	return "", pattern, false
}

// sequence hangs a pattern below a branch, up to its end or the end of a choice, and returns the
// branch behind it and what is left.
func (b *builder) sequence(at *branch, pattern string) (*branch, string, error) {
	for pattern != "" {
		var err error
		switch rest := pattern[1:]; {
		case pattern[0] == '|' || pattern[0] == ')':
			return at, pattern, nil
		case pattern[0] == '(':
			at, pattern, err = b.choices(at, rest)
		case pattern[0] == '@' && at == b.root:
			var name string
			name, pattern = leadingLetters(rest)
			at, err = b.lead(name)
		case at == b.root && (pattern[0] == '*' || pattern[0] == '$' || strings.HasPrefix(pattern, "...")):
			err = fmt.Errorf("it begins with no word")
		case pattern[0] == '@':
			j := jump{op: oneOf}
			j.text, pattern = leadingLetters(rest)
			if j.words = b.classes[j.text]; j.words == nil {
				err = fmt.Errorf("no class is named %q", j.text)
			}
			at = at.jump(j)
		case pattern[0] == '*':
			j := jump{op: suffix}
			if j.text, pattern = leadingLetters(rest); j.text == "" && !at.spaced {
				j.op = stem
			}
			at = at.jump(j)
		case pattern[0] == '$':
			at, pattern = at.jump(jump{op: end}), rest
		case strings.HasPrefix(pattern, "..."):
			at, pattern = at.jump(jump{op: gap}), strings.TrimLeft(pattern[len("..."):], " ")
		default:
			at, pattern, err = b.words(at, pattern)
		}
		if err != nil {
			return nil, "", err
		}
	}
	return at, "", nil
}

// choices hangs what stands between parentheses, the first of which has been read; all choices lead
// to one branch.
func (b *builder) choices(at *branch, pattern string) (behind *branch, rest string, err error) {
	behind = &branch{}
	for {
		last, rest, err := b.sequence(at, pattern)
		if err != nil {
			return nil, "", err
		}
		switch {
		case rest == "":
			return nil, "", fmt.Errorf("a parenthesis is not closed")
		case last == b.root:
			return nil, "", fmt.Errorf("an empty choice that a pattern begins with must be the last")
		}
		l := last.leading()
		l.jumps = append(l.jumps, &jump{op: then, branch: behind})
		behind.spaced = behind.spaced || last.spaced
		if pattern = rest[1:]; rest[0] == ')' {
			return behind, pattern, nil
		}
	}
}

// words hangs a run of plain characters.
func (b *builder) words(at *branch, pattern string) (*branch, string, error) {
	n := strings.IndexAny(pattern, "@*$()|")
	if n < 0 {
		n = len(pattern)
	}
	if gap := strings.Index(pattern, "..."); gap >= 0 && gap < n {
		n = gap
	}
	words, rest := pattern[:n], pattern[n:]
	first, _ := utf8.DecodeRuneInString(words)
	switch {
	case at == b.root && !unicode.IsLetter(first) && !unicode.IsDigit(first):
		return nil, "", fmt.Errorf("%q begins no word", words)
	case at.spaced && first == ' ' || strings.Contains(words, "  "):
		return nil, "", fmt.Errorf("two spaces before %q", strings.TrimLeft(words, " "))
	}
	if strings.HasPrefix(rest, "...") || strings.HasPrefix(rest, "$") || rest == "" {
		words = strings.TrimRight(words, " ")
	}
	return at.literal(words), rest, nil
}

// lead is the branch behind every word of a class.
func (b *builder) lead(name string) (*branch, error) {
	if b.classes[name] == nil {
		return nil, fmt.Errorf("no class is named %q", name)
	}
	if b.leading[name] == nil {
		b.leading[name] = &branch{}
		for word := range b.classes[name] {
			last := b.root.literal(word)
			l := last.leading()
			l.jumps = append(l.jumps, &jump{op: then, branch: b.leading[name]})
		}
	}
	return b.leading[name], nil
}

// leadingLetters cuts a text behind its first letters of ASCII.
func leadingLetters(text string) (letters, rest string) {
	rest = strings.TrimLeft(text, "abcdefghijklmnopqrstuvwxyz")
	return text[:len(text)-len(rest)], rest
}
