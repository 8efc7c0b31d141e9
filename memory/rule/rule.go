// Package rule judges a memory: what a dream writes, what it would leave, and what is there.
//
// A rule reads topics, the index and, for two of them, the files of the project. It changes nothing and
// opens nothing else. Errors refuse; what only may be wrong is a warning or an info. What a finding quotes
// may be shown: credentials are masked.
package rule

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"dream-mcp/memory"
	"dream-mcp/memory/rule/drift"
)

// Severity says what a finding means for who caused it.
type Severity string

// An error refuses a write or a landing, a warning is reported, an info is worth a look.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
	Info    Severity = "info"
)

var severities = []Severity{Error, Warning, Info}

func (s Severity) rank() int { return slices.Index(severities, s) }

func (s Severity) less() Severity { return severities[min(s.rank()+1, len(severities)-1)] }

// Finding is what a rule has to say about a line.
type Finding struct {
	Rule     string   `json:"rule"`
	Severity Severity `json:"severity"`
	File     string   `json:"file,omitempty"`
	Line     int      `json:"line,omitempty"`   // from 1; 0: the file as a whole
	Column   int      `json:"column,omitempty"` // from 1, in characters; 0: the line as a whole
	Message  string   `json:"message"`
	Hint     string   `json:"hint,omitempty"` // what to do, where possible the next call

	subject string // what it is about, wherever that stands now: a line's text, a key
}

// Doc is what a rule says of itself.
//
// Bad and Good are small memories, in which the rule finds something and nothing: a test holds every rule
// to its own. A line "-- PATH --" begins a file; those under before/ stood before the change that is
// checked. A text without such a line is the body of one memory with good frontmatter, and where no
// MEMORY.md is given, the index names every memory. What lies under project/ is the project's.
type Doc struct {
	Name     string   `json:"name"`
	Summary  string   `json:"summary"`
	Severity Severity `json:"severity"` // the worst that it reports
	Waivable bool     `json:"waivable"` // the model may waive it, with a reason
	Catches  string   `json:"catches"`  // in words
	Leaves   string   `json:"leaves"`   // what it looks like and is not
	Bad      string   `json:"bad"`
	Good     string   `json:"good"`
}

// rule is one row of the table. A rule reads, and never touches a disk, but for the project's folder.
type rule struct {
	doc   Doc
	topic func(v *view, n memory.Name, t *memory.Topic) []Finding // reads one topic: asked at every write too
	whole func(v *view) []Finding                                 // reads the memory: asked when it is to land
	never bool                                                    // its errors stay, whatever stood before
	minor bool                                                    // its warnings about what stood before are infos
	exact bool                                                    // it reads the memory as it is, the others as it may be shown, and quotes nothing of it
}

// table holds every rule; a new one is added here and in a file of its own.
// One line each, in the order in which they are explained.
var table = []rule{
	nameRule,
	frontmatterRule,
	indexLimitsRule,
	indexEntryRule,
	danglingRule,
	orphanRule,
	lossRule,
	relativeDateRule,
	secretRule,
	invisibleRule,
	unsourcedRule,
	nearDuplicateRule,
	wikiLinkRule,
	outsideLinkRule,
	unlinkedRule,
	tombstoneRule,
	deadlineRule,
	staleRule,
	oversizedRule,
	contradictionRule,
	descriptionRule,
	typePrefixRule,
	reasonsRule,
	driftRule,
	reconcileRule,
}

// Check asks the rules about a change of the memory.
type Check struct {
	Before, After *memory.Snapshot
	Prior         *memory.Topic          // what Written's topic was before this write, staged or not; nil: nothing
	Touched       map[memory.Name]bool   // the files that the change writes or deletes
	Accepted      map[memory.Name]string // losses that were agreed to, and why
	Unattended    bool                   // nobody watches: the stricter law of losses
	Cited         []string               // the words that the write cites
	OwnWords      map[string]bool        // the sources that are the user's own words; nil: it is not known which
	Project       *drift.Project         // the folder that the memory describes; nil: the rules that compare with it find nothing
	Now           time.Time
}

// Whole returns what every rule says about the memory as it would be. What was found before the change
// too is at most a warning, and an info of a minor rule: what stood never stops a dream. The limits of the index are not excused. An
// info about a memory that the change does not touch is left out: Standing has reported it.
func (c Check) Whole() []Finding {
	v := c.view()
	findings := v.all(table)
	excusable := func(f Finding) bool {
		r := ruleOf(f.Rule)
		return f.Severity == Error && !r.never || f.Severity == Warning && r.minor
	}
	asked := make(map[string]bool)
	for _, f := range findings {
		if excusable(f) {
			asked[f.Rule] = true
		}
	}
	stood := c.stood(v, asked)
	for i, again := range again(findings, stood) {
		if again && excusable(findings[i]) {
			findings[i].Severity = findings[i].Severity.less()
		}
	}
	return sorted(slices.DeleteFunc(findings, func(f Finding) bool {
		return f.Severity == Info && f.File != memory.IndexFile && !c.touched(f.File)
	}))
}

// stood counts what the rules of these names found before the change that v looks at. The others are not
// asked: over a thousand memories that names much which is gone, drift alone takes a second.
func (c Check) stood(v *view, names map[string]bool) map[Finding]int {
	stood := make(map[Finding]int)
	if c.Before == nil || len(names) == 0 {
		return stood
	}
	before := newView(c.Before, c.Project, c.Now)
	v.share(before)
	rules := slices.DeleteFunc(slices.Clone(table), func(r rule) bool { return !names[r.doc.Name] })
	for _, f := range before.all(rules) {
		stood[f.key()]++
	}
	return stood
}

// Written returns what the rules that read one topic say about the one just written, less what they say
// about what it was before.
func (c Check) Written(n memory.Name) []Finding {
	findings := c.written(n)
	if len(findings) == 0 || c.Prior == nil {
		return findings
	}
	was := *c.After
	was.Topics = maps.Clone(was.Topics)
	was.Topics[n] = c.Prior
	c.After = &was
	stood := make(map[Finding]int)
	for _, f := range c.written(n) {
		stood[f.key()]++
	}
	var fresh []Finding
	for i, again := range again(findings, stood) {
		if !again {
			fresh = append(fresh, findings[i])
		}
	}
	return fresh
}

// again says which findings were among those that stood, counted by key. Where one of several that are
// alike is new, that is one that the rule calls an error. A finding that counts those beyond maxPlaces is
// an error only if one of them is new; of the index, which is judged by lines, the rules do not know.
func again(findings []Finding, stood map[Finding]int) []bool {
	again := make([]bool, len(findings))
	for _, errors := range []bool{false, true} {
		for i, f := range findings {
			if errors && f.subject == moreSubject && f.File != memory.IndexFile {
				continue
			}
			if (f.Severity == Error) == errors && stood[f.key()] > 0 {
				stood[f.key()]--
				again[i] = true
			}
		}
	}
	return again
}

func (c Check) written(n memory.Name) []Finding {
	if c.After.Topics[n] == nil {
		return nil
	}
	var findings []Finding
	v := c.view()
	v.written, v.exact.written = n, n
	for _, r := range table {
		findings = append(findings, r.readTopic(v.of(r), n)...)
	}
	return sorted(findings)
}

// Lint returns what every rule says about a memory as it stands, each in its own severity.
func Lint(s *memory.Snapshot, project *drift.Project, now time.Time) []Finding {
	return sorted(newView(s, project, now).all(table))
}

// NotAsked returns the rules that Lint could not ask about a memory, and why. A rule that compares too
// many memories says so in a finding of its own.
func NotAsked(s *memory.Snapshot, project *drift.Project) map[string]string {
	why := make(map[string]string)
	switch {
	case project == nil:
		why[driftRule.doc.Name] = "no project is known"
		why[reconcileRule.doc.Name] = "no project is known"
	case len(project.Guides()) == 0:
		why[reconcileRule.doc.Name] = "the project has no CLAUDE.md, AGENTS.md or the like"
	}
	if s.Limited {
		why[danglingRule.doc.Name] = "the directory holds more files than were read"
		why[wikiLinkRule.doc.Name] = "the directory holds more files than were read"
	}
	return why
}

// Standing returns what every rule says about a memory that nobody is about to change: warnings at
// the worst.
func Standing(s *memory.Snapshot, project *drift.Project, now time.Time) []Finding {
	findings := newView(s, project, now).all(table)
	for i := range findings {
		if findings[i].Severity == Error {
			findings[i].Severity = Warning
		}
	}
	return sorted(findings)
}

// Waivable reports whether a rule of this name exists that the model may waive, with a reason.
func Waivable(name string) bool { return ruleOf(name).doc.Waivable }

// Docs returns what each rule says of itself, in the order of the table.
func Docs() []Doc {
	docs := make([]Doc, len(table))
	for i, r := range table {
		docs[i] = r.doc
	}
	return docs
}

func ruleOf(name string) rule {
	for _, r := range table {
		if r.doc.Name == name {
			return r
		}
	}
	return rule{}
}

func (r rule) readTopic(v *view, n memory.Name) []Finding {
	if r.topic == nil {
		return nil
	}
	return r.named(r.topic(v, n, v.after.Topics[n]))
}

// named fills in the rule's name, and its severity where a finding has none of its own.
func (r rule) named(findings []Finding) []Finding {
	for i := range findings {
		findings[i].Rule = r.doc.Name
		findings[i].Severity = cmp.Or(findings[i].Severity, r.doc.Severity)
	}
	return findings
}

// touched reports whether the change writes the file. The index is judged by its lines.
func (c Check) touched(file string) bool {
	n, err := memory.ParseName(file)
	return err == nil && !n.IsIndex() && c.Touched[n]
}

// key returns what two findings about the same thing have in common, whatever its line is now.
func (f Finding) key() Finding { return Finding{Rule: f.Rule, File: f.File, subject: f.subject} }

// position returns the line and the column of a place of a text that begins in this line and column. A column of 0
// is unknown.
func position(text string, at, line, column int) (int, int) {
	start := strings.LastIndexByte(text[:at], '\n') + 1
	runes := utf8.RuneCountInString(text[start:at])
	switch {
	case start > 0:
		return line + strings.Count(text[:start], "\n"), runes + 1
	case column > 0:
		column += runes
	}
	return line, column
}

// maxPlaces bounds the findings of a rule on one file; a last one counts the rest.
const maxPlaces = 20

// places are the findings of a rule on one file.
type places struct {
	findings []Finding
	more     int
}

// full reports whether there are as many as are reported, and counts one more.
func (p *places) full() bool {
	if len(p.findings) < maxPlaces {
		return false
	}
	p.more++
	return true
}

func (p *places) add(f Finding) { p.findings = append(p.findings, f) }

const moreSubject = "more"

// all returns the findings and, where there are more, one that counts those.
func (p *places) all(what string) []Finding {
	if p.more == 0 {
		return p.findings
	}
	last := p.findings[len(p.findings)-1]
	last.subject = moreSubject
	last.Message = fmt.Sprintf("%d more %s follow in this file", p.more, what)
	return append(p.findings, last)
}

// sorted puts the errors first, then goes by file, line and rule.
func sorted(findings []Finding) []Finding {
	slices.SortStableFunc(findings, func(a, b Finding) int {
		return cmp.Or(
			cmp.Compare(a.Severity.rank(), b.Severity.rank()),
			strings.Compare(a.File, b.File),
			cmp.Compare(a.Line, b.Line),
			strings.Compare(a.Rule, b.Rule),
			strings.Compare(a.Message, b.Message),
		)
	})
	return findings
}

// isFolderIndex reports whether n is the index of a folder, such as team/MEMORY.md, which is edited
// like a topic and is none (FACTS 2.4).
func isFolderIndex(n memory.Name) bool {
	return strings.Contains(n.String(), "/") && strings.EqualFold(memory.StemOf(n.String())+".md", memory.IndexFile)
}
