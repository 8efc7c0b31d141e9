package consolidate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"dream-mcp/consolidate/lock"
	"dream-mcp/consolidate/store"
	"dream-mcp/memory"
	"dream-mcp/memory/landing"
	"dream-mcp/memory/rule"
)

// FinalizeResult is the end of a dream, or with DryRun what it would be.
type FinalizeResult struct {
	Outcome  string          `json:"outcome"` // committed, unchanged, dry_run, proposed
	Files    store.Files     `json:"files"`
	Index    store.IndexSize `json:"index"`
	Findings []rule.Finding  `json:"findings"`
	Report   string          `json:"report"`
	Undo     string          `json:"undo,omitempty"`
	Standing string          `json:"standing,omitempty"` // how much the rules find, by rule

	IndexChanges []string `json:"index_changes,omitempty"` // with DryRun: lines of the index that go ("- ") and come ("+ ")
	Diff         string   `json:"diff,omitempty"`
}

// AllFiles asks for the diff of every file.
const AllFiles = "all"

// Finalize lands the open dream whole, or refuses and leaves it open. Where the person is to agree first, it ends it as
// proposed.
func (p *Project) Finalize(ctx context.Context, r store.FinalizeRequest) (FinalizeResult, error) {
	p.Lock()
	defer p.Unlock()
	if p.dream == nil {
		return FinalizeResult{}, cmp.Or(p.enter(""), store.ErrNoDream)
	}
	phase := Consolidating
	if !r.DryRun {
		if err := p.Gates.mayWrite(); err != nil {
			return FinalizeResult{}, err
		}
		p.dream.stolen = p.Share.LeaseLost(ctx)
		phase = Finalizing
	}
	if err := p.dream.renew(phase); err != nil {
		return FinalizeResult{}, err
	}
	return p.dream.finalize(r)
}

// finalize lands d, or refuses.
func (d *dream) finalize(r store.FinalizeRequest) (res FinalizeResult, err error) {
	p := d.p
	defer func() { d.logRefused(r, err) }()
	accepted, err := acceptedLosses(r.AcceptLoss)
	if err != nil {
		return FinalizeResult{}, err
	}
	edit, err := d.IndexFor(r)
	if err != nil {
		return FinalizeResult{}, err
	}
	findings, err := p.checkWhole(d.Tx, edit, accepted)
	if r.DryRun {
		return d.dryRun(edit, findings, r, err)
	}
	if err != nil {
		return FinalizeResult{}, err
	}
	if (p.options.Propose && p.Unattended || d.stolen) && (len(d.Stage.Changes) > 0 || edit.Changed()) {
		return d.propose(edit, r, findings)
	}
	d.Summary, d.Accepted = r.Summary, losses(d.Stage, r.AcceptLoss)
	d.log(Event{Kind: EventLanding})
	if err := d.Land(edit); err != nil {
		d.Summary, d.Accepted = "", nil
		return FinalizeResult{}, d.landError(err)
	}
	fresh, _ := d.fresh(findings)
	res = committed(d.Tx, edit, fresh, store.Summary(d.Stage.Changes, d.Info)+d.Choices())
	res.Standing = standing(findings)
	return res, d.end(store.Committed, "")
}

// committed is the result of what has landed.
func committed(t *store.Tx, edit *store.Index, findings []rule.Finding, report string) FinalizeResult {
	res := FinalizeResult{
		Outcome: "committed", Files: store.FilesOf(t.Stage.Changes), Index: edit.Size(),
		Findings: append(leftAlone(t.Stage.LeftAlone), findings...), Report: report, Undo: "dream-mcp undo " + t.ID,
	}
	if len(t.Stage.Changes) == 0 {
		res.Outcome, res.Undo = "unchanged", ""
	}
	return res
}

// logRefused reports to those who watch that d is open after a finalize, and what it works on again.
func (d *dream) logRefused(r store.FinalizeRequest, err error) {
	if d.p.dream != d {
		return
	}
	d.Phase = Consolidating
	if err != nil {
		d.log(Event{Kind: EventRefused, Text: "the end: " + err.Error()})
	} else {
		d.log(Event{Kind: EventDryRun})
	}
	if !r.DryRun {
		d.Save() // where it fails, the next call says so
	}
}

// standing counts findings by rule, the most frequent first.
func standing(findings []rule.Finding) string {
	count := make(map[string]int)
	for _, f := range findings {
		count[f.Rule]++
	}
	rules := slices.SortedFunc(maps.Keys(count), func(a, b string) int { return cmp.Or(count[b]-count[a], strings.Compare(a, b)) })
	for i, name := range rules {
		rules[i] = fmt.Sprintf("%d %s", count[name], name)
	}
	return strings.Join(rules, ", ")
}

// leftAlone reports files that somebody else changed in the moment of the commit.
func leftAlone(conflicts []landing.Conflict) []rule.Finding {
	findings := []rule.Finding{} // never null in an answer
	for _, c := range conflicts {
		findings = append(findings, rule.Finding{
			Rule: "conflict", Severity: rule.Warning, File: c.Name.String(),
			Message: "somebody else changed it in the moment of the commit: it was left as it is",
			Hint:    "read_memory shows it; write again what still holds of your change",
		})
	}
	return findings
}

func acceptedLosses(byFile map[string]string) (map[memory.Name]string, error) {
	accepted := make(map[memory.Name]string, len(byFile))
	for file, why := range byFile {
		n, err := memory.ParseName(file)
		if err != nil {
			return nil, store.Refuse(fmt.Sprintf("accept_loss %q: %v", file, err), "name the memory whose loss is accepted")
		}
		if strings.TrimSpace(why) == "" {
			return nil, store.Refuse(fmt.Sprintf("accept_loss %q gives no reason", file), "say in why what makes the loss right")
		}
		accepted[n] = why
	}
	return accepted, nil
}

// dryRun answers what a commit would do; refused is the error that it would end with.
func (d *dream) dryRun(edit *store.Index, findings []rule.Finding, r store.FinalizeRequest, refused error) (FinalizeResult, error) {
	refusal, broken := errors.AsType[*RuleError](refused)
	if broken {
		findings = refusal.Findings
	} else if refused != nil {
		return FinalizeResult{}, refused
	}
	changes := d.All(edit)
	decided := store.Info{Operation: store.Operation{Waived: d.Needed, Accepted: losses(d.Stage, r.AcceptLoss), Proposed: d.Proposed}}
	verdict := "nothing has landed: " + store.Summary(changes, d.Info) + decided.Choices()
	if refusal != nil {
		verdict = "nothing has landed, and it would be refused: " + refusal.where()
	}
	if r.Diff != "" {
		diff, err := d.diff(edit, r.Diff)
		return FinalizeResult{Outcome: "dry_run", Files: store.FilesOf(nil), Findings: []rule.Finding{}, Report: verdict, Diff: diff}, err
	}
	res := FinalizeResult{Outcome: "dry_run", Files: store.FilesOf(changes), Index: edit.Size(), Report: verdict}
	res.Findings, _ = d.fresh(findings)
	res.Standing = standing(findings)
	if !edit.None {
		res.IndexChanges = d.indexChanges(edit, res.Files, r.Upsert)
	}
	return res, nil
}

// indexChanges returns the lines of the index that go and come. Those of created and deleted memories and of upserted lines, which say
// what the caller knows, are only counted.
func (d *dream) indexChanges(edit *store.Index, files store.Files, upserted []store.IndexLine) (changes []string) {
	show := d.Dir.AllowSecrets.Show
	known := slices.Concat(files.Created, files.Deleted)
	for _, line := range upserted {
		known = append(known, line.File)
	}
	count := map[string]int{}
	for _, change := range landing.LineChanges(show(string(edit.Before)).Text, show(string(edit.Bytes())).Text) {
		entries := memory.ParseIndex([]byte(change[2:])).Entries()
		if len(entries) == 1 && slices.Contains(known, entries[0].File) {
			count[change[:1]]++
		} else {
			changes = append(changes, change)
		}
	}
	if len(count) > 0 {
		changes = append(changes, fmt.Sprintf(`and the lines of created, merged and deleted memories, and those given: +%d -%d; {"dry_run": true, "diff": "MEMORY.md"} shows them`, count["+"], count["-"]))
	}
	return changes
}

// diff returns the unified diff of what the dream would land: of one file, or of all.
func (d *dream) diff(edit *store.Index, file string) (string, error) {
	if file == AllFiles {
		diff, err := d.Diff(edit)
		return string(diff), err
	}
	if file == memory.IndexFile && edit.Changed() {
		return string(landing.DiffOf(memory.IndexName, edit.Before, edit.Bytes(), d.Dir.AllowSecrets)), nil
	}
	for _, c := range d.Stage.Changes {
		if c.Name.String() != file {
			continue
		}
		before, err := d.Dir.Read(c.Name)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		after, err := d.Stage.Content(c.After)
		return string(landing.DiffOf(c.Name, before.Data, after, d.Dir.AllowSecrets)), err
	}
	return "", store.Refuse(fmt.Sprintf("diff: nothing would change in %q", file), `name a file that the dry run lists, or "all"`)
}

// landError ends d where its commit cannot be tried again, and leaves it open where it can.
func (d *dream) landError(err error) error {
	if errors.Is(err, lock.ErrTaken) {
		return d.endLost(err)
	}
	if errors.Is(err, lock.ErrGone) {
		return errors.Join(err, d.end(store.Aborted, err.Error()))
	}
	if _, half := errors.AsType[*store.HalfError](err); half {
		d.detach() // Land has closed it: the next operation, of any process, carries the commit on
	}
	return err
}

// landedReport says in a line what a dream did, for a person.
func landedReport(t *store.Tx) string { return store.Report(t.Stage.Changes, t.Info) + t.Decisions() }

// losses returns the losses that were accepted, of those files that a stage changes.
func losses(stage *landing.Stage, accepted map[string]string) map[string]string {
	lost := make(map[string]string)
	for _, c := range stage.Changes {
		if why, is := accepted[c.Name.String()]; is {
			lost[c.Name.String()] = why
		}
	}
	return lost
}
