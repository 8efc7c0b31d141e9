// Package measure prints how well likeness finds memories that say the same: precision and recall by
// language, over the labelled families that it was tuned on and over those held out. A pair of one
// family is the same or an innocent look-alike; each family is also compared with every other, and what
// is reported there counts against precision. Verbose, it prints each error on the first set; those on the
// second are not shown, so that nobody fixes them one by one.
package measure

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// Print writes the measure; verbose says each error on the labelled set too.
func Print(w io.Writer, verbose bool) error {
	for _, set := range []struct {
		name     string
		examples []example
	}{{"labelled", parse(labelled)}, {"held out", parse(heldout)}, {"long", parseLong("labelled")}, {"long, held out", parseLong("heldout")}} {
		scores, errors := measure(set.examples)
		fmt.Fprintf(w, "%-9s  same innocent right wrong foreign  precision recall  in other words\n", set.name)
		for _, lang := range slices.Backward(slices.Sorted(maps.Keys(scores))) {
			s, name := scores[lang], lang
			if name == "" {
				name = "all"
			}
			fmt.Fprintf(w, "%-9s %5d %8d %5d %5d %7d %10.3f %6.3f  %6d of %d\n", name, s.same, s.innocent, s.right, s.wrong, s.foreign, s.precision(), s.recall(), s.looseRight, s.loose)
		}
		if verbose && !strings.HasSuffix(set.name, "held out") {
			for _, e := range errors {
				fmt.Fprintln(w, e)
			}
		}
		fmt.Fprintln(w)
	}
	return nil
}
