package consolidate

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"dream-mcp/consolidate/lock"
	"dream-mcp/memory"
)

// linkOutside gives a file outside a second name, in the place of what is there.
func linkOutside(t *testing.T, name string) (outside string) {
	t.Helper()
	outside = filepath.Join(t.TempDir(), "outside")
	if err := os.WriteFile(outside, []byte("{\"dream\":\"somebody else's text\"}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	long := time.Now().Add(-72 * time.Hour)
	os.Chtimes(outside, long, long)
	os.Remove(name)
	if err := os.Link(outside, name); err != nil {
		t.Fatal(err)
	}
	return outside
}

// Each file that is written in place is a hard link to a file outside. Whatever is called, that file
// keeps its content and its time.
func TestHardLinks(t *testing.T) {
	for _, test := range []struct {
		name string
		file func(w *world, p *Project) string
		call func(w *world, p *Project) error
		want error
	}{
		{
			"our lock, at a start", func(w *world, p *Project) string { return filepath.Join(w.memory, lock.File) },
			func(w *world, p *Project) error { return p.Recover(ctx) }, memory.ErrLinked,
		},
		{
			"our lock, at a write", func(w *world, p *Project) string { return filepath.Join(w.memory, lock.File) },
			func(w *world, p *Project) error { return writeNew(p, "x.md") }, memory.ErrLinked,
		},
		{
			"our lock, at a dream", func(w *world, p *Project) string { return filepath.Join(w.memory, lock.File) },
			func(w *world, p *Project) error { return p.Begin(ctx, true, false) }, memory.ErrLinked,
		},
		{
			"Claude Code's lock, stamped in the future", func(w *world, p *Project) string { return filepath.Join(w.memory, lock.HostFile) },
			func(w *world, p *Project) error {
				w.setNow(time.Now().AddDate(0, 0, -30))
				_, err := p.Doctor.Examine(ctx, true, false)
				return err
			}, nil,
		},
		{
			"the database", func(w *world, p *Project) string { return p.Store.Records.Path() },
			func(w *world, p *Project) error { return writeNew(p, "x.md") }, memory.ErrLinked,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t)
			p := w.open()
			if _, err := p.Store.Records.Root(); err != nil {
				t.Fatal(err)
			}
			outside := linkOutside(t, test.file(w, p))
			was, _ := os.ReadFile(outside)
			info, _ := os.Stat(outside)
			if err := test.call(w, p); !errors.Is(err, test.want) {
				t.Errorf("it ended with %v, want %v", err, test.want)
			}
			got, _ := os.ReadFile(outside)
			if after, _ := os.Stat(outside); string(got) != string(was) || !after.ModTime().Equal(info.ModTime()) {
				t.Errorf("the file outside is %q of %s, was %q of %s", got, after.ModTime(), was, info.ModTime())
			}
		})
	}
}
