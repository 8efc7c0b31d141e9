package share

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"dream-mcp/memory"
	"dream-mcp/memory/secret"
	"dream-mcp/memory/visible"
)

// A TextError says that a text may not travel: it holds a credential, or what nobody can see.
type TextError struct {
	Name memory.Name
	Line int
	What string
	Out  bool // it is ours; else it comes from the remote
}

func (e *TextError) Error() string {
	if e.Out {
		return fmt.Sprintf("%s, line %d, holds %s: nothing is sent", e.Name, e.Line, e.What)
	}
	return fmt.Sprintf("the remote's %s, line %d, holds %s: nothing of it is taken over", e.Name, e.Line, e.What)
}

// judge refuses credentials and invisible text in what is new in after.
func judge(before, after Files, allowed secret.Allowed, out bool) error {
	for _, n := range slices.SortedFunc(maps.Keys(after), func(a, b memory.Name) int { return strings.Compare(a.String(), b.String()) }) {
		text, was := string(after[n]), string(before[n])
		if text == was {
			continue
		}
		stood := make(map[string]bool)
		for _, s := range allowed.Find(was) {
			stood[was[s.From:s.To]] = true
		}
		line := func(at int) int { return 1 + strings.Count(text[:at], "\n") }
		for _, s := range allowed.Find(text) {
			if !stood[text[s.From:s.To]] {
				return &TextError{n, line(s.From), "a credential (" + s.Kind + ")", out}
			}
		}
		lines := make(map[string]bool)
		for l := range strings.Lines(was) {
			lines[l] = true
		}
		number := 0
		for l := range strings.Lines(text) {
			number++
			if runs := visible.Runs(strings.TrimPrefix(l, "\ufeff")); len(runs) > 0 && !lines[l] {
				return &TextError{n, number, "the invisible character " + runs[0].Mark, out}
			}
		}
	}
	return nil
}
