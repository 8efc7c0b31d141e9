package consolidate

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"dream-mcp/consolidate/history"
	"dream-mcp/consolidate/indexing"
	"dream-mcp/consolidate/ops"
	"dream-mcp/consolidate/proposal"
	"dream-mcp/memory"
	"dream-mcp/memory/rule"
	"dream-mcp/memory/rule/drift"
)

// propose ends a dream that needs the person's agreement: nothing lands, the time of the last consolidation is
// restored, and the stage waits with the request that would land it.
func (d *dream) propose(plan plan) (FinalizeResult, error) {
	changes := indexing.All(d.Tx, plan.index)
	res := FinalizeResult{Outcome: string(ops.Proposed), Files: ops.FilesOf(changes, d.Renamed), Index: plan.index.Size()}
	d.setFindings(&res, plan)
	d.Request, d.Reviewed, d.Summary, d.Accepted = &plan.request, d.p.Store.Now(), plan.request.Summary, plan.lost()
	res.Report = "Nothing has landed; the person is asked (dream-mcp review). If it lands: " + ops.Report(changes, d.Op) + d.Decisions()
	return res, d.end(ops.Proposed, "waits for the person: dream-mcp review")
}

// Proposals are what waits for the person.
type Proposals struct {
	queue *proposal.Queue
	p     *Project
}

// Review describes a proposal: a dream, or changes that only the person may make.
type Review struct {
	ID        string            `json:"id"`
	Made      time.Time         `json:"made"`
	Host      string            `json:"host,omitempty"`
	Dream     string            `json:"dream,omitempty"` // the dream that wanted to make the changes
	Held      map[string]string `json:"held,omitempty"`  // why only the person may make a change, by file
	Files     ops.Files         `json:"files"`
	Report    string            `json:"report"`
	Summary   string            `json:"summary,omitempty"`
	Findings  []rule.Finding    `json:"findings"`
	Conflicts []ops.Conflict    `json:"conflicts"` // files that were changed later; the proposal can only be rejected
	Refused   string            `json:"refused,omitempty"`
	Diff      string            `json:"diff"`
}

// Reviews returns the proposals, the newest first, each with its changes to the memory as it is now. It first recovers
// from a crash.
func (q *Proposals) Reviews(ctx context.Context) ([]Review, error) {
	return q.describeAll(ctx, q.queue.Waiting)
}

// Unreadable returns an error if a proposal cannot be read. Reviews leaves it out. It needs no mutex.
func (q *Proposals) Unreadable() error { return q.p.Store.Records.Unreadable(true) }

// Review returns the proposal whose ID begins with id, as Reviews does.
func (q *Proposals) Review(ctx context.Context, id string) (Review, error) {
	reviews, err := q.describeAll(ctx, func() ([]ops.Op, error) {
		info, err := q.queue.Match(id)
		return []ops.Op{info}, err
	})
	if err != nil {
		return Review{}, err
	}
	return reviews[0], nil
}

// describeAll returns the reviews of the proposals that which selects. It takes the mutex, and calls which with it
// held.
func (q *Proposals) describeAll(ctx context.Context, which func() ([]ops.Op, error)) ([]Review, error) {
	p := q.p
	p.askGit(func() (texts []drift.Text) {
		waiting, _ := which()
		for _, info := range waiting {
			for _, c := range info.Changes {
				data, _ := p.Store.Records.Content(c.After)
				texts = append(texts, drift.Text{File: c.Name.String(), Body: string(data)})
			}
		}
		return texts
	})
	defer p.Store.Lock()()
	err := p.Store.Recover(ctx)
	if err != nil {
		return nil, err
	}
	waiting, err := which()
	if err != nil || len(waiting) == 0 {
		return []Review{}, err
	}
	reviews := make([]Review, len(waiting))
	err = p.Store.View(ctx, func(dir *memory.Dir) error {
		if dir == nil {
			return fmt.Errorf("the memory directory %q is gone", p.Store.MemoryDir)
		}
		for i, info := range waiting {
			if reviews[i], err = q.describe(dir, info); err != nil {
				return fmt.Errorf("the proposal %s cannot be read: %w", info.ID, err)
			}
		}
		return nil
	})
	return reviews, err
}

// describe returns the review of a proposal. It takes no lock; Accept checks again.
func (q *Proposals) describe(dir *memory.Dir, info ops.Op) (Review, error) {
	t, err := q.p.Store.Look(dir, info)
	if err != nil {
		return Review{}, err
	}
	r := Review{ID: info.ID, Dream: info.Dream, Held: info.Held, Made: ops.Second(info.Reviewed), Host: info.Host,
		Summary: info.Summary, Findings: []rule.Finding{}, Conflicts: []ops.Conflict{}}
	for _, c := range t.Changes {
		f, err := dir.ReadIfAny(c.Name)
		if err != nil {
			return r, err
		}
		if f.Sum != c.Before {
			r.Conflicts = append(r.Conflicts, ops.Conflict{Name: c.Name, Want: c.Before, Have: f.Sum})
		}
	}
	plan, err := q.plan(t)
	if _, ruled := errors.AsType[*RuleError](err); err != nil && !ruled && plan.index != nil {
		return r, err
	}
	if err != nil { // the rules refuse it, or a whole new index is over one that has changed
		r.Refused = err.Error()
	}
	r.Findings = append(r.Findings, plan.findings...)
	diff, err := indexing.Diff(t, plan.index)
	changes := indexing.All(t, plan.index)
	info.Renamed = t.Renamed
	r.Files, r.Diff, r.Report = ops.FilesOf(changes, info.Renamed), string(diff), ops.Report(changes, info)+info.Decisions()
	return r, err
}

// plan returns what landing t would do, as Project.plan.
func (q *Proposals) plan(t *ops.Tx) (plan, error) {
	l, err := q.p.plan(t, *t.Request, false)
	if files := proposal.Unasked(&t.Op); err == nil && files != nil {
		err = &RuleError{Findings: []rule.Finding{{Rule: rule.Loss, Severity: rule.Error, File: files[0],
			Message: files[0] + " would be deleted, and what it was to be merged into does not wait any more",
			Hint:    "accept the other files by --only FILE, and reject the rest: dream-mcp review --reject"}}}
	}
	return l, err
}

// open begins the transaction of a proposal, which must change the files in only, under the lock. No gate is checked,
// since a person decides.
func (q *Proposals) open(ctx context.Context, id string, only []string) (*ops.Tx, error) {
	if q.p.Store.Unattended {
		return nil, ops.ErrUnattended
	}
	return q.p.Store.Begin(ctx, func(dir *memory.Dir) (ops.Op, error) {
		info, err := q.queue.Match(id) // under the lock: nobody else answers it
		if err == nil {
			err = proposal.Changes(&info, only)
		}
		return reopened(info, q.p.Store.New(info.Kind)), err
	})
}

// Accept lands a proposal: its changes to the files in only, or all if only is empty. id is the beginning of its ID, or
// "" for the newest. The changes land whole or not at all; those not in only continue to wait. With a
// *ops.ConflictError a file was changed later. After an error the proposal waits as it was. The time of the last
// consolidation becomes the end of the dream, unless a later dream has landed.
func (q *Proposals) Accept(ctx context.Context, id string, only []string) (FinalizeResult, error) {
	res, err := q.acceptLocal(ctx, id, only)
	if err == nil {
		q.p.Share.Send(ctx)
	}
	return res, err
}

// acceptLocal is Accept without the remote.
func (q *Proposals) acceptLocal(ctx context.Context, id string, only []string) (FinalizeResult, error) {
	defer q.p.Store.Lock()()
	t, err := q.open(ctx, id, only)
	if err != nil {
		return FinalizeResult{}, err
	}
	whole := t.Op
	whole.Changes = slices.Clone(t.Changes) // a landing changes them in place
	err = q.queue.Divide(t, only)
	var res FinalizeResult
	if err == nil {
		res, err = q.land(t)
	}
	if _, half := errors.AsType[*ops.HalfError](err); err != nil && !half {
		err = errors.Join(err, q.queue.Restore(t, whole), t.End(ops.Proposed, "not landed: "+err.Error()))
	}
	return res, err
}

// land lands what the person accepted, and ends it.
func (q *Proposals) land(t *ops.Tx) (FinalizeResult, error) {
	plan, err := q.plan(t)
	if err != nil {
		return FinalizeResult{}, err
	}
	if err := plan.land(); err != nil {
		return FinalizeResult{}, err
	}
	err = t.End(ops.Committed, "")
	return committed(t, plan.index, plan.findings, landedReport(t)), err
}

// Reject discards a proposal. The sessions of its dream count as reviewed, so that the next dream does not propose the
// same again.
func (q *Proposals) Reject(ctx context.Context, id string) (rejected string, err error) {
	defer q.p.Store.Lock()()
	t, err := q.open(ctx, id, nil)
	if err != nil {
		return "", err
	}
	return t.ID, t.End(ops.Rejected, "the person said no")
}

// describeReviews warns of the proposals.
func (s *Status) describeReviews(p *Project) error {
	waiting, err := p.Proposals.queue.Waiting()
	for _, w := range waiting {
		s.Warnings = append(s.Warnings, proposal.Label(w)+" waits for the person's answer: dream-mcp review")
	}
	return err
}

// Held returns the files of proposals of a dream that still wait for the person. The caller holds the mutex.
func (q *Proposals) Held(dream string) (files []string) {
	waiting, _ := q.queue.Waiting()
	for _, w := range waiting {
		if w.Dream == dream {
			files = slices.AppendSeq(files, maps.Keys(w.Held))
		}
	}
	return files
}

// Report returns the report of id, or of a beginning of it ("": the newest that landed and changed something, or what
// waits for the person if that is newer).
func (p *Project) Report(ctx context.Context, id string) (history.Report, error) {
	defer p.Store.Lock()()
	waiting, err := p.Proposals.queue.Waiting()
	if err != nil {
		return history.Report{}, err
	}
	if id == "" && len(waiting) > 0 {
		if _, last, err := p.History.Named(ctx, ""); err != nil || waiting[0].Reviewed.After(last.Landed) {
			id = waiting[0].ID
		}
	}
	return p.History.Report(ctx, id, p.Sources)
}
