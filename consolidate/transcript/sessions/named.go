package sessions

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"time"

	"dream-mcp/consolidate/transcript/said"
)

// ErrNotFound is the error of Lookup where no utterance has the id.
var ErrNotFound = errors.New("no such utterance")

// ErrAmbiguous is the error of Lookup where an id may mean utterances of several sessions.
var ErrAmbiguous = errors.New("the id fits several sessions")

// Named returns the one session whose ID begins with a name, or is so written in the ID of an utterance.
func (s *Project) Named(ctx context.Context, name string) (found said.File, err error) {
	files, _, err := s.files(time.Time{})
	if err != nil {
		return found, err
	}
	ids := map[string]bool{}
	for _, f := range files {
		if ctx.Err() != nil {
			return found, ctx.Err()
		}
		if ids[f.ID] || f.ID != name && said.ShortID(f.ID) != name && !(said.IsUUID(f.ID) && strings.HasPrefix(f.ID, name)) {
			continue
		}
		if s.judge(f) != "" {
			continue
		}
		if ids[f.ID] = true; len(ids) > 1 {
			return found, ErrAmbiguous
		}
		found = f
	}
	if len(ids) == 0 {
		return found, ErrNotFound
	}
	return found, nil
}

// Live reports for each ID, or source, whether the transcript of its session exists. It opens only
// the transcripts that are named.
func (s *Project) Live(ctx context.Context, ids []string) ([]bool, error) {
	files, _, err := s.files(time.Time{})
	if err != nil {
		return nil, err
	}
	live := make([]bool, len(ids))
	for i, id := range ids {
		form := said.CutID(id)
		if form == nil {
			continue
		}
		for _, f := range files {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if f.ID != form[1] && said.ShortID(f.ID) != form[1] {
				continue
			}
			if s.judge(f) == "" {
				live[i] = true
				break
			}
		}
	}
	return live, nil
}

// PathOf returns the transcript of a session of the project, whether or not it exists in a folder that
// can be read; "" where there is none.
func (s *Project) PathOf(session string) string {
	if !said.IsPlainName(session) {
		return ""
	}
	folders, err := s.candidates()
	if err != nil {
		return ""
	}
	for _, folder := range folders {
		path := filepath.Join(folder.Path, session+".jsonl")
		if f, err := said.OpenFile(path); err == nil {
			f.Close()
			return path
		}
	}
	return ""
}
