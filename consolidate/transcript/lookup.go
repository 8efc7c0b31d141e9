package transcript

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"
)

// ErrNotFound is the error of Lookup where no utterance has the id.
var ErrNotFound = errors.New("no such utterance")

// ErrAmbiguous is the error of Lookup where an id may mean utterances of several sessions.
var ErrAmbiguous = errors.New("the id fits several sessions")

// shortName is how many characters of a session's UUID an id carries: 44 bits, so that two sessions
// in a thousand share an id once in 35 million projects.
const shortName = 12

// shortID is what an id says of a session: the beginning of a UUID, any other plain name as it is (names
// that people give often begin alike), and a sum of what is not plain.
func shortID(session string) string {
	switch {
	case isUUID(session):
		return session[:shortName]
	case isPlainName(session):
		return session
	}
	sum := sha256.Sum256([]byte(session))
	return "x" + hex.EncodeToString(sum[:])[:shortName]
}

var idForm = regexp.MustCompile(`^([^:]+):([1-9][0-9]{0,9})(?:\.([1-9][0-9]{0,5}))?$`)

// cutID returns an id, what names its session, its line and its place on it; nil for a text of another form.
func cutID(id string) []string {
	form := idForm.FindStringSubmatch(id)
	if form == nil {
		return nil
	}
	if n := utf8.RuneCountInString(form[1]); n < 4 || n > 128 {
		return nil
	}
	return form
}

// Lookup returns the utterance that an id names: an id of a Hit, or one with the session's whole name
// in place of its beginning. The text is as it was said, neither cut nor made visible. Its errors are
// ErrNotFound, ErrAmbiguous, those of reading, and the context's.
func (s *Store) Lookup(ctx context.Context, id string) (Utterance, error) {
	session, line, place, err := s.parseID(ctx, id)
	if err != nil {
		return Utterance{}, err
	}
	u, err := s.utterance(ctx, session, line, place)
	if err == ErrNotFound {
		err = fmt.Errorf("%w: %q", ErrNotFound, id)
	}
	return u, err
}

// parseID returns the session, the line and the place on it that an id names.
func (s *Store) parseID(ctx context.Context, id string) (session judged, line, place int, err error) {
	form := cutID(id)
	if form == nil {
		return session, 0, 0, fmt.Errorf("%w: %q is not of the form SESSION:LINE", ErrNotFound, id)
	}
	place = 1
	if line, err = strconv.Atoi(form[2]); err == nil && form[3] != "" {
		place, err = strconv.Atoi(form[3])
	}
	if err != nil || form[3] == "1" {
		return session, 0, 0, fmt.Errorf("%w: %q", ErrNotFound, id)
	}
	if session, err = s.named(ctx, form[1]); err != nil {
		return session, 0, 0, fmt.Errorf("%w: %q", err, id)
	}
	return session, line, place, nil
}

// named returns the one session whose id begins with a name, or is written so in an id.
func (s *Store) named(ctx context.Context, name string) (found judged, err error) {
	files, _, err := s.files(time.Time{})
	if err != nil {
		return found, err
	}
	ids := map[string]bool{}
	for _, f := range files {
		if ctx.Err() != nil {
			return found, ctx.Err()
		}
		if ids[f.id] || f.id != name && shortID(f.id) != name && !(isUUID(f.id) && strings.HasPrefix(f.id, name)) {
			continue
		}
		h, reason := s.judge(f)
		if reason != "" {
			continue
		}
		if ids[f.id] = true; len(ids) > 1 {
			return found, ErrAmbiguous
		}
		found = judged{f, h}
	}
	if len(ids) == 0 {
		return found, ErrNotFound
	}
	return found, nil
}

// utterance returns the utterance at a line and place of a session.
func (s *Store) utterance(ctx context.Context, session judged, line, place int) (said Utterance, err error) {
	d, err := s.digests().fresh(ctx, s.making(), session.file, new(atomic.Int64))
	if err != nil {
		return said, err
	}
	found := false
	err = s.digests().each(session.file, d, func(part *digest, _ int) error {
		for i := range part.rows {
			if r := &part.rows[i]; int(r.line) == line && int(r.place) == place {
				said, found = part.utterance(i, &session.file), true
				return nil
			}
		}
		return nil
	})
	if found || err != nil {
		return said, err
	}
	return s.toolUtterance(ctx, session, line, place)
}

// toolUtterance reads what a tool said at a line and place of a session.
func (s *Store) toolUtterance(ctx context.Context, session judged, line, place int) (said Utterance, err error) {
	source, err := session.open()
	if err != nil {
		return said, err
	}
	defer source.Close()
	lines := newLineReader(&meter{ctx: ctx, source: source, read: new(atomic.Int64)}, readBlock)
	r := newReader(session.file, lines, func(u *utterance) error {
		if u.Line == line && u.place == place {
			u.ID = u.id()
			said = u.Utterance
			return errFound
		}
		return nil
	})
	r.last = session.modTime.UTC()
	r.tools = func([]byte) bool { return lines.number == line }
	r.settle, r.full = func() {}, func() bool { return lines.number >= line }
	switch err = r.run(); err {
	case errFound:
		return said, nil
	case nil, errFull:
		return said, ErrNotFound
	}
	return said, err
}

// Source names an utterance for as long as its transcript exists: by the whole name of its session, where an ID may
// contain that, and its line. Lookup takes it.
func (u Utterance) Source() string {
	if !isPlainName(u.Session) {
		return u.ID
	}
	return u.Session + u.ID[strings.LastIndexByte(u.ID, ':'):]
}

// Live reports for each id, or source, whether the transcript of its session is there. It opens only
// those that it names.
func (s *Store) Live(ctx context.Context, ids []string) ([]bool, error) {
	files, _, err := s.files(time.Time{})
	if err != nil {
		return nil, err
	}
	live := make([]bool, len(ids))
	for i, id := range ids {
		form := cutID(id)
		if form == nil {
			continue
		}
		for _, f := range files {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if f.id != form[1] && shortID(f.id) != form[1] {
				continue
			}
			if _, reason := s.judge(f); reason == "" {
				live[i] = true
				break
			}
		}
	}
	return live, nil
}
