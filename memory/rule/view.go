package rule

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"dream-mcp/memory"
	"dream-mcp/memory/rule/drift"
)

// view is what the rules read, and what several of them need of it.
type view struct {
	before   *memory.Snapshot // nil: nothing is known of what stood before
	after    *memory.Snapshot
	accepted map[memory.Name]string
	now      time.Time
	project  *drift.Project

	unattended bool
	ownWords   map[string]bool
	cited      []string

	exact *view // of what is not masked

	names    []memory.Name            // sorted
	folds    map[string][]memory.Name // names that some file system takes for one
	others   *int                     // what otherForm found
	wordings map[memory.Name]wording  // of after

	written  memory.Name               // that Written is about, or the zero Name
	linkKeys map[string]bool           // what a link may name
	nears    map[string]string         // by what leads to nothing
	readings map[*memory.Topic]reading // shared by the views of one check
}

func (c Check) view() *view {
	v := newView(c.After, c.Project, c.Now)
	for _, each := range []*view{v, v.exact} {
		each.before, each.accepted, each.unattended, each.ownWords, each.cited = c.Before, c.Accepted, c.Unattended, c.OwnWords, c.Cited
	}
	v.before = c.Before.Shown(c.After)
	return v
}

func newView(s *memory.Snapshot, project *drift.Project, now time.Time) *view {
	readings := make(map[*memory.Topic]reading)
	exact := &view{after: s, now: now, project: project, readings: readings, nears: make(map[string]string)}
	return &view{after: s.Shown(nil), now: now, project: project, readings: readings, nears: make(map[string]string), exact: exact}
}

// of returns what a rule reads.
func (v *view) of(r rule) *view {
	if r.exact {
		return v.exact
	}
	return v
}

// toFind is, in JSON, in place of a new text that a rule does not know.
const toFind = `"…"`

// editCall returns the call that replaces a text (both in JSON) in a memory, with the base that it has once
// the write that is checked is staged: the call can be sent as it is. A call whose new text is for the
// model to find has no base: sent as it is, it is refused and writes no "…".
func (v *view) editCall(n memory.Name, old, new string) string {
	base := ""
	if new != toFind {
		exact := v
		if v.exact != nil {
			exact = v.exact
		}
		base = fmt.Sprintf(", \"base\": %q", memory.SumOf(exact.after.Topics[n].Bytes()).Short())
	}
	return fmt.Sprintf("write_memory {\"path\": %q%s, \"edits\": [{\"old\": %s, \"new\": %s}]}", n.String(), base, old, new)
}

// all returns what the rules find, in no order.
func (v *view) all(rules []rule) []Finding {
	var findings []Finding
	for _, r := range rules {
		for _, n := range v.sortedNames() {
			findings = append(findings, r.readTopic(v.of(r), n)...)
		}
		if r.whole != nil {
			findings = append(findings, r.named(r.whole(v.of(r)))...)
		}
	}
	return findings
}

func (v *view) sortedNames() []memory.Name {
	if v.names == nil {
		v.names = sortedNames(v.after.Topics)
	}
	return v.names
}

func sortedNames(topics map[memory.Name]*memory.Topic) []memory.Name {
	names := make([]memory.Name, 0, len(topics))
	for n := range topics {
		names = append(names, n)
	}
	slices.SortFunc(names, func(a, b memory.Name) int { return strings.Compare(a.String(), b.String()) })
	return names
}

// noIndex reports whether the rules of the index say nothing: where there is none and there are
// memories, the host makes its own from names and descriptions (Claude Code since 2.1.224). A directory that is new
// gets one, and an index that stood is not to vanish.
func (v *view) noIndex() bool {
	if v.after.Index != nil {
		return false
	}
	return v.before == nil || v.before.Index == nil && len(v.before.Topics) > 0
}
