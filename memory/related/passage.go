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

	about string // the headings above it, and what its list belongs to
}

// Where returns the file and the line, as in "a.md:12".
func (p Passage) Where() string { return fmt.Sprintf("%s:%d", p.File, p.Line) }

// Bounds, in bytes. A longer paragraph is cut at sentences, a longer block of code at lines.
const (
	maxPassage = 600
	maxAbout   = 200 // of what a list belongs to
)

// splitter cuts a text into passages.
type splitter struct {
	text     string
	file     string
	passages []Passage

	from, to, line int // the passage so far; from < 0: none
	indent         int // of its list marker, or -1
	headings       []string
	levels         []int
	parents        []parent // the list items above, by indent
	lead           string   // the paragraph above, if it ends with a colon
}

type parent struct {
	indent int
	text   string
}

// split returns the passages of a text that begins in a line of a file.
func split(body, file string, line int) []Passage {
	s := &splitter{text: body, file: file, from: -1, indent: -1}
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
	marker := memory.BulletMarker(line)
	switch {
	case strings.Trim(trimmed, "-*_=|: ") == "":
		s.flush()
	case trimmed[0] == '#' && memory.HeadingText(trimmed) != trimmed:
		s.flush()
		s.heading(trimmed)
	case marker != "":
		s.flush()
		s.indent = len(line) - len(strings.TrimLeft(line, " \t"))
		for len(s.parents) > 0 && s.parents[len(s.parents)-1].indent >= s.indent {
			s.parents = s.parents[:len(s.parents)-1]
		}
		s.extend(line, at, number)
	case trimmed[0] == '|':
		s.flush()
		s.extend(line, at, number)
		s.flush()
	default:
		if s.from < 0 && line == strings.TrimLeft(line, " \t") {
			s.parents = nil
		}
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

// heading replaces the headings of its level and below.
func (s *splitter) heading(line string) {
	level := len(line) - len(strings.TrimLeft(line, "#"))
	for len(s.levels) > 0 && s.levels[len(s.levels)-1] >= level {
		s.levels, s.headings = s.levels[:len(s.levels)-1], s.headings[:len(s.headings)-1]
	}
	s.levels, s.headings = append(s.levels, level), append(s.headings, memory.HeadingText(line))
	s.parents, s.lead = nil, ""
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }

// flush ends the passage.
func (s *splitter) flush() {
	if s.from < 0 {
		return
	}
	whole := strings.TrimSpace(s.text[s.from:s.to])
	above := append([]string(nil), s.headings...)
	isItem := s.indent >= 0
	if isItem || whole != "" && (whole[0] == '|' || whole[0] == '`' || whole[0] == '~') {
		above = append(above, s.lead)
	}
	for _, p := range s.parents {
		above = append(above, p.text)
	}
	about := strings.TrimSpace(strings.Join(above, "\n"))
	line := s.line
	for _, part := range parts(whole) {
		if strings.ContainsFunc(part, isWordRune) {
			above := part[:len(part)-len(strings.TrimLeftFunc(part, unicode.IsSpace))]
			s.passages = append(s.passages, Passage{File: s.file, Line: line + strings.Count(above, "\n"), Text: strings.TrimSpace(part), about: about})
		}
		line += strings.Count(part, "\n")
	}
	switch begin := whole[:min(len(whole), maxAbout)]; {
	case isItem:
		s.parents = append(s.parents, parent{s.indent, begin})
	case strings.HasSuffix(strings.TrimRight(whole, "*_ "), ":"), strings.HasSuffix(whole, "："):
		s.lead = begin
	}
	s.from, s.indent = -1, -1
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
