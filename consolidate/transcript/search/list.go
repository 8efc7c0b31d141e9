package search

import (
	"context"
	"slices"

	"dream-mcp/consolidate/transcript/cache"
	"dream-mcp/consolidate/transcript/said"
	"dream-mcp/consolidate/transcript/sessions"
)

// Said returns what a person and the model said in a session, in the order of its transcript, as far as that goes by
// now.
func (s *Store) Said(ctx context.Context, session sessions.Session) ([]cache.Said, error) {
	all, _, err := s.cache().Said(ctx, session.File)
	return all, err
}

// Choose returns the one of some sessions that a name means: an ID, or the beginning of one. It fails with a
// *QueryError.
func Choose(all []sessions.Session, name string) ([]sessions.Session, error) {
	files := make([]said.File, len(all))
	for i := range all {
		files[i] = all[i].File
	}
	chosen, err := Query{Session: name}.chosen(files)
	if err != nil || name == "" {
		return all, err
	}
	i := slices.IndexFunc(all, func(s sessions.Session) bool { return s.ID == chosen[0].Key() })
	return all[i : i+1], nil
}
