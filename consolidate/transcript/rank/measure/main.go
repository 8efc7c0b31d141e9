// Command measure tells how well ranked search finds the turns that answer a question: the share of
// questions with an evidence turn at the first place and among the first five, the share with all of
// them there, and the mean reciprocal rank, for plain BM25 and for package rank.
//
// Without a flag it measures the conversations in testdata, written for this project, each question
// against all of them. With --locomo it measures a file in the LoCoMo format, each question against its own conversation.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

func run(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("measure", flag.ContinueOnError)
	flags.SetOutput(stderr)
	locomo := flags.String("locomo", "", "measure this `file` in LoCoMo's format in place of our own set")
	labels := flags.Bool("labels", false, "write the speaker's name before each LoCoMo turn")
	misses := flags.String("misses", "", "print the questions of this `part` (tuning or all) that ours misses among five")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	sets, err := own()
	if *locomo != "" {
		sets, err = readLocomo(*locomo, *labels)
	}
	if err != nil {
		fmt.Fprintf(stderr, "error: %v\n", err)
		return 1
	}
	report(stdout, sets, *misses)
	return 0
}
