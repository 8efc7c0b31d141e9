package transcript

import (
	"context"
	"slices"
	"sync/atomic"
	"time"
)

// A Said is an utterance of a person or the model, as a listing needs it.
type Said struct {
	Line    int // with Place, its place in the transcript and in its ID
	Place   int // among the utterances of its line, from 1
	Time    time.Time
	Speaker Speaker
	Manner  Manner // of a person's words
	Text    string // as it was said: valid UTF-8, neither made visible nor masked
	Key     uint64 // the same for copies of one record in resumed sessions; 0: none are known
}

// Said calls do with what a person and the model said in a session, in the order of its transcript, until do returns an
// error, which Said returns. It extends the session's digest as far as the transcript goes. A Said is valid during the
// call; its Text may be kept.
func (s *Store) Said(ctx context.Context, session Session, do func(u *Said) error) error {
	f := session.file()
	d, err := s.digests().fresh(ctx, s.making(), f, new(atomic.Int64))
	if err != nil {
		return err
	}
	return s.digests().each(f, d, func(part *digest, _ int) error {
		order := part.order()
		for at := range part.rows {
			i := at
			if order != nil {
				i = order[at]
			}
			r := &part.rows[i]
			u := Said{
				Line: int(r.line), Place: int(r.place), Time: r.time(f.modTime), Speaker: r.speaker(), Manner: r.manner,
				Text: part.said(i), Key: r.key,
			}
			if err := do(&u); err != nil {
				return err
			}
		}
		return nil
	})
}

// Shown returns a text as it may be shown: masked, and with its invisible characters made visible.
func (s *Store) Shown(text string) string { return Visible(s.masked(text)) }

// Short is what the IDs of the session's utterances begin with.
func (s *Session) Short() string { return shortID(s.ID) }

// Choose returns the one of some sessions that a name means: an ID, or the beginning of one. It fails with a
// *QueryError.
func Choose(sessions []Session, name string) ([]Session, error) {
	all := make([]judged, len(sessions))
	for i := range sessions {
		all[i].file = sessions[i].file()
	}
	chosen, err := Query{Session: name}.chosen(all)
	if err != nil || name == "" {
		return sessions, err
	}
	i := slices.IndexFunc(sessions, func(s Session) bool { return s.ID == chosen[0].id })
	return sessions[i : i+1], nil
}
