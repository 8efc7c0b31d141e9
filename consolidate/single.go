package consolidate

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"time"

	"dream-mcp/consolidate/lock"
	"dream-mcp/memory"
	"dream-mcp/memory/rule"
)

// The writes outside dreams of this span count together, whichever process made them, and as many as that at most.
const (
	singleSpan = time.Hour
	maxSingles = 500
)

// checkTaken fails with a *PersonError where the write of n, which d has staged, takes away what only the person may: alone,
// or together with what was written outside dreams within the hour before. r is what was asked for.
func (p *Project) checkTaken(d *dream, n memory.Name, r WriteRequest) error {
	now, err := d.dir.Snapshot()
	if err != nil || now.Topics[n] == nil && len(r.Replaces) == 0 {
		return err
	}
	after, err := d.stage.Over(now)
	if err != nil {
		return err
	}
	before, err := p.hourAgo(d.dir, now)
	if err != nil {
		return err
	}
	taken := rule.Check{Before: before, After: after}.TakenAway()
	for o := range (rule.Check{Before: before, After: now}).TakenAway() {
		delete(taken, o) // by an earlier write
	}
	if len(taken) == 0 {
		return nil
	}
	lost := n
	if taken[n] == "" { // what was merged into n
		lost = slices.MinFunc(slices.Collect(maps.Keys(taken)), func(a, b memory.Name) int { return strings.Compare(a.String(), b.String()) })
	}
	why := lost.String() + ": " + taken[lost]
	refused := &RuleError{Findings: []rule.Finding{{
		Rule: "loss", Severity: rule.Error, File: lost.String(), Message: taken[lost],
		Hint: "only the person takes that away; a merge is no loss: write every fact of it into another memory of its type first",
	}}}
	have, err := d.dir.Read(n)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	made := Proposal{Made: p.o.Now().UTC(), Host: p.o.Host, Path: n.String(), Base: have.Sum, Delete: r.Delete, Reason: why, Waived: r.Waive, Index: r.Index, Replaces: r.Replaces}
	verb := "Delete"
	if !r.Delete {
		staged, _, err := d.stage.Read(n)
		if err != nil {
			return err
		}
		verb, made.Content = "Change", string(staged.Data)
	}
	return &PersonError{
		Err: refused, Question: fmt.Sprintf("%s the memory %q? %s.", verb, n.String(), why), Terminal: "dream-mcp proposals accept " + made.id(),
		Leave: func() error { return p.leave(made, refused) },
	}
}

// leave keeps a refused write for the person, and returns what it is refused with.
func (p *Project) leave(made Proposal, refused *RuleError) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	kept, err := p.propose(made)
	if err == nil && kept {
		refused.Findings[0].Hint += "; it waits for the person, who decides in a terminal: dream-mcp proposals accept " + made.id()
	}
	return errors.Join(refused, err)
}

// hourAgo is the memory as it was before the writes outside dreams of the last hour, as far as nobody else has changed it since.
// What the person agreed to is not taken back in it.
func (p *Project) hourAgo(dir *memory.Dir, now *memory.Snapshot) (*memory.Snapshot, error) {
	entries, err := p.journal()
	if err != nil {
		return nil, err
	}
	before := *now
	before.Topics = maps.Clone(now.Topics)
	seen := make(map[memory.Name]memory.Sum) // what a file holds before the writes that were looked at
	done := make(map[memory.Name]bool)       // somebody else changed it
	singles := 0
	for _, e := range slices.Backward(entries) {
		if age := p.o.Now().Sub(e.Time); age >= singleSpan || singles == maxSingles {
			break
		}
		if e.Kind != lock.KindWrite || e.Outcome != Committed {
			continue
		}
		singles++
		if err := p.takeBack(dir, &before, e, seen, done); err != nil {
			return nil, err
		}
	}
	return &before, nil
}

// takeBack takes the changes of one write back in a snapshot.
func (p *Project) takeBack(dir *memory.Dir, s *memory.Snapshot, e LogEntry, seen map[memory.Name]memory.Sum, done map[memory.Name]bool) error {
	a, err := openArchive(p.state, e.ID)
	if err != nil {
		return nil // it was pruned: nothing is known of it
	}
	defer a.Close()
	for _, c := range a.Changes {
		n := c.Name
		if n.IsIndex() || done[n] {
			continue
		}
		if _, known := seen[n]; !known {
			if f, err := dir.Read(n); err == nil {
				seen[n] = f.Sum
			} else {
				seen[n] = ""
			}
		}
		if _, agreed := e.Accepted[n.String()]; agreed || seen[n] != c.After {
			done[n] = true
			continue
		}
		seen[n] = c.Before
		if c.Before == "" {
			delete(s.Topics, n)
			continue
		}
		data, err := a.Content(c.Before)
		if err != nil {
			return err
		}
		s.Topics[n] = memory.ParseTopic(data)
	}
	return nil
}
