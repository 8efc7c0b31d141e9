package consolidate

import (
	"slices"

	"dream-mcp/memory"
	"dream-mcp/memory/rule"
	"dream-mcp/memory/visible"
)

// What a write compares with the old text: so many bytes of both, since the time grows with their product; and how many sentences it
// names as dropped.
const (
	maxCompared = 16 << 10
	maxDropped  = 5
)

// dropped names the sentences that a whole new text does not say any more. To leave them out may be meant.
func (w *writing) dropped() (findings []rule.Finding) {
	if w.Content == nil || w.prior == nil || len(w.merged) > 0 || len(w.prior.Bytes())+len(w.data) > maxCompared {
		return nil
	}
	show := w.t.Dir.AllowSecrets
	facts := rule.Dropped(w.n, w.prior.Shown(show), w.after.Topics[w.n].Shown(show))
	for _, f := range facts[:min(len(facts), maxDropped)] {
		findings = append(findings, rule.Finding{Rule: "loss", Severity: rule.Info, File: w.n.String(),
			Message: "the new text does not say: " + visible.Short(f.Text, maxPassage), Hint: "if it still holds, write it again"})
	}
	return findings
}

// setMissing sets what was accepted of what w.n lacks, and what it still lacks.
func (w *writing) setMissing(res *WriteResult) error {
	topic := memory.ParseTopic(w.data)
	all, err := lost(w.t, w.n, topic, w.Accept...)
	if err != nil || len(all) == 0 {
		return err
	}
	still := all
	if len(w.Accept) > 0 {
		if still, err = lost(w.t, w.n, topic); err != nil {
			return err
		}
	}
	for _, f := range all {
		if slices.Contains(still, f) {
			continue
		}
		text := f.Text
		if slices.ContainsFunc(w.Accept, func(a Accepted) bool { return a.text() == rule.RestOf(f.File) }) {
			text = rule.RestOf(f.File)
		}
		if !slices.Contains(res.Accepted, text) {
			res.Accepted = append(res.Accepted, text)
		}
	}
	if still, err = w.correct(res, still); err != nil {
		return err
	}
	res.Missing = still[:min(len(still), maxShownFacts)]
	res.More = len(still) - len(res.Missing)
	if res.Accepted != nil {
		res.Next = "nothing is missing any more, and nothing of the merge blocks"
	}
	if len(still) > 0 {
		res.Next = "write what still holds into the text; for the rest " + acceptCall(w.n, still)
	}
	return nil
}

// edits are those of the write, or what a whole new text corrects in the facts that it lacks.
func (w *writing) edits(facts []rule.Fact) []memory.Edit {
	if w.Content == nil || len(facts) == 0 {
		return w.Edits
	}
	show := w.t.Dir.AllowSecrets
	var old []*memory.Topic
	if w.prior != nil {
		old = append(old, w.prior.Shown(show))
	}
	for _, f := range w.merged {
		old = append(old, memory.ParseTopic(f.Data).Shown(show))
	}
	return rule.Corrections(facts, old, w.after.Topics[w.n].Shown(show))
}

// correct takes from the facts that w.n lacks those in which an edit corrects what is missing, and accepts them.
func (w *writing) correct(res *WriteResult, facts []rule.Fact) ([]rule.Fact, error) {
	accepted := w.t.Merges[w.n.String()].Accepted
	for _, e := range w.edits(facts) {
		if len(facts) == 0 || !rule.Corrects(e.Old, e.New) || accepted[e.Old] != "" {
			continue
		}
		accepted[e.Old] = "now: " + e.New
		left, err := lost(w.t, w.n, memory.ParseTopic(w.data))
		if err != nil {
			return nil, err
		}
		if len(left) == len(facts) {
			delete(accepted, e.Old)
		}
		for _, f := range facts {
			if !slices.Contains(left, f) {
				res.Corrected = append(res.Corrected, f.Text+" → "+visible.OneLine(e.New, maxCited))
			}
		}
		facts = left
	}
	return facts, nil
}
