package main

import (
	"errors"
	"testing"
	"time"
)

// The end waits for a call, but not for ever: a server that nobody uses any more goes.
func TestWithin(t *testing.T) {
	failed := errors.New("failed")
	for _, err := range []error{nil, failed} {
		if got := within(time.Minute, func() error { return err }); got != err {
			t.Errorf("what ends with %v is told of as %v", err, got)
		}
	}
	never := make(chan struct{})
	defer close(never)
	if err := within(time.Millisecond, func() error { <-never; return nil }); err == nil {
		t.Error("what does not end is told of as ended")
	}
}
