// Command measure prints how well likeness finds memories that say the same: precision and recall by
// language, over the labelled families that it was tuned on and over those held out. A pair of one
// family is the same or an innocent look-alike; each family is also compared with every other, and what
// is told there counts against precision. With -v it prints each error on the first set; those on the
// second are not shown, so that nobody mends them one by one.
package main

import (
	"flag"
	"fmt"
	"maps"
	"slices"
)

func main() {
	verbose := flag.Bool("v", false, "print each error on the labelled set")
	flag.Parse()
	for _, set := range []struct{ name, text string }{{"labelled", labelled}, {"held out", heldout}} {
		scores, errors := measure(parse(set.text))
		fmt.Printf("%-9s  same innocent right wrong foreign  precision recall\n", set.name)
		for _, lang := range slices.Backward(slices.Sorted(maps.Keys(scores))) {
			s, name := scores[lang], lang
			if name == "" {
				name = "all"
			}
			fmt.Printf("%-9s %5d %8d %5d %5d %7d %10.3f %6.3f\n", name, s.same, s.innocent, s.right, s.wrong, s.foreign, s.precision(), s.recall())
		}
		if *verbose && set.text == labelled {
			for _, e := range errors {
				fmt.Println(e)
			}
		}
		fmt.Println()
	}
}
