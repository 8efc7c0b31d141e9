package provenance

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"dream-mcp/consolidate/ops"
	"dream-mcp/consolidate/state"
	"dream-mcp/consolidate/transcript/said"
	"dream-mcp/consolidate/transcript/sessions"
	"dream-mcp/memory"
	"dream-mcp/memory/visible"
)

// find returns the words at an ID or a source, from the transcript or else the kept copy.
func (r *Sources) find(ctx context.Context, id string) (state.Words, error) {
	u, err := r.Transcripts.Lookup(ctx, id)
	if err == nil {
		return wordsOf(u, r.Store.AllowSecrets), nil
	}
	if errors.Is(err, sessions.ErrNotFound) {
		if w, ok := r.Kept(id); ok {
			return w, nil
		}
	}
	return state.Words{}, err
}

// Carried finds the words of the sources that a text names itself, as after a merge: the kept ones, which it was
// written from. It skips unknown sources. The caller holds the mutex.
func (r *Sources) Carried(ctx context.Context, content string) []state.Words {
	var words []state.Words
	sources := memory.ParseTopic([]byte(content)).Sources()
	for _, source := range sources[max(0, len(sources)-memory.MaxSources):] {
		w, known := r.Kept(source)
		if !known {
			w, _ = r.find(ctx, source)
		}
		if w.Source == source {
			words = append(words, w)
		}
	}
	return words
}

// maxListed bounds the sessions that are searched for a line without a session.
const maxListed = 50

// distinctBy is followed by a sum of the words where a source would name two. No ID contains it.
const distinctBy = "~"

// distinct returns w under a source that has no other words. A host may have rewritten the session since those at its
// line were kept.
func (r *Sources) distinct(w state.Words) state.Words {
	if was, known := r.Kept(w.Source); known && was.Text != w.Text {
		sum := sha256.Sum256([]byte(w.Text))
		w.Source += distinctBy + hex.EncodeToString(sum[:4])
	}
	return w
}

// sessionOf returns the only listed session that has the line of an ID without a session, such as ":65". It returns
// "" if there is not exactly one.
func (r *Sources) sessionOf(ctx context.Context, line string, listed []string) (session string) {
	if len(listed) > maxListed {
		return ""
	}
	for _, id := range listed {
		if _, err := r.Transcripts.Lookup(ctx, id+line); err != nil {
			continue
		}
		if session != "" {
			return ""
		}
		session = id
	}
	return session
}

// Evidence finds the words at the IDs that a write cites. An ID without a session is searched for in the listed
// sessions. The caller holds the mutex.
func (r *Sources) Evidence(ctx context.Context, ids, listed []string) ([]state.Words, error) {
	if len(ids) > memory.MaxSources {
		return nil, ops.Refuse(fmt.Sprintf("%d IDs cited as evidence, at most %d are allowed", len(ids), memory.MaxSources), "cite only the best")
	}
	words := make([]state.Words, len(ids))
	for i, id := range ids {
		var err error
		if strings.HasPrefix(id, ":") {
			id = r.sessionOf(ctx, id, listed) + id
		}
		if words[i], err = r.find(ctx, id); err != nil {
			return nil, ops.Refuse(fmt.Sprintf("evidence %q: %v", id, err), "an ID is SESSION:LINE, as in a89ce8ad-134:72; "+
				"the header of a listing names the session; or omit evidence")
		}
		words[i] = r.distinct(words[i])
	}
	return words, nil
}

// OwnWords returns the sources of new memories in after that are the person's own words. Those in cited need not be
// kept yet. The caller holds the mutex.
func (r *Sources) OwnWords(before, after *memory.Snapshot, cited []state.Words) map[string]bool {
	own := make(map[string]bool)
	for _, w := range cited {
		own[w.Source] = byPerson(w)
	}
	for n, t := range after.Topics {
		if before.Topics[n] != nil {
			continue
		}
		for _, source := range t.Sources() {
			if _, known := own[source]; !known && len(own) < maxOwnWords {
				w, ok := r.Kept(source)
				own[source] = ok && byPerson(w)
			}
		}
	}
	return own
}

// maxOwnWords bounds the sources that one call looks up: a thousand new memories with ten each.
const maxOwnWords = 10_000

// Origin is a source of a memory.
type Origin struct {
	state.Words      // only Source if no more is known
	Transcript  bool `json:"transcript"` // the transcript of the session still exists
}

// Line describes an origin in one line, with at most words characters of its text.
func (o Origin) Line(words int) string {
	id := said.Visible(o.Source)
	if session, place, ok := strings.Cut(id, ":"); ok {
		id = (&sessions.Session{ID: session}).Short() + ":" + place
	}
	line := "  [" + id + "]"
	if !o.Said.IsZero() {
		line += " " + ops.Second(o.Said).Format(time.RFC3339)
	}
	if o.Speaker == "" {
		return line + " unknown: the transcript was not found, and the words were not kept"
	}
	line += " " + string(o.Speaker)
	if !o.Transcript {
		line += " (transcript gone)"
	}
	return line + ": " + visible.OneLine(o.Text, words)
}

// Origins returns the sources that the metadata of a memory names, in that order, at most memory.MaxSources. Words
// that were not kept are read from the transcript.
func (r *Sources) Origins(ctx context.Context, t *memory.Topic) ([]Origin, error) {
	defer r.Store.Lock()()
	return r.OriginsOf(ctx, t)
}

// OriginsOf is Origins without taking the mutex. The caller holds the mutex.
func (r *Sources) OriginsOf(ctx context.Context, t *memory.Topic) ([]Origin, error) {
	sources := t.Sources()
	sources = sources[max(0, len(sources)-memory.MaxSources):]
	if len(sources) == 0 {
		return []Origin{}, nil
	}
	lines := make([]string, len(sources))
	for i, source := range sources {
		lines[i], _, _ = strings.Cut(source, distinctBy)
	}
	live, err := r.Transcripts.Live(ctx, lines)
	if err != nil {
		live = make([]bool, len(sources)) // without the folder nothing can be shown
	}
	origins := make([]Origin, len(sources))
	for i, source := range sources {
		w, ok := r.Kept(source)
		if !ok && live[i] {
			w, _ = r.find(ctx, source)
		}
		w.Source = source
		origins[i] = Origin{w, live[i]}
	}
	return origins, ctx.Err()
}
