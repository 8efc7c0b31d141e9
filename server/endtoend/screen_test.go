package endtoend

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// screen is a terminal that knows what our own drawing needs, and nothing else: whatever else is written to it is a
// fault, as what others wrote would be that reached a person's terminal.
type screen struct {
	width, height int
	rows          [][]string // by cells; "" is the second cell of a wide character
	x, y          int
	top, bottom   int          // the rows that scroll: from top to before bottom
	modes         map[int]bool // that were set or reset
	rest          []byte       // the beginning of something
	fault         string       // the first
	parser        *ansi.Parser
}

func newScreen(width, height int) *screen {
	s := &screen{modes: map[int]bool{autoWrap: true, cursorShown: true}, parser: ansi.NewParser()}
	s.resize(width, height)
	return s
}

// resize empties the screen: what a terminal makes of its rows then is its own affair.
func (s *screen) resize(width, height int) {
	s.width, s.height, s.x, s.y, s.top, s.bottom = width, height, 0, 0, 0, height
	s.rows = make([][]string, height)
	for y := range s.rows {
		s.rows[y] = slices.Repeat([]string{" "}, width)
	}
}

// String is what a person sees, without the spaces at the ends of lines.
func (s *screen) String() string {
	var b strings.Builder
	for _, row := range s.rows {
		b.WriteString(strings.TrimRight(strings.Join(row, ""), " ") + "\n")
	}
	return b.String()
}

// write draws what the program wrote.
func (s *screen) write(data []byte) {
	s.rest = append(s.rest, data...)
	whole := len(s.rest) // without a character whose last bytes are still to come: it would count as a part of the one before
	for tail := 1; tail < utf8.UTFMax && tail <= len(s.rest); tail++ {
		if from := len(s.rest) - tail; utf8.RuneStart(s.rest[from]) {
			if !utf8.FullRune(s.rest[from:]) {
				whole = from
			}
			break
		}
	}
	for whole > 0 {
		seq, width, n, state := ansi.DecodeSequence(s.rest[:whole], ansi.NormalState, s.parser)
		if state != ansi.NormalState {
			return // the end of it is still to come
		}
		if width > 0 {
			s.print(string(seq), width)
		} else if !s.control(string(seq)) && s.fault == "" {
			s.fault = fmt.Sprintf("%q was written to the terminal", seq)
		}
		s.rest, whole = s.rest[n:], whole-n
	}
}

// print writes one character.
func (s *screen) print(character string, width int) {
	for _, r := range character {
		if !unicode.IsGraphic(r) && s.fault == "" {
			s.fault = fmt.Sprintf("%q holds what can't be seen", character)
		}
	}
	if s.x+width > s.width {
		if s.modes[autoWrap] {
			s.x, s.y = 0, s.y+1
		} else {
			s.x = max(0, s.width-width)
		}
	}
	if s.y >= s.height || s.x+width > s.width {
		return
	}
	s.rows[s.y][s.x] = character
	for i := 1; i < width; i++ {
		s.rows[s.y][s.x+i] = ""
	}
	s.x += width
}

// control does what a control character or a sequence says, and reports whether it is one of those that we draw with.
func (s *screen) control(seq string) bool {
	switch seq {
	case "\r":
		s.x = 0
		return true
	case "\n":
		if s.y == s.bottom-1 {
			s.scroll(s.top, 1)
		} else {
			s.y = min(s.y+1, s.height-1)
		}
		return true
	case "\b":
		s.x = max(0, s.x-1)
		return true
	case "\t":
		s.x = min(s.x/8*8+8, s.width-1)
		return true
	case ansi.ReverseIndex:
		if s.y == s.top {
			s.scroll(s.top, -1)
		} else {
			s.y = max(0, s.y-1)
		}
		return true
	case ansi.SetWindowTitle("dream-mcp"), ansi.SetWindowTitle(""):
		return true
	}
	if !ansi.HasCsiPrefix(seq) {
		return false
	}
	n, _ := s.parser.Param(0, 0)
	cmd := ansi.Cmd(s.parser.Command())
	if cmd.Prefix() == '?' && (cmd.Final() == 'h' || cmd.Final() == 'l') {
		s.modes[n] = cmd.Final() == 'h'
		if n == alternateScreen {
			s.erase(0, s.width*s.height)
		}
		return n == autoWrap || n == alternateScreen || n == cursorShown || n == bracketedPaste || n == synchronized || n == graphemes
	}
	if cmd.Prefix() != 0 {
		// Asked are modes and the keyboard's protocol, set are tab stops and what keys send.
		return strings.ContainsRune("pWuma", rune(cmd.Final()))
	}
	here, row := s.y*s.width+s.x, s.y*s.width
	times := max(1, n)
	switch cmd.Final() {
	case 'm': // colours
	case 'H':
		column, _ := s.parser.Param(1, 1)
		s.x, s.y = clamp(column-1, s.width), clamp(times-1, s.height)
	case 'G', '`':
		s.x = clamp(times-1, s.width)
	case 'd':
		s.y = clamp(times-1, s.height)
	case 'A':
		s.y = clamp(s.y-times, s.height)
	case 'B':
		s.y = clamp(s.y+times, s.height)
	case 'C':
		s.x = clamp(s.x+times, s.width)
	case 'D':
		s.x = clamp(s.x-times, s.width)
	case 'I':
		for range times {
			s.control("\t")
		}
	case 'Z':
		for range times {
			s.x = max(0, (s.x-1)/8*8)
		}
	case 'X':
		s.erase(here, min(here+times, row+s.width))
	case 'J':
		s.erase([]int{here, 0, 0}[min(n, 2)], []int{s.width * s.height, here + 1, s.width * s.height}[min(n, 2)])
	case 'K':
		s.erase([]int{here, row, row}[min(n, 2)], []int{row + s.width, here + 1, row + s.width}[min(n, 2)])
	case 'r':
		bottom, _ := s.parser.Param(1, s.height)
		s.x, s.y, s.top, s.bottom = 0, 0, clamp(times-1, s.height), clamp(bottom-1, s.height)+1
	case 'S':
		s.scroll(s.top, times)
	case 'T':
		s.scroll(s.top, -times)
	case 'M':
		s.scroll(s.y, times)
	case 'L':
		s.scroll(s.y, -times)
	case 'b':
		if s.x > 0 && s.x <= s.width {
			last := s.rows[s.y][s.x-1]
			for range times {
				s.print(last, 1)
			}
		}
	default:
		return false
	}
	return true
}

// The modes that a program may set, by their numbers.
const (
	autoWrap        = 7
	cursorShown     = 25
	alternateScreen = 1049
	bracketedPaste  = 2004
	synchronized    = 2026
	graphemes       = 2027
)

// scroll moves the rows from one on to the bottom of those that scroll up by n, or down.
func (s *screen) scroll(from, n int) {
	for range max(n, -n) {
		blank := slices.Repeat([]string{" "}, s.width)
		if n > 0 {
			s.rows = slices.Insert(slices.Delete(s.rows, from, from+1), s.bottom-1, blank)
		} else {
			s.rows = slices.Insert(slices.Delete(s.rows, s.bottom-1, s.bottom), from, blank)
		}
	}
}

// erase empties cells, counted row by row.
func (s *screen) erase(from, to int) {
	for at := from; at < min(to, s.width*s.height); at++ {
		s.rows[at/s.width][at%s.width] = " "
	}
}

func clamp(at, size int) int { return min(max(0, at), size-1) }
