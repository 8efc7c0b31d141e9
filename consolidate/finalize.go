package consolidate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"dream-mcp/consolidate/indexing"
	"dream-mcp/consolidate/lock"
	"dream-mcp/consolidate/ops"
	"dream-mcp/consolidate/state"
	"dream-mcp/memory"
	"dream-mcp/memory/rule"
)

// FinalizeResult is the end of a dream, or with DryRun what it would be.
type FinalizeResult struct {
	Outcome  string         `json:"outcome"` // committed, unchanged, dry_run, proposed
	Files    ops.Files      `json:"files"`
	Index    ops.IndexSize  `json:"index"`
	Findings []rule.Finding `json:"findings"`
	Report   string         `json:"report"`
	Undo     string         `json:"undo,omitempty"`
	Standing string         `json:"standing,omitempty"` // how much more the rules find, by rule

	IndexChanges []string `json:"index_changes,omitempty"` // as dream.indexChanges
	Diff         string   `json:"diff,omitempty"`

	Tell string `json:"tell,omitempty"` // what the model is asked to tell the person
}

// Finalize lands the open dream whole, or refuses and leaves it open. Where the person is to agree first, it ends it as
// proposed.
func (p *Project) Finalize(ctx context.Context, r ops.FinalizeRequest) (FinalizeResult, error) {
	d, err := p.mayFinalize(r)
	if err != nil {
		return FinalizeResult{}, err
	}
	stolen, reached := false, false
	if !r.DryRun {
		if stolen, reached = p.Share.LeaseLost(ctx); ctx.Err() != nil {
			return FinalizeResult{}, ctx.Err()
		}
	}
	res, landed, err := p.finalizeLocal(ctx, r, d, stolen)
	if landed && reached {
		p.Share.Send(ctx)
	}
	return res, err
}

// mayFinalize returns the open dream, or why a call of Finalize cannot begin.
func (p *Project) mayFinalize(r ops.FinalizeRequest) (*dream, error) {
	defer p.Store.Lock()()
	if p.dream == nil {
		return nil, cmp.Or(p.enter(""), ops.ErrNoDream)
	}
	if r.DryRun {
		return p.dream, nil
	}
	if err := p.Gates.mayWrite(); err != nil {
		return nil, err
	}
	return p.dream, p.dream.checkRefused()
}

// finalizeLocal lands d if it is still open, and reports whether it has landed. With stolen another machine took its
// lease over.
func (p *Project) finalizeLocal(ctx context.Context, r ops.FinalizeRequest, d *dream, stolen bool) (res FinalizeResult, landed bool, err error) {
	defer p.Store.Lock()()
	if p.dream != d { // it ended meanwhile
		return res, false, cmp.Or(p.enter(""), ops.ErrNoDream)
	}
	phase := Finalizing
	if r.DryRun {
		phase = Consolidating
	}
	if err := d.renew(phase); err != nil {
		return res, false, err
	}
	res, err = d.finalize(r, stolen)
	_ = p.Person.Sync(ctx) // else at the next use
	return res, d.Outcome == ops.Committed, err
}

// finalize lands d, proposes it, or refuses.
func (d *dream) finalize(r ops.FinalizeRequest, stolen bool) (res FinalizeResult, err error) {
	defer func() { d.logOpen(r, err) }()
	if r.Adopt && !r.DryRun {
		if err := d.quoteAll(); err != nil {
			return FinalizeResult{}, err
		}
	}
	plan, err := d.p.plan(d.Tx, r, false)
	if r.DryRun {
		return d.dryRun(plan, err)
	}
	if err != nil {
		return FinalizeResult{}, err
	}
	if (d.p.options.Propose && d.p.Store.Unattended || stolen) && (len(d.Changes) > 0 || plan.index.Changed()) {
		return d.propose(plan)
	}
	d.log(state.Event{Kind: state.EventLanding})
	if err := plan.land(); err != nil {
		return FinalizeResult{}, d.landError(err)
	}
	res = committed(d.Tx, plan.index, nil, ops.Summary(d.Changes, d.Op)+d.Undecided()+d.p.notRead())
	d.setFindings(&res, plan)
	res.IndexChanges, res.Tell = d.indexChanges(plan.index, res.Files), ops.Tell(d.Changes, d.Op)
	return res, d.end(ops.Committed, "")
}

// setFindings adds to the findings of res those of plan that d may have caused and did not report yet, and counts the
// others.
func (d *dream) setFindings(res *FinalizeResult, plan plan) {
	files := append(res.Files.All(), "", memory.IndexFile)
	lines := slices.DeleteFunc(atEnd(plan.lines), func(f rule.Finding) bool {
		return !d.known.first("end\x00" + findingKey(f))
	})
	shown := slices.DeleteFunc(append(lines, d.known.fresh(plan.findings)...), func(f rule.Finding) bool {
		return f.Severity != rule.Error && f.Rule != rule.Conflict && !slices.Contains(files, f.File) &&
			!slices.ContainsFunc(res.Files.All(), f.IsAbout)
	})
	res.Findings = append(append([]rule.Finding{}, res.Findings...), shown...) // never null in an answer
	res.Standing = standing(slices.DeleteFunc(slices.Clone(plan.findings), func(f rule.Finding) bool { return slices.Contains(shown, f) }))
}

// quoteAll stages every name and description that needs quotes with them: nothing else changes, and nothing is lost.
func (d *dream) quoteAll() error {
	_, after, err := indexing.Foresee(d.Tx, nil)
	if err != nil {
		return err
	}
	for _, n := range rule.Quotable(after) {
		f, _, err := d.Stage.Read(n)
		if err != nil {
			return err
		}
		topic := memory.ParseTopic(f.Data)
		topic.QuoteAll()
		if _, err := d.Stage.Write(n, string(f.Sum), topic.Bytes(), nil); err != nil {
			return err
		}
	}
	return nil
}

// committed returns the result of what has landed.
func committed(t *ops.Tx, edit *indexing.Index, findings []rule.Finding, report string) FinalizeResult {
	res := FinalizeResult{
		Outcome: "committed", Files: ops.FilesOf(t.Changes, t.Renamed), Index: edit.Size(),
		Findings: append(leftAlone(t.LeftAlone), findings...), Report: report, Undo: "dream-mcp undo " + t.ID,
	}
	if len(t.Changes) == 0 {
		res.Outcome, res.Undo = "unchanged", ""
	}
	return res
}

// logOpen logs a refusal or a dry run. Then d is still open, and consolidates again.
func (d *dream) logOpen(r ops.FinalizeRequest, err error) {
	if d.p.dream != d {
		return
	}
	d.Phase = Consolidating
	if err != nil {
		d.log(state.Event{Kind: state.EventRefused, Text: "the end: " + err.Error()})
	} else {
		d.log(state.Event{Kind: state.EventDryRun})
	}
	if !r.DryRun {
		d.Save() // where it fails, the next call says so
	}
}

// standing says what the rules find, by rule, the most frequent first, and where if it is little.
func standing(findings []rule.Finding) string {
	const few = 3
	of := make(map[string][]rule.Finding)
	for _, f := range findings {
		of[f.Rule] = append(of[f.Rule], f)
	}
	rules := slices.SortedFunc(maps.Keys(of), func(a, b string) int { return cmp.Or(len(of[b])-len(of[a]), strings.Compare(a, b)) })
	for i, name := range rules {
		rules[i] = fmt.Sprintf("%d %s", len(of[name]), name)
		if len(of[name]) <= few {
			rules[i] += " (" + rule.Places(of[name]) + ")"
		}
	}
	return strings.Join(rules, ", ")
}

// leftAlone reports files that somebody else changed in the moment of the commit.
func leftAlone(conflicts []ops.Conflict) []rule.Finding {
	findings := []rule.Finding{} // never null in an answer
	for _, c := range conflicts {
		findings = append(findings, rule.Finding{
			Rule: rule.Conflict, Severity: rule.Warning, File: c.Name.String(),
			Message: "somebody else changed it in the moment of the commit: it was left as it is",
			Hint:    "read_memory shows it; write again what still holds of your change",
		})
	}
	return findings
}

// landError ends d where its commit cannot be tried again, and leaves it open where it can.
func (d *dream) landError(err error) error {
	if errors.Is(err, lock.ErrTaken) {
		return d.endLost(err)
	}
	if errors.Is(err, lock.ErrGone) {
		return errors.Join(err, d.end(ops.Aborted, err.Error()))
	}
	if _, half := errors.AsType[*ops.HalfError](err); half {
		d.detach() // Land has closed it: the next operation, of any process, carries the commit on
	}
	return err
}

// notRead says what a dream could not read of the sessions, if anything.
func (p *Project) notRead() string {
	unread := Unread(p.Transcripts.Unread())
	if len(unread) == 0 {
		return ""
	}
	return " Not read: " + strings.Join(unread, "; ") + "."
}

// landedReport says in a line what a dream did, for a person.
func landedReport(t *ops.Tx) string { return ops.Report(t.Changes, t.Op) + t.Decisions() }
