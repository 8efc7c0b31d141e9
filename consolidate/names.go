package consolidate

import (
	"context"
	"time"

	"dream-mcp/memory"
)

// recentSessions is how far back RecentSessions looks.
const recentSessions = 30 * 24 * time.Hour

// Topics returns the names of the memories on disk, sorted. It does not count as a call of an open dream.
func (p *base) Topics() ([]memory.Name, error) {
	p.Lock()
	defer p.Unlock()
	dir, err := p.Dir()
	if err != nil || dir == nil {
		return nil, err
	}
	defer dir.Close()
	return dir.Topics()
}

// RecentSessions returns the short IDs of the sessions of the last 30 days, the newest first, without the caller's own.
// It does not count as a call of an open dream, and changes no gate.
func (p *base) RecentSessions(ctx context.Context) ([]string, error) {
	// Unlocked: it reads nothing but transcripts.
	sessions, _, err := p.o.Transcripts.Sessions(ctx, p.Now().Add(-recentSessions))
	var ids []string
	seen := map[string]bool{}
	for _, s := range sessions {
		if id := s.Short(); !s.Current && !seen[id] {
			seen[id] = true
			ids = append(ids, id)
		}
	}
	return ids, err
}
