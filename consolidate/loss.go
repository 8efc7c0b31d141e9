package consolidate

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"time"

	"dream-mcp/consolidate/lock"
	"dream-mcp/consolidate/ops"
	"dream-mcp/consolidate/proposal"
	"dream-mcp/consolidate/state"
	"dream-mcp/consolidate/transcript/said"
	"dream-mcp/memory"
	"dream-mcp/memory/rule"
)

// Writes outside dreams within singlesTime count together, at most maxSingles, of all processes.
const (
	singlesTime = time.Hour
	maxSingles  = 500
)

// proposed returns the change as it waits for the person.
func (w *writing) proposed(why string) (proposal.Change, error) {
	show := w.t.Dir.AllowSecrets
	c := proposal.Change{
		ID: ops.NewID(w.now), Name: w.n, Base: w.have.Sum, Data: w.data, Reason: show.Line(why), Waived: w.Waive, Index: w.Index,
		Merge: &ops.Merge{Replaced: make(map[string]memory.Sum), Accepted: make(map[string]string)},
	}
	for o := range w.merged {
		f, err := w.t.Dir.Read(o)
		if err == nil {
			c.Merge.Replaced[o.String()] = f.Sum
		} else if !errors.Is(err, fs.ErrNotExist) { // it does not exist if it was created in this dream
			return c, err
		}
	}
	for _, a := range w.Accept {
		c.Merge.Accepted[a.text()] = a.Why
	}
	return c, nil
}

// checkLossAlone fails if a write outside a dream loses facts of a merge, and with a *PersonError if it removes what
// only the person may remove, alone or together with such writes of the last hour.
func (w *writing) checkLossAlone(missing []rule.Fact) error {
	if len(missing) > 0 {
		lost := lostFinding(w.n, missing)
		lost.Hint = fmt.Sprintf("make the call again with what still holds in the text, and for the rest \"accept\": %s", acceptable(missing))
		return &RuleError{Findings: []rule.Finding{lost}}
	}
	if w.have.Sum == "" && len(w.merged) == 0 {
		return nil
	}
	before, err := w.hourAgo()
	if err != nil {
		return err
	}
	check := w.losing(rule.Single)
	check.Before = before
	taken := check.Losses()
	check.After = w.before
	for o := range check.Losses() {
		delete(taken, o) // an earlier write removed it
	}
	if len(taken) == 0 {
		return nil
	}
	lost := w.n
	if _, is := taken[lost]; !is { // what was merged into it
		lost = memory.SortedNames(taken)[0]
	}
	refused := &RuleError{Findings: []rule.Finding{{
		Rule: rule.Loss, Severity: rule.Error, File: lost.String(), Message: taken[lost].Why,
		Hint: "only the person may remove it; a merge loses nothing: first write every fact of it into another memory of its type",
	}}}
	why, verb := lost.String()+": "+taken[lost].Why, "Change"
	if w.Delete {
		verb = "Delete"
	}
	question := fmt.Sprintf("%s the memory %q? %s.", verb, w.n.String(), why)
	if w.Agreed == question {
		w.t.Accepted = map[string]string{w.n.String(): "the person agreed when they were asked"}
		return nil
	}
	change, err := w.proposed(why)
	if err != nil {
		return err
	}
	return &PersonError{
		Err: refused, Question: question, Terminal: "dream-mcp review --accept " + change.ID,
		Leave: func() error {
			defer w.p.Store.Lock()()
			return w.p.Proposals.leave(change, refused)
		},
	}
}

// leave keeps a refused change as a proposal, and returns the refusal.
func (q *Proposals) leave(c proposal.Change, refused *RuleError) error {
	kept := false
	err := q.p.Store.WithFileLock(context.Background(), func(dir *memory.Dir) (err error) {
		kept, err = q.queue.Hold(dir, c)
		return err
	})
	if kept {
		refused.Findings[0].Hint += "; it waits for the person, who decides in a terminal: dream-mcp review --accept " + c.ID
	}
	return errors.Join(refused, err)
}

// losing returns the check of what the change takes away.
func (w *writing) losing(who rule.Asker) rule.Check {
	return rule.Check{Before: w.before, After: w.after, Who: who, Teams: func(n memory.Name) bool {
		return n == w.n && w.p.Share.IsTeams(w.have.Data) && !w.contradicted()
	}}
}

// checkLossInDream fails with a *RuleError where the change needs the person's yes and a dream makes it. The change is
// then kept for the person.
func (w *writing) checkLossInDream() error {
	t := w.t
	if t.Kind != lock.KindDream {
		return nil // see checkLossAlone
	}
	var findings []rule.Finding
	gone := append(memory.SortedNames(w.merged), w.n)
	losses := w.losing(asker(t)).Losses(gone...)
	for _, o := range gone {
		if loss := losses[o]; loss.Verdict == rule.Person {
			findings = append(findings, rule.Finding{Rule: rule.Loss, Severity: rule.Error, File: o.String(), Message: loss.Why})
		}
	}
	if to := w.after.Topics[w.n]; t.Unattended && to != nil && (to.Type() == memory.TypeUser || to.Type() == memory.TypeFeedback) &&
		slices.ContainsFunc(w.cited, func(c state.Words) bool { return c.Speaker == said.Memory }) {
		findings = append(findings, rule.Finding{Rule: rule.Unsourced, Severity: rule.Error, File: w.n.String(),
			Message: "what another agent remembers is not evidence of what the person wants: unattended it supports the types project and reference only"})
	}
	if len(findings) == 0 {
		return nil
	}
	change, err := w.proposed(findings[0].Message)
	if err != nil {
		return err
	}
	change.Dream = t.ID
	kept, err := w.p.Proposals.queue.Hold(t.Dir, change)
	hint := "kept for the person (dream-mcp review); do not try again, go on with the rest"
	switch file := w.n.String(); {
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

// contradicted reports whether the code contradicts the memory.
func (w *writing) contradicted() bool {
	return slices.ContainsFunc(rule.Standing(w.before, w.p.openCode(false), w.now), func(f rule.Finding) bool {
		return f.Rule == rule.Drift && f.File == w.n.String()
	})
}

// hourAgo is the memory before the writes outside dreams of the last hour. Files that somebody else changed since are
// as they are. It includes the changes that the person agreed to.
func (w *writing) hourAgo() (*memory.Snapshot, error) {
	ago := *w.before
	ago.Topics = maps.Clone(ago.Topics)
	seen := make(map[memory.Name]memory.Sum) // what a file holds before the writes that were looked at
	done := make(map[memory.Name]bool)       // somebody else changed it
	singles := 0
	for e, err := range w.p.Store.Records.Newest(state.LogQuery{Kind: string(lock.KindWrite)}) {
		if err != nil {
			return nil, err
		}
		if age := w.now.Sub(e.Time); age >= singlesTime || singles == maxSingles {
			break
		}
		if e.Outcome != ops.Committed {
			continue
		}
		singles++
		if err := w.undoIn(&ago, e, seen, done); err != nil {
			return nil, err
		}
	}
	return &ago, nil
}

// undoIn undoes the changes of one write in a snapshot.
func (w *writing) undoIn(s *memory.Snapshot, e ops.LogEntry, seen map[memory.Name]memory.Sum, done map[memory.Name]bool) error {
	a, err := w.p.Store.Records.Op(e.ID)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // it was pruned
	}
	if err != nil {
		return err
	}
	for _, c := range a.Changes {
		n := c.Name
		if n.IsIndex() || done[n] {
			continue
		}
		if _, known := seen[n]; !known {
			f, err := w.t.Dir.ReadIfAny(n)
			if err != nil {
				return err
			}
			seen[n] = f.Sum
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
		data, err := w.p.Store.Records.Content(c.Before)
		if err != nil {
			return err
		}
		s.Topics[n] = memory.ParseTopic(data)
	}
	return nil
}
