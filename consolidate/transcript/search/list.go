package search

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	"dream-mcp/consolidate/transcript/digest"
	"dream-mcp/consolidate/transcript/said"
	"dream-mcp/consolidate/transcript/sessions"
)

// A Said is an utterance of a person or the model, as a listing needs it.
type Said struct {
	Line    int // with Place, its place in the transcript and in its ID
	Place   int // among the utterances of its line, from 1
	Time    time.Time
	Speaker said.Speaker
	Manner  said.Manner // of a person's words
	Text    string      // as it was said: valid UTF-8, neither made visible nor masked
	Key     uint64      // the same for copies of one record in resumed sessions; 0: none are known
}

// Said calls do with what a person and the model said in a session, in the order of its transcript, until do returns an
// error, which Said returns. It extends the session's digest as far as the transcript goes. A Said is valid during the
// call; its Text may be kept.
func (s *Store) Said(ctx context.Context, session sessions.Session, do func(u *Said) error) error {
	f := session.File
	_, err := s.parts(ctx, f, new(atomic.Int64), func(part *digest.Digest, _ int) error {
		for _, i := range part.Order() {
			r := &part.Rows[i]
			u := Said{
				Line: int(r.Line), Place: int(r.Place), Time: r.Time(f.ModTime), Speaker: r.Speaker(), Manner: r.Manner,
				Text: part.Said(i), Key: r.Key,
			}
			if err := do(&u); err != nil {
				return err
			}
		}
		return nil
	})
	return err
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
	i := slices.IndexFunc(all, func(s sessions.Session) bool { return s.ID == chosen[0].ID })
	return all[i : i+1], nil
}
