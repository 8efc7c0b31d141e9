package sessions

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"time"

	"dream-mcp/consolidate/transcript/parallel"
	"dream-mcp/consolidate/transcript/said"
)

// A Session is one conversation of a person with the model, in one transcript.
type Session struct {
	ID      string // its key
	Host    said.HostID
	Size    int64     // in bytes; 0 of one that is not a file
	ModTime time.Time // when the transcript was last modified
	Last    time.Time // when something was last recorded, as far as its head and end say; else ModTime
	Branch  string
	First   string // the first words that a person typed, made visible, at most 120 runes
	Current bool   // the caller's own

	File said.File
}

// Short is what the IDs of the session's utterances begin with.
func (s *Session) Short() string { return said.ShortID(s.ID) }

// Sessions returns the sessions modified after since, the newest first, with the current one.
// Files that are not sessions of the project are counted by reason.
func (s *Project) Sessions(ctx context.Context, since time.Time) ([]Session, said.Skipped, error) {
	return s.described(ctx, since, false)
}

// Remembered returns the entries of what the models of hosts remember of the project and the person, the newest first.
func (s *Project) Remembered(ctx context.Context) ([]Session, error) {
	all, _, err := s.described(ctx, time.Time{}, true)
	return all, err
}

func (s *Project) described(ctx context.Context, since time.Time, memory bool) ([]Session, said.Skipped, error) {
	kept, skipped, err := s.Accepted(ctx, since)
	if err != nil {
		return nil, nil, err
	}
	kept = slices.DeleteFunc(kept, func(f said.File) bool { return f.Memory() != memory })
	sessions := make([]Session, len(kept))
	err = parallel.Do(ctx, len(kept), func(i int) error {
		sessions[i] = s.session(kept[i])
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	slices.SortStableFunc(sessions, func(a, b Session) int { return b.Last.Compare(a.Last) })
	return sessions, skipped, nil
}

// Accepted returns the sessions modified after since, the newest first.
func (s *Project) Accepted(ctx context.Context, since time.Time) ([]said.File, said.Skipped, error) {
	files, skipped, err := s.files(since)
	if err != nil {
		return nil, nil, err
	}
	reasons, err := s.judgeAll(ctx, files)
	if err != nil {
		return nil, nil, err
	}
	kept := files[:0]
	seen := map[string]bool{}
	for i, f := range files {
		reason := reasons[i]
		if reason == "" && seen[f.Key()] {
			reason = said.Copied
		}
		switch reason {
		case "":
			seen[f.Key()] = true
			kept = append(kept, f)
		default:
			skipped[reason]++
		}
	}
	clear(files[len(kept):])
	return kept, skipped, nil
}

// Exact is up to how many sessions Count counts all, and how many heads it reads at once.
const Exact = 64

// Count returns the number of sessions modified after since, less the current one. Where there are enough, it may stop
// at Exact; of 0, nothing is enough. It costs a listing of the folders, and the heads of the newest files that have
// changed since they were last read.
func (s *Project) Count(ctx context.Context, since time.Time, enough int) (int, error) {
	files, _, err := s.files(since)
	if err != nil {
		return 0, err
	}
	counted := map[string]bool{}
	for some := range slices.Chunk(files, Exact) {
		if enough > 0 && len(counted) >= max(enough, Exact) {
			break
		}
		reasons, err := s.judgeAll(ctx, some)
		if err != nil {
			return 0, err
		}
		for i, f := range some {
			if reasons[i] == "" && !s.isCurrent(f) && !f.Memory() {
				counted[f.Counted()] = true
			}
		}
	}
	return len(counted), nil
}

// Counted returns how many of some sessions the gate counts: not the current one, and one that has
// several files once.
func Counted(sessions []Session) int {
	counted := map[string]bool{}
	for _, s := range sessions {
		if !s.Current {
			counted[s.File.Counted()] = true
		}
	}
	return len(counted)
}

// isCurrent reports whether a file is of the caller's own session.
func (s *Project) isCurrent(f said.File) bool {
	return f.IsOf(*s.current.Load())
}

// judgeAll judges files.
func (s *Project) judgeAll(ctx context.Context, files []said.File) ([]said.Reason, error) {
	reasons := make([]said.Reason, len(files))
	err := parallel.Do(ctx, len(files), func(i int) error {
		reasons[i] = s.judge(files[i])
		return nil
	})
	return reasons, err
}

// judge reads the head of a file and returns why it is not a session of the project, or "".
func (s *Project) judge(f said.File) said.Reason {
	h, err := s.head(f)
	owned := err == nil && s.owns(f, h)
	if err == nil && !owned && len(h.CWDs) == 0 && h.Reason == "" && f.Host() != said.ClaudeCode {
		s.noteRead(f.Path, f.Host(), errNoProject)
	} else {
		s.noteRead(f.Path, f.Host(), err)
	}
	switch {
	case err != nil:
		return said.Unreadable
	case !owned:
		return said.OtherProject
	case f.Memory():
		return ""
	}
	return h.Reason
}

// owns reports whether a session is one of the project's by what its head recorded.
func (s *Project) owns(f said.File, h said.Head) bool {
	if f.Trust == said.ByFolder {
		return true
	}
	if len(h.CWDs) == 0 {
		return f.Trust == said.BySlug
	}
	return s.ours(h.CWDs)
}

// ours reports whether one of some working directories is the project's: below one of its roots, and in no other
// repository there.
func (s *Project) ours(cwds []string) bool {
	return slices.ContainsFunc(cwds, func(cwd string) bool {
		return slices.ContainsFunc(s.roots(), func(root string) bool { return said.Within(root, cwd) && !s.nested(root, cwd) })
	})
}

// nested reports whether a directory below root is in a repository of its own, which has a memory of its own.
func (s *Project) nested(root, dir string) bool {
	if dir == root {
		return false
	}
	key := root + "\x00" + dir
	if is, known := s.nests.Load(key); known {
		return is.(bool)
	}
	is := false
	for at := filepath.Clean(dir); !is && len(at) > len(filepath.Clean(root)); at = filepath.Dir(at) {
		_, err := os.Lstat(filepath.Join(at, ".git"))
		is = err == nil
	}
	s.nests.Store(key, is)
	return is
}

func (s *Project) session(f said.File) Session {
	h, _ := s.head(f) // as when it was judged
	session := Session{
		ID:      f.Key(),
		Host:    f.Host(),
		Size:    f.Size,
		ModTime: f.ModTime,
		Last:    h.Last,
		Branch:  h.Branch,
		First:   h.First,
		Current: s.isCurrent(f),
		File:    f,
	}
	if f.Of != nil {
		session.Size = 0
	}
	if last := s.lastTime(f, h); last.After(session.Last) {
		session.Last = last
	}
	if session.Last.IsZero() {
		session.Last = f.ModTime
	}
	return session
}

// Slack is how much later than its file was touched a record may have been made, on the coarsest file system.
const Slack = 2 * time.Second

// maxFirst bounds first words, in runes.
const maxFirst = 120
