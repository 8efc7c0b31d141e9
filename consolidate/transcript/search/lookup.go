package search

import (
	"context"
	"fmt"
	"strconv"

	"dream-mcp/consolidate/transcript/said"
	"dream-mcp/consolidate/transcript/sessions"
)

// Lookup returns the utterance that an id names: an id of a Hit, or one with the session's whole name
// in place of its beginning. The text is as it was said, neither cut nor made visible. Its errors are
// ErrNotFound, ErrAmbiguous, those of reading, and the context's.
func (s *Store) Lookup(ctx context.Context, id string) (said.Utterance, error) {
	session, line, place, err := s.parseID(ctx, id)
	if err != nil {
		return said.Utterance{}, err
	}
	u, err := s.utterance(ctx, session, line, place)
	if err == sessions.ErrNotFound {
		err = fmt.Errorf("%w: %q", sessions.ErrNotFound, id)
	}
	return u, err
}

// parseID returns the session, the line and the place on it that an id names.
func (s *Store) parseID(ctx context.Context, id string) (session said.File, line, place int, err error) {
	form := said.CutID(id)
	if form == nil {
		return session, 0, 0, fmt.Errorf("%w: %q is not of the form SESSION:LINE", sessions.ErrNotFound, id)
	}
	place = 1
	if line, err = strconv.Atoi(form[2]); err == nil && form[3] != "" {
		place, err = strconv.Atoi(form[3])
	}
	if err != nil || form[3] == "1" {
		return session, 0, 0, fmt.Errorf("%w: %q", sessions.ErrNotFound, id)
	}
	if session, err = s.Named(ctx, form[1]); err == sessions.ErrNotFound {
		err = fmt.Errorf("%w: %q", err, id)
	}
	return session, line, place, err
}

// utterance returns the utterance at a line and place of a session.
func (s *Store) utterance(ctx context.Context, session said.File, line, place int) (said.Utterance, error) {
	u, found, err := s.cache().At(ctx, session, line, place)
	if found || err != nil {
		return u, err
	}
	source, err := session.Open()
	if err != nil {
		return u, err
	}
	defer source.Close()
	tool, err := toolAt(ctx, session, source, said.State{Last: session.ModTime.UTC()}, line, place)
	if err != nil {
		return u, err
	}
	return *tool, nil
}
