package consolidate

import (
	"context"
	"slices"
	"strings"
	"time"

	"dream-mcp/consolidate/ops"
	"dream-mcp/consolidate/state"
	"dream-mcp/consolidate/transcript/listing"
	"dream-mcp/consolidate/transcript/said"
	"dream-mcp/consolidate/transcript/search"
	"dream-mcp/consolidate/transcript/sessions"
	"dream-mcp/memory"
	"dream-mcp/memory/related"
)

// Sessions are what was said in the sessions of a project. To search or list it counts as a call of the open dream.
type Sessions struct {
	p     *Project
	lists listing.Book
}

// SinceLastDream as the beginning of a search means the time of the last consolidation.
const SinceLastDream = "last_dream"

// enter begins a call.
func (s *Sessions) enter() error {
	if d := s.p.dream; d != nil && d.Phase == Orienting {
		return s.p.enter(Gathering)
	}
	return s.p.enter("")
}

// beginSearch begins a search.
func (s *Sessions) beginSearch(ctx context.Context, q *search.Query, since string) (err error) {
	defer s.p.Store.Lock()()
	if err := s.enter(); err != nil || since != SinceLastDream {
		return err
	}
	q.Since, err = s.lastRead(ctx)
	return err
}

// endSearch records a search, and how many bytes it read.
func (s *Sessions) endSearch(e state.Event, bytes int64) error {
	defer s.p.Store.Lock()()
	d := s.p.dream
	if d == nil {
		return nil
	}
	d.BytesSearched += bytes
	d.log(e)
	return d.Save()
}

// lastRead returns the time of the last consolidation.
func (s *Sessions) lastRead(ctx context.Context) (time.Time, error) {
	dir, err := s.p.Store.Dir(ctx)
	if err != nil {
		return time.Time{}, err
	}
	defer dir.Close()
	last, err := s.p.Store.Since(dir)
	return last.Time, err
}

// Search searches the transcripts.
func (s *Sessions) Search(ctx context.Context, q search.Query, since string) (res search.Result, err error) {
	if err := s.beginSearch(ctx, &q, since); err != nil {
		return res, err
	}
	if res, err = s.p.Transcripts.Search(ctx, q); err != nil {
		return res, err
	}
	return res, s.endSearch(state.Event{Kind: state.EventSearch, Text: describeQuery(q), Hits: res.Matches}, res.Bytes)
}

// Mentions are the memories that match.
type Mentions struct {
	Memories int
	Found    []Mention      // of each memory the first that has a pattern, in its body rather than its description
	Of       []search.Found // passages, by pattern; nil if nothing was searched
}

// A Mention is a passage that has patterns.
type Mention struct {
	related.Passage
	Patterns []int
	Sum      memory.Sum // of the memory, at its first passage
}

// Mentions returns the memories, as the open dream would leave them, that match q. Outside dreams it searches none
// unless they are asked for.
func (s *Sessions) Mentions(ctx context.Context, q search.Query, asked bool) (m Mentions, err error) {
	match, err := q.Matchers()
	if err != nil {
		return m, err
	}
	defer s.p.Store.Lock()()
	if err := s.enter(); err != nil || s.p.dream == nil && !asked {
		return m, err
	}
	written, err := s.p.asWritten(ctx)
	if err != nil {
		return m, err
	}
	m.Of = make([]search.Found, len(match))
	for _, d := range related.Documents(written.Shown(nil)) {
		first := make([]*related.Passage, len(match))
		for _, passage := range d.Passages() {
			for i, matches := range match {
				switch is, within := matches(passage.Text); {
				case is:
					if m.Of[i].Matches++; first[i] == nil || first[i].Line == d.DescribedAt {
						first[i] = &passage
					}
				case within:
					m.Of[i].Within++
				}
			}
		}
		begin := len(m.Found)
		for i, p := range first {
			if p == nil {
				continue
			}
			at := slices.IndexFunc(m.Found[begin:], func(f Mention) bool { return f.Line == p.Line })
			if at < 0 {
				at = len(m.Found) - begin
				m.Found = append(m.Found, Mention{Passage: *p})
			}
			f := &m.Found[begin+at]
			f.Patterns = append(f.Patterns, i)
		}
		if len(m.Found) > begin {
			m.Memories++
			if n, err := memory.ParseName(d.File); err == nil && written.Topics[n] != nil {
				m.Found[begin].Sum = memory.SumOf(written.Topics[n].Bytes())
			}
		}
	}
	return m, nil
}

// Ranked finds utterances that answer a question.
func (s *Sessions) Ranked(
	ctx context.Context, question string, q search.Query, since string,
) (hits []search.RankedHit, res search.Result, err error) {
	if err := s.beginSearch(ctx, &q, since); err != nil {
		return nil, res, err
	}
	if hits, res, err = s.p.Transcripts.Ranked(ctx, question, q); err != nil {
		return hits, res, err
	}
	return hits, res, s.endSearch(state.Event{Kind: state.EventSearch, Text: question, Hits: len(hits)}, res.Bytes)
}

// ContextOf returns the turns around utterances. Those that the open dream has listed whole say so.
func (s *Sessions) ContextOf(ctx context.Context, ids []string, n int) (turns []search.Turn, err error) {
	if err := s.beginSearch(ctx, nil, ""); err != nil {
		return nil, err
	}
	turns, err = s.p.Transcripts.ContextOf(ctx, ids, n)
	s.markListed(turns)
	if err != nil {
		return turns, err
	}
	return turns, s.endSearch(state.Event{Kind: state.EventContext, Text: strings.Join(ids, " ")}, 0)
}

// markListed marks the turns that the open dream has listed whole. A dream that was resumed may have another model.
func (s *Sessions) markListed(turns []search.Turn) {
	defer s.p.Store.Lock()()
	d := s.p.dream
	if d == nil || d.Listed == nil || d.Resumed {
		return
	}
	for i, t := range turns {
		shown, listed := d.Listed.Shown[t.Session]
		turns[i].Listed = listed && t.Speaker == said.User && shown.After.Line < t.Line && t.Line <= shown.Last.Line && listing.Whole(t.Text)
	}
}

// Folders returns the folders of the transcripts, with the problem of those that cannot be read. It needs no mutex.
func (s *Sessions) Folders() []said.Folder {
	folders, _ := s.p.Transcripts.Folders() // Status reports the error
	return folders
}

// maxReviewed is the number of sessions that an event names.
const maxReviewed = 30

// reviewed returns the first sessions of a map.
func (s *Sessions) reviewed(sessions []sessions.Session) []state.Reviewed {
	sessions = sessions[:min(len(sessions), maxReviewed)]
	named := make([]state.Reviewed, len(sessions))
	for i, one := range sessions {
		named[i] = state.Reviewed{ID: one.ID, Host: string(s.OtherHost(one.Host)), Last: ops.Second(one.Last), First: one.First}
	}
	return named
}

// describeQuery describes a search.
func describeQuery(q search.Query) string {
	if len(q.Patterns) > 0 {
		return strings.Join(q.Patterns, " | ")
	}
	return q.Pattern
}
