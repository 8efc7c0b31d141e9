package consolidate

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"dream-mcp/consolidate/indexing"
	"dream-mcp/memory"
	"dream-mcp/memory/related"
	"dream-mcp/memory/rule"
	"dream-mcp/memory/visible"
)

// The answer of a write shows at most maxAlso passages, each of another memory, none weaker than minAlso.
const (
	maxAlso     = 3
	minAlso     = 2
	maxAlsoText = 120 // characters
)

// Complete adds to the results of several writes what needs the memory after the last one: passages of other memories
// on the same subject, and findings on links that have no target, or lead to what was merged. If the memory cannot be
// read, it adds nothing. refused maps the path of a refused write to the reason: the next finalize fails once, unless
// the write is made again.
func (p *Project) Complete(ctx context.Context, results []*WriteResult, refused map[string]string) {
	p.Store.Lock()
	defer p.Store.Unlock()
	if p.dream != nil {
		maps.Copy(p.dream.refused, refused)
	}
	if !slices.ContainsFunc(results, func(r *WriteResult) bool { return r.fresh != nil }) {
		return
	}
	s, err := p.asWritten(ctx)
	if err != nil {
		return
	}
	var staged map[memory.Name]bool // the caller knows what it wrote in this dream
	if p.dream != nil {
		staged = p.dream.Stage.Touched()
	}
	x := related.New(related.Documents(s.Shown(nil)))
	shown := map[[2]string]bool{}
	for _, r := range results {
		n, err := memory.ParseName(r.Path)
		if err != nil || r.fresh == nil || s.Topics[n] == nil {
			continue
		}
		for _, o := range memory.SortedNames(r.merged) {
			r.Findings = append(r.Findings, rule.LinksTo(s, o, r.merged[o], n)...)
		}
		var fresh strings.Builder
		for _, passage := range r.fresh {
			fresh.WriteString(passage.Text + "\n")
		}
		links := memory.ParseIndex([]byte(fresh.String()))
		others := func(file string) bool {
			other, _ := memory.ParseName(file)
			return file == r.Path || file == memory.IndexFile || staged[other] || links.Mentions(other)
		}
		for _, pair := range x.Beside(r.fresh, memory.NameWords(r.Path), others, 2*maxAlso) {
			here, there := [2]string{r.Path, pair.File}, [2]string{pair.File, r.Path}
			if len(r.Also) < maxAlso && pair.Weight >= minAlso && !shown[here] && !shown[there] {
				shown[here] = true
				r.Also = append(r.Also, pair.Where()+" "+visible.Short(memory.OneLine(pair.Text), maxAlsoText))
			}
		}
		still := rule.Check{After: s, Now: p.Store.Now()}.Written(n)
		r.Findings = slices.DeleteFunc(r.Findings, func(f rule.Finding) bool {
			return f.Rule == "wiki-link" && f.File == r.Path && !slices.ContainsFunc(still, func(o rule.Finding) bool { return o.Message == f.Message })
		})
	}
}

// asWritten returns the memory as the dream would leave it; outside dreams, as it is.
func (p *Project) asWritten(ctx context.Context) (*memory.Snapshot, error) {
	if p.dream != nil {
		_, s, err := indexing.Foresee(p.dream.Tx, nil)
		return s, err
	}
	s, err := p.Store.Snapshot(ctx)
	return cmp.Or(s, &memory.Snapshot{}), err
}

// fresh returns the passages that a write adds to its memory, as they may be shown.
func (w *writing) fresh() []related.Passage {
	passages := func(t *memory.Topic) []related.Passage {
		if t == nil {
			return nil
		}
		return related.Documents(&memory.Snapshot{Topics: map[memory.Name]*memory.Topic{w.n: t.Shown(w.t.Dir.AllowSecrets)}})[0].Passages()
	}
	old := make(map[string]bool)
	for _, p := range passages(w.prior) {
		old[p.Text] = true
	}
	return slices.DeleteFunc(passages(w.after.Topics[w.n]), func(p related.Passage) bool { return old[p.Text] })
}
