package consolidate

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"dream-mcp/consolidate/lock"
	"dream-mcp/consolidate/provenance"
	"dream-mcp/consolidate/store"
	"dream-mcp/memory"
	"dream-mcp/memory/rule"
)

// writing is one change that is about to be staged.
type writing struct {
	t      *store.Tx
	n      memory.Name
	r      *WriteRequest
	have   memory.File                 // what n is before
	merged map[memory.Name]memory.File // into n
	cited  []provenance.Words
	now    time.Time
}

// stageWrite stages one change, after the rules that can be checked on a single memory.
func (p *Project) stageWrite(ctx context.Context, t *store.Tx, n memory.Name, r *WriteRequest, cited []provenance.Words) (WriteResult, error) {
	w := writing{t: t, n: n, r: r, cited: cited, now: p.Now()}
	if err := w.read(); err != nil {
		return WriteResult{}, err
	}
	if r.Delete {
		return p.stageDelete(w)
	}
	data, err := w.content()
	if err != nil {
		return WriteResult{}, err
	}
	if w.have.Sum != "" && bytes.Equal(data, w.have.Data) && len(cited)+len(w.merged) == 0 {
		return w.stageSame(data)
	}
	topic := w.stamped(data)
	if r.Content != nil {
		w.cited = append(p.Sources.Carried(ctx, *r.Content), cited...)
	}
	res, err := p.stageTopic(w, topic.Bytes())
	res.Evidence = unclear(r.Evidence, cited, topic.Bytes())
	return res, err
}

// read reads what the change is based on. Each base must be the sum of what is there.
func (w *writing) read() (err error) {
	if w.r.onlyAccepts() && w.r.Base == "" {
		if f, _, err := w.t.Stage.Read(w.n); err == nil {
			w.r.Base = string(f.Sum)
		}
	}
	if w.have, err = w.t.Stage.Check(w.n, w.r.Base); err != nil {
		return err
	}
	if err := checkAccepted(w.t, w.n, w.r); err != nil || w.r.Delete {
		return err
	}
	w.merged, err = replaced(w.t, w.n, *w.r)
	return err
}

func (p *Project) stageDelete(w writing) (WriteResult, error) {
	if w.have.Sum != "" {
		if err := p.checkUnattended(w.t, w.n, w.have, *w.r, nil, nil); err != nil {
			return WriteResult{}, err
		}
	}
	c, err := w.t.Stage.Write(w.n, w.r.Base, nil, nil)
	if err == nil {
		noteMerge(w.t, w.n, nil, *w.r)
	}
	return WriteResult{Path: w.n.String(), Action: "deleted", Sum: c.After.Short(), Findings: []rule.Finding{}}, err
}

// content is what the write makes of the file as it is. A new name takes the index line of what it replaces.
func (w *writing) content() ([]byte, error) {
	if w.r.Content != nil {
		return []byte(*w.r.Content), nil
	}
	have := w.have
	if have.Sum == "" {
		if len(w.merged) == 1 {
			for _, have = range w.merged {
			}
		}
		if have.Sum == "" {
			return nil, store.Refuse(fmt.Sprintf("%s does not exist: there is nothing to edit", w.n), store.DidYouMean(w.t.Dir.Nearest(w.n.String()), "give its content"))
		}
		if err := inherit(w.t, w.n, w.r); err != nil {
			return nil, err
		}
	}
	if len(w.r.Edits) == 0 {
		return have.Data, nil
	}
	data, err := memory.ApplyEdits(have.Data, w.r.Edits, w.t.Dir.AllowSecrets)
	if err != nil {
		return nil, store.Refuse(err.Error(), "read_memory shows the text as it is; quote enough of it to be found once")
	}
	return data, nil
}

// stageSame stages a text that does not change: what is on disk may be kept against what was staged before it changed, and
// what was merged before may be accepted as left out.
func (w writing) stageSame(data []byte) (WriteResult, error) {
	res := WriteResult{Path: w.n.String(), Action: "unchanged", Sum: w.have.Sum.Short(), Bytes: len(w.have.Data), Findings: []rule.Finding{}}
	before, err := lost(w.t, w.n, memory.ParseTopic(data))
	if err != nil {
		return res, err
	}
	if _, err := w.t.Stage.Write(w.n, w.r.Base, data, nil); err != nil {
		return res, err
	}
	merge := w.t.Merges[w.n.String()]
	noteMerge(w.t, w.n, nil, *w.r)
	after, err := res.setMissing(w, data)
	for _, f := range before {
		if !slices.Contains(after, f) {
			res.Accepted, res.Action = append(res.Accepted, f.Text), "accepted"
		}
	}
	if err == nil && w.r.onlyAccepts() && len(before) > 0 && res.Accepted == nil {
		w.t.Merges[w.n.String()] = merge
		return res, store.Refuse(fmt.Sprintf("accept: no text of it is among what %s lacks", w.n), "give each text as missing lists it: "+res.Next)
	}
	return res, err
}

// stamped is the text with what the server carries over: the time, the sources, and of merged memories the oldest creation.
func (w *writing) stamped(data []byte) *memory.Topic {
	topic := memory.ParseTopic(data)
	topic.Quote()
	replaced := []memory.File{w.have}
	var origins []*memory.Topic
	for _, o := range sortedNames(w.merged) {
		replaced = append(replaced, w.merged[o])
		origins = append(origins, memory.ParseTopic(w.merged[o].Data))
	}
	topic.Stamp(w.now, sourcesOf(topic, replaced, w.cited))
	if len(w.merged) > 0 {
		topic.Carry(append(origins, memory.ParseTopic(w.have.Data)))
	}
	return topic
}

// stageTopic stages a text that changes the memory. The words that it cites are kept first.
func (p *Project) stageTopic(w writing, data []byte) (WriteResult, error) {
	findings, err := p.check(w, data)
	if err != nil {
		return WriteResult{}, err
	}
	if err := p.Sources.Keep(w.cited); err != nil {
		return WriteResult{}, err
	}
	if err := p.checkUnattended(w.t, w.n, w.have, *w.r, data, w.merged); err != nil {
		return WriteResult{}, err
	}
	// Noted first: after a crash between the two what was not removed is there, and asks for nothing.
	noteMerge(w.t, w.n, w.merged, *w.r)
	if len(w.merged) > 0 {
		if err := w.t.Save(); err != nil {
			return WriteResult{}, err
		}
	}
	c, err := w.t.Stage.Write(w.n, w.r.Base, data, w.merged)
	if err != nil {
		return WriteResult{}, err
	}
	line, err := w.outdatedLine(data)
	if err != nil {
		return WriteResult{}, err
	}
	findings = append(findings, line...)
	res := WriteResult{Path: w.n.String(), Action: "updated", Sum: c.After.Short(), Bytes: len(data), Findings: findings}
	if w.have.Sum == "" {
		res.Action = "created"
	}
	_, err = res.setMissing(w, data)
	return res, err
}

// outdatedLine reports that the line of the index says what the memory no longer says, where the write gives no other line.
func (w *writing) outdatedLine(data []byte) ([]rule.Finding, error) {
	if w.have.Sum == "" || w.r.Index != nil {
		return nil, nil
	}
	e, err := w.t.EditIndex()
	if err != nil || e.None {
		return nil, err
	}
	show := w.t.Dir.AllowSecrets
	before, after := memory.ParseTopic(w.have.Data).Shown(show), memory.ParseTopic(data).Shown(show)
	facts := rule.Outdated(show.Line(e.ByFile()[w.n.String()].Hook), before, after)
	if len(facts) == 0 {
		return nil, nil
	}
	return []rule.Finding{{
		Rule: "index-entry", Severity: rule.Warning, File: w.n.String(), Message: fmt.Sprintf("its line in MEMORY.md still says %q", strings.Join(facts, ", ")),
		Hint: fmt.Sprintf(`finalize_index {"upsert": [{"file": %q, "text": "…"}]}, or "index": {"text": "…"} with a write`, w.n),
	}}, nil
}

// setMissing sets the facts of what was merged into w.n that its text lacks, and returns all of them.
func (res *WriteResult) setMissing(w writing, data []byte) ([]rule.Fact, error) {
	lost, err := lost(w.t, w.n, memory.ParseTopic(data))
	res.Missing = lost[:min(len(lost), maxShownFacts)]
	if res.More = len(lost) - len(res.Missing); len(lost) > 0 {
		res.Next = acceptCall(w.n, lost)
	}
	return lost, err
}

// sourcesOf returns the sources that a topic is to name beside its own: those of the texts that it
// replaces, and what is cited now.
func sourcesOf(topic *memory.Topic, replaced []memory.File, cited []provenance.Words) []string {
	var sources []string
	own := topic.Sources()
	for _, f := range replaced {
		for _, source := range memory.ParseTopic(f.Data).Sources() {
			if !slices.Contains(own, source) {
				sources = append(sources, source)
			}
		}
	}
	for _, w := range cited {
		sources = append(sources, w.Source)
	}
	return sources
}

// check asks the rules what they say of data as the content of w.n. Errors refuse, unless waived.
func (p *Project) check(w writing, data []byte) ([]rule.Finding, error) {
	before, err := w.t.Dir.Snapshot()
	if err != nil {
		return nil, err
	}
	after, err := w.t.Stage.Over(before)
	if err != nil {
		return nil, err
	}
	prior := after.Topics[w.n]
	after.Topics[w.n] = memory.ParseTopic(data)
	for o := range w.merged {
		delete(after.Topics, o)
	}
	check := rule.Check{
		Before: before, After: after, Prior: prior, Touched: map[memory.Name]bool{w.n: true}, Now: w.now, OwnWords: p.Sources.OwnWords(before, after, w.cited), Project: p.openCode(),
	}
	for _, words := range w.cited {
		check.Cited = append(check.Cited, words.Text)
	}
	findings := check.Written(w.n)
	if w.t.Kind == lock.KindDream { // what a link leads to may be written later in the dream
		findings = slices.DeleteFunc(findings, func(f rule.Finding) bool { return f.Rule == "wiki-link" })
	}
	findings = append(findings, brokenLinks(w.n, w.merged, after)...)
	return settle(findings, func(f rule.Finding) bool {
		return slices.ContainsFunc(w.r.Waive, func(o store.Waiver) bool { return o.Rule == f.Rule })
	})
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
