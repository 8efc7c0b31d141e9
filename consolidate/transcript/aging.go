package transcript

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
func (s *Store) Aging(ctx context.Context, since, before time.Time) ([]Session, error) {
	if s.options.Projects == "" {
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
		if f.modTime.After(before) || seen[f.id] || !strings.HasPrefix(f.path, s.options.Projects+string(filepath.Separator)) {
			continue
		}
		if h, reason := s.judge(f); reason == "" {
			seen[f.id] = true
			aging = append(aging, s.session(judged{f, h}))
		}
	}
	return aging, nil
}
