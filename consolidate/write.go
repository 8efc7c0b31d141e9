package consolidate

import (
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

// onlyAccepts reports whether the request changes no text.
func (r *WriteRequest) onlyAccepts() bool {
	return r.Content == nil && r.Edits == nil && !r.Delete && r.Replaces == nil
}

// WriteResult says what became of it.
type WriteResult struct {
	Path     string         `json:"path"`
	Action   string         `json:"action"` // created, updated, deleted, accepted, unchanged
	Sum      string         `json:"sum,omitempty"`
	Bytes    int            `json:"bytes"`
	Staged   bool           `json:"staged"`
	Index    string         `json:"index_line,omitempty"` // the line of the index that landed with it
	Undo     string         `json:"undo,omitempty"`
	Evidence []Cited        `json:"evidence,omitempty"` // of what was cited, that which may not be meant
	Accepted []string       `json:"accepted,omitempty"` // facts that were missing and are accepted now
	Missing  []rule.Fact    `json:"missing,omitempty"`  // of what was merged into it
	More     int            `json:"more_missing,omitempty"`
	Next     string         `json:"next,omitempty"` // the call that accepts what is missing
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

// unclear returns what was cited that a caller should look at: it is not the user's, was cited without its session, or has no word in common
// with the text that it is evidence for.
func unclear(ids []string, words []provenance.Words, data []byte) (cited []Cited) {
	for i, id := range ids {
		w := words[i]
		if strings.HasPrefix(id, ":") {
			id = w.Source
		} else if w.Speaker == transcript.User && rule.Related(w.Text, string(data)) {
			continue
		}
		cited = append(cited, Cited{ID: id, Speaker: w.Speaker, At: store.Second(w.Said), Said: cutText(strings.Join(strings.Fields(w.Text), " "), maxCited)})
	}
	return cited
}

// Write stages a change in the open dream; where none is open, it is a transaction of its own, in
// which the topic and its line of the index land together.
func (p *Project) Write(ctx context.Context, r WriteRequest) (res WriteResult, err error) {
	p.Lock()
	defer p.Unlock()
	defer func() {
		if err != nil {
			p.dream.log(Event{Kind: EventRefused, Text: r.Path + ": " + strings.TrimPrefix(err.Error(), r.Path+" ")})
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
	if err := p.Gates.mayWrite(); err != nil && alone {
		return WriteResult{}, err
	}
	cited, err := p.Sources.Evidence(ctx, r.Evidence, p.dream.listed())
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
	res.Staged = true
	res.Findings, _ = d.fresh(res.Findings)
	note(d.Tx, n, r)
	p.dream.log(Event{Kind: EventStaged, Text: res.Action + " " + n.String()})
	return res, d.Save()
}

func nameError(path string, err error) error {
	return &RuleError{Findings: []rule.Finding{{
		Rule: "name", Severity: rule.Error, File: path, Message: err.Error(),
		Hint: "write to name.md or folder/name.md; the index is changed by finalize_index, logs are not changed",
	}}}
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
func (p *Project) writeAlone(ctx context.Context, info store.Info, n memory.Name, r WriteRequest, cited []provenance.Words) (WriteResult, error) {
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
				lost.Hint = fmt.Sprintf("make the call again with what still holds in the text, and for the rest \"accept\": %s", acceptable(res.Missing))
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
	if id != "" {
		if slices.ContainsFunc(landed.LeftAlone, func(c landing.Conflict) bool { return c.Name == n }) {
			return WriteResult{}, store.LeftOut(id, landed)
		}
		res.Findings = append(leftAlone(landed.LeftAlone), res.Findings...)
		res.Undo = "dream-mcp undo " + id
	}
	return res, nil
}
