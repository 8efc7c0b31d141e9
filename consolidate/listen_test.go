package consolidate

import (
	"strings"
	"testing"

	"dream-mcp/consolidate/transcript"
)

// Where the words that were found stand after the credentials around them have been hidden.
func TestMask(t *testing.T) {
	value := "9fK3xQ7v" + "L2mZ8pR4tW6yB1nC" // nobody's
	store := Listen(transcript.Open(transcript.Options{}), nil)
	defer store.Close()
	token := "api_key=" + value
	password := "postgres://app:" + "hunter" + "22secretpw@db.example.test/x"
	for _, text := range []string{
		"deploy with " + token + " to staging, then " + password + " and rest",
		token, "staging " + token, token + " staging",
	} {
		for from := 0; from <= len(text); from++ {
			for _, to := range []int{from, min(from+7, len(text)), len(text)} {
				masked, f, e := store.Mask(text, from, to)
				if f < 0 || e < f || e > len(masked) {
					t.Fatalf("mask(%q, %d, %d) = %q, %d, %d", text, from, to, masked, f, e)
				}
				if i := strings.Index(text, "staging"); i >= 0 && from == i && to == i+7 && masked[f:e] != "staging" {
					t.Errorf("%q is now %q in %q", text[from:to], masked[f:e], masked)
				}
				if strings.Contains(masked, value) {
					t.Errorf("the token is still in %q", masked)
				}
			}
		}
	}
}
