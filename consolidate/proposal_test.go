package consolidate

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Only so many proposals wait; a newer one about the same memory takes the place of the older.
func TestProposals(t *testing.T) {
	w := newWorld(t)
	p := w.open()
	for i := range maxProposals {
		kept, err := p.propose(Proposal{Made: w.now, Path: fmt.Sprintf("p%d.md", i), Delete: true, Base: "1"})
		if w.mustDo(err); !kept {
			t.Fatalf("%d was not kept", i)
		}
	}
	if kept, err := p.propose(Proposal{Path: "more.md"}); kept || err != nil {
		t.Errorf("one more: %v, %v", kept, err)
	}
	if kept, err := p.propose(Proposal{Path: "p0.md", Delete: true, Base: "2"}); !kept || err != nil {
		t.Errorf("in place of another: %v, %v", kept, err)
	}
	waiting, err := p.Proposals()
	if err != nil || len(waiting) != maxProposals {
		t.Fatalf("%d wait, %v", len(waiting), err)
	}
	if m := waiting[0]; m.Path != "p0.md" || m.Base != "2" || !m.Stale {
		t.Errorf("%+v", m)
	}
	// What is not what its name says was not put there by us.
	w.mustDo(p.state.Rename(proposalFile(waiting[0].ID), proposalFile("aaaaaaaaaaaa")))
	w.mustDo(os.WriteFile(filepath.Join(p.StateDir(), proposalFolder, "bbbbbbbbbbbb.json"), []byte("{"), 0o600))
	if _, _, err := p.Accept(ctx, "aaaaaaaaaaaa"); err == nil {
		t.Error("a proposal under another's name was accepted")
	}
	if _, err := p.Reject(""); err == nil {
		t.Error("nothing in particular was rejected")
	}
	if waiting, err = p.Proposals(); err != nil || len(waiting) != maxProposals-1 {
		t.Errorf("%d wait, %v", len(waiting), err)
	}
}

// The line of the index that a write asked for is proposed with it, shown, and lands with it.
func TestProposedIndexLine(t *testing.T) {
	w := newWorld(t)
	long := topic("e", "feedback") + "\nKeep pull requests under 300 lines, split by concern, and name the reviewer.\n"
	w.put("e.md", long)
	w.stampNative("", prior)
	o := w.options()
	o.Unattended = true
	p := Open(o)
	w.mustDo(p.Begin(ctx, false, false))
	short := topic("e", "feedback")
	var rule *RuleError
	if _, err := p.Write(ctx, WriteRequest{Path: "e.md", Content: &short, Base: sum(long), Index: &IndexLine{Title: "E", Hook: "what is left of e"}}); !errors.As(err, &rule) {
		t.Fatalf("the write ended with %v", err)
	}
	p.Close("the dream ended")
	p = w.open()
	waiting, err := p.Proposals()
	if err != nil || len(waiting) != 1 || !strings.Contains(waiting[0].Diff, "+- [E](e.md) — what is left of e") {
		t.Fatalf("%+v, %v", waiting, err)
	}
	if _, _, err := p.Accept(ctx, waiting[0].ID); err != nil {
		t.Fatal(err)
	}
	if index := w.files()["MEMORY.md"]; !strings.Contains(index, "- [E](e.md) — what is left of e\n") {
		t.Errorf("the index is\n%s", index)
	}
}
