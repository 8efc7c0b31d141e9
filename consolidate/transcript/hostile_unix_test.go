//go:build unix

package transcript

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// A transcript that is a fifo, a link, a folder or a device is passed over, and nothing waits for it.
func TestHostileFiles(t *testing.T) {
	projects := t.TempDir()
	good := put(t, projects, slug+"/"+id(1)+".jsonl", talk(1).user("lamp").text(), 1)
	at := func(n int) string { return filepath.Join(projects, slug, id(n)+".jsonl") }
	for _, err := range []error{
		syscall.Mkfifo(at(2), 0o600),
		os.Symlink(good, at(3)),
		os.Symlink("/dev/zero", at(4)),
		os.Symlink(at(5), at(5)),
		os.Mkdir(at(6), 0o700),
		os.WriteFile(at(7), []byte(talk(7).user("lamp").text()), 0o000),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	want := 1
	if os.Getuid() == 0 {
		want = 2 // root reads what nobody may
	}
	s := Open(Options{Projects: projects, Roots: []string{root}})
	r := search(t, s, Query{Pattern: "lamp"})
	if r.Matches != want || r.Skipped[NoSession] != 5 || r.Skipped[Unreadable] != 2-want {
		t.Errorf("%+v", r)
	}
}

// openFile refuses what took a transcript's place after it was listed.
func TestOpenFile(t *testing.T) {
	dir := t.TempDir()
	path := put(t, dir, "a", "x", 1)
	if f, err := openFile(path); err != nil {
		t.Error(err)
	} else {
		f.Close()
	}
	link, fifo := dir+"/link", dir+"/fifo"
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{link, fifo, dir, "/dev/null", dir + "/none"} {
		done := make(chan error, 1)
		go func() {
			f, err := openFile(name)
			if err == nil {
				f.Close()
			}
			done <- err
		}()
		select {
		case err := <-done:
			if err == nil {
				t.Errorf("%q was opened", name)
			}
		case <-time.After(5 * time.Second):
			t.Fatalf("%q: it waits", name)
		}
	}
}
