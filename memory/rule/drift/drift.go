// Package drift compares what memories name with the checkout of their project: paths, package scripts, targets of a
// Makefile, and versions. It also reads the project's own instructions to agents (CLAUDE.md and the like).
//
// It reports only what is certain: a path that git once had and that the checkout lacks, or, without git, a path of
// which one file of that name is somewhere else; a script or target that its manifest lacks; a version that a manifest
// had once and has no longer. Whatever it finds, it says how much it looked at (Checked).
//
// It promises that nothing outside the project's folder is read, whatever the name or link (git reads its own
// repository); that nothing there is written or waited for, and no program is run but git, with nothing that the
// repository configures; that reading is bounded by the constants of this package in entries, bytes and time; and that
// where a bound was reached, or git did not answer, nothing is reported of what is beyond. It keeps nothing on disk, so
// that a crash costs nothing.
//
// It does not promise to know what a sentence means: a memory that says of a file that it was removed, in words that
// are not in its table, is reported. The README of package rule says how often it was right on memories that it was not
// made on.
package drift

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"dream-mcp/memory/phrase"
	"dream-mcp/memory/rule/prose"
)

// Bounds of one text: a memory has at most 58.7 KB.
const (
	maxText     = 1 << 20 // bytes; the rest is not looked at
	maxPassages = 4_000
	maxHits     = 500 // of all texts
	maxRef      = 400 // bytes of a code span that may name something
	maxNamed    = 3   // names in a message; the others are counted
	maxNever    = 8   // names that Checked gives of those that never existed
)

// Text is a part of a memory.
type Text struct {
	File string // of the memory
	Body string
	Line int // of the file in which the body begins; 0: 1
}

// Place is where a text names something.
type Place struct {
	Text     int // its index
	From, To int // bytes of it
}

// Missing is what texts name and the project does not have.
type Missing struct {
	Place   Place
	More    []Place // more places of the same: of a folder that was moved, or of a log
	Ref     string  // what is missing: "internal/old.go", "npm run lint"
	Message string

	moved [2]string // the folders from and to which it was moved
	by    string    // the commit that moved the folder or removed the file
	never bool      // it never was there
	other string    // the project declares another version, and its history does not say that it once was this one
}

// Checked is how much of what memories name was looked at. A name counts once, however often it is written.
type Checked struct {
	Paths, Scripts, Targets, Versions int // that are the project's, there or missing

	Missing       int      // of these, but for what a memory says is gone
	Never         int      // files with a folder, scripts and targets that are neither in the checkout nor in the history of git
	NeverAt       []string // the first of them: "a.md:7 scripts/old.sh"
	OtherVersions []string // the first versions that the project declares otherwise: "a.md:9 Python 3.11 (.python-version: 3.12)"
	Commit        string
	Date          time.Time // of the commit; zero without git
	Limited       bool      // the project holds more than was looked at
}

// Known reports whether there was a project to look at.
func (c Checked) Known() bool {
	return c.Paths+c.Scripts+c.Targets+c.Versions+c.Never > 0 || c.Commit != "" || c.Limited || !c.Date.IsZero()
}

// String says it in a line: "41 paths and 3 scripts checked in the checkout of 2026-11-20 (0f3b9c8), 3 gone".
func (c Checked) String() string {
	var parts []string
	for _, part := range []struct {
		number int
		noun   string
	}{{c.Paths, "path"}, {c.Scripts, "script"}, {c.Targets, "target"}, {c.Versions, "version"}} {
		if part.number > 0 {
			parts = append(parts, phrase.Plural(part.number, part.noun))
		}
	}
	text, commit := "the memory names no file, script or target of the project", ""
	if c.Commit != "" {
		commit = fmt.Sprintf(" of %s (%s)", c.Date.Format(time.DateOnly), c.Commit)
	}
	switch {
	case len(parts) > 0:
		missing := "none"
		if c.Missing > 0 {
			missing = strconv.Itoa(c.Missing)
		}
		text = fmt.Sprintf("%s checked in the checkout%s, %s gone", strings.Join(parts, ", "), commit, missing)
	case commit != "":
		text += ", in the checkout" + commit
	}
	if c.Never > 0 {
		text += fmt.Sprintf("; not there, and never in its history: %s", strings.Join(c.NeverAt, ", "))
		if more := c.Never - len(c.NeverAt); more > 0 {
			text += fmt.Sprintf(" and %d more", more)
		}
	}
	if len(c.OtherVersions) > 0 {
		text += "; other versions: " + strings.Join(c.OtherVersions, ", ")
	}
	if c.Limited {
		text += "; the project holds more than was looked at"
	}
	return text
}

// Find compares texts with the project. It returns one Missing for each line, one for each folder that was moved, and
// one for each dated log, in the order of the texts. It reads code spans and fences of shell commands. A path leads to
// another memory if isMemory reports true for it or for its last part. Checked returns how much it looked at.
func (p *Project) Find(texts []Text, isMemory func(name string) bool) []Missing {
	if p == nil || len(texts) == 0 {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.begin()
	p.checked, p.counted, p.until, p.unknown = Checked{}, make(map[string]bool), time.Now().Add(maxAskTime), false
	var hits []Missing
	if len(p.listed().files) > 0 { // in an empty project nothing is missed
		for i, t := range texts {
			if len(hits) < maxHits {
				hits = append(hits, p.findIn(i, t, isMemory)...)
			}
		}
	}
	p.checked.Limited = p.checked.Limited || p.tree.limited
	if h := p.past(); h != nil {
		p.checked.Commit, p.checked.Date = h.commit, h.date
	}
	return gather(hits, texts)
}

// Checked returns how much the last Find looked at.
func (p *Project) Checked() Checked {
	if p == nil {
		return Checked{}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.checked
}

// findIn returns what one text names and the project lacks, each name once. What is named as a log says what was true
// on its day.
func (p *Project) findIn(nth int, t Text, isMemory func(name string) bool) []Missing {
	if logName.MatchString(strings.TrimSuffix(t.File, ".md")) {
		return nil
	}
	text := t.Body[:min(len(t.Body), maxText)]
	var hits []Missing
	seen := make(map[string]bool)
	add := func(s prose.Span, found []Missing) {
		if p.unknown {
			p.unknown, p.checked.Limited = false, true
			return
		}
		for _, m := range found {
			if seen[m.Ref] || !aroundOf(s, text).isPresent() { // in this order: most of what is named is there
				continue
			}
			seen[m.Ref] = true
			c, at := &p.checked, fmt.Sprintf("%s:%d %.80s", t.File, max(1, t.Line)+strings.Count(text[:s.Inner], "\n"), m.Ref)
			switch {
			case m.never:
				if p.count(&c.Never, "never "+m.Ref); len(c.NeverAt) < min(c.Never, maxNever) {
					c.NeverAt = append(c.NeverAt, at)
				}
				continue
			case m.other != "":
				if len(c.OtherVersions) < maxNever {
					c.OtherVersions = append(c.OtherVersions, fmt.Sprintf("%s (%s)", at, m.other))
				}
				continue
			}
			p.count(&p.checked.Missing, "missing "+m.Ref)
			m.Place = Place{nth, s.Inner, s.InnerTo}
			hits = append(hits, m)
		}
	}
	for _, s := range passages(text) {
		named := text[s.Inner:s.InnerTo]
		if name := strings.TrimSpace(named); !isMemory(name) && !isMemory(path.Base(name)) {
			add(s, p.judge(s.Kind, named))
		}
	}
	for _, s := range p.versionsIn(text) {
		add(s, p.judgeVersion(text[s.Inner:s.InnerTo]))
	}
	slices.SortStableFunc(hits, func(a, b Missing) int { return a.Place.From - b.Place.From })
	return hits
}

// count counts a name in one of the numbers of Checked, once.
func (p *Project) count(number *int, name string) {
	if !p.counted[name] {
		p.counted[name] = true
		*number++
	}
}

// judge returns what a passage names and the project does not have.
func (p *Project) judge(kind prose.Kind, text string) []Missing {
	text = strings.TrimPrefix(strings.TrimSpace(text), strings.TrimSuffix(p.root.Name(), "/")+"/")
	switch {
	case text == "" || len(text) > maxRef:
		return nil
	case kind == prose.Code && !strings.ContainsAny(text, " \t"):
		return p.judgePath(text)
	case p.look(text) == present: // a path with spaces
		return nil
	}
	return p.judgeCommand(text)
}

// judgeCommand judges a script or target, and the files that a command names.
func (p *Project) judgeCommand(text string) (all []Missing) {
	words := strings.Fields(strings.TrimPrefix(text, "$ "))
	all = p.judgeScript(strings.Join(words, " "))
	for _, word := range words {
		if strings.Contains(word, "/") {
			all = append(all, p.judgePath(strings.Trim(word, `"'`))...)
		}
	}
	return all
}
