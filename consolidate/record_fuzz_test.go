package consolidate

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dream-mcp/consolidate/lock"
)

// Whatever stands in the lock file, the memory is not changed by recovery, which leads nowhere else; and
// it ends in an error or in a free lock.
func FuzzLockRecord(f *testing.F) {
	for _, s := range []string{
		"", "\x00", "\x00{}\n", "\x00{\"dream\":\"20261118-090000-aaaaaa\",\"kind\":\"dream\",\"pid\":1,\"stage\":\"/etc\"}\n",
		"\x00{\"dream\":\"../../x\",\"committing\":true,\"stage\":\"../../x\"}", "\x00{\"dream\":\"2026", "\x00[[[[", "\x00{\"pid\":1e99}",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, record string) {
		w := newWorld(t)
		before := w.files()
		w.put(lock.File, record)
		p := Open(w.options())
		defer p.Close("the test ended")
		err := p.Recover(ctx)
		if got := w.files(); !same(got, before) {
			t.Errorf("%q changed the memory:%s", record, differences(got, before))
		}
		if r, readErr := lock.Read(mustRoot(t, w.memory)); err == nil && (readErr != nil || r.Dream != "") {
			t.Errorf("%q is recovered, and the lock has %v, %v", record, r, readErr)
		}
	})
}

// A journal with any lines among its own is read: the entries that are whole, each once, and an entry
// appended to it is the last.
func FuzzJournal(f *testing.F) {
	for _, s := range []string{"", "\n", "{", "{}\n{}", "[1]\n", "{\"id\":\"x\",\"outcome\":\"committed\"}\n", strings.Repeat("[", 100), "{\"time\":\"never\",\"id\":\"x\"}\n", "\x00"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, lines string) {
		root := mustRoot(t, t.TempDir())
		if err := os.WriteFile(filepath.Join(root.Name(), journalFile), []byte(lines), 0o600); err != nil {
			t.Fatal(err)
		}
		before, err := readLog(root)
		if err != nil {
			t.Fatal(err)
		}
		if err := appendLog(root, LogEntry{ID: "the-last"}, nil); err != nil {
			t.Fatal(err)
		}
		after, err := readLog(root)
		if err != nil || len(after) != len(before)+1 || after[len(before)].ID != "the-last" {
			t.Errorf("%q: %d entries, then %d, %v", lines, len(before), len(after), err)
		}
	})
}

// Whatever stands in the two files of a stage that was left, nobody is led elsewhere by it: the memory
// is not changed, and what is resumed has its own ID, and names that may be written.
func FuzzStageFiles(f *testing.F) {
	const id = "20261118-090000-aaaaaa"
	for _, s := range [][2]string{
		{"", ""}, {"{}", "{}"}, {`{"id":"` + id + `","kind":"dream"}`, `{"state":"staged","changes":[{"name":"a.md","after":"00"}]}`},
		{`{"id":"../words","kind":"dream"}`, `{"state":"landing","changes":[{"name":"../x.md"}]}`},
		{`{"id":"` + id + `","kind":"dream","outcome":"aborted"}`, `{"state":"staged","changes":[{"name":"MEMORY.md","before":"00"},null]}`},
		{`{"id":"` + id + `","kind":"dream","last_call":"0001-01-01T00:00:00Z"}`, `{"state":"landed","changes":[{"name":"a.md","before":"../../manifest.json"}]}`},
	} {
		f.Add(s[0], s[1])
	}
	f.Fuzz(func(t *testing.T, info, manifest string) {
		w := newWorld(t)
		before := w.files()
		p := Open(w.options())
		defer p.Close("the test ended")
		state, err := p.openState()
		if err != nil {
			t.Fatal(err)
		}
		folder := filepath.Join(p.StateDir(), dreamFolder, id)
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		for name, content := range map[string]string{infoFile: info, "manifest.json": manifest} {
			if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := appendLog(state, LogEntry{ID: id, Kind: lock.KindDream}, nil); err != nil {
			t.Fatal(err)
		}
		if _, err := p.Status(ctx); err != nil {
			t.Errorf("a status: %v", err)
		}
		if err := p.Begin(ctx, true, true); err == nil {
			if p.dream.ID != id {
				t.Errorf("%q is resumed as %q", info, p.dream.ID)
			}
			for _, c := range p.dream.stage.Changes {
				if err := c.Name.Writable(); err != nil {
					t.Errorf("%q stages %v", manifest, err)
				}
			}
			if _, _, err := p.Abort(ctx, ""); err != nil {
				t.Errorf("aborting what was resumed: %v", err)
			}
		}
		if got := w.files(); !same(got, before) {
			t.Errorf("the memory is changed:%s", differences(got, before))
		}
		if err := writeNew(p, "later.md"); err != nil {
			t.Errorf("a later write: %v", err)
		}
	})
}

// Whatever stands in a file of proposals, what is shown for acceptance is what its ID stands for; and of
// words, they are those of the source that was asked for, and are kept anew where they can't be read.
func FuzzProposalAndWords(f *testing.F) {
	for _, s := range []string{"", "{}", "null", `{"id":"000000000000","path":"a.md"}`, `{"source":"said:1","text":"x"}`, `{"source":"other:1"}`, strings.Repeat("[", 1000)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, content string) {
		root := mustRoot(t, t.TempDir())
		name := proposalFile("000000000000")
		kept := Words{Source: "said:1", Session: "said", Text: "the words"}
		for _, file := range []string{name, wordsFile(kept.Source)} {
			path := filepath.Join(root.Name(), filepath.FromSlash(file))
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		waiting, err := readProposals(root)
		if err != nil {
			t.Error(err)
		}
		for _, m := range waiting {
			if m.ID != "000000000000" || m.id() != m.ID {
				t.Errorf("%q is taken for a proposal of the ID %q", content, m.id())
			}
		}
		was, err := readWords(root, kept.Source)
		if err == nil && was.Source != kept.Source {
			t.Errorf("%q is taken for words of %q", content, was.Source)
		}
		if keepWords(root, kept) != nil {
			t.Fatal("words can't be kept")
		}
		if got, keptErr := readWords(root, kept.Source); keptErr != nil || err != nil && got != kept {
			t.Errorf("over %q the words are %+v, %v", content, got, keptErr)
		}
	})
}

func mustRoot(t *testing.T, dir string) *os.Root {
	t.Helper()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return root
}
