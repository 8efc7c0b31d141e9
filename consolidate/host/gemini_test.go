package host

import (
	"fmt"
	"strings"
	"testing"
)

// The names in a session are not longer than its file, whatever ID that has.
func TestGeminiLongName(t *testing.T) {
	var log strings.Builder
	fmt.Fprintf(&log, `{"sessionId":%q}`+"\n", strings.Repeat("x", 1<<20))
	for i := range 500 {
		fmt.Fprintf(&log, `{"id":"m%d","type":"user","content":"dim the beacon %d"}`+"\n", i, i)
	}
	messages, names := 0, 0
	for _, r := range geminiWhole([]byte(log.String()), "") {
		for _, block := range r.Message.Blocks {
			messages += strings.Count(string(block.Text), "dim the beacon")
		}
		names += len(r.UUID)
	}
	if messages != 500 || names < messages || names > log.Len() {
		t.Errorf("%d messages with names of %d bytes, of a file of %d", messages, names, log.Len())
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
