// Package drift finds what a memory names and its project no longer has: files, lines of files,
// scripts and targets, symbols and flags. It also reads the project's own instructions to agents
// (CLAUDE.md and its kin), for a memory to be reconciled with.
//
// It promises that nothing outside the project's folder is looked at, whatever the name or link, and
// that nothing there is written, executed or waited for; that reading is bounded by the constants of
// this package in entries, files, bytes and time; and that where a bound was hit, or a name can't be
// told to be the project's, there is no hit: not knowing is no finding. It keeps nothing, so that a
// crash costs nothing.
//
// It does not promise to be right: it reads names, not programs. A symbol that only generated code
// declares is taken for gone, one that an unrelated file happens to mention for present; and of a bare
// name it says nothing unless the sentence or a likeness ties it to the project. How often it errs on
// labelled memories is what the command in the folder measure prints.
package drift

import (
	"cmp"
	"slices"
	"strings"
)

// Bounds of one text: a memory has at most 58.7 KB (CENSUS 3).
const (
	maxText     = 1 << 20 // bytes; the rest is not looked at
	maxPassages = 4_000   // code spans and lines of fences
	maxHits     = 100
)

// Kind is what a hit is about.
type Kind string

// The kinds of references.
const (
	Path   Kind = "path"
	Line   Kind = "line"   // of a file that has fewer
	Script Kind = "script" // of a package, or a target
	Symbol Kind = "symbol"
	Flag   Kind = "flag"
)

// Hit is a reference to what the project does not have.
type Hit struct {
	From, To int    // of the code span's inside, or the line of a fence, in bytes of the text
	Kind     Kind   //
	Ref      string // what is gone: "internal/old.go", "npm run lint", "Store.Vacuum"
	Message  string // that it is gone, in a clause
	Nearest  string // what the project has that is likest, "" where nothing is

	path pathRef
}

// Find returns the references of a Markdown text to what the project does not have, at most 100, in
// order, each reference once. Only code spans and fences of shell commands are read, and only
// sentences that say what is: not what was, what is to come, or what must not be. A bare name for which
// isMemory reports true is that of another memory.
func (p *Project) Find(text string, isMemory func(name string) bool) []Hit {
	if p == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.begin()
	if len(text) > maxText {
		text = text[:maxText]
	}
	var hits []Hit
	seen := make(map[string]bool)
	for _, s := range passages(text) {
		if isMemory(strings.TrimSpace(s.text)) {
			continue
		}
		found := p.judge(&s)
		if len(found) == 0 || !s.stands() { // in this order: most of what is named is there
			continue
		}
		for _, h := range found {
			if h.Kind == Path {
				h.Nearest = p.nearestPath(h.path)
			}
			h.From, h.To = s.from, s.to
			if key := string(h.Kind) + h.Ref; !seen[key] {
				seen[key] = true
				hits = append(hits, h)
			}
		}
		if len(hits) >= maxHits {
			hits = hits[:maxHits]
			break
		}
	}
	slices.SortStableFunc(hits, func(a, b Hit) int { return cmp.Compare(a.From, b.From) })
	return hits
}

// judge returns what a passage names in vain.
func (p *Project) judge(s *passage) []Hit {
	text := strings.TrimPrefix(strings.TrimSpace(s.text), strings.TrimSuffix(p.root.Name(), "/")+"/")
	if text == "" || len(text) > maxRef || len(p.listed().files) == 0 {
		return nil // in an empty project nothing is missed
	}
	if s.fence || strings.ContainsAny(text, " \t") {
		return p.judgeCommands(text)
	}
	if ref, ok := parsePath(text); ok {
		return p.judgePath(ref)
	}
	if strings.HasPrefix(text, "-") {
		return nil // a flag of who knows what
	}
	return p.judgeSymbol(text, s)
}

// maxRef bounds, in bytes, a code span that may name something.
const maxRef = 400
