package ops

import (
	"strings"
	"testing"
)

// A credential that nobody was given, in parts.
const inventedToken = "gh" + "p_" + "a8Jk2LmQ9xTz4Vb7NcRd1WfYh6PgSu3Xe5Zi"

// A diff shows neither a credential nor a part of one whose beginning is not in the diff, but shows that
// one replaced another.
func TestDiffIsMasked(t *testing.T) {
	block := func(seed string) string {
		return "-----BEGIN " + "PRIVATE KEY-----\n" + strings.Repeat(seed+"k3xQ7vL2mZ8pR4tW6yB1nC9fK3xQ7vL2mZ8pR4tW6yB1nC9fK3xQ7vL2mZ8pR4\n", 9) +
			"-----END " + "PRIVATE KEY-----\n"
	}
	other := strings.Replace(inventedToken, "a8J", "b9K", 1)
	for _, test := range []struct{ name, before, after, want string }{
		{"after a block", "x\n" + block("a") + "one\n", "x\n" + block("a") + "two\n", "@@ -10,4 +10,4 @@\n \n \n \n-one\n+two\n"},
		{"a new value", "use " + inventedToken + " here\n", "use " + other + " here\n",
			"@@ -1,1 +1,1 @@\n-use [secret: github-token] here\n+use [secret: github-token] here\n"},
		{"the same value", "use " + inventedToken + " here\none\n", "use " + inventedToken + " here\ntwo\n",
			"@@ -1,2 +1,2 @@\n use [secret: github-token] here\n-one\n+two\n"},
		{"a mask for a value", inventedToken + "\n", "[secret: github-token]\n", "@@ -1,1 +1,1 @@\n-[secret: github-token]\n+[secret: github-token]\n"},
		{"a block for a block", block("a"), block("b"), "@@ -1,4 +1,4 @@\n-[secret: private-key]\n+[secret: private-key]\n \n \n \n"},
		{"marks in the text", "\x000\x00 " + inventedToken + "\n", "\x001\x00 " + inventedToken + "\n",
			"@@ -1,1 +1,1 @@\n-\x000\x00 [secret: github-token]\n+\x001\x00 [secret: github-token]\n"},
	} {
		_, got, _ := strings.Cut(string(DiffOf(mustName(t, "a.md"), []byte(test.before), []byte(test.after), nil)), "+++ b/a.md\n")
		if got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}
