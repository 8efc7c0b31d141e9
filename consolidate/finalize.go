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
	"time"

	"dream-mcp/consolidate/lock"
	"dream-mcp/memory"
	"dream-mcp/memory/landing"
	"dream-mcp/memory/rule"
)

// FinalizeRequest says how the index should be, and what is agreed to.
type FinalizeRequest struct {
	Upsert     []IndexLine
	Remove     []string
	Content    *string
	Base       string
	Adopt      bool
	DryRun     bool
	AcceptLoss map[string]string // why, by file
	Summary    string
	Diff       string `json:"-"` // with DryRun: of this file, or AllFiles
}

// FinalizeResult is the end of a dream, or with DryRun what it would be.
type FinalizeResult struct {
	Outcome  string         `json:"outcome"` // committed, unchanged, dry_run, proposed
	Files    Files          `json:"files"`
	Index    IndexSize      `json:"index"`
	Findings []rule.Finding `json:"findings"`
	Report   string         `json:"report"`
	Undo     string         `json:"undo,omitempty"`
	Standing string         `json:"standing,omitempty"` // after a commit, how much the rules find, by rule

	IndexChanges []string `json:"index_changes,omitempty"` // with DryRun: lines of the index that go ("- ") and come ("+ ")
	Diff         string   `json:"diff,omitempty"`
}

// AllFiles asks for the diff of every file.
const AllFiles = "all"

// Files names what a dream did to which.
type Files struct {
	Created []string `json:"created"`
	Updated []string `json:"updated"`
	Deleted []string `json:"deleted"`
}

func filesOf(changes []landing.Change) Files {
	f := Files{Created: []string{}, Updated: []string{}, Deleted: []string{}}
	for _, c := range changes {
		list := map[string]*[]string{"created": &f.Created, "updated": &f.Updated, "deleted": &f.Deleted}[c.Action()]
		*list = append(*list, c.Name.String())
	}
	return f
}

// IndexSize is how much of the host's limits the index uses.
type IndexSize struct {
	Lines    int `json:"lines"`
	Bytes    int `json:"bytes"`
	MaxLines int `json:"max_lines"`
	MaxBytes int `json:"max_bytes"`
}

func sizeOf(index *memory.Index) IndexSize {
	s := IndexSize{MaxLines: memory.MaxIndexLines, MaxBytes: memory.MaxIndexBytes}
	if index != nil {
		s.Lines, s.Bytes = index.Size()
	}
	return s
}

// Finalize lands the open dream whole, or refuses and leaves it open. Where the person is to agree first, it ends it as
// proposed.
func (p *Project) Finalize(ctx context.Context, r FinalizeRequest) (FinalizeResult, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.reread()
	if err := p.refuseOff(); err != nil && p.dream != nil && !r.DryRun {
		return FinalizeResult{}, err
	}
	if p.dream != nil && !r.DryRun {
		p.dream.stolen = p.leaseLost(ctx)
	}
	return p.finalize(r)
}

// finalize is Finalize. The caller holds p.mu.
func (p *Project) finalize(r FinalizeRequest) (res FinalizeResult, err error) {
	if p.dream == nil {
		return FinalizeResult{}, cmp.Or(p.enter(""), ErrNoDream)
	}
	phase := Finalizing
	if r.DryRun {
		phase = Consolidating
	}
	if err := p.renew(phase); err != nil {
		return FinalizeResult{}, err
	}
	defer func() { p.tellFinalize(r, err) }()
	d, now := p.dream, p.o.Now()
	accepted, err := acceptedLosses(r.AcceptLoss)
	if err != nil {
		return FinalizeResult{}, err
	}
	edit, err := d.editIndex()
	if err == nil {
		err = edit.apply(r, d)
	}
	if err != nil {
		return FinalizeResult{}, err
	}
	findings, err := p.checkWhole(d, edit, accepted, now)
	if r.DryRun {
		return d.dryRun(edit, findings, r, err)
	}
	if err != nil {
		return FinalizeResult{}, err
	}
	if (p.o.Propose && p.o.Unattended || d.stolen) && (len(d.stage.Changes) > 0 || edit.changed()) {
		return p.proposeWhole(edit, r, findings, now)
	}
	d.Summary, d.Accepted = r.Summary, d.losses(r.AcceptLoss)
	p.tell(Event{Kind: EventLanding})
	if err := p.land(d, edit, now); err != nil {
		d.Summary, d.Accepted = "", nil
		return FinalizeResult{}, p.landError(err)
	}
	fresh, _ := d.fresh(findings)
	res = FinalizeResult{
		Outcome: "committed", Files: filesOf(d.stage.Changes), Index: sizeOf(edit.index),
		Findings: append(leftAlone(d.stage.LeftAlone), fresh...), Standing: standing(findings), Report: summary(d.stage.Changes, d.Info) + d.choices(), Undo: "dream-mcp undo " + d.ID,
	}
	if edit.rests {
		res.Index = sizeOf(nil)
	}
	if d.Request != nil { // a person reads it
		res.Report = d.report()
	}
	if len(d.stage.Changes) == 0 {
		res.Outcome, res.Undo = "unchanged", ""
	}
	return res, p.commit(now)
}

// tellFinalize tells those who watch of a finalizing that left the dream open, and what it works on again.
func (p *Project) tellFinalize(r FinalizeRequest, err error) {
	if p.dream == nil {
		return
	}
	p.dream.Phase = Consolidating
	if err != nil {
		p.tell(Event{Kind: EventRefused, Text: "the end: " + err.Error()})
	} else {
		p.tell(Event{Kind: EventDryRun})
	}
	if !r.DryRun {
		p.dream.save() // where it fails, the next call says so
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
			return nil, &RequestError{fmt.Sprintf("accept_loss %q: %v", file, err), "name the memory whose loss is accepted"}
		}
		if strings.TrimSpace(why) == "" {
			return nil, &RequestError{fmt.Sprintf("accept_loss %q gives no reason", file), "say in why what makes the loss right"}
		}
		accepted[n] = why
	}
	return accepted, nil
}

// dryRun answers what a commit would do; refused is the error that it would end with.
func (d *dream) dryRun(edit *indexEdit, findings []rule.Finding, r FinalizeRequest, refused error) (FinalizeResult, error) {
	var refusal *RuleError
	if errors.As(refused, &refusal) {
		findings = refusal.Findings
	} else if refused != nil {
		return FinalizeResult{}, refused
	}
	changes := slices.Clone(d.stage.Changes)
	if !edit.rests && edit.changed() {
		changes = append(changes, landing.Change{Name: memory.IndexName, Before: edit.base, After: memory.SumOf(edit.index.Bytes())})
	}
	if r.Diff != "" {
		diff, err := d.diff(edit, r.Diff)
		return FinalizeResult{Outcome: "dry_run", Files: filesOf(nil), Findings: []rule.Finding{}, Diff: diff}, err
	}
	res := FinalizeResult{Outcome: "dry_run", Files: filesOf(changes), Index: sizeOf(edit.index)}
	res.Findings, _ = d.fresh(findings)
	if edit.rests {
		res.Index = sizeOf(nil)
	} else {
		res.IndexChanges = lineChanges(d.dir.AllowSecrets.Show(string(edit.before)).Text, d.dir.AllowSecrets.Show(string(edit.index.Bytes())).Text)
	}
	told := Info{Waived: d.needed, Accepted: d.losses(r.AcceptLoss), Proposed: d.Proposed}
	res.Report = "nothing has landed: " + summary(changes, d.Info) + told.choices()
	if refusal != nil {
		res.Report = "nothing has landed, and it would be refused"
	}
	return res, nil
}

// diff returns the unified diff of what the dream would land: of one file, or of all.
func (d *dream) diff(edit *indexEdit, file string) (string, error) {
	var index []byte
	if !edit.rests && edit.changed() {
		index = edit.index.Bytes()
	}
	if file == AllFiles {
		diff, err := d.stage.Diff(index)
		return string(diff), err
	}
	if file == memory.IndexFile {
		return string(landing.DiffOf(memory.IndexName, edit.before, index, d.dir.AllowSecrets)), nil
	}
	for _, c := range d.stage.Changes {
		if c.Name.String() != file {
			continue
		}
		before, err := d.dir.Read(c.Name)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		after, err := d.stage.Content(c.After)
		return string(landing.DiffOf(c.Name, before.Data, after, d.dir.AllowSecrets)), err
	}
	return "", &RequestError{fmt.Sprintf("diff: nothing would change in %q", file), `name a file that the dry run lists, or "all"`}
}

// lineChanges returns the lines that a text loses and gains, in its order, without those that only moved.
func lineChanges(before, after string) (changes []string) {
	count := make(map[string]int)
	for line := range strings.Lines(after) {
		count[strings.TrimRight(line, "\r\n")]++
	}
	old := make(map[string]int)
	for line := range strings.Lines(before) {
		line = strings.TrimRight(line, "\r\n")
		if count[line] > old[line] {
			old[line]++
		} else if line != "" {
			changes = append(changes, "- "+line)
		}
	}
	for line := range strings.Lines(after) {
		line = strings.TrimRight(line, "\r\n")
		if old[line] > 0 {
			old[line]--
		} else if line != "" {
			changes = append(changes, "+ "+line)
		}
	}
	return changes
}

// landError ends the dream where its commit can't be tried again, and leaves it open where it can.
func (p *Project) landError(err error) error {
	var half *HalfError
	switch {
	case errors.Is(err, lock.ErrTaken):
		return errors.Join(p.lost(err), err)
	case errors.Is(err, lock.ErrGone):
		return errors.Join(err, p.end(Aborted, err.Error()))
	case errors.As(err, &half):
		// The record stays, so that the next operation, of any process, takes the commit up.
		d := p.dream
		p.dream = nil
		d.expiry.Stop()
		return errors.Join(err, d.close())
	}
	return err
}

// commit ends the dream after its changes have landed: this is the time of the last consolidation.
func (p *Project) commit(now time.Time) error {
	d := p.dream
	p.dream = nil
	d.expiry.Stop()
	d.Outcome, d.Ended = Committed, now
	d.tell(Event{Kind: EventEnded, Text: string(Committed) + ": " + d.report()}, now, p.o.AllowSecrets)
	p.step("stamp")
	err := p.giveBack(d.dir, d.record, d.consolidatedAt(now, d.record.Prior))
	p.step("journal")
	err = errors.Join(err, d.save(), p.keepMarks(d.Info), p.log(d, Committed, now))
	if err == nil {
		p.step("clear")
		if err = d.lock.Clear(); err == nil {
			p.pruneAfter(d, now)
		}
	}
	if err = errors.Join(err, d.close()); err != nil {
		err = &HalfError{ID: d.ID, Why: err} // it has landed; recovery writes what is missing
	}
	p.changed(d.stage.Changes)
	p.send()
	return err
}

// LastURI is the resource with the report and the diff of the last dream.
const LastURI = "dream://last"

// report says in a line what a dream did, for a person.
func (d *dream) report() string { return report(d.stage.Changes, d.Info) + d.decisions() }

// losses returns the losses that were accepted, of those files that the dream changes.
func (d *dream) losses(accepted map[string]string) map[string]string {
	lost := make(map[string]string)
	for _, c := range d.stage.Changes {
		if why, is := accepted[c.Name.String()]; is {
			lost[c.Name.String()] = why
		}
	}
	return lost
}

// decisions tells what was merged, and the choices.
func (i Info) decisions() string {
	merged := ""
	if m := i.merges(); m != nil {
		merged = " Merged: " + strings.Join(m, "; ") + "."
	}
	return merged + i.choices()
}

// choices tells which rules were set aside and which losses accepted, each with its reason, and what is
// left for the person to decide.
func (i Info) choices() string {
	var b strings.Builder
	tell := func(what string, each []string) {
		if len(each) > 0 {
			b.WriteString(" " + what + " " + strings.Join(each, "; ") + ".")
		}
	}
	var waived, lost []string
	for _, w := range i.Waived {
		waived = append(waived, fmt.Sprintf("%s for %s (%s)", w.Rule, w.File, w.Why))
	}
	for _, file := range slices.Sorted(maps.Keys(i.Accepted)) {
		lost = append(lost, fmt.Sprintf("%s (%s)", file, i.Accepted[file]))
	}
	tell("Set aside:", waived)
	tell("Accepted as lost:", lost)
	if len(i.Proposed) > 0 {
		tell("Left for the person to decide (dream-mcp proposals):", []string{strings.Join(i.Proposed, ", ")})
	}
	return b.String()
}

// reviewed says how many of the sessions since the last dream were listed to their end; nothing where there are none.
func (i Info) reviewed() string {
	shown, of := i.Listed.count()
	if of == 0 {
		of = i.Sessions
	}
	if of == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %s", shown, plural(of, "session"))
}

// topics counts memories, without the index.
func topics(files []string) int {
	n := len(files)
	for _, file := range files {
		if file == memory.IndexFile {
			n--
		}
	}
	return n
}

// improved says in numbers what changes did, and with counted how many memories are new.
func improved(changes []landing.Change, counted bool) string {
	f := filesOf(changes)
	created, gone := topics(f.Created), topics(f.Deleted)
	better := created + topics(f.Updated)
	switch {
	case better+gone == 0:
		return "Improved the index"
	case better == 0:
		return "Removed " + plural(gone, "memory")
	}
	text := "Improved " + plural(better, "memory")
	if counted && created > 0 {
		text += fmt.Sprintf(" (%d new)", created)
	}
	if gone > 0 {
		text += fmt.Sprintf(", removed %d", gone)
	}
	return text
}

// summary says in numbers what an operation changed and reviewed.
func summary(changes []landing.Change, i Info) string {
	if len(changes) == 0 {
		return report(changes, i)
	}
	text := improved(changes, true)
	if reviewed := i.reviewed(); reviewed != "" {
		text += "; reviewed " + reviewed
	}
	return text + "."
}

// report says what an operation changed and reviewed.
func report(changes []landing.Change, i Info) string {
	reviewed := i.reviewed()
	f := filesOf(changes)
	if len(changes) == 0 && reviewed == "" {
		return "Nothing needed to change."
	}
	if len(changes) == 0 {
		return "Reviewed " + reviewed + "; nothing needed to change."
	}
	var parts []string
	for _, part := range []struct {
		what  string
		files []string
	}{{"created", f.Created}, {"updated", f.Updated}, {"deleted", f.Deleted}} {
		if len(part.files) > 0 {
			parts = append(parts, part.what+" "+strings.Join(part.files, ", "))
		}
	}
	if reviewed != "" {
		parts = append(parts, "reviewed "+reviewed)
	}
	return improved(changes, false) + ": " + strings.Join(parts, "; ") + "."
}

func plural(n int, noun string) string {
	switch {
	case n == 1:
		return "1 " + noun
	case strings.HasSuffix(noun, "y"):
		return fmt.Sprintf("%d %sies", n, strings.TrimSuffix(noun, "y"))
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
