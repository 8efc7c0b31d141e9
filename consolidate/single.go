package consolidate

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"time"

	"dream-mcp/consolidate/lock"
	"dream-mcp/consolidate/proposal"
	"dream-mcp/consolidate/store"
	"dream-mcp/memory"
	"dream-mcp/memory/rule"
)

// Writes outside dreams within singleSpan count together, at most maxSingles, of all processes.
const (
	singleSpan = time.Hour
	maxSingles = 500
)

// checkTaken fails with a *PersonError if the write of n that t has staged removes what only the person may remove, alone or
// together with the writes outside dreams of the last hour.
func (p *Project) checkTaken(t *store.Tx, n memory.Name, r WriteRequest) error {
	now, err := t.Dir.Snapshot()
	if err != nil || now.Topics[n] == nil && len(r.Replaces) == 0 {
		return err
	}
	after, err := t.Stage.Over(now)
	if err != nil {
		return err
	}
	before, err := p.hourAgo(t.Dir, now)
	if err != nil {
		return err
	}
	taken := rule.Check{Before: before, After: after}.TakenAway()
	for o := range (rule.Check{Before: before, After: now}).TakenAway() {
		delete(taken, o) // an earlier write removed it
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
		Hint: "only the person may remove it; a merge loses nothing: first write every fact of it into another memory of its type",
	}}}
	have, err := t.Dir.Read(n)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	made := proposal.Change{ID: store.NewID(p.Now()), Name: n, Base: have.Sum, Reason: why, Waived: r.Waive, Index: r.Index, Merge: t.Merges[n.String()]}
	verb := "Delete"
	if !r.Delete {
		staged, _, err := t.Stage.Read(n)
		if err != nil {
			return err
		}
		verb, made.Data = "Change", staged.Data
	}
	return &PersonError{
		Err: refused, Question: fmt.Sprintf("%s the memory %q? %s.", verb, n.String(), why), Terminal: "dream-mcp review --accept " + made.ID,
		Leave: func() error { return p.hold(made, refused) },
	}
}

// hold keeps a refused write as a proposal, and returns the refusal.
func (p *Project) hold(made proposal.Change, refused *RuleError) error {
	p.Lock()
	defer p.Unlock()
	kept := false
	err := p.Locked(context.Background(), func(dir *memory.Dir) (err error) {
		kept, err = p.Proposals.Hold(dir, made)
		return err
	})
	if kept {
		refused.Findings[0].Hint += "; it waits for the person, who decides in a terminal: dream-mcp review --accept " + made.ID
	}
	return errors.Join(refused, err)
}

// contradicted reports whether the code contradicts a memory.
func (p *Project) contradicted(s *memory.Snapshot, n memory.Name) bool {
	return slices.ContainsFunc(rule.Standing(s, p.openCode(), p.Now()), func(f rule.Finding) bool {
		return f.Rule == "drift" && f.File == n.String()
	})
}

// checkUnattended fails with a *RuleError where an unattended dream may not change n to data (nil: no file), or none may, of a team. The change is then kept
// for the person.
func (p *Project) checkUnattended(t *store.Tx, n memory.Name, have memory.File, r WriteRequest, data []byte, merged map[memory.Name]memory.File) error {
	teams := data == nil && p.Share.IsTeams(have.Data)
	if !t.Unattended && !teams {
		return nil
	}
	before, err := t.Dir.Snapshot()
	if err != nil {
		return err
	}
	after, err := t.Stage.Over(before)
	if err != nil {
		return err
	}
	delete(after.Topics, n)
	if data != nil {
		after.Topics[n] = memory.ParseTopic(data)
	}
	for o := range merged {
		delete(after.Topics, o)
	}
	check := rule.Check{Before: before, After: after, Unattended: t.Unattended, Now: p.Now()}
	findings := check.Forbidden(n)
	for _, o := range sortedNames(merged) {
		findings = append(findings, check.Forbidden(o)...)
	}
	if len(findings) == 0 && teams && !check.KeptElsewhere(n) && !p.contradicted(before, n) {
		findings = []rule.Finding{{Rule: "loss", Severity: rule.Error, File: n.String(), Message: "the team's memory would be deleted, and nothing in the code contradicts it"}}
	}
	if len(findings) == 0 {
		return nil
	}
	merge := &store.Merge{Replaced: make(map[string]memory.Sum)}
	for o := range merged {
		f, err := t.Dir.Read(o)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if err == nil { // else it was created in this dream
			merge.Replaced[o.String()] = f.Sum
		}
	}
	kept, err := p.Proposals.Hold(t.Dir, proposal.Change{
		ID: store.NewID(p.Now()), Dream: t.ID, Name: n, Base: have.Sum, Data: data, Reason: p.AllowSecrets.Line(findings[0].Message),
		Waived: store.ShownWaivers(r.Waive, p.AllowSecrets), Index: r.Index, Merge: merge,
	})
	hint := "kept for the person (dream-mcp review); do not try again, go on with the rest"
	switch file := n.String(); {
	case err != nil:
		return err
	case !kept:
		hint = fmt.Sprintf("not kept: %d changes wait for the person already; go on with the rest, and say so in the summary", proposal.Most)
	case !slices.Contains(t.Proposed, file):
		t.Proposed = append(t.Proposed, file)
		if err := t.Save(); err != nil {
			return err
		}
	}
	findings[0].Hint = hint + "; where another memory is to say the same, write that first, with every fact of this one"
	return &RuleError{Findings: findings}
}

// hourAgo is the memory as it was before the writes outside dreams of the last hour, as far as nobody else has changed it since.
// What the person agreed to is not taken back in it.
func (p *Project) hourAgo(dir *memory.Dir, now *memory.Snapshot) (*memory.Snapshot, error) {
	entries, err := p.Journal()
	if err != nil {
		return nil, err
	}
	before := *now
	before.Topics = maps.Clone(now.Topics)
	seen := make(map[memory.Name]memory.Sum) // what a file holds before the writes that were looked at
	done := make(map[memory.Name]bool)       // somebody else changed it
	singles := 0
	for _, e := range slices.Backward(entries) {
		if age := p.Now().Sub(e.Time); age >= singleSpan || singles == maxSingles {
			break
		}
		if e.Kind != lock.KindWrite || e.Outcome != store.Committed {
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
func (p *Project) takeBack(dir *memory.Dir, s *memory.Snapshot, e store.LogEntry, seen map[memory.Name]memory.Sum, done map[memory.Name]bool) error {
	a, err := p.Archive(e.ID)
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
