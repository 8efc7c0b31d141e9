package main

import (
	_ "embed"
	"fmt"
	"io"
	"strings"

	"dream-mcp/memory"
	"dream-mcp/memory/rule"
)

//go:embed testdata/kept.txt
var keptSet string

// measureKept asks what a merge of each first line into the second one loses.
func measureKept(set string) (h score, err error) {
	topic := func(text string) *memory.Topic {
		return memory.ParseTopic([]byte("---\nname: a\ndescription: b\ntype: user\n---\n" + text + "\n"))
	}
	from, err := memory.ParseName("a.md")
	if err != nil {
		return h, err
	}
	into, err := memory.ParseName("b.md")
	old := ""
	for row := range strings.SplitSeq(strings.TrimSpace(set), "\n") {
		switch row[0] {
		case '+', '-':
			old = row
		case ' ':
			lost := rule.Lost(map[memory.Name]*memory.Topic{from: topic(old[2:])}, into, topic(row[2:]), nil)
			h.count(old[0] == '+', len(lost) > 0, old)
		}
	}
	return h, err
}

func printKept(w io.Writer, verbose bool) error {
	labelled, heldout, _ := strings.Cut(keptSet, "; held out\n")
	for i, set := range []string{labelled, heldout} {
		h, err := measureKept(set)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "%-9s %d lose something, %d do not: precision %.3f, recall %.3f\n",
			[]string{"labelled", "held out"}[i], h.faulty, h.innocent, h.precision(), h.recall())
		for _, e := range h.errors {
			if verbose && i == 0 {
				fmt.Fprintf(w, "  %s\n", e)
			}
		}
	}
	return nil
}
