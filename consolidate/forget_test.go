package consolidate

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dream-mcp/consolidate/forget"
	"dream-mcp/memory"
	"dream-mcp/memory/forgotten"
)

const unwanted = "Ottoline Drummond"

func init() {
	fixes["forget"] = func(p *Project) error { return p.Forget(ctx, strings.ToUpper(unwanted)) }
}

// newForgetWorld has the text in a memory, its index line, the archive, a stage that is kept, and the log.
func newForgetWorld(t *testing.T) *world {
	t.Helper()
	w := newWorld(t)
	w.putDatabase()
	w.put("baker.md", "---\nname: baker\ndescription: who bakes: "+unwanted+"\nmetadata:\n  type: project\n---\n\nAsk "+unwanted+".\n")
	w.put("MEMORY.md", "- [baker](baker.md) — who bakes: "+unwanted+"\n")
	p := Open(w.options())
	defer p.Close("the world is made")
	w.write(p, "baker.md", "Ask", "Never ask")
	if err := p.Begin(ctx, true, false); err != nil {
		t.Fatal(err)
	}
	if _, _, err := p.Abort(ctx, "because of "+unwanted); err != nil {
		t.Fatal(err)
	}
	return w
}

// holds returns the files of the memory and of our state that have a text.
func (w *world) holds(text string) (files []string) {
	for _, dir := range []string{w.memory, w.state} {
		err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() || filepath.Dir(path) == w.transcripts() {
				return err
			}
			data, err := os.ReadFile(path)
			if strings.Contains(strings.ToLower(string(data)), strings.ToLower(text)) {
				files = append(files, path)
			}
			return err
		})
		if err != nil {
			w.t.Fatal(err)
		}
	}
	return files
}

// A process is killed at every step of forgetting. Then the text is where it was, or the next process ends what was
// begun; and what is older can be undone.
func TestKillWhileForgetting(t *testing.T) {
	if files := newForgetWorld(t).holds(unwanted); len(files) < 3 {
		t.Fatalf("the text is only in %v", files)
	}
	for step := 0; ; step += every(5) {
		w := newForgetWorld(t)
		before := w.files()
		at := w.runToDeath("forget", step)
		p := Open(w.options())
		_, err := os.Stat(forget.ListFile(w.state))
		begun := err == nil
		if err := p.FinishForgetting(ctx); err != nil {
			t.Fatalf("killed at step %d (%s): %v", step, at, err)
		}
		if files := w.holds(unwanted); begun && files != nil {
			t.Errorf("killed at step %d (%s): the text is still in %v", step, at, files)
		} else if !begun && !same(w.files(), before) {
			t.Errorf("killed at step %d (%s): it was not begun, and changed the memory", step, at)
		}
		if begun {
			id, changes, err := p.History.Diff(ctx, "")
			if err != nil || !strings.Contains(string(changes), "Never ask "+forgotten.Mark) {
				t.Errorf("killed at step %d (%s): diff %s: %s, %v", step, at, id, changes, err)
			}
			if undone, err := p.History.Undo(ctx, ""); err != nil || undone.Undone != id || len(undone.Conflicts) > 0 {
				t.Errorf("killed at step %d (%s): undo: %+v, %v", step, at, undone, err)
			}
			if text := w.files()["baker.md"]; !strings.Contains(text, "\nAsk "+forgotten.Mark) {
				t.Errorf("killed at step %d (%s): after the undo: %s", step, at, text)
			}
		}
		p.Close("the check ended")
		if at == "" {
			if step < 8 {
				t.Errorf("only %d steps", step)
			}
			return
		}
	}
}

// A file that cannot be read keeps the text until it can be read. Everything else has lost it.
func TestForgetUnread(t *testing.T) {
	for _, name := range []string{"baker.md", "folder"} {
		w := newForgetWorld(t)
		if err := os.Mkdir(filepath.Join(w.memory, "folder"), 0o700); err != nil {
			t.Fatal(err)
		}
		w.put("folder/oven.md", "The oven of "+unwanted+".\n")
		closed := filepath.Join(w.memory, name)
		readable := func(mode fs.FileMode) {
			if err := os.Chmod(closed, mode); err != nil {
				t.Fatal(err)
			}
		}
		readable(0)
		if f, err := os.Open(closed); err == nil {
			f.Close()
			t.Skip("this user may read everything")
		}
		p := Open(w.options())
		var unread *forget.UnreadError
		for _, do := range []func() error{
			func() error { return p.Forget(ctx, unwanted) },
			func() error { return p.FinishForgetting(ctx) },
		} {
			if err := do(); !errors.As(err, &unread) || !strings.Contains(err.Error(), name) {
				t.Errorf("with %s it ended with %v", name, err)
			}
		}
		readable(0o700)
		want := map[string]string{"baker.md": "baker.md", "folder": "oven.md"}[name]
		if files := w.holds(unwanted); len(files) != 1 || filepath.Base(files[0]) != want {
			t.Errorf("with %s it is in %v", name, files)
		}
		for range 2 {
			if err := p.FinishForgetting(ctx); err != nil {
				t.Error(err)
			}
		}
		if files := w.holds(unwanted); files != nil {
			t.Errorf("%s was readable, and it is still in %v", name, files)
		}
		p.Close("the check ended")
	}
}

// The text is in a memory that the person has in all projects: it is forgotten there too, wherever the process is
// killed, and does not come back from there.
func TestKillWhileForgettingForAll(t *testing.T) {
	name, _ := memory.ParseName("baker.md")
	for step := 0; ; step += every(6) {
		w := newForgetWorld(t)
		forgotten.Use(forget.ListFile(w.state)) // of this world
		p := Open(w.options())
		if err := p.Person.Add(ctx, name); err != nil {
			t.Fatal(err)
		}
		p.Close("the world is made")
		at := w.runToDeath("forget", step)
		_, err := os.Stat(forget.ListFile(w.state))
		begun := err == nil
		for range 2 {
			p := Open(w.options())
			if err := p.FinishForgetting(ctx); err != nil {
				t.Fatalf("killed at step %d (%s): %v", step, at, err)
			}
			if err := w.exchange(p); err != nil {
				t.Fatalf("killed at step %d (%s): %v", step, at, err)
			}
			p.Close("the check ended")
		}
		if files := w.holds(unwanted); begun != (files == nil) {
			t.Errorf("killed at step %d (%s), begun: %v: the text is in %v", step, at, begun, files)
		}
		if at == "" {
			return
		}
	}
}
