// Command measure prints how well ranked search finds the turns that answer a question, for plain BM25
// and for package rank: the share of questions with an evidence turn at the first place and among the
// first five, with all of them there, with the right session among the first five, and the mean
// reciprocal rank.
//
// Without a flag it measures the conversations in testdata, written for this project, each question
// against all of them: as they are, and with task talk around the evidence. With -locomo or -longmemeval
// it measures a file in that format, each question against its own conversations.
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
	longMemEval := flags.String("longmemeval", "", "measure this `file` in LongMemEval's format in place of our own set")
	labels := flags.Bool("labels", false, "write the speaker's name before each LoCoMo turn")
	misses := flags.String("misses", "", "print the questions of this `part` (tuning or all) that ours misses among five")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	var err error
	var public []set
	switch {
	case *locomo != "":
		public, err = readLocomo(*locomo, *labels)
	case *longMemEval != "":
		public, err = readLongMemEval(*longMemEval)
	default:
		var talk, noisyTalk, worked set
		if talk, noisyTalk, worked, err = own(); err == nil {
			report(stdout, "people who talk", []set{talk}, *misses)
			report(stdout, "the same among task talk", []set{noisyTalk}, *misses)
			report(stdout, "work with an agent, among task talk", []set{worked}, *misses)
			return 0
		}
	}
	if err != nil {
		fmt.Fprintf(stderr, "error: %v\n", err)
		return 1
	}
	report(stdout, *locomo+*longMemEval, public, *misses)
	return 0
}
