package consolidate

import (
	"strings"
	"testing"
	"time"

	"dream-mcp/consolidate/ops"
)

// A day that was ahead at the last dream and has come is shown, once; one that is ahead, was past, or was not there
// then, is not.
func TestDaysThatHaveCome(t *testing.T) {
	w := newWorld(t)
	day := func(n int) string { return w.now.AddDate(0, 0, n).Format(time.DateOnly) }
	w.put("a.md", topic("a", "project")+"\nThe fair is on "+day(2)+".\n\nThe crane comes on "+day(9)+".\n\nThe quay was closed on "+day(-2)+".\n")
	dream := func(late time.Duration, change string) []string {
		t.Helper()
		w.setNow(w.now.Add(late))
		p := w.open()
		if change != "" {
			w.put("b.md", change)
		}
		w.mustDo(p.Begin(ctx, true, false))
		m, err := p.Map(ctx, false)
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

// Another page of the map does not read the memory again, and says what was staged since.
func TestMapAgain(t *testing.T) {
	w := newWorld(t)
	w.put("a.md", topic("a", "project")+"\nThe fair is in May.\n")
	p := w.open()
	w.mustDo(p.Begin(ctx, true, false))
	draw := func(again bool) Map {
		t.Helper()
		m, err := p.Map(ctx, again)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	first := len(draw(true).Topics)
	w.put("new.md", topic("new", "project")+"\nThe crane is yellow.\n")
	text := topic("staged", "project") + "\nThe lens came.\n"
	if _, err := p.Write(ctx, WriteRequest{Path: "staged.md", Content: &text}); err != nil {
		t.Fatal(err)
	}
	if m := draw(true); len(m.Topics) != first || len(m.Dream.Staged) != 1 {
		t.Errorf("again: %d topics, staged %q", len(m.Topics), m.Dream.Staged)
	}
	if m := draw(false); len(m.Topics) != first+2 {
		t.Errorf("drawn from the memory: %d topics", len(m.Topics))
	}
}
