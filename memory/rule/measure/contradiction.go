package main

import (
	_ "embed"
	"fmt"
	"io"
	"strings"
	"time"

	"dream-mcp/memory"
	"dream-mcp/memory/rule"
)

//go:embed testdata/contradiction.txt
var contradictionSet string

// measureContradiction asks the rule about each pair of lines of a set, as the texts of two memories.
func measureContradiction(set string) (h score, err error) {
	for row := range strings.SplitSeq(strings.TrimSpace(set), "\n") {
		if row == "" || row[0] == ';' {
			continue
		}
		s := &memory.Snapshot{Topics: make(map[memory.Name]*memory.Topic)}
		for i, text := range strings.Split(row[2:], " || ") {
			name, err := memory.ParseName(fmt.Sprintf("m%d.md", i))
			if err != nil {
				return h, err
			}
			s.Put(name, fmt.Appendf(nil, "---\nname: m%d\ndescription: the fact %d\ntype: user\n---\n%s\n", i, i, text))
		}
		found := false
		for _, f := range rule.Lint(s, nil, time.Now()) {
			found = found || f.Rule == "contradiction"
		}
		h.count(row[0] == '+', found, row)
	}
	return h, nil
}

func printContradiction(w io.Writer, verbose bool) error {
	labelled, heldout, _ := strings.Cut(contradictionSet, "; held out\n")
	for _, set := range []struct{ name, text string }{{"labelled", labelled}, {"held out", heldout}} {
		h, err := measureContradiction(set.text)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "%-9s %3d contradict, %3d do not: precision %.3f, recall %.3f\n", set.name, h.faulty, h.innocent, h.precision(), h.recall())
		if verbose && set.name == "labelled" {
			for _, e := range h.errors {
				fmt.Fprintln(w, e)
			}
		}
	}
	return nil
}
