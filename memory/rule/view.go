package rule

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"dream-mcp/memory"
)

// view is what the rules read, Before and After as they may be shown, and what several of them need of it.
type view struct {
	Check
	exact *view // of what is not masked; its own is itself

	folds  map[string][]memory.Name // names that some file system takes for one
	others *int                     // what otherForm found
	reader *reader                  // of the texts that are compared

	inProject func(file string) bool // reports whether the project has a file

	written  memory.Name                        // that Written is about, or the zero Name
	linkKeys map[string]bool                    // what a link may name
	known    map[*memory.Topic]map[string][]int // what terms found
}

func (c Check) exact() *view {
	exact := &view{Check: c, known: make(map[*memory.Topic]map[string][]int), inProject: c.Project.Holds}
	exact.exact = exact
	return exact
}

func (c Check) view() *view {
	shown := *c.exact()
	shown.After = c.After.Shown(nil)
	shown.Before = c.Before.Shown(c.After)
	return &shown
}

// toFind is in place of a new text that a rule does not know.
const toFind = "…"

// editCall returns the call that replaces a text in a memory, with the base that it has once the write that is checked
// is staged: the call can be sent as it is. A call whose new text is for the model to find has no base: sent as it is,
// it is refused and writes no "…".
func (v *view) editCall(n memory.Name, old, new string) string {
	base := ""
	if new != toFind {
		base = fmt.Sprintf(", \"base\": %q", memory.SumOf(v.exact.After.Topics[n].Bytes()).Short())
	}
	return fmt.Sprintf("write_memory {\"path\": %q%s, \"edits\": [{\"old\": %s, \"new\": %s}]}", n.String(), base, quoteJSON(old), quoteJSON(new))
}

// quoteJSON writes a text as JSON does, with letters of every script as they are.
func quoteJSON(text string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(text) != nil {
		return `""`
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// ask returns what the rules find in some topics, and if whole, in the memory, in no order.
func (v *view) ask(rules []rule, topics []memory.Name, whole bool) (findings []Finding) {
	for _, r := range rules {
		in, first := v, len(findings)
		if r.exact {
			in = v.exact
		}
		for _, n := range topics {
			if r.topic != nil {
				findings = append(findings, r.topic(in, n, in.After.Topics[n])...)
			}
		}
		if whole && r.whole != nil {
			findings = append(findings, r.whole(in)...)
		}
		for i := first; i < len(findings); i++ {
			findings[i].Rule = r.name
			findings[i].Severity = cmp.Or(findings[i].Severity, r.severity)
		}
	}
	return findings
}

// all returns what the rules find, in no order.
func (v *view) all(rules []rule) []Finding {
	names := v.sortedNames()
	if v.Only != nil {
		names = slices.DeleteFunc(names, func(n memory.Name) bool { return !v.Only[n] })
	}
	return v.ask(rules, names, true)
}

// maxSample bounds, in bytes, the text by which the language of a directory is guessed.
const maxSample = 64 << 10

// textReader returns the reader of all memories.
func (v *view) textReader() *reader {
	if v.reader == nil {
		var sample strings.Builder
		for _, n := range v.sortedNames() {
			if body := v.After.Topics[n].Body(); sample.Len()+len(body) <= maxSample {
				sample.WriteString(body + "\n")
			}
		}
		v.reader = newReader(sample.String())
	}
	return v.reader
}

func (v *view) sortedNames() []memory.Name { return memory.SortedNames(v.After.Topics) }

// noIndex reports whether the rules of the index say nothing: where there is none and there are
// memories, the host makes its own from names and descriptions (Claude Code since 2.1.224). A directory that is new
// gets one, and an index that stood is not to vanish.
func (v *view) noIndex() bool {
	if v.After.Index != nil {
		return false
	}
	return v.Before == nil || v.Before.Index == nil && len(v.Before.Topics) > 0
}

// came reports whether the change that is checked has made the memory.
func (v *view) came(n memory.Name) bool { return v.Before != nil && v.Before.Topics[n] == nil }
