package consolidate

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"dream-mcp/consolidate/lock"
	"dream-mcp/consolidate/store"
	"dream-mcp/consolidate/transcript"
)

// BenchmarkStatus is what dream_status costs in a project with 10,000 sessions: while the time gate is
// shut, when it is due, and when every session is counted and they are too few. The heads are known.
func BenchmarkStatus(b *testing.B) {
	const sessions = 10_000
	root, projects, memory := "/srv/lighthouse", b.TempDir(), filepath.Join(b.TempDir(), "memory")
	folder := filepath.Join(projects, transcript.Slug(root))
	if err := os.MkdirAll(folder, 0o700); err != nil {
		b.Fatal(err)
	}
	if err := os.MkdirAll(memory, 0o700); err != nil {
		b.Fatal(err)
	}
	for n := range sessions {
		said := fmt.Sprintf(`{"type":"user","cwd":%q,"timestamp":"2026-11-18T08:00:00Z","message":{"role":"user","content":"light the lamp"}}`+"\n", root)
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("%08d-0000-4000-8000-000000000000.jsonl", n)), []byte(said), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	said := transcript.Open(transcript.Options{Projects: projects, Roots: []string{root}})
	host := filepath.Join(memory, lock.HostFile)
	if err := os.WriteFile(host, nil, 0o600); err != nil {
		b.Fatal(err)
	}
	for name, c := range map[string]struct {
		lastDream   time.Duration // so long ago
		minSessions int
		closed      string
	}{
		"time":     {time.Hour, 5, "time"},
		"due":      {30 * 24 * time.Hour, 5, ""},
		"sessions": {30 * 24 * time.Hour, sessions + 1, "sessions"},
	} {
		b.Run(name, func(b *testing.B) {
			now := time.Now()
			if err := os.Chtimes(host, now.Add(-c.lastDream), now.Add(-c.lastDream)); err != nil {
				b.Fatal(err)
			}
			p := Open(Options{
				Options:     store.Options{MemoryDir: memory, StateHome: b.TempDir(), Now: func() time.Time { return now }},
				Transcripts: said, Enabled: Switch{On: true, Why: "on"}, MinHours: 24, MinSessions: c.minSessions,
			})
			defer p.Close("the benchmark ended")
			status := func() {
				s, err := p.Status(b.Context())
				if err != nil || s.ClosedGate != c.closed {
					b.Fatal(s, err)
				}
			}
			for status(); b.Loop(); {
				status()
			}
		})
	}
}
