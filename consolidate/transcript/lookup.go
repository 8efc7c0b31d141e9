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

var idForm = regexp.MustCompile(`^([^:]+):([1-9][0-9]{0,9})(?:\.[1-9][0-9]{0,5})?$`)

// cutID returns an id, what names its session, and its line; nil when it has not the form of one.
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
	session, line, err := s.parseID(ctx, id)
	if err != nil {
		return Utterance{}, err
	}
	u, err := s.utterance(ctx, session, shortID(session.id)+id[strings.LastIndexByte(id, ':'):], line)
	if err != nil {
		return Utterance{}, err
	}
	return u.Utterance, nil
}

// parseID returns the session and the line that an id names.
func (s *Store) parseID(ctx context.Context, id string) (session judged, line int, err error) {
	form := cutID(id)
	if form == nil {
		return session, 0, fmt.Errorf("%w: %q is not of the form SESSION:LINE", ErrNotFound, id)
	}
	if line, err = strconv.Atoi(form[2]); err != nil {
		return session, 0, fmt.Errorf("%w: %q", ErrNotFound, id)
	}
	if session, err = s.named(ctx, form[1]); err != nil {
		return session, 0, fmt.Errorf("%w: %q", err, id)
	}
	return session, line, nil
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

// utterance reads a session up to an utterance. Of the lines before, only those are decoded without
// which it would be misread.
func (s *Store) utterance(ctx context.Context, session judged, id string, line int) (*utterance, error) {
	filter := func(number int, l []byte) bool {
		switch {
		case number < line:
			return anyIn(l, opensDream, escaped, callsUs)
		case number > line:
			return tellsOfMessage(l)
		}
		return true
	}
	if session.host.byLines() {
		filter = nil
	}
	u, err := s.read(ctx, session, id, line, filter)
	if err == errBlind {
		u, err = s.read(ctx, session, id, line, nil)
	}
	return u, err
}

func (s *Store) read(ctx context.Context, session judged, id string, line int, filter func(int, []byte) bool) (*utterance, error) {
	source, err := session.open()
	if err != nil {
		return nil, err
	}
	defer source.Close()
	lines := newLineReader(&meter{ctx: ctx, source: source, read: new(atomic.Int64)}, readBlock)
	return seek(session, lines, id, line, session.modTime.UTC(), filter)
}

// errSought ends a pass that has found what it sought.
var errSought = errors.New("found")

// seek reads on until the utterance with an id.
func seek(session judged, lines *lineReader, id string, line int, last time.Time, filter func(int, []byte) bool) (*utterance, error) {
	var sought *utterance
	r := newReader(session.file, lines, func(u *utterance) error {
		if u.ID = u.id(); u.ID != id {
			return nil
		}
		if u.blind {
			return errBlind
		}
		sought = u
		return errSought
	})
	r.filter, r.last = filter, last
	if len(session.head.cwds) > 0 { // what lines that are not read would have told
		r.decoder.heritage = inherited(heritage{CWD: session.head.cwds[0], Branch: session.head.branch})
	}
	// The id was given to the first of its words: what was passed over cannot tell otherwise.
	r.queued, r.from = nil, line
	switch err := r.run(); {
	case sought != nil:
		return sought, nil
	case err != nil:
		return nil, err
	}
	return nil, fmt.Errorf("%w: %q", ErrNotFound, id)
}

// Source is where an utterance stands, for as long as its transcript lives: the session's whole name,
// where that can stand in an id, and the line. Lookup takes it.
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
