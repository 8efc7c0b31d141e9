package consolidate

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"time"

	"dream-mcp/consolidate/indexing"
	"dream-mcp/consolidate/lock"
	"dream-mcp/consolidate/ops"
	"dream-mcp/consolidate/state"
	"dream-mcp/memory"
	"dream-mcp/memory/rule"
)

// writing is one change on its way into the stage of t.
type writing struct {
	WriteRequest
	p     *Project
	t     *ops.Tx
	n     memory.Name
	now   time.Time
	cited []state.Words // Evidence, and what Content carries over

	have   memory.File                 // what n is now
	merged map[memory.Name]memory.File // into n
	data   []byte                      // what n will be; nil: deleted
	before *memory.Snapshot            // of the memory
	after  *memory.Snapshot            // with the stage and this change
	prior  *memory.Topic               // n, with the stage before this change
}

// stage stages the change in t, after the rules that can be checked on a single memory.
func (w *writing) stage(ctx context.Context, t *ops.Tx) (res WriteResult, err error) {
	w.t = t
	if err := w.read(); err != nil {
		return res, err
	}
	same, said := false, w.cited
	if !w.Delete {
		if w.have.Sum == "" && len(w.merged) == 1 {
			if err := w.inherit(); err != nil {
				return res, err
			}
		}
		if w.data, err = w.content(); err != nil {
			return res, err
		}
		same = w.have.Sum != "" && bytes.Equal(w.data, w.have.Data) && len(w.cited)+len(w.merged) == 0
		if !same {
			w.data = w.stamped().Bytes()
		}
		if w.Content != nil && !same {
			w.cited = append(w.p.Sources.Carried(ctx, *w.Content), w.cited...)
		}
	}
	if err := w.foresee(); err != nil {
		return res, err
	}
	switch {
	case w.Delete:
		return w.stageDelete()
	case same:
		return w.stageSame()
	}
	res, err = w.stageTopic(ctx)
	res.Cited, res.Evidence = checkCitations(w.Evidence, said)
	return res, err
}

// read reads what the change is based on. Each base must be the sum of what is there.
func (w *writing) read() (err error) {
	if w.keepsText() && w.Base == "" {
		if f, _, err := w.t.Stage.Read(w.n); err == nil {
			w.Base = string(f.Sum)
		}
	}
	if w.have, err = w.t.Stage.Check(w.n, w.Base); err != nil {
		return err
	}
	if err := w.n.Creatable(); err != nil && w.have.Sum == "" {
		return nameError(w.Path, err)
	}
	if err := w.checkAccepted(); err != nil || w.Delete {
		return err
	}
	w.merged, err = w.replaced()
	return err
}

// content returns the new text as the caller gives it.
func (w *writing) content() ([]byte, error) {
	if w.Content != nil {
		return []byte(*w.Content), nil
	}
	have := w.have
	if have.Sum == "" {
		if len(w.merged) == 1 {
			for _, have = range w.merged {
			}
		}
		if have.Sum == "" {
			return nil, ops.Refuse(fmt.Sprintf("%s does not exist: there is nothing to edit", w.n),
				ops.DidYouMean(w.t.Dir.Nearest(w.n.String()), "give its content"))
		}
	}
	if len(w.Edits) == 0 {
		return have.Data, nil
	}
	data, err := memory.ApplyEdits(have.Data, w.Edits, w.t.Dir.AllowSecrets)
	if err != nil {
		return nil, ops.Refuse(err.Error(), "read_memory shows the text as it is; quote enough of it to be found once")
	}
	return data, nil
}

// stamped returns the new text with the time, the sources, and of merged memories the oldest creation.
func (w *writing) stamped() *memory.Topic {
	topic := memory.ParseTopic(w.data)
	topic.Quote()
	have := memory.ParseTopic(w.have.Data)
	var replaced []*memory.Topic
	for _, o := range memory.SortedNames(w.merged) {
		replaced = append(replaced, memory.ParseTopic(w.merged[o].Data))
	}
	var sources []string
	own := topic.Sources()
	carry := replaced
	if len(own) == 0 && w.Content != nil { // a source that an edit took away was meant to go
		carry = append(carry, have)
	}
	for _, r := range carry {
		for _, source := range r.Sources() {
			if !slices.Contains(own, source) {
				sources = append(sources, source)
			}
		}
	}
	for _, c := range w.cited {
		sources = append(sources, c.Source)
	}
	if w.Content != nil && have.IsPersons() {
		topic.MarkPersonal() // a new text does not end it
	}
	topic.Stamp(w.now, sources)
	if w.Content != nil || len(w.merged) > 0 {
		topic.Carry(append(replaced, have))
	}
	return topic
}

// foresee sets the memory before and after the change.
func (w *writing) foresee() (err error) {
	if w.before, w.after, err = indexing.Foresee(w.t, nil); err != nil {
		return err
	}
	w.prior = w.after.Topics[w.n]
	delete(w.after.Topics, w.n)
	if w.data != nil {
		w.after.Topics[w.n] = memory.ParseTopic(w.data)
	}
	for o := range w.merged {
		delete(w.after.Topics, o)
	}
	return nil
}

func (w *writing) stageDelete() (WriteResult, error) {
	if w.have.Sum != "" {
		if err := w.checkLossInDream(); err != nil {
			return WriteResult{}, err
		}
	}
	c, err := w.t.Stage.Write(w.n, w.Base, nil, nil)
	res := WriteResult{Path: w.n.String(), Action: "deleted", Sum: c.After.Short(), Findings: []rule.Finding{}}
	if err != nil {
		return res, err
	}
	w.noteMerge()
	if loss := w.losing(asker(w.t)).Losses(w.n)[w.n]; w.t.Kind == lock.KindDream && w.Why == "" && loss.Verdict == rule.Reason {
		res.Findings = append(res.Findings, rule.Finding{Rule: rule.Loss, Severity: rule.Warning, File: res.Path, Message: loss.Why,
			Hint: fmt.Sprintf("finalize_index will ask why: {\"accept_loss\": [{\"file\": %q, \"why\": \"…\"}]}; a delete can say so itself, by \"why\"", res.Path)})
	}
	return res, nil
}

// stageSame stages a text that does not change: what is on disk may be kept against what was staged before it changed,
// and what was merged before may be accepted as left out.
func (w *writing) stageSame() (WriteResult, error) {
	res := WriteResult{Path: w.n.String(), Action: "unchanged", Sum: w.have.Sum.Short(), Bytes: len(w.data), Findings: []rule.Finding{}}
	if _, err := w.t.Stage.Write(w.n, w.Base, w.data, nil); err != nil {
		return res, err
	}
	merge := w.t.Merges[w.n.String()]
	w.noteMerge()
	err := w.setMissing(&res)
	if res.Accepted != nil {
		res.Action = "accepted"
	} else if w.Index != nil {
		res.Action = "indexed"
	} else if err == nil && w.onlyAccepts() && len(res.Missing) > 0 {
		w.t.Merges[w.n.String()] = merge
		return res, ops.Refuse(fmt.Sprintf("accept: no text of it is among what %s lacks", w.n), "give each text, or its marked words, as missing lists it; or the rest of a file: "+acceptCall(w.n, res.Missing))
	}
	return res, err
}

// stageTopic stages a text that changes the memory. The words that it cites are kept first.
func (w *writing) stageTopic(ctx context.Context) (res WriteResult, err error) {
	findings, err := w.check(ctx)
	if err != nil {
		return res, err
	}
	if err := w.p.Sources.Keep(w.cited); err != nil {
		return res, err
	}
	if err := w.checkLossInDream(); err != nil {
		return res, err
	}
	// Noted first: after a crash between the two what was not removed is there, and asks for nothing.
	w.noteMerge()
	if len(w.merged) > 0 {
		if err := w.t.Save(); err != nil {
			return res, err
		}
	}
	c, err := w.t.Stage.Write(w.n, w.Base, w.data, w.merged)
	if err != nil {
		return res, err
	}
	res = WriteResult{Path: w.n.String(), Action: "updated", Sum: c.After.Short(), Bytes: len(w.data), Findings: findings, merged: make(map[memory.Name]*memory.Topic)}
	w.changed(&res)
	for n, o := range w.merged {
		res.merged[n] = memory.ParseTopic(o.Data)
	}
	if w.have.Sum == "" {
		res.Action = "created"
	}
	if w.after.Topics[w.n].IsPersons() {
		res.Findings = append(res.Findings, rule.Finding{Rule: rule.InAllProjects, Severity: rule.Info, File: w.n.String(),
			Message: "this memory is in all projects of the person", Hint: "what holds in this project alone goes into a memory of its own"})
	}
	res.Findings = append(res.Findings, w.dropped()...)
	err = w.setMissing(&res)
	return res, err
}
