// Package measure measures how well drift finds what a project no longer has: precision and recall by code
// span, over the labelled memories that its rules were made on and over those held out, which they were
// not made on. `go run -C .ci ./measure/rule drift` prints it.
//
// It promises the same numbers for the same code, and not those of memories elsewhere: the sets are made of
// what is hard.
package measure

import (
	"fmt"
	"io"
)

// Print writes a line for each set. Where it is verbose it adds each error on the first; those on the
// second are not shown, so that nobody fixes them one by one.
func Print(w io.Writer, verbose bool) error {
	fmt.Fprintf(w, "%-20s lines drifted precision recall\n", "set")
	for _, set := range []struct {
		name, text string
		shallow    bool
	}{{"labelled", labelled, false}, {"held out", heldout, false}, {"labelled, one commit", labelled, true}, {"held out, one commit", heldout, true}} {
		s, errors, err := measure(set.text, set.shallow)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "%-20s %5d %7d %9.3f %6.3f\n", set.name, s.lines, s.right+s.lost, s.precision(), s.recall())
		if verbose && set.text == labelled {
			for _, e := range errors {
				fmt.Fprintln(w, e)
			}
		}
	}
	return nil
}
