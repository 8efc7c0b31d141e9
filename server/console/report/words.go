package report

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
)

// run is a part of a comparison. Op is ' ' for text in both, '-' or '+' for text in one, and '…' for omitted
// unchanged lines.
type run struct {
	Op   rune
	Text string
}

var token = regexp.MustCompile(`\n|[^\S\n]+|[\p{L}\p{M}\p{N}_]+|.`)

// newline replaces a line break inside a token. It never occurs in the texts, whose hidden characters are visible.
const newline = "\x00"

// words compares two texts word by word, by a line diff with one word on each line.
func words(before, after string) []run {
	if before == "" {
		return []run{{'+', after}}
	}
	if after == "" {
		return []run{{'-', before}}
	}
	old, new := tokens(before), tokens(after)
	var runs []run
	add := func(op rune, text string) {
		if n := len(runs) - 1; n >= 0 && runs[n].Op == op {
			runs[n].Text += text
		} else if text != "" {
			runs = append(runs, run{op, text})
		}
	}
	at := 0 // index in old
	for i, line := range strings.SplitAfter(string(diff.Diff("", lines(old), "", lines(new))), "\n") {
		if i < 3 || line == "" {
			continue // the header
		}
		if line[0] == '@' {
			var from int
			fmt.Sscanf(line, "@@ -%d", &from)
			for ; at < from-1; at++ {
				add(' ', old[at])
			}
			continue
		}
		if line[0] != '+' {
			at++
		}
		add(rune(line[0]), strings.ReplaceAll(line[1:len(line)-1], newline, "\n"))
	}
	for ; at < len(old); at++ {
		add(' ', old[at])
	}
	return shorten(runs)
}

func tokens(text string) []string { return token.FindAllString(text, -1) }

func lines(tokens []string) []byte {
	var b bytes.Buffer
	for _, t := range tokens {
		b.WriteString(strings.ReplaceAll(t, "\n", newline) + "\n")
	}
	return b.Bytes()
}

// shorten omits the middle of unchanged text. It keeps two lines on each side of a change.
func shorten(runs []run) []run {
	const kept = 2
	var short []run
	for i, r := range runs {
		lines := strings.SplitAfter(r.Text, "\n")
		head, tail := kept, kept+1
		if i == 0 {
			head = 0
		}
		if i == len(runs)-1 {
			tail = 0
		}
		if r.Op != ' ' || len(lines) <= head+tail+1 {
			short = append(short, r)
			continue
		}
		short = append(short,
			run{' ', strings.Join(lines[:head], "")},
			run{'…', fmt.Sprintf("%d lines unchanged", len(lines)-head-tail)},
			run{' ', strings.Join(lines[len(lines)-tail:], "")})
	}
	return short
}
