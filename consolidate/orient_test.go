package consolidate

import (
	"strings"
	"testing"
	"time"

	"dream-mcp/consolidate/ops"
)

// A day that was ahead at the last dream and has come is shown, once; one that is ahead, was past, or was not there then, is not.
func TestDaysThatHaveCome(t *testing.T) {
	w := newWorld(t)
	day := func(n int) string { return w.now.AddDate(0, 0, n).Format(time.DateOnly) }
	w.put("a.md", topic("a", "project")+"\nThe fair is on "+day(2)+".\n\nThe crane comes on "+day(9)+".\n\nThe quay was closed on "+day(-2)+".\n")
	dream := func(late time.Duration, change string) []string {
		t.Helper()
		w.now = w.now.Add(late)
		p := w.open()
		if change != "" {
			w.put("b.md", change)
		}
		w.mustDo(p.Begin(ctx, true, false))
		m, err := p.Map(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.Finalize(ctx, ops.FinalizeRequest{}); err != nil {
			t.Fatal(err)
		}
		var shown []string
		for _, passed := range m.Passed {
			shown = append(shown, passed.File+" "+passed.Text)
		}
		return shown
	}
	if shown := dream(0, ""); shown != nil {
		t.Errorf("at the first dream: %q", shown)
	}
	if shown := dream(72*time.Hour, topic("b", "project")+"\nThe lens came on "+day(1)+".\n"); strings.Join(shown, "|") != "a.md The fair is on "+day(-1)+"." {
		t.Errorf("at the second: %q", shown)
	}
	if shown := dream(24*time.Hour, ""); shown != nil {
		t.Errorf("at the third: %q", shown)
	}
}
