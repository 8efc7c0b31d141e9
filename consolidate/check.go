package consolidate

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"dream-mcp/consolidate/store"
	"dream-mcp/memory"
	"dream-mcp/memory/rule"
)

// plan is what landing an operation would do.
type plan struct {
	t        *store.Tx
	request  store.FinalizeRequest
	index    *store.Index
	accepted map[memory.Name]string // losses, with the reason
	findings []rule.Finding
}

// plan returns what landing t with r would do. If the rules refuse it, it fails with a *RuleError, and the plan is complete.
func (p *Project) plan(t *store.Tx, r store.FinalizeRequest) (plan, error) {
	l := plan{t: t, request: r, accepted: make(map[memory.Name]string)}
	for file, why := range r.AcceptLoss {
		n, err := memory.ParseName(file)
		if err != nil {
			return l, store.Refuse(fmt.Sprintf("accept_loss %q: %v", file, err), "name the memory whose loss is accepted")
		}
		if strings.TrimSpace(why) == "" {
			return l, store.Refuse(fmt.Sprintf("accept_loss %q gives no reason", file), "say in why what makes the loss right")
		}
		l.accepted[n] = why
	}
	for file := range t.Held { // a person decides about these
		if n, err := memory.ParseName(file); err == nil {
			l.accepted[n] = "the person accepted it"
		}
	}
	edit, err := t.IndexFor(r)
	if err != nil {
		return l, err
	}
	l.index = edit
	l.findings, err = p.checkWhole(t, edit, l.accepted)
	if refused, ok := errors.AsType[*RuleError](err); ok {
		l.findings = refused.Findings
	}
	return l, err
}

// lost returns the accepted losses of the files that change.
func (l *plan) lost() map[string]string {
	lost := make(map[string]string)
	for _, c := range l.t.Stage.Changes {
		if why, is := l.accepted[c.Name]; is {
			lost[c.Name.String()] = why
		}
	}
	return lost
}

// checkWhole checks the memory as it would be against all rules but those in except. It fails if a finding is an error.
func (p *Project) checkWhole(t *store.Tx, e *store.Index, accepted map[memory.Name]string, except ...string) ([]rule.Finding, error) {
	before, err := t.Dir.Snapshot()
	if err != nil {
		return nil, err
	}
	after, err := t.After(before, e)
	if err != nil {
		return nil, err
	}
	accepted, lost, err := mergeLosses(t, after, accepted)
	if err != nil {
		return nil, err
	}
	check := rule.Check{Before: before, After: after, Touched: t.Stage.Touched(), Accepted: accepted, Unattended: t.Unattended, Now: p.Now(), OwnWords: p.Sources.OwnWords(before, after, nil), Project: p.openCode()}
	findings := slices.DeleteFunc(append(lost, check.Whole()...), func(f rule.Finding) bool { return slices.Contains(except, f.Rule) })
	t.Needed = nil
	findings, err = settle(findings, func(f rule.Finding) bool {
		i := slices.IndexFunc(t.Waived, func(w store.Waiver) bool { return w.Rule == f.Rule && w.File == f.File })
		if i >= 0 && !slices.Contains(t.Needed, t.Waived[i]) {
			t.Needed = append(t.Needed, t.Waived[i])
		}
		return i >= 0
	})
	if refused, ok := errors.AsType[*RuleError](err); ok {
		if after.Index == nil {
			after.Index = memory.ParseIndex(nil)
		}
		refused.Proposed, _ = rule.Propose(after)
	}
	return findings, err
}
