package consolidate

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dream-mcp/consolidate/lock"
	"dream-mcp/consolidate/ops"
	"dream-mcp/memory"
	"dream-mcp/memory/rule"
)

// A conflict can be settled in favour of what is on disk, by writing (or deleting) just that. What
// changes nothing is a settlement too.
func TestSettleConflict(t *testing.T) {
	theirs := topic("a", "project") + "theirs\n"
	for _, test := range []struct {
		name    string
		foreign func(w *world)
		settle  WriteRequest
		want    string
	}{
		{"edited", func(w *world) { w.put("a.md", theirs) }, WriteRequest{Path: "a.md", Content: &theirs, Base: sum(theirs)}, theirs},
		{"deleted", func(w *world) { os.Remove(filepath.Join(w.memory, "a.md")) }, WriteRequest{Path: "a.md", Delete: true}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t)
			p := w.dreaming()
			test.foreign(w)
			var conflict *ops.ConflictError
			if err := finalize(p); !errors.As(err, &conflict) {
				t.Fatalf("finalized with %v", err)
			}
			if _, err := p.Write(ctx, test.settle); err != nil {
				t.Fatal(err)
			}
			if err := finalize(p); err != nil {
				t.Fatal(err)
			}
			if got := w.files()["a.md"]; got != test.want {
				t.Errorf("a.md is %q, want %q", got, test.want)
			}
		})
	}
}

// The diff of a dry run shows an index that does not exist yet.
func TestDiffOfNewIndex(t *testing.T) {
	w := newWorld(t)
	if err := os.Remove(filepath.Join(w.memory, memory.IndexFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	p := w.dreaming()
	res, err := p.Finalize(ctx, ops.FinalizeRequest{DryRun: true, Adopt: true, Diff: memory.IndexFile})
	if err != nil || !strings.Contains(res.Diff, "--- /dev/null") {
		t.Errorf("the diff is %q, %v", res.Diff, err)
	}
}

// A memory that is created and deleted again takes the index line along that it asked for: the commit
// would else look for a file that never was.
func TestCreateThenDelete(t *testing.T) {
	w := newWorld(t)
	p := w.open()
	if err := p.Begin(ctx, true, false); err != nil {
		t.Fatal(err)
	}
	res, err := p.Write(ctx, WriteRequest{Path: "x.md", Content: new(topic("x", "project")), Index: &ops.IndexLine{Hook: "soon gone"}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Write(ctx, WriteRequest{Path: "x.md", Delete: true, Base: res.Sum}); err != nil {
		t.Fatal(err)
	}
	if res, err := p.Finalize(ctx, ops.FinalizeRequest{}); err != nil || res.Outcome != "unchanged" {
		t.Errorf("finalized %+v with %v", res, err)
	}
}

// No dream begins over an index that can't be read: it could neither show nor end anything, and would
// hold the lock for an hour.
func TestIndexIsALink(t *testing.T) {
	w := newWorld(t)
	index := filepath.Join(w.memory, memory.IndexFile)
	if err := os.Rename(index, filepath.Join(w.memory, "elsewhere.txt")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("elsewhere.txt", index); err != nil {
		t.Skip(err)
	}
	if _, err := os.Lstat(index); err != nil {
		t.Skip("NOT TESTED: this system made no link, and said that it had: ", err)
	}
	p := w.open()
	var refused *ops.RequestError
	if err := p.Begin(ctx, true, false); !errors.As(err, &refused) || p.dream != nil {
		t.Errorf("begun with %v, a dream open: %v", err, p.dream != nil)
	}
	if got := w.hostStamp(); got != "absent" {
		t.Errorf("%s is %s", lock.HostFile, got)
	}
}

// A single write makes no index where many memories have none: one of one line would hide the rest
// from the host. In an empty memory it begins one.
func TestWriteWithoutIndex(t *testing.T) {
	for _, test := range []struct {
		name    string
		empty   bool
		refused bool
	}{
		{"many memories", false, true},
		{"none", true, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t)
			for file := range w.files() {
				if test.empty || file == memory.IndexFile {
					os.Remove(filepath.Join(w.memory, file))
				}
			}
			_, err := w.open().Write(ctx, WriteRequest{Path: "x.md", Content: new(topic("x", "user")), Index: &ops.IndexLine{Hook: "of x"}})
			var refused *ops.RequestError
			if errors.As(err, &refused) != test.refused || !test.refused && err != nil {
				t.Errorf("written with %v", err)
			}
			if _, made := w.files()[memory.IndexFile]; made == test.refused {
				t.Errorf("an index was made: %v", made)
			}
		})
	}
}

// What somebody else changed in the moment of the commit is left as it is, reported as such and not as
// updated, and an undo does not touch it.
func TestLeftAlone(t *testing.T) {
	w := newWorld(t)
	o := w.options()
	o.Step = func(name string) {
		if name == "updated a.md" {
			w.put("a.md", "theirs\n")
		}
	}
	p := Open(o)
	defer p.Close("the test ended")
	if err := p.Begin(ctx, true, false); err != nil {
		t.Fatal(err)
	}
	if err := writeScript(p); err != nil {
		t.Fatal(err)
	}
	res, err := p.Finalize(ctx, ops.FinalizeRequest{Adopt: true})
	if err != nil {
		t.Fatal(err)
	}
	if slices.Contains(res.Files.Updated, "a.md") {
		t.Errorf("told of as updated: %+v", res.Files)
	}
	if !slices.ContainsFunc(res.Findings, func(f rule.Finding) bool { return f.Rule == "conflict" && f.File == "a.md" }) {
		t.Errorf("not told of: %+v", res.Findings)
	}
	if undone, err := p.History.Undo(ctx, ""); err != nil || len(undone.Conflicts) != 0 {
		t.Errorf("undone with conflicts %v, %v", undone.Conflicts, err)
	}
	if got := w.files()["a.md"]; got != "theirs\n" {
		t.Errorf("a.md is %q", got)
	}
}

// A single write or restore whose file somebody else changed in the moment of the commit says that it was
// left, what has landed nevertheless, and by which ID that can be undone.
func TestLandedInPart(t *testing.T) {
	for _, test := range []struct {
		name, file string
		run        func(p *Project, before string) error
	}{
		{"write", "x.md", func(p *Project, _ string) error { return writeNew(p, "x.md") }},
		{"restore", "b.md", func(p *Project, id string) error {
			_, err := p.History.Restore(ctx, "b.md", id)
			return err
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t)
			w.remove(w.open(), "b.md")
			id, _, err := w.open().History.Diff(ctx, "")
			if err != nil {
				t.Fatal(err)
			}
			before := w.files()
			o := w.options()
			o.Step = func(name string) {
				if name == "created "+test.file {
					w.put(test.file, "theirs\n")
				}
			}
			p := Open(o)
			defer p.Close("the test ended")
			var part *ops.ConflictError
			if err := test.run(p, id); !errors.As(err, &part) || part.Landed.ID == "" || len(part.Landed.Changes) != 1 || !part.Landed.Changes[0].Name.IsIndex() ||
				len(part.Conflicts) != 1 || !strings.Contains(err.Error(), "MEMORY.md has landed as "+part.Landed.ID) {
				t.Fatalf("it ended with %v", err)
			}
			before[test.file] = "theirs\n"
			if _, err := p.History.Undo(ctx, part.Landed.ID); err != nil || !same(w.files(), before) {
				t.Errorf("undone with %v:%s", err, differences(w.files(), before))
			}
		})
	}
}

// Where the last word of a landing, that all has landed, can't be written at first, it is written at the
// second try: a commit reported as landed that its own archive calls half done could not be taken back.
func TestLastWordOfALanding(t *testing.T) {
	w := newWorld(t)
	o := w.options()
	tries, repair := 0, func() {}
	o.Step = func(name string) {
		switch {
		case name == "updated a.md":
			if tries++; tries == 2 {
				repair()
			}
		case name == "sweep" && tries == 1:
			repair = w.breakTable("operations")
		}
	}
	p := Open(o)
	defer p.Close("the test ended")
	before := w.files()
	if err := script["commit"].run(p); err != nil {
		t.Fatal(err)
	}
	if _, err := p.History.Undo(ctx, ""); err != nil || !same(w.files(), before) {
		t.Errorf("undone to %q with %v", w.files(), err)
	}
}

// At its end a dream reports what is about the memories that it changed, and what compares others with them. A name
// within another is not that memory.
func TestFindingsOfADream(t *testing.T) {
	var broker strings.Builder
	for day := range 12 {
		fmt.Fprintf(&broker, "- Day %d: crane %d lifted %d loads. Nobody was hurt.\n", day, day*7%5, 100+day*13)
	}
	topics := map[memory.Name]*memory.Topic{}
	for file, more := range map[string]string{"beta.md": "", "gamma.md": "- Day 12: the crane was sold.\n"} {
		n, err := memory.ParseName(file)
		if err != nil {
			t.Fatal(err)
		}
		topics[n] = memory.ParseTopic([]byte("---\nname: " + file[:len(file)-3] + "\ndescription: the loads of the crane\nmetadata:\n  type: project\n---\n\n" + broker.String() + more))
	}
	found := plan{findings: slices.DeleteFunc(rule.Check{After: &memory.Snapshot{Topics: topics}}.Whole(), func(f rule.Finding) bool { return f.Rule != rule.NearDuplicate })}
	if len(found.findings) != 1 || found.findings[0].File != "beta.md" || !strings.Contains(found.findings[0].Message, "gamma.md") {
		t.Fatalf("%+v", found.findings)
	}
	for _, test := range []struct {
		changed string
		want    int
	}{{"beta.md", 1}, {"gamma.md", 1}, {"ma.md", 0}, {"delta.md", 0}} {
		res := FinalizeResult{Files: ops.Files{Updated: []string{test.changed}}}
		(&dream{known: reports{}}).setFindings(&res, found)
		if len(res.Findings) != test.want || (res.Standing == "") != (test.want == 1) {
			t.Errorf("%s: %d findings, standing %q, want %d", test.changed, len(res.Findings), res.Standing, test.want)
		}
	}
}
