// Package search answers what was said in the sessions of one project: where words, expressions and questions are
// found, what was said around a place, and what a source names.
//
// An answer is of all sessions, or counts those that could not be read. People's and the model's words are looked for
// in a database, to which a search first adds what is new; what tools said, in the transcripts. Nothing but that
// database is written.
package search

import (
	"context"
	"sync"
	"time"

	"dream-mcp/consolidate/transcript/cache"
	"dream-mcp/consolidate/transcript/said"
	"dream-mcp/consolidate/transcript/sessions"
)

// A Store is what was said in the sessions of one project. It is safe for concurrent use; its fields are set before the
// first call.
type Store struct {
	*sessions.Project

	// Cache is the path of the database of what was said, made when it is first needed, private. All projects may share
	// it, and it may be deleted at any moment. Empty: it is in memory.
	Cache string

	opened sync.Once
	db     *cache.DB
}

// Open returns what was said in the project that the options name. It touches no file.
func Open(o sessions.Options) *Store { return &Store{Project: sessions.Open(o)} }

// Close stops what is being done in the background, and waits for it. The Store can still be asked; it does nothing in
// the background any more.
func (s *Store) Close() { s.cache().Close() }

func (s *Store) cache() *cache.DB {
	s.opened.Do(func() {
		project := ""
		if len(s.Options.Roots) > 0 {
			project = s.Options.Roots[0]
		}
		s.db = cache.Open(s.Cache, project, cache.Mask{Text: s.Masked, Rules: s.MaskRules})
	})
	return s.db
}

// Unread returns what could not be read of the sessions that were looked at so far, their lines included. It opens no
// session.
func (s *Store) Unread() []sessions.Unread { return s.Project.Unread(s.cache().LongLines()) }

// Read reads what is new in the sessions of the project. It returns how many sessions are read to their ends.
func (s *Store) Read(ctx context.Context) (int, error) {
	files, _, err := s.Accepted(ctx, time.Time{})
	if err != nil {
		return 0, err
	}
	return s.cache().Read(ctx, files)
}

// ReadLater does the same in the background, the newest session first, until the Store is closed.
func (s *Store) ReadLater() {
	s.cache().ReadLater(func(ctx context.Context) ([]said.File, error) {
		files, _, err := s.Accepted(ctx, time.Time{})
		return files, err
	}, s.Gone())
}
