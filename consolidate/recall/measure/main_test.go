package main

import (
	"io"
	"testing"
)

// Of what is shown nine tenths are right, silence is kept, and most of what is known is found, in both halves of both sets.
func TestTargets(t *testing.T) {
	for _, set := range sets {
		all, prompts, err := fixture(set)
		if err != nil {
			t.Fatal(err)
		}
		tuned, held := measure(all, prompts, false, io.Discard)
		for _, half := range []tally{tuned, held} {
			if half.right*10 < half.pushed*9 || half.silent*20 < half.unanswered*19 || half.found*10 < half.answered*7 {
				t.Errorf("%d memories, %v: want 0.9, 0.95, 0.7", len(all), half)
			}
		}
		if n := tuned.answered + tuned.unanswered + held.answered + held.unanswered; len(all) < 40 || n < 150 {
			t.Errorf("%d memories and %d prompts", len(all), n)
		}
	}
}
