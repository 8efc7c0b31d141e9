package said

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
)

// What is read whole is given up as a file is.
func TestRecordsGivenUp(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	lines := (&Source{Records: make([]Record, 3)}).Lines(ctx, 1, 0, new(atomic.Int64))
	defer lines.Close()
	r := NewReader(File{}, lines, func(*Entry) error { return nil })
	r.Full, r.Settle = func() bool { cancel(); return false }, func() {}
	if err := r.Run(); !errors.Is(err, context.Canceled) || lines.Number != 0 {
		t.Errorf("%v after line %d", err, lines.Number)
	}
}
