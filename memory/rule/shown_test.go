package rule

import (
	"fmt"
	"strings"
	"testing"

	"dream-mcp/memory"
)

// No rule shows a piece of a credential, wherever it is and however a rule cuts what it quotes.
func TestRulesTellNoPiece(t *testing.T) {
	words := strings.Repeat("some words ", 9)
	body := "It was yesterday " + inventedToken + " and later yesterday " + inventedToken + " it was.\n\nyesterday"
	s := snapshotOf(t, map[string]string{
		"MEMORY.md": "- [" + inventedToken + "](" + inventedToken + ".md) — " + words + inventedToken + words + words + "\n- see " + inventedToken + "\n",
		"a.md":      "---\nname: " + words + inventedToken + "\ndescription: " + words + inventedToken + "\ntype: " + inventedToken + "\n---\n" + body,
		"b.md":      "---\nname: b\ndescription: " + words + "in all " + inventedToken + "\ntype: " + inventedToken + "\n---\n" + body,
	})
	before := snapshotOf(t, map[string]string{"a.md": memo("a", memory.TypeFeedback, inventedToken+" "+inventedToken)})
	check := Check{Before: before, After: s, Changed: pathSet(t, "a.md", "b.md"), Now: ruleTime}
	findings := append(check.Whole(), Standing(s, nil, ruleTime)...)
	findings = append(findings, check.Written(mustName(t, "a.md"))...)
	if len(findings) < 20 {
		t.Fatalf("only %d findings", len(findings))
	}
	for _, f := range findings {
		showsNothing(t, f.Message+"\n"+f.Hint)
	}
	showsNothing(t, fmt.Sprintf("%+v", Propose(s)))
}

func showsNothing(t *testing.T, text string) {
	t.Helper()
	for at := 4; at+6 <= len(inventedToken); at++ {
		if piece := inventedToken[at : at+6]; strings.Contains(text, piece) {
			t.Errorf("%q holds %q", text, piece)
			return
		}
	}
}
