package consolidate

import (
	"errors"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/windows"

	"dream-mcp/consolidate/ops"
)

// keepOpen opens a file as a virus scanner does that lets nobody replace it, and returns what closes it.
func (w *world) keepOpen(name string) func() {
	w.t.Helper()
	path, err := windows.UTF16PtrFromString(filepath.Join(w.memory, name))
	w.mustDo(err)
	h, err := windows.CreateFile(path, windows.GENERIC_READ, windows.FILE_SHARE_READ, nil, windows.OPEN_EXISTING, 0, 0)
	w.mustDo(err)
	return func() { windows.CloseHandle(h) }
}

// A file that another program holds for a moment is waited for. If it holds it longer, the dream lands as soon as it
// lets go.
func TestHeldFile(t *testing.T) {
	whole := newWorldFor(t, "commit")
	whole.do("commit")
	want := whole.files()
	for _, test := range []struct {
		name string
		held time.Duration
	}{{"for a moment", 300 * time.Millisecond}, {"for long", 0}} {
		t.Run(test.name, func(t *testing.T) {
			w := newWorldFor(t, "commit")
			before := w.files()
			p := w.open()
			release := func() {}
			err := dreamThen(func(p *Project) error {
				release = w.keepOpen("a.md")
				if test.held > 0 {
					time.AfterFunc(test.held, release)
				}
				return finalize(p)
			})(p)
			if test.held > 0 {
				w.mustDo(err)
			} else {
				var half *ops.HalfError
				if got := w.files(); !errors.As(err, &half) && !same(got, before) {
					t.Errorf("refused with %v, and changed%s", err, differences(got, before))
				}
				release()
				if half == nil {
					w.mustDo(dreamThen(finalize)(w.open()))
				} else {
					w.mustDo(w.open().Recover(ctx))
				}
			}
			if got := w.files(); !same(got, want) {
				t.Errorf("it is not what the dream wrote:%s", differences(got, want))
			}
		})
	}
}
