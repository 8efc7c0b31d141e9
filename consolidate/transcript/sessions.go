package transcript

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"time"
)

// A Session is one conversation of a person with the model, in one transcript.
type Session struct {
	ID      string // the transcript's name without its ending, or what another host calls the session
	Host    Host
	Path    string
	Size    int64     // in bytes; 0 of one that is not a file
	ModTime time.Time // when the transcript was last touched
	Last    time.Time // when something was last recorded, as far as its head and end say; else ModTime
	CWD     string    // the first working directory that it recorded
	Branch  string
	Title   string // what the host or a person named it; empty as a rule in young sessions
	First   string // the first words that a person typed, made visible, at most 120 runes
	Current bool   // the caller's own

	of    collection
	parts int64 // of one that is not a file
}

// file is the session as it was listed.
func (s *Session) file() file {
	return file{id: s.ID, host: s.Host, path: s.Path, size: s.Size + s.parts, modTime: s.ModTime, of: s.of}
}

// A file may be a transcript of the project.
type file struct {
	id      string
	host    Host
	path    string
	size    int64
	modTime time.Time
	trust   trust
	of      collection // of which it is a part, and size is a number of parts; nil: it is a file of its own
}

var uuidPattern = regexp.MustCompile(`^(?i:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})$`)

// isUUID reports whether a name is a UUID, in whatever case.
func isUUID(name string) bool { return len(name) == 36 && uuidPattern.MatchString(name) }

// isPlainName reports whether the name of a transcript may be in an ID as it is.
func isPlainName(name string) bool { return len(name) <= 64 && namePattern.MatchString(name) }

// IsSessionID reports whether a text has the form in which sessions are named: it holds nothing but
// ASCII letters, digits, ".", "_" and "-", and at most 64 of them.
func IsSessionID(text string) bool { return isPlainName(text) }

var namePattern = regexp.MustCompile(`^[A-Za-z0-9._-]+$`) // a counted repetition would be compiled slowly, at every start

// Sessions returns the sessions touched after since, the newest first, the current one among them.
// Files that are no sessions of the project are counted by reason.
func (s *Store) Sessions(ctx context.Context, since time.Time) ([]Session, Skipped, error) {
	kept, skipped, err := s.accepted(ctx, since)
	if err != nil {
		return nil, nil, err
	}
	sessions := make([]Session, len(kept))
	err = parallel(ctx, len(kept), func(i int) error {
		sessions[i] = s.session(kept[i])
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	slices.SortStableFunc(sessions, func(a, b Session) int { return b.Last.Compare(a.Last) })
	return sessions, skipped, nil
}

// A judged file is a session of the project.
type judged struct {
	file
	head head
}

// accepted returns the sessions touched after since, the newest first. Where the context ends before
// all are judged, it returns the first of them, with the context's error.
func (s *Store) accepted(ctx context.Context, since time.Time) ([]judged, Skipped, error) {
	files, skipped, err := s.files(since)
	if err != nil {
		return nil, nil, err
	}
	all := make([]judged, len(files))
	reasons := make([]Reason, len(files))
	unjudged := Reason("unjudged")
	for i, f := range files {
		all[i], reasons[i] = judged{file: f}, unjudged
	}
	err = parallel(ctx, len(all), func(i int) error {
		all[i].head, reasons[i] = s.judge(all[i].file)
		return nil
	})
	kept := all[:0]
	seen := map[string]bool{}
	for i, j := range all {
		reason := reasons[i]
		if reason == "" && seen[j.id] {
			reason = Copied
		}
		switch reason {
		case "":
			seen[j.id] = true
			kept = append(kept, j)
		case unjudged:
		default:
			skipped[reason]++
		}
	}
	clear(all[len(kept):])
	return kept, skipped, err
}

// exact is up to how many sessions Count counts all, and how many heads it reads at once.
const exact = 64

// Count returns the number of sessions touched after since, less the current one. Where there are enough, it may stop at
// 64; of 0, nothing is enough. It costs a listing of the folders, and the heads of the newest files that have changed since
// they were last read.
func (s *Store) Count(ctx context.Context, since time.Time, enough int) (int, error) {
	files, _, err := s.files(since)
	if err != nil {
		return 0, err
	}
	counted := map[string]bool{}
	for some := range slices.Chunk(files, exact) {
		if enough > 0 && len(counted) >= max(enough, exact) {
			break
		}
		reasons := make([]Reason, len(some))
		err := parallel(ctx, len(some), func(i int) error {
			_, reasons[i] = s.judge(some[i])
			return nil
		})
		if err != nil {
			return 0, err
		}
		for i, f := range some {
			if reasons[i] == "" && !s.isCurrent(f) {
				counted[f.session()] = true
			}
		}
	}
	return len(counted), nil
}

// session names what the gate counts once.
func (f file) session() string {
	if form := forms[f.host]; form != nil && form.session != nil {
		return form.session(f.id)
	}
	return f.id
}

// Counted returns how many of some sessions the gate counts: not the current one, and one that lies in
// several files once.
func Counted(sessions []Session) int {
	counted := map[string]bool{}
	for _, s := range sessions {
		if !s.Current {
			counted[file{id: s.ID, host: s.Host}.session()] = true
		}
	}
	return len(counted)
}

// isCurrent reports whether a file is of the caller's own session.
func (s *Store) isCurrent(f file) bool {
	current := *s.current.Load()
	if f.host == Gemini && len(current) >= 8 {
		return f.session() == geminiSession("-"+current[:8])
	}
	return f.id == current
}

// judge reads the head of a file and returns why it is not a session of the project, or "".
func (s *Store) judge(f file) (head, Reason) {
	h, err := s.head(f)
	switch {
	case err != nil:
		return h, Unreadable
	case !s.owns(f, h):
		return h, OtherProject
	}
	return h, h.reason
}

// owns reports whether a session is one of the project's by what its head recorded.
func (s *Store) owns(f file, h head) bool {
	if f.trust == whole {
		return true
	}
	if len(h.cwds) == 0 {
		return f.trust == bySlug
	}
	return s.ours(h.cwds)
}

// ours reports whether one of some working directories is the project's.
func (s *Store) ours(cwds []string) bool {
	return slices.ContainsFunc(cwds, func(cwd string) bool {
		return slices.ContainsFunc(s.options.Roots, func(root string) bool { return within(root, cwd) })
	})
}

func (s *Store) session(j judged) Session {
	f, h := j.file, j.head
	t := s.tail(f, h)
	session := Session{
		ID:      f.id,
		Host:    f.host,
		Path:    f.path,
		Size:    f.size,
		ModTime: f.modTime,
		Last:    h.last,
		Branch:  h.branch,
		Title:   h.title,
		First:   h.first,
		Current: s.isCurrent(f),
		of:      f.of,
	}
	if f.of != nil {
		session.Size, session.parts = 0, f.size
	}
	if len(h.cwds) > 0 {
		session.CWD = h.cwds[0]
	}
	if t.last.After(session.Last) {
		session.Last = t.last
	}
	if session.Last.IsZero() {
		session.Last = f.modTime
	}
	if t.title != "" {
		session.Title = t.title
	}
	return session
}

// maxFirst bounds titles and first words, in runes.
const maxFirst = 120

// oneLine is the beginning of a text on one line, made visible.
func oneLine(text string, most int) string {
	text = text[:min(len(text), 16*most)] // what is cut here would be cut below
	runes := []rune(strings.Join(strings.Fields(Visible(text)), " "))
	if len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return string(runes)
}
