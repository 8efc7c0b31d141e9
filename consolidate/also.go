package consolidate

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"dream-mcp/memory"
	"dream-mcp/memory/related"
	"dream-mcp/memory/rule"
	"dream-mcp/memory/text"
	"dream-mcp/memory/visible"
)

// The answer of a write shows at most maxAlso passages, each of another memory, that share minAlso terms with a new
// one, and half of the terms of the longer. What the write took away is named if at most maxStill other memories still
// say it. In the dreams of two invented lives, on which this was made, 42 of 46 lines name a memory that the same dream
// changed; when all that were near were shown, 77 of 231 did.
const (
	maxAlso     = 3
	minAlso     = 3
	maxStill    = 3
	maxAlsoText = 120 // characters
)

// AddAlso adds to the results of several writes what needs the memory after the last one: passages of other memories
// on the same subject, and findings on links that have no target, or lead to what was merged. If the memory cannot be
// read, it adds nothing. refused maps the path of a refused write to the reason: the next finalize fails once, unless
// the write is made again.
func (p *Project) AddAlso(ctx context.Context, results []*WriteResult, refused map[string]string) {
	defer p.Store.Lock()()
	if p.dream != nil {
		maps.Copy(p.dream.refused, refused)
	}
	if !slices.ContainsFunc(results, func(r *WriteResult) bool { return r.merged != nil }) {
		return
	}
	s, err := p.asWritten(ctx)
	if err != nil {
		return
	}
	var staged map[memory.Name]bool // the caller knows what it wrote in this dream
	if p.dream != nil {
		staged = p.dream.Stage.Changed()
	}
	x := related.New(related.Documents(s.Shown(nil)))
	shown := map[[2]string]bool{}
	for _, r := range results {
		n, err := memory.ParseName(r.Path)
		if err != nil || r.merged == nil || s.Topics[n] == nil {
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
		r.Also = stillSaid(x.Passages, r, others)
		for _, pair := range x.Beside(r.fresh, others, 2*maxAlso) {
			here, there := [2]string{r.Path, pair.File}, [2]string{pair.File, r.Path}
			if len(r.Also) < maxAlso && saysTheSame(pair) && !shown[here] && !shown[there] {
				shown[here] = true
				r.Also = append(r.Also, pair.Where()+" "+visible.OneLine(pair.Text, maxAlsoText))
			}
		}
		still := rule.Check{After: s, Now: p.Store.Now()}.Written(n)
		r.Findings = slices.DeleteFunc(r.Findings, func(f rule.Finding) bool {
			return f.Rule == rule.WikiLink && f.File == r.Path && !slices.ContainsFunc(still, func(o rule.Finding) bool { return o.Message == f.Message })
		})
	}
}

// saysTheSame reports whether two passages say nearly the same, perhaps with another value.
func saysTheSame(p related.Pair) bool {
	return len(p.Shared) >= minAlso && 2*len(p.Shared) >= max(len(text.TermsOf(p.From.Text)), len(text.TermsOf(p.Text)))
}

// stillSaid returns the passages of other memories that have what the write took away: a full name or code, and beside
// a word of its memory's name also a number or a short name.
func stillSaid(passages []related.Passage, r *WriteResult, skip func(file string) bool) (also []string) {
	if len(r.gone) == 0 {
		return nil
	}
	name := text.TermsOf(memory.NameWords(r.Path))
	files := map[string][]related.Passage{} // by value
	for _, p := range passages {
		if skip(p.File) {
			continue
		}
		near := slices.ContainsFunc(text.TermsOf(p.Text), func(t string) bool { return slices.Contains(name, t) })
		for v, byItself := range values(p.Text) {
			holders := files[v]
			if _, gone := r.gone[v]; gone && (byItself || near) && (len(holders) == 0 || holders[len(holders)-1].File != p.File) {
				files[v] = append(holders, p)
			}
		}
	}
	for _, v := range slices.Sorted(maps.Keys(files)) {
		if len(files[v]) > maxStill {
			continue // it is common
		}
		for _, p := range files[v] {
			at := strings.Index(p.Text, v)
			from, to := text.Sentence(p.Text, at, at+len(v))
			also = append(also, fmt.Sprintf("%s still %q: %s", p.Where(), v, visible.OneLine(p.Text[from:to], maxAlsoText)))
		}
	}
	return also[:min(len(also), maxAlso)]
}

// values returns the names, numbers and code in a text, and whether each says by itself what is meant: a full name, or
// code.
func values(s string) map[string]bool {
	all := make(map[string]bool)
	begun, from, to := false, -1, 0 // in a sentence; the name that is open
	end := func() {
		if from >= 0 {
			all[s[from:to]] = strings.Contains(s[from:to], " ")
		}
		from = -1
	}
	for w := range strings.FieldsSeq(s) {
		at := to + strings.Index(s[to:], w)
		bare := strings.TrimFunc(w, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		number := strings.ContainsFunc(bare, unicode.IsDigit)
		code := strings.ContainsAny(bare, "_/.:") || strings.Contains(w, "`")
		named := begun && !number && !code && strings.IndexFunc(bare, unicode.IsUpper) == 0
		if !named || from >= 0 && s[to:at] != " " {
			end()
		}
		start := at + strings.Index(w, bare)
		switch {
		case named && from < 0:
			from = start
		case len(bare) > 1 && (number || code):
			all[bare] = strings.ContainsFunc(bare, unicode.IsLetter)
		}
		to = start + len(bare)
		begun = !strings.ContainsAny(w[len(w)-1:], ".!?:")
		if named && !begun {
			end()
		}
	}
	end()
	return all
}

// changed sets the passages that a write adds to its memory, as they may be shown, and the values that it takes away.
func (w *writing) changed(res *WriteResult) {
	passages := func(t *memory.Topic) []related.Passage {
		if t == nil {
			return nil
		}
		return related.Documents(&memory.Snapshot{Topics: map[memory.Name]*memory.Topic{w.n: t.Shown(w.t.Dir.AllowSecrets)}})[0].Passages()
	}
	old := make(map[string]bool)
	res.gone = make(map[string]bool)
	for _, p := range passages(w.prior) {
		old[p.Text] = true
		maps.Copy(res.gone, values(p.Text))
	}
	for _, p := range passages(w.after.Topics[w.n]) {
		for v := range values(p.Text) {
			delete(res.gone, v)
		}
		if !old[p.Text] {
			res.fresh = append(res.fresh, p)
		}
	}
}
