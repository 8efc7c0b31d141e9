package console

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"syscall"
	"testing"

	"dream-mcp/consolidate/lock"
	"dream-mcp/consolidate/ops"
)

func TestFail(t *testing.T) {
	t.Parallel()
	abc := ops.Op{Header: ops.Header{ID: "abc"}}
	tests := []struct {
		err   error
		code  int
		error string
		hint  string // a part of it
	}{
		{usage("unknown verb"), 2, "unknown verb", "dream-mcp help"},
		{fmt.Errorf("%w: %q", ops.ErrUnknown, "abc"), 1, `unknown ID: "abc"`, "dream-mcp log"},
		{&lock.BusyError{Holder: "process 7"}, 1, "the memory is in use: process 7", "dream-mcp dream --stop"},
		{found(2, 1), 1, "2 problems", "dream-mcp doctor --fix fixes 1"},
		{found(1, 0), 1, "1 problem", "marked !"},
		{&ops.RequestError{Message: "no", Hint: "so"}, 1, "no", "so"},
		{kept(abc, make([]ops.Conflict, 1)), 1, "changed later, so not undone: 1 file", "dream-mcp diff abc"},
		{kept(abc, make([]ops.Conflict, 2)), 1, "changed later, so not undone: 2 files", "dream-mcp diff abc"},
		{context.Canceled, 1, "interrupted", "dream-mcp status"},
		{&fs.PathError{Op: "open", Path: "a", Err: fs.ErrPermission}, 1, "open a: permission denied", "permissions"},
		{&fs.PathError{Op: "write", Path: "a", Err: syscall.ENOSPC}, 1, "write a: no space left on device", "free some space"},
		{errors.New("anything"), 1, "anything", "dream-mcp help"},
		{errors.Join(errors.New("one"), errors.New("two")), 1, "one; two", ""},        // two lines whatever it says
		{errors.New("a\x1b[31m\u202eb\r\n\r\nhint: c"), 1, "a⟨U+202E⟩b; hint: c", ""}, // and no others' hint
	}
	for _, test := range tests {
		var out strings.Builder
		if code := Fail(&out, test.err); code != test.code {
			t.Errorf("Fail(%v) = %d, want %d", test.err, code, test.code)
		}
		lines := strings.Split(out.String(), "\n")
		if len(lines) != 3 || lines[2] != "" || lines[0] != "error: "+test.error || !strings.HasPrefix(lines[1], "hint: ") || !strings.Contains(lines[1], test.hint) {
			t.Errorf("Fail(%v) printed\n%s\nwant error: %s, and a hint with %q", test.err, out.String(), test.error, test.hint)
		}
	}
	var out strings.Builder
	if code := Fail(&out, nil); code != 0 || out.Len() > 0 {
		t.Errorf("Fail(nil) = %d and printed %q", code, out.String())
	}
	if code := Fail(&out, errors.Join(nil, nil)); code != 0 {
		t.Errorf("Fail of no errors = %d", code)
	}
}

// Of doctor, 1 says that something was found, and 2 that it could not look.
func TestExit(t *testing.T) {
	for _, test := range []struct {
		verb string
		err  error
		code int
	}{
		{"doctor", nil, 0},
		{"doctor", errors.Join(found(1, 0), nil), 1},
		{"doctor", errors.New("anything"), 2},
		{"status", errors.New("anything"), 1},
		{"status", usage("no"), 2},
	} {
		c := &Command{Verb: test.verb}
		if code := c.Exit(io.Discard, test.err); code != test.code {
			t.Errorf("%s that fails with %v exits with %d, want %d", test.verb, test.err, code, test.code)
		}
	}
}
