package sessions

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"dream-mcp/consolidate/transcript/said"
)

// ErrNotFound is the error of Lookup where no utterance has the id.
var ErrNotFound = errors.New("no such utterance")

// ErrAmbiguous is the error of Lookup where an id may mean utterances of several sessions.
var ErrAmbiguous = errors.New("the id fits several sessions")

// Named returns the one session that a name means. The error of several names them.
func (s *Project) Named(ctx context.Context, name string) (found said.File, err error) {
	files, _, err := s.files(time.Time{})
	if err != nil {
		return found, err
	}
	seen := map[string]bool{}
	fit := slices.DeleteFunc(said.Meant(files, name, false), func(f said.File) bool {
		if ctx.Err() != nil || seen[f.Key()] || s.judge(f) != "" {
			return true
		}
		seen[f.Key()] = true
		return false
	})
	switch {
	case ctx.Err() != nil:
		return found, ctx.Err()
	case len(fit) == 0:
		return found, ErrNotFound
	case len(fit) > 1:
		return found, fmt.Errorf("%w: %s", ErrAmbiguous, Keys(fit))
	}
	return fit[0], nil
}

// maxKeys bounds the sessions that an error names.
const maxKeys = 5

// Keys lists the keys of the first of some sessions.
func Keys(files []said.File) string {
	keys := make([]string, min(len(files), maxKeys))
	for i := range keys {
		keys[i] = files[i].Key()
	}
	if len(files) > maxKeys {
		keys = append(keys, "…")
	}
	return strings.Join(keys, ", ")
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
			if !f.Is(form[1]) {
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
