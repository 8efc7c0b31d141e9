package consolidate

import (
	"errors"
	"slices"

	"dream-mcp/consolidate/store"
	"dream-mcp/memory"
	"dream-mcp/memory/rule"
)

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
