package sessions

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// maxAging bounds the heads that Aging reads; a person dreams long before so many wait.
const maxAging = 500

// Aging returns the sessions that the host itself keeps, and sweeps when they are old, of those touched
// after since and not after before; the one untouched longest first, at most 500. It costs a listing of
// the folders, and the heads of those sessions.
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
