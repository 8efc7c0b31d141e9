package consolidate

import (
	"fmt"
	"os"
	"path/filepath"
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
