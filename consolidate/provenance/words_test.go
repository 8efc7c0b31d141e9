package provenance

import (
	"strings"
	"testing"
	"time"

	"dream-mcp/consolidate/ops"
	"dream-mcp/consolidate/state"
	"dream-mcp/consolidate/transcript/said"
)

// Words are masked, bounded, made visible, and read back.
func TestWordsOf(t *testing.T) {
	u := said.Utterance{ID: "said:7.2", Session: "said", Line: 7, Speaker: said.User, Time: time.Now().In(time.FixedZone("", 3600)),
		Text: "the password is: pa55w0rd-Zq8!xK2m \u202e" + strings.Repeat("é", maxWords)}
	w := wordsOf(u, nil)
	if w.Source != "said:7.2" || strings.Contains(w.Text, "pa55") || strings.Contains(w.Text, "\u202e") || len(w.Text) > maxWords || !strings.HasSuffix(w.Text, "é…") || w.Said.Location() != time.UTC {
		t.Errorf("%+v", w)
	}
	r := &Sources{Store: ops.Open(ops.Options{MemoryDir: t.TempDir(), StateHome: t.TempDir(), Now: time.Now})}
	defer r.Store.Records.Close()
	for range 2 {
		if err := r.Keep([]state.Words{w}); err != nil {
			t.Fatal(err)
		}
	}
	if got, ok := r.Kept(w.Source); !ok || got != w {
		t.Errorf("%+v, %v", got, ok)
	}
}
