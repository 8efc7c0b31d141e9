// Package measure prints how well reldate finds relative dates: precision and recall by language, over
// the labelled sentences that its rules were made on and over those held out, which they were not made on.
// A hit counts as right where its words and its date both are. Verbose, it prints each error on the first
// set; those on the second are not shown, so that nobody fixes them one by one.
package measure

import (
	"fmt"
	"io"
)

// Print writes the measure; verbose says each error on the labelled set too.
func Print(w io.Writer, verbose bool) error {
	for _, set := range []struct{ name, text string }{{"labelled", labelled}, {"held out", heldout}} {
		scores, errors := measure(parse(set.text))
		fmt.Fprintf(w, "%-9s sentences traps  hits  precision recall\n", set.name)
		for _, lang := range append(languages, "") {
			s, name := scores[lang], lang
			if name == "" {
				name = "all"
			}
			fmt.Fprintf(w, "%-9s %9d %5d %5d  %9.3f %6.3f\n", name, s.sentences, s.traps, s.right+s.lost, s.precision(), s.recall())
		}
		if verbose && set.text == labelled {
			for _, e := range errors {
				fmt.Fprintln(w, e)
			}
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintf(w, "memories   files        hits  precision recall\n")
	for _, part := range []string{"labelled", "heldout"} {
		s, errors := measureMemories(part)
		fmt.Fprintf(w, "%-9s %6d %11d  %9.3f %6.3f\n", part, s.sentences, s.right+s.lost, s.precision(), s.recall())
		if verbose && part == "labelled" {
			for _, e := range errors {
				fmt.Fprintln(w, e)
			}
		}
	}
	return nil
}
