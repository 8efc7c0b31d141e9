package consolidate

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"dream-mcp/consolidate/lock"
	"dream-mcp/memory"
	"dream-mcp/memory/landing"
	"dream-mcp/memory/rule"
)

// proposalKept is how long a dream that was proposed to the person waits for an answer.
const proposalKept = 30 * 24 * time.Hour

// proposeWhole ends a dream whose changes a person is to agree to: nothing lands, the time of the last consolidation goes
// back, and the stage waits with the request that would have landed it.
func (p *Project) proposeWhole(edit *indexEdit, r FinalizeRequest, findings []rule.Finding, now time.Time) (FinalizeResult, error) {
	d := p.dream
	changes := slices.Clone(d.stage.Changes)
	if edit.changed() {
		changes = append(changes, landing.Change{Name: indexName, Before: edit.base, After: memory.SumOf(edit.index.Bytes())})
	}
	res := FinalizeResult{Outcome: string(Proposed), Files: filesOf(changes), Index: sizeOf(edit.index), Findings: append([]rule.Finding{}, findings...)}
	if edit.rests {
		res.Index = sizeOf(nil)
	}
	d.Request, d.Reviewed, d.Summary, d.Accepted = &r, now, r.Summary, d.losses(r.AcceptLoss)
	res.Report = "Nothing has landed; the person is asked (dream-mcp review). It would be: " + report(changes, d.Info) + d.decisions()
	return res, p.end(Proposed, "waits for the person: dream-mcp review")
}

// waits reports whether the dream of i was proposed, and has not been answered.
func (i Info) waits() bool {
	return i.Request != nil && i.Outcome != Committed && i.Outcome != Rejected
}

// consolidatedAt is the time of the last consolidation once a dream has landed. What a person agreed to later reviewed no
// session after its own end, so that those are not passed over.
func (i Info) consolidatedAt(landed time.Time, prior lock.Stamp) lock.Stamp {
	if i.Request == nil {
		return lock.Stamp{Exists: true, Time: landed}
	}
	if prior.Exists && prior.Time.After(i.Reviewed) {
		return prior
	}
	return lock.Stamp{Exists: true, Time: i.Reviewed}
}

// waiting returns the dreams that wait for the person's answer, the newest first.
func (p *Project) waiting() ([]Info, error) {
	entries, err := p.journal()
	if err != nil {
		return nil, err
	}
	state, err := p.openState()
	if err != nil {
		return nil, err
	}
	var waiting []Info
	seen := make(map[string]bool)
	for _, e := range slices.Backward(entries) {
		if e.Outcome != Proposed || seen[e.ID] {
			continue
		}
		seen[e.ID] = true
		info, err := readInfo(state, e.ID)
		if err == nil && info.waits() && p.o.Now().Sub(info.Reviewed) < proposalKept {
			waiting = append(waiting, info)
		}
	}
	return waiting, nil
}

// Review is a dream that waits for the person's answer.
type Review struct {
	ID        string             `json:"id"`
	Made      time.Time          `json:"made"`
	Host      string             `json:"host,omitempty"`
	Files     Files              `json:"files"`
	Report    string             `json:"report"`
	Summary   string             `json:"summary,omitempty"`
	Findings  []rule.Finding     `json:"findings"`
	Conflicts []landing.Conflict `json:"conflicts"` // files that were changed since: with one, it can only be rejected
	Refused   string             `json:"refused,omitempty"`
	Diff      string             `json:"diff"`
}

// Reviews returns the dreams that wait for the person, the newest first, each with what it would change in the memory as
// it is now.
func (p *Project) Reviews(ctx context.Context) ([]Review, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.recoverHere(ctx); err != nil {
		return nil, err
	}
	waiting, err := p.waiting()
	if err != nil || len(waiting) == 0 {
		return []Review{}, err
	}
	dir, err := p.openDir()
	if err != nil {
		return nil, err
	}
	if dir == nil {
		return nil, fmt.Errorf("the memory directory %q is gone", p.o.MemoryDir)
	}
	defer dir.Close()
	reviews := make([]Review, len(waiting))
	for i, info := range waiting {
		if reviews[i], err = p.review(dir, info); err != nil {
			return nil, fmt.Errorf("the proposal %s can't be read: %w", info.ID, err)
		}
	}
	return reviews, nil
}

// review says what a dream that waits would do now. It takes no lock: who lands it looks again.
func (p *Project) review(dir *memory.Dir, info Info) (Review, error) {
	folder, err := memory.OpenBelow(p.state, dreamFolder+"/"+info.ID)
	if err != nil {
		return Review{}, err
	}
	defer folder.Close()
	stage, err := landing.OpenStage(dir, folder)
	if err != nil {
		return Review{}, err
	}
	r := Review{ID: info.ID, Made: second(info.Reviewed), Host: info.Host, Summary: info.Summary, Findings: []rule.Finding{}, Conflicts: []landing.Conflict{}}
	for _, c := range stage.Changes {
		f, err := dir.Read(c.Name)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return r, err
		}
		if f.Sum != c.Before {
			r.Conflicts = append(r.Conflicts, landing.Conflict{Name: c.Name, Want: c.Before, Have: f.Sum})
		}
	}
	d := &dream{Info: info, dir: dir, folder: folder, stage: stage, allowed: p.o.AllowSecrets}
	changes := slices.Clone(stage.Changes)
	edit, err := d.editIndex()
	if err == nil {
		err = edit.apply(*info.Request, d)
	}
	var index []byte
	if err != nil {
		r.Refused = err.Error() // a whole new index over one that has changed
	} else {
		accepted, _ := acceptedLosses(info.Request.AcceptLoss) // it was read once
		findings, err := p.checkWhole(d, edit, accepted, p.o.Now())
		if rule := (*RuleError)(nil); errors.As(err, &rule) {
			findings, r.Refused = rule.Findings, err.Error()
		} else if err != nil {
			return r, err
		}
		r.Findings = append(r.Findings, findings...)
		if edit.changed() {
			index = edit.index.Bytes()
			changes = append(changes, landing.Change{Name: indexName, Before: edit.base, After: memory.SumOf(index)})
		}
	}
	diff, err := stage.Diff(index)
	r.Files, r.Diff, r.Report = filesOf(changes), string(diff), report(changes, info)+info.decisions()
	return r, err
}

// reopen makes a dream that waits the open one, under the lock; no gate is asked: a person is.
func (p *Project) reopen(ctx context.Context, id string) error {
	if p.o.Unattended {
		return errUnattended
	}
	if p.dream != nil {
		return &lock.BusyError{Holder: p.dream.record.String()}
	}
	now := p.o.Now()
	dir, err := p.makeDir()
	if err != nil {
		return err
	}
	l, err := p.lockWait(ctx, dir, momentWait)
	if err != nil {
		return errors.Join(err, dir.Close())
	}
	info, err := p.matchWaiting(id) // under the lock: nobody else answers it
	if err == nil {
		err = lock.HostFree(dir.Root(), now)
	}
	var d *dream
	if err == nil {
		info.Kind, info.Resumed, info.Outcome, info.Reason, info.Ended, info.LastCall = lock.KindDream, true, "", "", time.Time{}, now
		d, err = p.begin(l, dir, info)
	}
	if err != nil {
		return errors.Join(err, l.Release(), dir.Close())
	}
	d.expiry = time.AfterFunc(p.o.Lease, p.expire)
	p.dream = d
	return nil
}

func (p *Project) matchWaiting(id string) (Info, error) {
	waiting, err := p.waiting()
	if err != nil {
		return Info{}, err
	}
	meant := slices.DeleteFunc(slices.Clone(waiting), func(i Info) bool { return !strings.HasPrefix(i.ID, id) })
	switch {
	case len(meant) == 1, id == "" && len(meant) > 0:
		return meant[0], nil
	case len(meant) > 1:
		return Info{}, &RequestError{fmt.Sprintf("%q is the beginning of %d IDs", id, len(meant)), "give more of it"}
	case id == "":
		return Info{}, &RequestError{"no dream waits for your answer", "dream-mcp log tells what dreams did"}
	}
	return Info{}, &RequestError{fmt.Sprintf("no dream with the ID %q waits for your answer", id), "dream-mcp review lists those that wait"}
}

// AcceptDream lands a dream that waits for the person, by its ID or a beginning of it ("": the newest), whole or not at
// all: with a *memory.ConflictError a file was changed since, and it goes on waiting. The time of the last consolidation
// becomes that of the dream's own end, or stays where a later dream has been.
func (p *Project) AcceptDream(ctx context.Context, id string) (FinalizeResult, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.reopen(ctx, id); err != nil {
		return FinalizeResult{}, err
	}
	res, err := p.finalize(*p.dream.Request)
	if err != nil && p.dream != nil {
		err = errors.Join(err, p.end(Proposed, "not landed: "+err.Error()))
	}
	return res, err
}

// RejectDream forgets a dream that waits for the person. Its sessions count as reviewed: the next dream does not begin with
// what was just refused.
func (p *Project) RejectDream(ctx context.Context, id string) (rejected string, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.reopen(ctx, id); err != nil {
		return "", err
	}
	d := p.dream
	d.record.Prior = d.consolidatedAt(d.Reviewed, d.record.Prior)
	if err := p.keepMarks(d.Info); err != nil {
		return "", err
	}
	return d.ID, p.end(Rejected, "the person said no")
}

// describeReviews tells that dreams wait.
func (p *Project) describeReviews(s *Status) error {
	waiting, err := p.waiting()
	if len(waiting) > 0 {
		s.Warnings = append(s.Warnings, fmt.Sprintf("%s waits for the person's answer: dream-mcp review", waiting[0].label()))
	}
	return err
}

func (i Info) label() string {
	return fmt.Sprintf("dream %s, proposed %s,", i.ID, second(i.Reviewed).Format(time.RFC3339))
}
