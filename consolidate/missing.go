package consolidate

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"dream-mcp/consolidate/ops"
	"dream-mcp/memory"
	"dream-mcp/memory/phrase"
	"dream-mcp/memory/rule"
	"dream-mcp/memory/visible"
)

// What a write compares with the old text: so many bytes of both, since the time grows with their product; and how many
// sentences it names as dropped.
const (
	maxCompared    = 16 << 10
	maxDropped     = 5
	maxDroppedText = 200 // characters
)

// dropped names the sentences that a whole new text does not say any more. To leave them out may be meant.
func (w *writing) dropped() (findings []rule.Finding) {
	if w.Content == nil || w.prior == nil || len(w.merged) > 0 || len(w.prior.Bytes())+len(w.data) > maxCompared {
		return nil
	}
	show := w.t.Dir.AllowSecrets
	facts := rule.Dropped(w.n, w.prior.Shown(show), w.after.Topics[w.n].Shown(show))
	for _, f := range facts[:min(len(facts), maxDropped)] {
		findings = append(findings, rule.Finding{Rule: rule.Loss, Severity: rule.Info, File: w.n.String(),
			Message: "the new text does not say: " + visible.Short(f.Text, maxDroppedText), Hint: "if it still holds, write it again"})
	}
	return findings
}

// missing returns the sentences of what was merged into n that its text lacks and that were not accepted. It ignores
// the acceptances in without.
func missing(t *ops.Tx, n memory.Name, survivor *memory.Topic, without ...Accepted) ([]rule.Fact, error) {
	m := t.Merges[n.String()]
	if m == nil {
		return nil, nil
	}
	texts := make(map[memory.Name]*memory.Topic)
	for file, sum := range m.Replaced {
		o, err := memory.ParseName(file)
		if err != nil {
			return nil, err
		}
		if _, _, err := t.Stage.Read(o); !errors.Is(err, fs.ErrNotExist) {
			continue // it is there: its removal was not staged, or undone
		}
		data, err := t.Stage.Content(sum)
		if err != nil {
			return nil, err
		}
		texts[o] = memory.ParseTopic(data).Shown(t.Dir.AllowSecrets)
	}
	accepted := ops.Cloned(m.Accepted)
	for _, a := range without {
		delete(accepted, a.text())
	}
	var others []*memory.Topic // which t writes, and which are to be as safe
	for _, c := range t.Changes {
		if c.After == "" || c.Name == n || c.Name.TopFolder() != n.TopFolder() {
			continue
		}
		data, err := t.Stage.Content(c.After)
		if err != nil {
			return nil, err
		}
		if o := memory.ParseTopic(data); o.Type() == survivor.Type() {
			others = append(others, o.Shown(t.Dir.AllowSecrets))
		}
	}
	return rule.Lost(texts, n, survivor.Shown(t.Dir.AllowSecrets), others, slices.Collect(maps.Keys(accepted))...), nil
}

// setMissing sets what was accepted of what w.n lacks, and what it still lacks.
func (w *writing) setMissing(res *WriteResult) error {
	topic := memory.ParseTopic(w.data)
	all, err := missing(w.t, w.n, topic, w.Accept...)
	if err != nil || len(all) == 0 {
		return err
	}
	still := all
	if len(w.Accept) > 0 {
		if still, err = missing(w.t, w.n, topic); err != nil {
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

// correct accepts those of the missing facts that an edit corrects, and returns the others.
func (w *writing) correct(res *WriteResult, facts []rule.Fact) ([]rule.Fact, error) {
	accepted := w.t.Merges[w.n.String()].Accepted
	for _, e := range w.edits(facts) {
		if len(facts) == 0 || !rule.Corrects(e.Old, e.New) || accepted[e.Old] != "" {
			continue
		}
		accepted[e.Old] = "now: " + e.New
		left, err := missing(w.t, w.n, memory.ParseTopic(w.data))
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

// maxShownFacts bounds the sentences that one answer lists.
const maxShownFacts = 20

// mergeLosses reports what merges lose that nobody accepted, and adds the merged memories to what is accepted.
func mergeLosses(t *ops.Tx, after *memory.Snapshot, accepted map[memory.Name]string) (map[memory.Name]string, []rule.Finding, error) {
	all := ops.Cloned(accepted)
	var findings []rule.Finding
	for _, file := range slices.Sorted(maps.Keys(t.Merges)) {
		n, err := memory.ParseName(file)
		if err != nil {
			return nil, nil, err
		}
		survivor := after.Topics[n]
		if survivor == nil || n.IsIndex() {
			continue
		}
		for merged := range t.Merges[file].Replaced {
			if o, err := memory.ParseName(merged); err == nil {
				all[o] = "merged into " + file
			}
		}
		if _, agreed := accepted[n]; agreed {
			continue
		}
		facts, err := missing(t, n, survivor)
		if err != nil {
			return nil, nil, err
		}
		if len(facts) > 0 {
			findings = append(findings, lostFinding(n, facts))
		}
	}
	return all, findings, nil
}

// lostFinding refuses a merge that loses facts.
func lostFinding(n memory.Name, facts []rule.Fact) rule.Finding {
	var texts []string
	for _, f := range facts {
		texts = append(texts, fmt.Sprintf("%q (%s)", f.Text, f.File))
	}
	return rule.Finding{
		Rule: rule.Loss, Severity: rule.Error, File: n.String(), Message: "what was merged into it also says: " + phrase.Few(texts, maxShownFacts),
		Hint: fmt.Sprintf("write into %s what still holds; for the rest %s", n, acceptCall(n, facts)),
	}
}

// acceptable accepts the rest of the files of facts.
func acceptable(facts []rule.Fact) string {
	var list []string
	for _, f := range facts {
		if one := fmt.Sprintf(`{"file": %q, "why": "…"}`, f.File); !slices.Contains(list, one) {
			list = append(list, one)
		}
	}
	return "[" + strings.Join(list, ", ") + "]"
}

// acceptCall is the call that accepts facts as left out of n.
func acceptCall(n memory.Name, facts []rule.Fact) string {
	return fmt.Sprintf(`write_memory {"path": %q, "accept": %s}`, n, acceptable(facts))
}
