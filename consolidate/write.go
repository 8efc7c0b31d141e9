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
	"dream-mcp/consolidate/transcript"
	"dream-mcp/memory"
	"dream-mcp/memory/landing"
	"dream-mcp/memory/rule"
)

// WriteRequest asks for one change of one memory: Content, Edits or Delete. With Replaces others are merged into it; without
// a text of its own it keeps the one it has, or takes that of the one it replaces.
type WriteRequest struct {
	Path     string
	Content  *string
	Edits    []memory.Edit
	Delete   bool
	Base     string
	Evidence []string
	Waive    []store.Waiver
	Index    *store.IndexLine // File is not read: it is Path
	Replaces []Replaced
	Accept   []Accepted
	Agreed   string // how the person agreed to what only they may take away; "": they were not asked
}

// WriteResult says what became of it.
type WriteResult struct {
	Path     string         `json:"path"`
	Action   string         `json:"action"` // created, updated, deleted, unchanged
	Sum      string         `json:"sum,omitempty"`
	Bytes    int            `json:"bytes"`
	Staged   bool           `json:"staged"`
	Index    string         `json:"index_line,omitempty"` // the line of the index that landed with it
	Undo     string         `json:"undo,omitempty"`
	Evidence []Cited        `json:"evidence,omitempty"`
	Missing  []rule.Fact    `json:"missing,omitempty"` // of what was merged into it
	More     int            `json:"more_missing,omitempty"`
	Findings []rule.Finding `json:"findings"`
}

// Cited is what was found at a hit that a write cites.
type Cited struct {
	ID      string             `json:"id"`
	Speaker transcript.Speaker `json:"speaker"`
	At      time.Time          `json:"at"`
	Said    string             `json:"said"` // the first words
}

// maxCited bounds the words of a hit that a write repeats, in characters.
const maxCited = 80

func found(ids []string, words []provenance.Words) []Cited {
	cited := make([]Cited, len(ids))
	for i, id := range ids {
		cited[i] = Cited{ID: id, Speaker: words[i].Speaker, At: store.Second(words[i].Said), Said: cutText(strings.Join(strings.Fields(words[i].Text), " "), maxCited)}
	}
	return cited
}

// writings is what changes the memory, by a dream or by one transaction.
type writings struct{ *dreams }

// Write stages a change in the open dream; where none is open, it is a transaction of its own, in
// which the topic and its line of the index land together.
func (p *writings) Write(ctx context.Context, r WriteRequest) (res WriteResult, err error) {
	p.Lock()
	defer p.Unlock()
	defer func() {
		if err != nil {
			p.tell(Event{Kind: EventRefused, Text: r.Path + ": " + strings.TrimPrefix(err.Error(), r.Path+" ")})
		}
	}()
	n, err := memory.ParseName(r.Path)
	if err == nil {
		err = n.Writable()
	}
	if err != nil {
		return WriteResult{}, nameError(r.Path, err)
	}
	for _, w := range r.Waive {
		if strings.TrimSpace(w.Why) == "" {
			return WriteResult{}, store.Refuse(fmt.Sprintf("waive %q gives no reason", w.Rule), "say in why what makes it right, for the report of the dream and the journal")
		}
	}
	alone := p.dream == nil
	p.reread()
	if err := p.refuseOff(); err != nil && alone {
		return WriteResult{}, err
	}
	cited, err := p.Sources.Evidence(ctx, r.Evidence, p.listed())
	if err != nil {
		return WriteResult{}, err
	}
	if err := p.enter(Consolidating); err != nil {
		return WriteResult{}, err
	}
	if alone {
		return p.writeAlone(ctx, p.New(lock.KindWrite), n, r, cited)
	}
	d := p.dream
	res, err = p.stageWrite(ctx, d.Tx, n, &r, cited)
	if err != nil {
		return res, err
	}
	res.Staged, res.Evidence = true, found(r.Evidence, cited)
	res.Findings, _ = d.fresh(res.Findings)
	note(d.Tx, n, r)
	p.tell(Event{Kind: EventStaged, Text: res.Action + " " + n.String()})
	return res, d.Save()
}

func nameError(path string, err error) error {
	return &RuleError{Findings: []rule.Finding{{
		Rule: "name", Severity: rule.Error, File: path, Message: err.Error(),
		Hint: "write to name.md or folder/name.md; the index is changed by finalize_index, logs are not changed",
	}}}
}

// stageWrite stages one change, after the rules that can be checked on a single memory. The words that
// it cites are kept first.
func (p *writings) stageWrite(ctx context.Context, t *store.Tx, n memory.Name, r *WriteRequest, cited []provenance.Words) (WriteResult, error) {
	if r.Base == "" && r.Content == nil && r.Edits == nil && !r.Delete && r.Replaces == nil { // it accepts, and changes nothing
		if f, _, err := t.Stage.Read(n); err == nil {
			r.Base = string(f.Sum)
		}
	}
	have, err := t.Stage.Check(n, r.Base)
	if err != nil {
		return WriteResult{}, err
	}
	if err := checkAccepted(t, n, r); err != nil {
		return WriteResult{}, err
	}
	if r.Delete {
		if have.Sum != "" {
			if err := p.checkUnattended(t, n, have, *r, nil, nil); err != nil {
				return WriteResult{}, err
			}
		}
		c, err := t.Stage.Delete(n, r.Base)
		if err == nil {
			noteMerge(t, n, nil, *r)
		}
		return WriteResult{Path: n.String(), Action: "deleted", Sum: c.After.Short(), Findings: []rule.Finding{}}, err
	}
	merged, err := replaced(t, n, *r)
	if err != nil {
		return WriteResult{}, err
	}
	data, err := newContent(t.Dir, n, *r, have, merged)
	if err != nil {
		return WriteResult{}, err
	}
	if have.Sum == "" && r.Content == nil { // a new name
		if err := inherit(t, n, r); err != nil {
			return WriteResult{}, err
		}
	}
	res := WriteResult{Path: n.String(), Action: "unchanged", Sum: have.Sum.Short(), Bytes: len(have.Data), Findings: []rule.Finding{}}
	if have.Sum != "" && bytes.Equal(data, have.Data) && len(cited)+len(merged) == 0 {
		// Staged all the same: what is on disk may be kept against what was staged before it changed.
		_, err := t.Stage.Write(n, r.Base, data)
		if err == nil {
			noteMerge(t, n, nil, *r)
			err = tellMissing(t, &res, n, data)
		}
		return res, err
	}
	now := p.Now()
	topic := memory.ParseTopic(data)
	topic.Quote()
	replaced := []memory.File{have}
	var origins []*memory.Topic
	for _, o := range sortedNames(merged) {
		replaced = append(replaced, merged[o])
		origins = append(origins, memory.ParseTopic(merged[o].Data))
	}
	topic.Stamp(now, sourcesOf(topic, replaced, cited))
	if len(merged) > 0 {
		topic.Carry(append(origins, memory.ParseTopic(have.Data)))
	}
	data = topic.Bytes()
	if r.Content != nil {
		cited = append(p.Sources.Carried(ctx, *r.Content), cited...)
	}
	findings, err := p.check(t, n, data, merged, r.Waive, cited, now)
	if err != nil {
		return WriteResult{}, err
	}
	if err := p.Sources.Keep(cited); err != nil {
		return WriteResult{}, err
	}
	if err := p.checkUnattended(t, n, have, *r, data, merged); err != nil {
		return WriteResult{}, err
	}
	// Noted first: after a crash between the two what was not removed is there, and asks for nothing.
	noteMerge(t, n, merged, *r)
	if len(merged) > 0 {
		if err := t.Save(); err != nil {
			return WriteResult{}, err
		}
	}
	c, err := t.Stage.Merge(n, r.Base, data, merged)
	if err != nil {
		return WriteResult{}, err
	}
	res.Action = "updated"
	if have.Sum == "" {
		res.Action = "created"
	}
	res.Sum, res.Bytes, res.Findings = c.After.Short(), len(data), findings
	return res, tellMissing(t, &res, n, data)
}

// tellMissing lists the facts of what was merged into n that it lacks.
func tellMissing(t *store.Tx, res *WriteResult, n memory.Name, data []byte) error {
	lost, err := lost(t, n, memory.ParseTopic(data))
	res.Missing = lost[:min(len(lost), maxShownFacts)]
	res.More = len(lost) - len(res.Missing)
	return err
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

// newContent is what r makes of the file as it is.
func newContent(dir *memory.Dir, n memory.Name, r WriteRequest, have memory.File, merged map[memory.Name]memory.File) ([]byte, error) {
	if r.Content != nil {
		return []byte(*r.Content), nil
	}
	if have.Sum == "" && len(merged) == 1 {
		for _, have = range merged {
		}
	}
	if len(r.Edits) == 0 && have.Sum != "" {
		return have.Data, nil
	}
	if have.Sum == "" {
		return nil, store.Refuse(fmt.Sprintf("%s does not exist: there is nothing to edit", n), store.DidYouMean(dir.Nearest(n.String()), "give its content"))
	}
	data, err := memory.ApplyEdits(have.Data, r.Edits, dir.AllowSecrets)
	if err != nil {
		return nil, store.Refuse(err.Error(), "read_memory shows the text as it is; quote enough of it to be found once")
	}
	return data, nil
}

// check asks the rules what they say of data as the content of n. Errors refuse, unless waived.
func (p *writings) check(t *store.Tx, n memory.Name, data []byte, merged map[memory.Name]memory.File, waive []store.Waiver, cited []provenance.Words, now time.Time) ([]rule.Finding, error) {
	before, err := t.Dir.Snapshot()
	if err != nil {
		return nil, err
	}
	after, err := t.Stage.Over(before)
	if err != nil {
		return nil, err
	}
	prior := after.Topics[n]
	after.Topics[n] = memory.ParseTopic(data)
	for o := range merged {
		delete(after.Topics, o)
	}
	check := rule.Check{
		Before: before, After: after, Prior: prior, Touched: map[memory.Name]bool{n: true}, Now: now, OwnWords: p.Sources.OwnWords(before, after, cited), Project: p.openSubject(),
	}
	for _, w := range cited {
		check.Cited = append(check.Cited, w.Text)
	}
	findings := check.Written(n)
	if t.Kind == lock.KindDream { // what a link leads to may be written later in the dream
		findings = slices.DeleteFunc(findings, func(f rule.Finding) bool { return f.Rule == "wiki-link" })
	}
	findings = append(findings, brokenLinks(n, merged, after)...)
	return settle(findings, func(f rule.Finding) bool {
		return slices.ContainsFunc(waive, func(w store.Waiver) bool { return w.Rule == f.Rule })
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

// note keeps what a write said beside its content: for the index, the journal, and the archive.
func note(t *store.Tx, n memory.Name, r WriteRequest) {
	if r.Delete || r.Index != nil {
		t.IndexLines = slices.DeleteFunc(t.IndexLines, func(l store.IndexLine) bool { return l.File == n.String() })
	}
	if r.Index != nil && !r.Delete {
		line := *r.Index
		line.File = n.String()
		t.IndexLines = append(t.IndexLines, line)
	}
	if len(r.Evidence) > 0 {
		if t.Evidence == nil {
			t.Evidence = make(map[string][]string)
		}
		cited := append(t.Evidence[n.String()], r.Evidence...)
		slices.Sort(cited)
		t.Evidence[n.String()] = slices.Compact(cited)
	}
	for _, w := range r.Waive {
		w.File = n.String()
		t.Waived = append(slices.DeleteFunc(t.Waived, func(o store.Waiver) bool { return o.Rule == w.Rule && o.File == w.File }), w)
	}
}

// writeAlone carries a write out as a transaction of its own.
func (p *writings) writeAlone(ctx context.Context, info store.Info, n memory.Name, r WriteRequest, cited []provenance.Words) (WriteResult, error) {
	var res WriteResult
	if r.Agreed != "" {
		info.Accepted = map[string]string{n.String(): r.Agreed}
	}
	id, landed, err := p.Change(ctx, info, func(t *store.Tx) (edit *store.Index, err error) {
		if res, err = p.stageWrite(ctx, t, n, &r, cited); err != nil || res.Action == "unchanged" && r.Index == nil {
			return nil, err
		}
		if r.Agreed == "" {
			if len(res.Missing) > 0 {
				lost := lostFinding(n, res.Missing)
				lost.Hint = fmt.Sprintf("make the call again with what still holds in the text, and \"accept\": [{\"text\": %q, \"why\": \"…\"}, …] for the rest", res.Missing[0].Text)
				return nil, &RuleError{Findings: []rule.Finding{lost}}
			}
			if err := p.checkTaken(t, n, r); err != nil {
				return nil, err
			}
		}
		note(t, n, r)
		if edit, err = t.EditIndex(); err != nil {
			return nil, err
		}
		if r.Delete {
			edit.Remove(n.String())
		}
		for _, o := range r.Replaces {
			edit.Remove(o.Path)
		}
		if !r.Delete && res.Action == "created" && r.Index == nil && !edit.None {
			if err := edit.Name(store.IndexLine{}, n, t.Stage); err != nil {
				return nil, err
			}
		}
		res.Index = edit.Line(n)
		// "loss" counts what one dream takes away: checkTaken does, for single writes.
		findings, err := p.checkWhole(t, edit, nil, "loss")
		for _, f := range findings {
			if f.File == n.String() && !slices.Contains(res.Findings, f) {
				res.Findings = append(res.Findings, f)
			}
		}
		return edit, err
	})
	if err != nil {
		return WriteResult{}, err
	}
	res.Evidence = found(r.Evidence, cited)
	if id != "" {
		if slices.ContainsFunc(landed.LeftAlone, func(c landing.Conflict) bool { return c.Name == n }) {
			return WriteResult{}, store.LeftOut(id, landed)
		}
		res.Findings = append(leftAlone(landed.LeftAlone), res.Findings...)
		res.Undo = "dream-mcp undo " + id
	}
	return res, nil
}
