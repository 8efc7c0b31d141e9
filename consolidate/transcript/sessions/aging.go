package sessions

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// maxAging bounds the heads that Aging reads. A dream is due long before there are so many sessions.
const maxAging = 500

// Aging returns sessions of Claude Code, which deletes old ones: those modified after since and not after before, the
// oldest first, at most 500. It lists the folders, and reads the heads of those sessions.
func (s *Project) Aging(ctx context.Context, since, before time.Time) ([]Session, error) {
	if s.Options.Projects == "" {
		return nil, nil
	}
	files, _, err := s.files(since)
	if err != nil {
		return nil, err
	}
	var aging []Session
	seen := map[string]bool{*s.current.Load(): true}
	for _, f := range slices.Backward(files) {
		if ctx.Err() != nil || len(aging) == maxAging {
			break
		}
		if f.ModTime.After(before) || seen[f.ID] || !strings.HasPrefix(f.Path, s.Options.Projects+string(filepath.Separator)) {
			continue
		}
		if s.judge(f) == "" {
			seen[f.ID] = true
			aging = append(aging, s.session(f))
		}
	}
	return aging, nil
}
