package consolidate

import (
	"encoding/json"
	"errors"
	"os"
	"testing"

	"dream-mcp/consolidate/lock"
	"dream-mcp/consolidate/ops"
	"dream-mcp/consolidate/state"
)

// Whatever is in the lock file, the memory is not changed by recovery, which leads nowhere else; and
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
		if r, readErr := lock.Read(mustRoot(t, w.memory)); err == nil && (readErr != nil || r.ID != "") {
			t.Errorf("%q is recovered, and the lock has %v, %v", record, r, readErr)
		}
	})
}

// Whatever is in the record of a stage that was left, nobody is led elsewhere by it: the memory
// is not changed, and what is resumed has its own ID, and names that may be written.
func FuzzStageFiles(f *testing.F) {
	const id = "20261118-090000-aaaaaa"
	for _, s := range []string{
		"", "{}", `{"id":"` + id + `","kind":"dream","state":"staged","changes":[{"name":"a.md","after":"00"}]}`,
		`{"id":"../words","kind":"dream","state":"landing","changes":[{"name":"../x.md"}]}`,
		`{"id":"` + id + `","kind":"dream","outcome":"aborted","state":"staged","changes":[{"name":"MEMORY.md","before":"00"},null]}`,
		`{"id":"` + id + `","kind":"dream","state":"staged","changes":[{"name":"a.md","after":"../../x","temp":"../x"}]}`,
		`{"id":"` + id + `","kind":"dream","last_call":"0001-01-01T00:00:00Z","state":"landed","changes":[{"name":"a.md","before":"../../record.json"}]}`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, record string) {
		w := newWorld(t)
		before := w.files()
		p := Open(w.options())
		defer p.Close("the test ended")
		if _, err := p.Store.Records.Root(); err != nil {
			t.Fatal(err)
		}
		db := p.Store.Records.DB()
		if err := db.Err(); err != nil {
			t.Fatal(err)
		}
		// Its changes are the rows of another table; whatever they name is tried in the same way.
		var op struct {
			State   string
			Changes []state.Change
		}
		json.Unmarshal([]byte(record), &op)
		if err := db.Operations().Save(&state.Operation{ID: id, Kind: "dream", State: op.State, Record: []byte(record), Changes: op.Changes}, nil, nil, nil); err != nil {
			t.Fatal(err)
		}
		if err := p.Store.Records.Append(ops.LogEntry{Header: ops.Header{ID: id, Kind: lock.KindDream}}); err != nil {
			t.Fatal(err)
		}
		if _, err := p.Status(ctx); err != nil {
			t.Errorf("a status: %v", err)
		}
		if err := p.Begin(ctx, true, true); err == nil {
			if p.dream.ID != id {
				t.Errorf("%q is resumed as %q", record, p.dream.ID)
			}
			for _, c := range p.dream.Changes {
				if err := c.Name.Writable(); err != nil {
					t.Errorf("%q stages %v", record, err)
				}
			}
			if _, _, err := p.Abort(ctx, ""); err != nil {
				t.Errorf("aborting what was resumed: %v", err)
			}
		}
		if got := w.files(); !same(got, before) {
			t.Errorf("the memory is changed:%s", differences(got, before))
		}
		err := writeNew(p, "later.md")
		if _, broken := errors.AsType[*ops.BrokenError](err); broken && op.State == state.Landing { // a person decides
			if _, err := p.Doctor.Examine(ctx, true, true); err != nil {
				t.Fatal(err)
			}
			err = writeNew(p, "later.md")
		}
		if err != nil {
			t.Errorf("a later write: %v", err)
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
