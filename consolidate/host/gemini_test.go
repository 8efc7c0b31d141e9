package host

import (
	"fmt"
	"strings"
	"testing"
)

// The lines of a session are not much longer than its file, whatever ID that has.
func TestGeminiLongName(t *testing.T) {
	var log strings.Builder
	fmt.Fprintf(&log, `{"sessionId":%q}`+"\n", strings.Repeat("x", 1<<20))
	for i := range 500 {
		fmt.Fprintf(&log, `{"id":"m%d","type":"user","content":"dim the beacon %d"}`+"\n", i, i)
	}
	lines := geminiWhole([]byte(log.String()), "")
	if n := strings.Count(string(lines), "dim the beacon"); n != 500 || len(lines) > 2*log.Len() {
		t.Errorf("%d messages in %d bytes, of a file of %d", n, len(lines), log.Len())
	}
	if name := strings.Count(string(lines), `"uuid":"`); name < 500 {
		t.Errorf("%d messages have a name", name)
	}
}

// An editor puts what a person chose after what the person typed.
func TestGeminiTyped(t *testing.T) {
	for _, text := range []string{
		"paint it", "paint it\n--- Content from referenced files ---\nContent from @a.go", "paint it\n\nUser Selected Files:\n- C:\\a.go\n",
		"paint it\nCurrent File Path:\n```markdown\nC:\\a.md\n```\n\n\n\n\n\n PRIOR CHAT HISTORY: hello\n\npaint it",
	} {
		if got := strings.TrimSpace(geminiTyped(text)); got != "paint it" {
			t.Errorf("typed %q of %q", got, text)
		}
	}
}
