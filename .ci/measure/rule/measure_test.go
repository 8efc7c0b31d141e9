package main

import (
	"bytes"
	"strings"
	"testing"
)

// TestInvisibleFloors holds what the sets were measured at, less what a change of a few lines costs.
func TestInvisibleFloors(t *testing.T) {
	labelled, heldout, ok := strings.Cut(invisibleSet, "; held out\n")
	for name, set := range map[string]string{"labelled": labelled, "held out": heldout} {
		h, err := measureInvisible(set)
		if err != nil || !ok {
			t.Fatal(ok, err)
		}
		if h.faulty < 20 || h.innocent < 25 || h.precision() < 0.95 || h.recall() < 0.95 {
			t.Errorf("%s: %d hide, %d innocent, precision %.3f, recall %.3f: %q", name, h.faulty, h.innocent, h.precision(), h.recall(), h.errors)
		}
	}
}

func TestRun(t *testing.T) {
	var b bytes.Buffer
	if err := run(&b, []string{"secret", "invisible"}, false); err != nil || !strings.Contains(b.String(), "== secret\n") ||
		strings.Contains(b.String(), "relative-date") {
		t.Errorf("%v:\n%s", err, b.String())
	}
	if err := run(&b, []string{"secrets"}, false); err == nil {
		t.Error("a rule that is none is measured")
	}
}

// TestKeptFloors holds how often a merge names what it loses, and only that.
func TestKeptFloors(t *testing.T) {
	labelled, heldout, ok := strings.Cut(keptSet, "; held out\n")
	for name, set := range map[string]string{"labelled": labelled, "held out": heldout} {
		h, err := measureKept(set)
		if err != nil || !ok {
			t.Fatal(ok, err)
		}
		if h.faulty < 20 || h.innocent < 15 || h.precision() < 0.85 || h.recall() < 0.75 {
			t.Errorf("%s: %d lose, %d do not, precision %.3f, recall %.3f: %q", name, h.faulty, h.innocent, h.precision(), h.recall(), h.errors)
		}
	}
}
