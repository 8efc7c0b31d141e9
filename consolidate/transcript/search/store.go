// Package search answers what was said in the sessions of one project: where words, expressions and questions are
// found, what was said around a place, and what a source names.
//
// People's and the model's words are looked for in digests, which a search extends; what tools said, in the transcripts.
// Every answer is bounded and says what it left out. Nothing but digests is written.
package search

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"dream-mcp/consolidate/transcript/digest"
	"dream-mcp/consolidate/transcript/parallel"
	"dream-mcp/consolidate/transcript/said"
	"dream-mcp/consolidate/transcript/sessions"
)

// The bounds of one search, unless a Store sets others.
const (
	// DefaultBudget is what a person waits for.
	DefaultBudget = 2 * time.Second

	// DefaultCounting is how long a search counts on when its page is certain: nobody notices it.
	DefaultCounting = 300 * time.Millisecond
)

// A Store is what was said in the sessions of one project. It is safe for concurrent use; its fields are set before the
// first call.
type Store struct {
	*sessions.Project

	Budget   time.Duration // wall time that one search may take
	Counting time.Duration // wall time that one search counts on when its page is certain; 0: none

	// Digests is an absolute path: the folder for the digests of this project's sessions, made when it is first needed,
	// private. Nothing else may be in it. It may be deleted at any moment. Empty: digests are kept in memory only.
	Digests string

	// DigestMemory bounds the digests in memory, in bytes. At 0, and without Digests, every search builds them.
	DigestMemory int64

	opened sync.Once
	kept   *digest.Store
}

// Open returns what was said in the project that the options name. It touches no file.
func Open(o sessions.Options) *Store {
	return &Store{Project: sessions.Open(o), Budget: DefaultBudget, Counting: DefaultCounting, DigestMemory: digest.DefaultDigestMemory}
}

// Close stops what is being done in the background, and waits for it. The Store can still be asked; it does nothing in the
// background any more.
func (s *Store) Close() { s.digests().Close() }

func (s *Store) digests() *digest.Store {
	s.opened.Do(func() {
		s.kept = digest.Open(s.Digests, s.DigestMemory, s.Gone, digest.Mask{Text: s.Masked, Rules: s.MaskRules})
	})
	return s.kept
}

// parts extends the digest of a session, and calls do with each part of it and how many rows are in those before. read
// counts the bytes read.
func (s *Store) parts(ctx context.Context, f said.File, read *atomic.Int64, do func(part *digest.Digest, first int) error) (*digest.Digest, error) {
	d, err := s.digests().Fresh(ctx, f, read)
	if err != nil {
		return nil, err
	}
	return d, s.digests().Each(f, d, do)
}

// Digest builds the digests of the project's sessions that are missing, and waits for them. It returns how many sessions
// have a digest.
func (s *Store) Digest(ctx context.Context) (int, error) {
	sessions, _, err := s.Accepted(ctx, time.Time{})
	if err != nil {
		return 0, err
	}
	var n atomic.Int64
	err = parallel.Do(ctx, len(sessions), func(i int) error {
		_, err := s.digests().Fresh(ctx, sessions[i], new(atomic.Int64))
		if err == nil {
			n.Add(1)
		} else if ctx.Err() != nil {
			return err
		}
		return nil
	})
	return int(n.Load()), err
}

// DigestLater builds the digests of the project's sessions that are missing in the background, the newest first, until
// the Store is closed.
func (s *Store) DigestLater() {
	s.digests().LaterOf(func(ctx context.Context) ([]said.File, error) {
		sessions, _, err := s.Accepted(ctx, time.Time{})
		return sessions, err
	})
}
