// Package drift finds what a memory names and its project no longer has: files, lines of files, scripts,
// libraries and versions. It also reads the project's own instructions to agents (CLAUDE.md and the like),
// for a memory to be compared with.
//
// It reports only what it can tie to the project. Where the project is in git, that is a file or folder that
// git once had, or a script, target or library that once was in a manifest. Without git, or before git saw
// anything go, it is a file whose folder exists and holds others of its kind, and a script that the project's manifest
// lacks. A version is compared with the one that a manifest states.
//
// It promises that nothing outside the project's folder is read, whatever the name or link (git reads its own
// repository); that nothing there is written or waited for, and no program is run but git, with nothing that
// the repository configures; that reading is bounded by the constants of this package in entries, bytes and
// time; and that where a bound was reached there is no hit. It keeps nothing on disk, so that a crash costs
// nothing.
//
// It does not promise to be right: it reads names, not programs. How often it is right on labelled memories
// is what "go run ./memory/rule/measure drift" prints.
package drift

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"dream-mcp/memory/lazy"
	"dream-mcp/memory/rule/prose"
)

// Bounds of one text: a memory has at most 58.7 KB.
const (
	maxText     = 1 << 20 // bytes; the rest is not looked at
	maxPassages = 4_000
	maxHits     = 100
	maxMore     = 2   // of a line, beside its first
	maxRef      = 400 // bytes of a code span that may name something
)

// Hit is a reference to what the project does not have.
type Hit struct {
	From, To int      // bytes of the text
	Ref      string   // what is gone: "internal/old.go", "npm run lint"
	Message  string   // that it is gone, in a clause
	Nearest  string   // what the project has instead, "" where that is not known
	More     []string // messages of up to two more references on the line
}

// Find returns the references of a Markdown text to what the project does not have, at most 100, in order,
// one for each line. Read are code spans, fences of shell commands, and versions and libraries in prose; only
// sentences about what is, not about what was, is planned, is forbidden or is elsewhere. A bare name for which
// isMemory reports true is the name of another memory.
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
	if len(p.listed().files) == 0 {
		return nil // in an empty project nothing is missed
	}
	found := passages(text)
	slices.SortStableFunc(found, func(a, b passage) int { return cmp.Compare(a.from, b.from) })
	var hits []Hit
	end, last := 0, 0 // of the last hit's line, and of the last passage reported
	seen := make(map[string]bool)
	for _, s := range found {
		if s.from < last || s.from < end && len(hits[len(hits)-1].More) == maxMore || len(hits) == maxHits || isMemory(strings.TrimSpace(s.text(text))) {
			continue
		}
		h, ok := p.judge(&s, s.text(text))
		if !ok || seen[h.Ref] || !s.around(text).isPresent() { // in this order: most of what is named is there
			continue
		}
		seen[h.Ref], last = true, s.to
		if s.from < end {
			first := &hits[len(hits)-1]
			first.More = append(first.More, h.Message)
			continue
		}
		h.From, h.To = s.from, s.to
		hits = append(hits, h)
		end = s.to + strings.IndexByte(text[s.to:]+"\n", '\n')
	}
	return hits
}

// judge returns what a passage names and the project does not have.
func (p *Project) judge(s *passage, text string) (Hit, bool) {
	text = strings.TrimPrefix(strings.TrimSpace(text), strings.TrimSuffix(p.root.Name(), "/")+"/")
	switch {
	case text == "" || len(text) > maxRef:
		return Hit{}, false
	case s.kind == prose.Other:
		if h, ok := p.judgeVersion(text); ok {
			return h, true
		}
		return p.judgeLibrary(text)
	case s.kind == prose.Code && !strings.ContainsAny(text, " \t"):
		if r, ok := parsePath(text); ok {
			return p.judgePath(r)
		}
		return Hit{}, false
	case p.look(text) == present || p.isPrefix(text): // a path with spaces
		return Hit{}, false
	}
	return p.judgeCommand(text)
}

// scriptRef finds the script or target that a command runs.
var scriptRef = lazy.New(`^(?:[A-Za-z_]\w*=\S* |sudo )*((?:(npm|pnpm|yarn|bun) (run )?|(make|just) )([^-\s=<$][^\s=<$]*))(?: |$)`)

// judgeCommand judges a script, a target, and the files that a command names. A path that is cut at a space is
// not judged: what git once had must be named whole.
func (p *Project) judgeCommand(text string) (Hit, bool) {
	words := strings.Fields(strings.TrimPrefix(text, "$ "))
	if m := scriptRef.FindStringSubmatch(strings.Join(words, " ")); m != nil {
		ref, manager, run, tool, script := m[1], m[2], m[3] != "", m[2]+m[4], m[5]
		switch {
		case manager != "" && !run && (manager == "npm" || packageVerbs[script]):
		case p.wasInManifest(script):
			return Hit{Ref: ref, Message: fmt.Sprintf("no manifest of the project has %q any more", script)}, true
		case (manager != "pnpm" || run) && p.neverInManifest(tool, script):
			return Hit{Ref: ref, Message: fmt.Sprintf("the %s has no %q", scriptsOf[tool], script)}, true
		}
	}
	if p.past() == nil {
		return Hit{}, false
	}
	for _, word := range words {
		if r, ok := parsePath(word); ok && (strings.Contains(r.name, "/") || strings.HasPrefix(word, "./")) {
			if h, ok := p.judgePath(r); ok {
				return h, true
			}
		}
	}
	return Hit{}, false
}

// packageVerbs are what package managers do themselves; a script of such a name needs "run".
var packageVerbs = prose.Set("install i ci add remove rm uninstall update upgrade up outdated audit link unlink " +
	"publish pack init create exec x dlx why list ls info view config cache prune dedupe rebuild store import patch " +
	"login logout whoami version help workspaces workspace set get pkg fund doctor bin root")
