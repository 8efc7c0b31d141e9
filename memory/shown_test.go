package memory

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"dream-mcp/memory/secret"
)

// No rule tells a piece of a credential, wherever it stands and however a rule cuts what it quotes.
func TestRulesTellNoPiece(t *testing.T) {
	words := strings.Repeat("some words ", 9)
	body := "It was yesterday " + inventedToken + " and later yesterday " + inventedToken + " it was.\n\nyesterday"
	s := snapshotOf(t, map[string]string{
		"MEMORY.md": "- [" + inventedToken + "](" + inventedToken + ".md) — " + words + inventedToken + words + words + "\n- see " + inventedToken + "\n",
		"a.md":      "---\nname: " + words + inventedToken + "\ndescription: " + words + inventedToken + "\ntype: " + inventedToken + "\n---\n" + body,
		"b.md":      "---\nname: b\ndescription: " + words + "in all " + inventedToken + "\ntype: " + inventedToken + "\n---\n" + body,
	})
	before := snapshotOf(t, map[string]string{"a.md": memo("a", TypeFeedback, inventedToken+" "+inventedToken)})
	check := Check{Before: before, After: s, Touched: touched(t, "a.md", "b.md"), Now: ruleTime}
	findings := append(check.Whole(), Standing(s, nil, ruleTime)...)
	findings = append(findings, check.Written(mustName(t, "a.md"))...)
	if len(findings) < 20 {
		t.Fatalf("only %d findings", len(findings))
	}
	for _, f := range findings {
		tellsNothing(t, f.Message+"\n"+f.Hint)
	}
	proposed, remove := Propose(s)
	tellsNothing(t, fmt.Sprintf("%+v %q", proposed, remove))
}

func tellsNothing(t *testing.T, text string) {
	t.Helper()
	for at := 4; at+6 <= len(inventedToken); at++ {
		if piece := inventedToken[at : at+6]; strings.Contains(text, piece) {
			t.Errorf("%q holds %q", text, piece)
			return
		}
	}
}

// A diff shows neither a credential nor a piece of one whose beginning is out of its sight, and yet
// tells that one came in the place of another.
func TestDiffIsMasked(t *testing.T) {
	block := func(seed string) string {
		return "-----BEGIN " + "PRIVATE KEY-----\n" + strings.Repeat(seed+"k3xQ7vL2mZ8pR4tW6yB1nC9fK3xQ7vL2mZ8pR4tW6yB1nC9fK3xQ7vL2mZ8pR4\n", 9) + "-----END " + "PRIVATE KEY-----\n"
	}
	other := strings.Replace(inventedToken, "a8J", "b9K", 1)
	for _, test := range []struct{ name, before, after, want string }{
		{"behind a block", "x\n" + block("a") + "one\n", "x\n" + block("a") + "two\n", "@@ -10,4 +10,4 @@\n \n \n \n-one\n+two\n"},
		{"a new value", "use " + inventedToken + " here\n", "use " + other + " here\n", "@@ -1,1 +1,1 @@\n-use [secret: github-token] here\n+use [secret: github-token] here\n"},
		{"the same value", "use " + inventedToken + " here\none\n", "use " + inventedToken + " here\ntwo\n", "@@ -1,2 +1,2 @@\n use [secret: github-token] here\n-one\n+two\n"},
		{"a mask for a value", inventedToken + "\n", "[secret: github-token]\n", "@@ -1,1 +1,1 @@\n-[secret: github-token]\n+[secret: github-token]\n"},
		{"a block for a block", block("a"), block("b"), "@@ -1,4 +1,4 @@\n-[secret: private-key]\n+[secret: private-key]\n \n \n \n"},
		{"marks in the text", "\x000\x00 " + inventedToken + "\n", "\x001\x00 " + inventedToken + "\n", "@@ -1,1 +1,1 @@\n-\x000\x00 [secret: github-token]\n+\x001\x00 [secret: github-token]\n"},
	} {
		c := Change{Name: mustName(t, "a.md"), Before: SumOf([]byte(test.before)), After: SumOf([]byte(test.after))}
		_, got, _ := strings.Cut(string(unified(c, []byte(test.before), []byte(test.after), nil)), "+++ b/a.md\n")
		if got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

func TestEditsFindWhatIsShown(t *testing.T) {
	text := "a\r\nuse " + inventedToken + " here\r\npassword: k7" + "Qm2xVb9\r\nb secret\r\n"
	for _, test := range []struct{ name, old, new, want string }{
		{"a mask", "use [secret: github-token] here", "use the vault", "a\r\nuse the vault\r\npassword: k7" + "Qm2xVb9\r\nb secret\r\n"},
		{"the value itself", "use " + inventedToken, "use it", "a\r\nuse it here\r\npassword: k7" + "Qm2xVb9\r\nb secret\r\n"},
		{"beside one", " here\n", " there\n", "a\r\nuse " + inventedToken + " there\r\npassword: k7" + "Qm2xVb9\r\nb secret\r\n"},
		{"over lines", "[secret: github-token] here\npassword: [secret: password]\n", "it\n", "a\r\nuse it\r\nb secret\r\n"},
		{"as often as it is shown", "secret", "x", ""},
		{"a piece of a value", inventedToken[4:12], "x", ""},
		{"another value is found as the same mask", "password: z9" + "Lp4mWq2", "x", "a\r\nuse " + inventedToken + " here\r\nx\r\nb secret\r\n"},
	} {
		got, err := ApplyEdits([]byte(text), []Edit{{test.old, test.new}}, nil)
		if string(got) != test.want || (err == nil) != (test.want != "") {
			t.Errorf("%s: %q, %v", test.name, got, err)
		}
		if err != nil {
			tellsNothing(t, strings.ReplaceAll(err.Error(), inventedToken[4:12], ""))
		}
	}
	if got, err := ApplyEdits([]byte("x\n"+"password: k7"+"Qm2xVb9\n"), []Edit{{"k7" + "Qm2xVb9", "x"}}, secret.Allowed{SumOf([]byte("k7" + "Qm2xVb9")).Short()}); err != nil || string(got) != "x\npassword: x\n" {
		t.Errorf("what is allowed: %q, %v", got, err)
	}
}

func TestShownIsLookedForAgainAfterAStamp(t *testing.T) {
	topic := ParseTopic([]byte(memo("a", TypeUser, inventedToken)))
	topic.Shown(nil)
	topic.Stamp(time.Date(2026, 11, 18, 0, 0, 0, 0, time.UTC), nil)
	if shown := topic.Shown(nil); !strings.Contains(string(shown.Bytes()), "modified: 2026-11-18") || strings.Contains(string(shown.Bytes()), inventedToken) {
		t.Errorf("%s", shown.Bytes())
	}
}
