package consolidate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"dream-mcp/consolidate/indexing"
	"dream-mcp/consolidate/left"
	"dream-mcp/consolidate/lock"
	"dream-mcp/consolidate/ops"
	"dream-mcp/memory"
	"dream-mcp/memory/rule"
)

// plan is what landing an operation would do.
type plan struct {
	t        *ops.Tx
	request  ops.FinalizeRequest
	index    *indexing.Index
	accepted map[memory.Name]string // losses, with the reason
	findings []rule.Finding
	lines    []rule.Finding // about lines of the index; not only the first time in a dream
}

// plan returns what landing t with r would do, checked against all rules. Of a single write, "loss" is left out, which
// counts what one dream takes away, and rules that read one topic are asked about what it writes. If the rules refuse
// it, it fails with a *RuleError, and the plan is complete.
func (p *Project) plan(t *ops.Tx, r ops.FinalizeRequest, single bool) (l plan, err error) {
	l = plan{t: t, request: r}
	if l.accepted, err = acceptedLosses(r.AcceptLoss); err != nil {
		return l, err
	}
	acceptedEarlier(t, l.accepted)
	if t.Renamed, err = renamed(t); err != nil {
		return l, err
	}
	edit, err := indexing.For(t, r)
	if err != nil {
		return l, err
	}
	l.index, l.lines = edit, indexFindings(edit, r, t.Dir.AllowSecrets)
	before, after, err := indexing.Foresee(t, edit)
	if err != nil {
		return l, err
	}
	if r.Adopt { // a dry run has not staged them
		for _, n := range rule.Quotable(after) {
			topic := memory.ParseTopic(after.Topics[n].Bytes())
			topic.QuoteAll()
			after.Topics[n] = topic
		}
	}
	accepted, lost, err := mergeLosses(t, after, l.accepted)
	if err != nil {
		return l, err
	}
	check := rule.Check{Before: before, After: after, Changed: t.Stage.Changed(), Accepted: accepted, Who: asker(t),
		Now: p.Store.Now(), OwnWords: p.Sources.OwnWords(before, after, nil), Project: p.openCode(false)}
	if single {
		check.Only = check.Changed
	}
	findings := slices.DeleteFunc(append(lost, check.Whole()...), func(f rule.Finding) bool { return single && f.Rule == rule.Loss })
	t.Needed = nil
	l.findings, err = settle(findings, func(f rule.Finding) bool {
		i := slices.IndexFunc(t.Waived, func(w ops.Waiver) bool { return w.Rule == f.Rule && w.File == f.File })
		if i >= 0 && !slices.Contains(t.Needed, t.Waived[i]) {
			t.Needed = append(t.Needed, t.Waived[i])
		}
		return i >= 0
	})
	if refused, ok := errors.AsType[*RuleError](err); ok {
		if after.Index == nil {
			after.Index = memory.ParseIndex(nil)
		}
		refused.Proposed = rule.Propose(after)
		l.findings = refused.Findings
	}
	return l, err
}

// acceptedEarlier adds the losses that the writes of t or the person agreed to.
func acceptedEarlier(t *ops.Tx, accepted map[memory.Name]string) {
	for file, why := range t.Accepted { // by the writes that deleted them
		if n, err := memory.ParseName(file); err == nil && accepted[n] == "" {
			accepted[n] = why
		}
	}
	for file := range t.Held {
		if n, err := memory.ParseName(file); err == nil {
			accepted[n] = "the person accepted it"
		}
	}
}

// asker returns who makes a dream.
func asker(t *ops.Tx) rule.Asker {
	if t.Unattended {
		return rule.Unattended
	}
	return rule.Attended
}

// acceptedLosses returns the reasons of a request by name.
func acceptedLosses(byFile map[string]string) (map[memory.Name]string, error) {
	accepted := make(map[memory.Name]string)
	for file, why := range byFile {
		n, err := memory.ParseName(file)
		if err != nil {
			return nil, ops.Refuse(fmt.Sprintf("accept_loss %q: %v", file, err), "name the memory whose loss is accepted")
		}
		if strings.TrimSpace(why) == "" {
			return nil, ops.Refuse(fmt.Sprintf("accept_loss %q gives no reason", file), "say in why what makes the loss right")
		}
		accepted[n] = why
	}
	return accepted, nil
}

// lost returns the accepted losses of the files that change, and of the lines of the index that go.
func (l *plan) lost() map[string]string {
	lost := make(map[string]string)
	had, has := memory.ParseIndex(l.index.Before).ByFile(), l.index.ByFile()
	for n, why := range l.accepted {
		if file := n.String(); had[file].Text != has[file].Text {
			lost[file] = why
		}
	}
	for _, c := range l.t.Changes {
		if why, is := l.accepted[c.Name]; is {
			lost[c.Name.String()] = why
		}
	}
	return lost
}

// land lands the operation with its summary and the accepted losses. After an error both are as before.
func (l *plan) land() error {
	t := l.t
	summary, accepted := t.Summary, t.Accepted
	t.Summary, t.Accepted = l.request.Summary, l.lost()
	err := t.Land(l.index.Landing(t))
	if err != nil {
		t.Summary, t.Accepted = summary, accepted
	}
	return err
}

// settle turns the errors that were waived into warnings, and refuses where an error remains.
func settle(findings []rule.Finding, waived func(rule.Finding) bool) ([]rule.Finding, error) {
	refused := false
	for i := range findings {
		f := &findings[i]
		if f.Severity == rule.Error && rule.Waivable(f.Rule) && waived(*f) {
			f.Severity = rule.Warning
		}
		refused = refused || f.Severity == rule.Error
	}
	if refused {
		slices.SortStableFunc(findings, func(a, b rule.Finding) int {
			return strings.Compare(string(a.Severity), string(b.Severity)) // "error" sorts first
		})
		return nil, &RuleError{Findings: findings}
	}
	if findings == nil {
		findings = []rule.Finding{}
	}
	return findings, nil
}

// check applies the rules to the new text. Errors refuse, unless waived.
func (w *writing) check(ctx context.Context) ([]rule.Finding, error) {
	if w.after.Topics[w.n].IsPersons() && (w.prior == nil || !w.prior.IsPersons()) {
		if err := w.checkScope(ctx); err != nil {
			return nil, err
		}
	}
	check := rule.Check{
		Before: w.before, After: w.after, Prior: w.prior, Changed: map[memory.Name]bool{w.n: true}, Now: w.now,
		OwnWords: w.p.Sources.OwnWords(w.before, w.after, w.cited), Project: w.p.openCode(false),
	}
	findings := check.Written(w.n)
	if w.t.Kind == lock.KindDream { // what a link leads to may be written later in the dream
		findings = slices.DeleteFunc(findings, func(f rule.Finding) bool { return f.Rule == rule.WikiLink })
	}
	return settle(findings, func(f rule.Finding) bool {
		return slices.ContainsFunc(w.Waive, func(o ops.Waiver) bool { return o.Rule == f.Rule })
	})
}

// checkScope fails with a *PersonError unless the person agreed that the memory becomes theirs in all projects.
func (w *writing) checkScope(ctx context.Context) error {
	file, terminal, t := w.n.String(), "dream-mcp share --person add "+w.n.String(), w.after.Topics[w.n]
	question := fmt.Sprintf("Have the memory %q in all your projects? It says: %s", file, memory.OneLine(t.Description()+". "+t.Body()))
	refused := ops.Refuse("scope: person is for a memory of all the person's projects, and only the person makes it so",
		"leave scope out; if the memory holds in every project, tell the person: "+terminal)
	switch {
	case w.t.Unattended:
		return refused
	case w.Agreed == question:
		return w.p.Person.Agreed(ctx, w.n)
	}
	return &PersonError{Err: refused, Question: question, Terminal: terminal, Declined: func() error {
		defer w.p.Store.Lock()()
		no := ops.Refuse("the person does not want it in all projects", "leave scope out; they can change their mind: "+terminal)
		return errors.Join(no, left.Decline(w.p.Store, file))
	}}
}
