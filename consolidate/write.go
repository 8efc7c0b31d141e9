package consolidate

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"dream-mcp/consolidate/indexing"
	"dream-mcp/consolidate/lock"
	"dream-mcp/consolidate/ops"
	"dream-mcp/consolidate/state"
	"dream-mcp/consolidate/transcript/said"
	"dream-mcp/memory"
	"dream-mcp/memory/related"
	"dream-mcp/memory/rule"
	"dream-mcp/memory/rule/drift"
	"dream-mcp/memory/visible"
)

// WriteRequest asks for one change of one memory: Content, Edits or Delete. With Replaces others are merged into it;
// without a text of its own it keeps the one it has, or takes that of the one it replaces.
type WriteRequest struct {
	Path     string
	Content  *string
	Edits    []memory.Edit
	Delete   bool
	Why      string // of Delete
	Base     string
	Evidence []string
	Waive    []ops.Waiver
	Index    *ops.IndexLine // File is not read: it is Path
	Replaces []Replaced
	Accept   []Accepted
	Agreed   string `json:"-"` // the question of a PersonError that the person answered with yes
}

// keepsText reports whether the text at Path stays as it is. Then no base is needed.
func (r *WriteRequest) keepsText() bool { return r.Content == nil && len(r.Edits) == 0 && !r.Delete }

// onlyAccepts reports whether the request changes no text.
func (r *WriteRequest) onlyAccepts() bool { return r.keepsText() && len(r.Replaces) == 0 }

// WriteResult says what became of it.
type WriteResult struct {
	Path      string         `json:"path"`
	Action    string         `json:"action"` // created, updated, deleted, accepted, indexed, unchanged
	Sum       string         `json:"sum,omitempty"`
	Bytes     int            `json:"bytes"`
	Staged    bool           `json:"staged"`
	Index     string         `json:"index_line,omitempty"` // the line of the index that landed with it
	Undo      string         `json:"undo,omitempty"`
	Cited     []string       `json:"cited,omitempty"`     // the evidence that is the user's words
	Evidence  []Cited        `json:"evidence,omitempty"`  // the rest of it, which is kept too and may not be meant
	Accepted  []string       `json:"accepted,omitempty"`  // facts that were missing and are accepted now
	Missing   []rule.Fact    `json:"missing,omitempty"`   // of what was merged into it
	Corrected []string       `json:"corrected,omitempty"` // what an edit replaced in such a fact, and by what
	More      int            `json:"more_missing,omitempty"`
	Next      string         `json:"next,omitempty"` // the call that accepts what is missing
	Also      []string       `json:"also,omitempty"` // passages of other memories on the same thing, as "file:line text"
	Findings  []rule.Finding `json:"findings"`

	fresh  []related.Passage             // that it adds
	gone   map[string]bool               // the values that it takes away
	merged map[memory.Name]*memory.Topic // what was merged into it
}

// Cited is what was found at a hit that a write cites.
type Cited struct {
	ID      string       `json:"id"`
	Speaker said.Speaker `json:"speaker"`
	At      time.Time    `json:"at"`
	Said    string       `json:"said"` // the first words
	Doubt   string       `json:"doubt"`
}

// maxCited bounds the words of a hit that a write repeats, in characters.
const maxCited = 80

// checkCitations returns the IDs that are accepted as evidence, and the citations that look doubtful: not the user's,
// or cited without a session.
func checkCitations(ids []string, words []state.Words) (accepted []string, cited []Cited) {
	for i, id := range ids {
		w, doubt := words[i], ""
		switch {
		case strings.HasPrefix(id, ":"):
			id, doubt = w.Source, "the session was guessed"
		case w.Speaker != said.User:
			doubt = "not the user's words"
		default:
			accepted = append(accepted, id)
			continue
		}
		cited = append(cited, Cited{ID: id, Speaker: w.Speaker, At: ops.Second(w.Said), Said: visible.OneLine(w.Text, maxCited), Doubt: doubt})
	}
	return accepted, cited
}

// Write stages a change in the open dream; where none is open, it is a transaction of its own, in
// which the topic and its line of the index land together.
func (p *Project) Write(ctx context.Context, r WriteRequest) (res WriteResult, err error) {
	p.askGit(func() []drift.Text { return p.textsOf(ctx, r) })
	defer p.Store.Lock()()
	defer func() {
		if err == nil && p.dream != nil {
			delete(p.dream.refused, r.Path)
		}
		if err != nil {
			p.dream.log(state.Event{Kind: state.EventRefused, Text: r.Path + ": " + strings.TrimPrefix(err.Error(), r.Path+" ")})
		}
	}()
	w := writing{WriteRequest: r, p: p, now: p.Store.Now()}
	if w.n, err = r.name(); err != nil {
		return res, err
	}
	alone := p.dream == nil
	if err := p.Gates.mayWrite(); err != nil && alone {
		return res, err
	}
	if w.cited, err = p.Sources.Evidence(ctx, r.Evidence, p.dream.listed()); err != nil {
		return res, err
	}
	if err := p.enter(Consolidating); err != nil {
		return res, err
	}
	if alone {
		return w.alone(ctx)
	}
	return w.inDream(ctx, p.dream)
}

// textsOf returns the texts that a write adds, and that it changes.
func (p *Project) textsOf(ctx context.Context, r WriteRequest) (texts []drift.Text) {
	add := func(text string) { texts = append(texts, drift.Text{File: r.Path, Body: text}) }
	_ = p.withReader(ctx, func(memory reader) error { // else the write fails, too
		add(memory.read(r.Path).Text)
		return nil
	})
	if r.Content != nil {
		add(*r.Content)
	}
	for _, e := range r.Edits {
		add(e.New)
	}
	return texts
}

// checkRefused fails once if writes were refused and not made again.
func (d *dream) checkRefused() error {
	if len(d.refused) == 0 {
		return nil
	}
	var all []string
	for _, path := range slices.Sorted(maps.Keys(d.refused)) {
		all = append(all, visible.Short(path, 200)+": "+d.refused[path])
	}
	clear(d.refused)
	return ops.Refuse("of several writes these were refused and not written again: "+strings.Join(all, "; "),
		"write_memory again what is meant; finalize_index again leaves out the rest")
}

// name returns the memory that r writes. It fails if r cannot be right.
func (r *WriteRequest) name() (memory.Name, error) {
	n, err := memory.ParseName(r.Path)
	if err == nil {
		err = n.Writable()
	}
	if err != nil {
		return n, nameError(r.Path, err)
	}
	for _, w := range r.Waive {
		if strings.TrimSpace(w.Why) == "" {
			return n, ops.Refuse(fmt.Sprintf("waive %q gives no reason", w.Rule), "say in why what makes it right, for the report of the dream and the log")
		}
	}
	return n, nil
}

func nameError(path string, err error) error {
	return &RuleError{Findings: []rule.Finding{{
		Rule: rule.Name, Severity: rule.Error, File: path, Message: err.Error(),
		Hint: "write to name.md or folder/name.md; the index is changed by finalize_index, logs are not changed",
	}}}
}

// inDream stages the change in d.
func (w *writing) inDream(ctx context.Context, d *dream) (WriteResult, error) {
	res, err := w.stage(ctx, d.Tx)
	if err != nil {
		return res, err
	}
	res.Staged = true
	w.note()
	edit, err := indexing.Edit(d.Tx)
	if err != nil {
		return res, err
	}
	for _, f := range indexFindings(edit, ops.FinalizeRequest{}, d.Dir.AllowSecrets) {
		if f.File == res.Path {
			res.Findings = append(res.Findings, f)
		}
	}
	res.Findings = d.known.fresh(res.Findings)
	d.log(state.Event{Kind: state.EventStaged, Text: res.Action + " " + res.Path})
	return res, d.Save()
}

// alone lands the change as a transaction of its own.
func (w *writing) alone(ctx context.Context) (res WriteResult, err error) {
	landed, err := w.p.Store.Change(ctx, w.p.Store.New(lock.KindWrite), func(t *ops.Tx) (none ops.NewIndex, err error) {
		if res, err = w.stage(ctx, t); err != nil || res.Action == "unchanged" {
			return none, err
		}
		if err := w.checkLossAlone(res.Missing); err != nil {
			return none, err
		}
		w.note()
		plan, err := w.p.plan(t, ops.FinalizeRequest{}, true)
		if err != nil {
			return none, err
		}
		res.Index = plan.index.Line(w.n)
		for _, f := range slices.Concat(plan.lines, plan.findings) {
			if (f.File == res.Path || f.File == memory.IndexFile && f.Rule == rule.IndexLimits) && !slices.Contains(res.Findings, f) {
				if f.Rule == rule.Orphan { // no dream is open for finalize_index
					f.Hint = fmt.Sprintf("write_memory {\"path\": %q, \"index\": {\"title\": …, \"text\": …}} adds its line", f.File)
				}
				res.Findings = append(res.Findings, f)
			}
		}
		return plan.index.Landing(t), nil
	})
	if err != nil {
		return WriteResult{}, err
	}
	if landed.ID == "" {
		return res, nil
	}
	if slices.ContainsFunc(landed.LeftAlone, func(c ops.Conflict) bool { return c.Name == w.n }) {
		return WriteResult{}, ops.LeftOut(landed)
	}
	res.Findings = append(leftAlone(landed.LeftAlone), res.Findings...)
	res.Undo = "dream-mcp undo " + landed.ID
	return res, nil
}

// note keeps what a write said beside its content: for the index, the log, and the archive.
func (w *writing) note() {
	t, file := w.t, w.n.String()
	if w.Delete || w.Index != nil {
		t.IndexLines = slices.DeleteFunc(t.IndexLines, func(l ops.IndexLine) bool { return l.File == file })
	}
	if w.Index != nil && !w.Delete {
		line := *w.Index
		line.File = file
		t.IndexLines = append(t.IndexLines, line)
	}
	if len(w.Evidence) > 0 {
		t.Evidence = ops.Cloned(t.Evidence)
		cited := append(t.Evidence[file], w.Evidence...)
		slices.Sort(cited)
		t.Evidence[file] = slices.Compact(cited)
	}
	if t.Kind == lock.KindDream { // outside dreams only the person accepts a loss
		t.Accepted = ops.Cloned(t.Accepted)
		if delete(t.Accepted, file); w.Delete && w.Why != "" {
			t.Accepted[file] = w.Why
		}
	}
	for _, one := range w.Waive {
		one.File = file
		t.Waived = append(slices.DeleteFunc(t.Waived, func(o ops.Waiver) bool { return o.Rule == one.Rule && o.File == file }), one)
	}
}
