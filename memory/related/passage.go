package related

import (
	"fmt"
	"strings"
	"unicode"

	"dream-mcp/memory"
	"dream-mcp/memory/text"
)

// A Passage is a paragraph, a list item, a row of a table or a block of code of a memory, or its description.
type Passage struct {
	File string
	Line int    // from 1, of its first line
	Text string // as it is written, without white space at its ends

	described bool // it is the description
}

// Where returns the file and the line, as in "a.md:12".
func (p Passage) Where() string { return fmt.Sprintf("%s:%d", p.File, p.Line) }

// maxPassage is in bytes. A longer paragraph is cut at sentences, a longer block of code at lines.
const maxPassage = 600

// splitter cuts a text into passages.
type splitter struct {
	text     string
	file     string
	passages []Passage

	from, to, line int // the passage so far; from < 0: none
}

// split returns the passages of a text that begins in a line of a file.
func split(body, file string, line int) []Passage {
	s := &splitter{text: body, file: file, from: -1}
	at, wasCode := 0, false
	for text, code := range memory.Lines(body) {
		next := at + len(text) + 1
		if at+len(text) < len(body) && body[at+len(text)] == '\r' {
			next++
		}
		if code != wasCode {
			s.flush()
		}
		if wasCode = code; code {
			s.code(text, at, line)
		} else {
			s.prose(text, at, line)
		}
		at = next
		line++
	}
	s.flush()
	return s.passages
}

func (s *splitter) code(line string, at, number int) {
	if s.from >= 0 && at+len(line)-s.from > maxPassage {
		s.flush()
	}
	s.extend(line, at, number)
}

func (s *splitter) prose(line string, at, number int) {
	trimmed := strings.TrimSpace(line)
	switch {
	case strings.Trim(trimmed, "-*_=|: ") == "":
		s.flush()
	case trimmed[0] == '#' && memory.HeadingText(trimmed) != trimmed:
		s.flush()
	case memory.BulletMarker(line) != "":
		s.flush()
		s.extend(line, at, number)
	case trimmed[0] == '|':
		s.flush()
		s.extend(line, at, number)
		s.flush()
	default:
		s.extend(line, at, number)
	}
}

// extend adds a line to the passage, or begins one with it.
func (s *splitter) extend(line string, at, number int) {
	if s.from < 0 {
		s.from, s.line = at, number
	}
	s.to = at + len(line)
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }

// flush ends the passage.
func (s *splitter) flush() {
	if s.from < 0 {
		return
	}
	whole := strings.TrimSpace(s.text[s.from:s.to])
	line := s.line
	for _, part := range parts(whole) {
		if strings.ContainsFunc(part, isWordRune) {
			above := part[:len(part)-len(strings.TrimLeftFunc(part, unicode.IsSpace))]
			s.passages = append(s.passages, Passage{File: s.file, Line: line + strings.Count(above, "\n"), Text: strings.TrimSpace(part)})
		}
		line += strings.Count(part, "\n")
	}
	s.from = -1
}

// parts cuts a text into parts of whole sentences, as many as fit into maxPassage and at least one.
func parts(s string) (parts []string) {
	if len(s) <= maxPassage {
		return []string{s}
	}
	from, to := 0, 0
	for _, sentence := range text.Sentences(s) {
		if to > from && to+len(sentence)-from > maxPassage {
			parts, from = append(parts, s[from:to]), to
		}
		to += len(sentence)
	}
	return append(parts, s[from:])
}
