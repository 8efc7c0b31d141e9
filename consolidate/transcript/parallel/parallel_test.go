package parallel_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"dream-mcp/consolidate/transcript/parallel"
	"dream-mcp/consolidate/transcript/search"
	"dream-mcp/consolidate/transcript/sessions"
)

// Who waits gets rising progress while the work runs, and nothing afterwards.
func TestBeat(t *testing.T) {
	type beat struct {
		n       int
		message string
	}
	reports := make(chan beat, 1000)
	ctx, quiet := parallel.Beat(context.Background(), "Search", time.Millisecond, func(n int, message string) { reports <- beat{n, message} })
	first := <-reports
	if first != (beat{1, "Search"}) {
		t.Errorf("reports %v", first)
	}
	dir := t.TempDir()
	line := `{"type":"user","cwd":"/p","timestamp":"2026-11-17T09:00:00.000Z","uuid":"u1","message":{"role":"user","content":"hello"}}` + "\n"
	if err := os.WriteFile(filepath.Join(dir, "s.jsonl"), []byte(line), 0o600); err != nil {
		t.Fatal(err)
	}
	s := search.Open(sessions.Options{Folders: []string{dir}})
	defer s.Close()
	if _, _, err := s.Sessions(ctx, time.Time{}); err != nil {
		t.Fatal(err)
	}
	last := first
	for last.message != "Search: 0 of 1 sessions" {
		b := <-reports
		if b.n <= last.n || b.n > 500 {
			t.Fatalf("%v after %v", b, last)
		}
		last = b
	}
	quiet()
	for len(reports) > 0 {
		<-reports
	}
	time.Sleep(5 * time.Millisecond)
	if len(reports) > 0 {
		t.Errorf("reports %v when it was over", <-reports)
	}
}
