package memory

import (
	"strings"
	"testing"
	"time"

	"dream-mcp/memory/secret"
)

// A credential that nobody was given, in parts.
const inventedToken = "gh" + "p_" + "a8Jk2LmQ9xTz4Vb7NcRd1WfYh6PgSu3Xe5Zi"

func showsNothing(t *testing.T, text string) {
	t.Helper()
	for at := 4; at+6 <= len(inventedToken); at++ {
		if piece := inventedToken[at : at+6]; strings.Contains(text, piece) {
			t.Errorf("%q holds %q", text, piece)
			return
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
			showsNothing(t, strings.ReplaceAll(err.Error(), inventedToken[4:12], ""))
		}
	}
	if got, err := ApplyEdits([]byte("x\n"+"password: k7"+"Qm2xVb9\n"), []Edit{{"k7" + "Qm2xVb9", "x"}}, secret.Allowed{SumOf([]byte("k7" + "Qm2xVb9")).Short()}); err != nil || string(got) != "x\npassword: x\n" {
		t.Errorf("what is allowed: %q, %v", got, err)
	}
}

func TestShownIsLookedForAgainAfterAStamp(t *testing.T) {
	topic := ParseTopic([]byte("---\nname: a\ntype: user\n---\n" + inventedToken))
	topic.Shown(nil)
	topic.Stamp(time.Date(2026, 11, 18, 0, 0, 0, 0, time.UTC), nil)
	if shown := topic.Shown(nil); !strings.Contains(string(shown.Bytes()), "modified: 2026-11-18") || strings.Contains(string(shown.Bytes()), inventedToken) {
		t.Errorf("%s", shown.Bytes())
	}
}
