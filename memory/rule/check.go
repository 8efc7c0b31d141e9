package rule

import (
	"maps"
	"slices"
	"time"

	"dream-mcp/memory"
	"dream-mcp/memory/rule/drift"
)

// Check asks the rules about a change of the memory.
type Check struct {
	Before, After *memory.Snapshot
	Prior         *memory.Topic          // what Written's topic was before this write, staged or not; nil: nothing
	Changed       map[memory.Name]bool   // the files that the change writes or deletes
	Only          map[memory.Name]bool   // what rules that read one topic are asked about; nil: all
	Accepted      map[memory.Name]string // losses that were agreed to, and why
	Who           Asker
	Teams         func(memory.Name) bool // reports whether a memory is a team's and the code does not contradict it; nil: none is
	OwnWords      map[string]bool        // the sources that are the user's own words; nil: it is not known which
	Project       *drift.Project         // the folder that the memory describes; nil: the rules that compare with it find nothing
	Now           time.Time
}

// Whole returns what every rule says about the memory as it would be. What was found before the change
// too is at most a warning, and an info of a minor rule: what stood never stops a dream. An
// info about a memory that the change does not touch is left out: Standing has reported it.
func (c Check) Whole() []Finding {
	findings := c.view().all(table)
	excusable := func(f Finding) bool {
		r := ruleOf(f.Rule)
		return f.Severity == Error || f.Severity == Warning && r.minor
	}
	asked := make(map[string]bool)
	for _, f := range findings {
		if excusable(f) {
			asked[f.Rule] = true
		}
	}
	existing := make(map[Finding]int)
	if c.Before != nil && len(asked) > 0 { // the other rules are not asked: drift takes a second where much is gone
		rules := slices.DeleteFunc(slices.Clone(table), func(r rule) bool { return !asked[r.name] })
		existing = counted(Check{After: c.Before, Only: c.Only, Project: c.Project, Now: c.Now}.view().all(rules))
	}
	for i, again := range again(findings, existing) {
		if again && excusable(findings[i]) {
			findings[i].Severity = findings[i].Severity.less()
		}
	}
	return report(slices.DeleteFunc(findings, func(f Finding) bool {
		return f.Severity == Info && f.File != memory.IndexFile && !c.changes(f.File)
	}))
}

func counted(findings []Finding) map[Finding]int {
	count := make(map[Finding]int)
	for _, f := range findings {
		count[f.key()]++
	}
	return count
}

// Written returns what the rules that read one topic say about the one just written, less what they say
// about what it was before.
func (c Check) Written(n memory.Name) []Finding {
	findings := c.findIn(n)
	if len(findings) == 0 || c.Prior == nil {
		return report(findings)
	}
	was := *c.After
	was.Topics = maps.Clone(was.Topics)
	was.Topics[n] = c.Prior
	c.After = &was
	existing := counted(c.findIn(n))
	var fresh []Finding
	for i, again := range again(findings, existing) {
		if !again {
			fresh = append(fresh, findings[i])
		}
	}
	return report(fresh)
}

// again says which findings were among those that existed, counted by key. Where one of several that are
// alike is new, that is one that the rule calls an error.
func again(findings []Finding, existing map[Finding]int) []bool {
	again := make([]bool, len(findings))
	for _, errors := range []bool{false, true} {
		for i, f := range findings {
			if (f.Severity == Error) == errors && existing[f.key()] > 0 {
				existing[f.key()]--
				again[i] = true
			}
		}
	}
	return again
}

func (c Check) findIn(n memory.Name) []Finding {
	if c.After.Topics[n] == nil {
		return nil
	}
	v := c.view()
	v.written, v.exact.written = n, n
	return v.ask(table, []memory.Name{n}, false)
}

// Lint returns what every rule says about a memory as it is, each in its own severity.
func Lint(s *memory.Snapshot, project *drift.Project, now time.Time) []Finding {
	return report(Check{After: s, Project: project, Now: now}.view().all(table))
}

// NotAsked returns the rules that Lint could not ask about a memory, and why. A rule that compares too
// many memories says so in a finding of its own.
func NotAsked(s *memory.Snapshot, project *drift.Project) map[string]string {
	why := make(map[string]string)
	if project == nil {
		why[Drift] = "no project is known"
	}
	if s.Limited {
		why["dangling"] = "the directory holds more files than were read"
		why[WikiLink] = "the directory holds more files than were read"
	}
	return why
}

// Standing returns what every rule says about a memory that nobody is about to change: warnings at
// the worst.
func Standing(s *memory.Snapshot, project *drift.Project, now time.Time) []Finding {
	findings := Check{After: s, Project: project, Now: now}.view().all(table)
	for i := range findings {
		if findings[i].Severity == Error {
			findings[i].Severity = Warning
		}
	}
	return report(findings)
}

// changes reports whether the change writes the file. The index is judged by its lines.
func (c Check) changes(file string) bool {
	n, err := memory.ParseName(file)
	return err == nil && !n.IsIndex() && c.Changed[n]
}
