package main

import (
	_ "embed"
	"fmt"
	"io"
	"strconv"
	"strings"

	"dream-mcp/memory"
	"dream-mcp/memory/rule"
)

// The labelled lines: "+" where the line hides something, "-" where it is innocent, with the escapes of Go.
// What is after "; held out" was written after the rule, which was not changed for it.
//
//go:embed testdata/invisible.txt
var invisibleSet string

// score counts what became of the lines of a set.
type score struct {
	faulty, innocent   int
	right, wrong, lost int
	errors             []string
}

func (h score) precision() float64 { return share(h.right, h.wrong) }
func (h score) recall() float64    { return share(h.right, h.lost) }

func share(right, other int) float64 {
	if right+other == 0 {
		return 1
	}
	return float64(right) / float64(right+other)
}

// measureInvisible asks the rule about each line of a set, as the text of a memory.
func measureInvisible(set string) (score, error) {
	var h score
	name, err := memory.ParseName("a.md")
	if err != nil {
		return h, err
	}
	for row := range strings.SplitSeq(strings.TrimSpace(set), "\n") {
		if row == "" || row[0] == ';' {
			continue
		}
		text, err := strconv.Unquote(`"` + row[2:] + `"`)
		if err != nil {
			return h, fmt.Errorf("%q: %w", row, err)
		}
		topic := memory.ParseTopic([]byte("---\nname: a\ndescription: b\ntype: user\n---\n" + text + "\n"))
		if strings.HasPrefix(text, "\ufeff") {
			topic = memory.ParseTopic([]byte(text))
		}
		found := false
		for _, f := range (rule.Check{After: &memory.Snapshot{Topics: map[memory.Name]*memory.Topic{name: topic}}}).Written(name) {
			found = found || f.Rule == "invisible"
		}
		h.count(row[0] == '+', found, row)
	}
	return h, nil
}

func (h *score) count(hides, found bool, row string) {
	if hides {
		h.faulty++
	} else {
		h.innocent++
	}
	switch {
	case hides && found:
		h.right++
	case hides:
		h.lost++
		h.errors = append(h.errors, "lost "+row)
	case found:
		h.wrong++
		h.errors = append(h.errors, "wrong "+row)
	}
}

func printInvisible(w io.Writer, verbose bool) error {
	labelled, heldout, _ := strings.Cut(invisibleSet, "; held out\n")
	for _, set := range []struct{ name, text string }{{"labelled", labelled}, {"held out", heldout}} {
		h, err := measureInvisible(set.text)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "%-9s %3d hide, %3d innocent: precision %.3f, recall %.3f\n", set.name, h.faulty, h.innocent, h.precision(), h.recall())
		if verbose && set.name == "labelled" {
			for _, e := range h.errors {
				fmt.Fprintln(w, e)
			}
		}
	}
	return nil
}
