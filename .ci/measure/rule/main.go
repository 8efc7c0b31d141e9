// Command measure prints how often the rules that judge text are right: precision and recall on labelled
// sets, and on sets that were held out while the rules were made. Arguments name the rules; without one it
// is all of them. With -v it says each error on the labelled sets; those on the others are not shown, so
// that nobody fixes them one by one.
//
// It promises the same numbers for the same code. It does not promise them for text elsewhere: the sets are
// made of what is hard.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"slices"

	drift "dream-mcp/ci/measure/drift"
	reldate "dream-mcp/ci/measure/reldate"
	secret "dream-mcp/ci/measure/secret"
)

// measures has a row for each rule that has a labelled set.
var measures = []struct {
	rule  string
	print func(w io.Writer, verbose bool) error
}{
	{"secret", secret.Print},
	{"invisible", printInvisible},
	{"relative-date", reldate.Print},
	{"drift", drift.Print},
	{"loss", printKept},
}

func main() {
	verbose := flag.Bool("v", false, "print each error on the labelled sets")
	flag.Parse()
	if err := run(os.Stdout, flag.Args(), *verbose); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run(w io.Writer, rules []string, verbose bool) error {
	var known []string
	for _, m := range measures {
		known = append(known, m.rule)
	}
	for _, rule := range rules {
		if !slices.Contains(known, rule) {
			return fmt.Errorf("%q has no labelled set; these have: %q", rule, known)
		}
	}
	for _, m := range measures {
		if len(rules) > 0 && !slices.Contains(rules, m.rule) {
			continue
		}
		fmt.Fprintf(w, "== %s\n", m.rule)
		if err := m.print(w, verbose); err != nil {
			return err
		}
		fmt.Fprintln(w)
	}
	return nil
}
