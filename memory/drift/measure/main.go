// Command measure prints how well drift finds what a project no longer has: precision and recall by code
// span, over the labelled memories that its rules were made on and over those held out, which they were
// not made on. With -v it prints each error on the first set; those on the second are not shown, so that
// nobody mends them one by one.
package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	verbose := flag.Bool("v", false, "print each error on the labelled set")
	flag.Parse()
	fmt.Printf("%-9s spans drifted precision recall\n", "set")
	for _, set := range []struct{ name, text string }{{"labelled", labelled}, {"held out", heldout}} {
		s, errors, err := measure(set.text)
		if err != nil {
			fmt.Fprintln(os.Stderr, "error:", err)
			os.Exit(1)
		}
		fmt.Printf("%-9s %5d %7d %9.3f %6.3f\n", set.name, s.spans, s.right+s.lost, s.precision(), s.recall())
		if *verbose && set.text == labelled {
			for _, e := range errors {
				fmt.Println(e)
			}
		}
	}
}
