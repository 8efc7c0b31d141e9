package search

import (
	"context"
	"io"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"time"
	"unicode"
	"unicode/utf8"
	"unsafe"

	"dream-mcp/consolidate/transcript/cache"
	"dream-mcp/consolidate/transcript/said"
	"dream-mcp/consolidate/transcript/sessions"
)

// What tools were asked and answered is not in the database: it is most of a transcript. A search reads the transcripts
// for it, each only if it may hold a match, and decodes the tools' text only of lines that may.

// inTools searches what tools said in one session.
func (s *scan) inTools(ctx context.Context, i int) (all []match, skipped said.Skipped, err error) {
	session := s.sessions[i]
	source, err := session.Open()
	if err != nil {
		return nil, nil, err
	}
	defer source.Close()
	may := func([]byte) bool { return true } // another host's lines are in memory, or decoded twice
	if session.Format == nil {
		may = s.mayMatch
		lines := source.Lines(ctx, 1, 0, &s.read)
		defer lines.Close()
		if ok, err := anyLine(lines, may); !ok || err != nil {
			return nil, nil, err
		}
	}
	lines := source.Lines(ctx, 1, 0, &s.read)
	defer lines.Close()
	recorded := map[recorded]*recorded{}
	r := said.NewReader(session, lines, func(u *said.Entry) error {
		if u.Speaker != said.Tool || !s.query.wants(said.Tool, u.Time) {
			return nil
		}
		if source.File == nil {
			s.read.Add(int64(len(u.Text))) // of a file, all that is read counts
		}
		mask := s.matches(u.Text)
		if mask == 0 {
			return nil
		}
		all = append(all, match{
			time: cache.Nanoseconds(u.Time), line: int32(min(u.Line, math.MaxInt32)), place: int32(u.Place), file: int32(i),
			mask: mask, offset: u.Offset, key: u.Key(), alike: s.likeness(said.Tool, u.Text, mask), recorded: intern(recorded, u),
		})
		return nil
	})
	r.Last, r.Tools = session.ModTime.UTC(), may
	err = r.Run()
	return all, r.Skipped, err
}

// recorded is what many utterances of a session share.
type recorded struct{ cwd, branch, origin string }

func intern(all map[recorded]*recorded, u *said.Entry) *recorded {
	r := recorded{u.CWD, u.Branch, u.Origin}
	if all[r] == nil {
		all[r] = &r
	}
	return all[r]
}

// anyLine reports whether one of the lines of a transcript may hold a match.
func anyLine(lines *said.LineReader, may func([]byte) bool) (bool, error) {
	for {
		block, err := lines.ReadAll()
		if err == io.EOF || err == nil && may(block) {
			return err == nil, nil
		}
		if err != nil {
			return false, err
		}
	}
}

// mayMatch reports whether encoded records may hold a match in the text of a tool.
func (s *scan) mayMatch(encoded []byte) bool {
	text := unsafe.String(unsafe.SliceData(encoded), len(encoded)) // not kept
	folded := foldFor(s.patterns, text)
	for _, p := range s.patterns {
		if p.raw.in(p.either(text, folded)) || hasEscape(text, p.lastEscaped()) {
			return true
		}
	}
	return false
}

// lastEscaped is the last character that a literal of a pattern may have.
func (p *pattern) lastEscaped() rune {
	for _, text := range p.raw {
		for _, r := range text {
			if r >= utf8.RuneSelf || p.fold && (r == 'K' || r == 'S') { // there is a Kelvin sign, and a long s
				return unicode.MaxRune
			}
		}
	}
	return unicode.MaxASCII
}

// hasEscape reports whether a character up to a last one, other than a control, is encoded as \u: a literal may be
// hidden in that. It may be mistaken where a text quotes JSON.
func hasEscape(encoded string, last rune) bool {
	for {
		i := strings.Index(encoded, `\u`)
		if i < 0 {
			return false
		}
		encoded = encoded[i+2:]
		if r, ok := said.Hex4(unsafe.Slice(unsafe.StringData(encoded), min(len(encoded), 4))); ok && ' ' <= r && r <= last {
			return true
		}
	}
}

// fromTranscript reads what a tool said again, from the line where it was found.
func (s *scan) fromTranscript(ctx context.Context, source *said.Source, f *match) (*said.Utterance, error) {
	from := said.State{Line: int(f.line) - 1, Offset: f.offset, Last: time.Unix(0, f.time).UTC()}
	u, err := toolAt(ctx, s.sessions[f.file], source, from, int(f.line), int(f.place))
	if err != nil {
		return nil, err
	}
	u.CWD, u.Branch, u.Origin = f.recorded.cwd, f.recorded.branch, f.recorded.origin
	return u, nil
}

// toolAt reads what a tool said at a line and place of a session, from a state before it.
func toolAt(ctx context.Context, session said.File, source *said.Source, from said.State, line, place int) (found *said.Utterance, err error) {
	lines := source.Lines(ctx, from.Line+1, from.Offset, new(atomic.Int64))
	defer lines.Close()
	r := said.NewReader(session, lines, func(u *said.Entry) error {
		if u.Line == line && u.Place == place && u.Speaker == said.Tool {
			found = &u.Utterance
		}
		return nil
	})
	r.Restore(from)
	r.Tools = func([]byte) bool { return lines.Number == line }
	r.Settle, r.Full = func() {}, func() bool { return lines.Number >= line }
	if err := r.Run(); err != nil && err != said.ErrFull {
		return nil, err
	}
	if found == nil {
		return nil, sessions.ErrNotFound
	}
	return found, nil
}

// hasTools reports whether a query asks for what tools said.
func (q Query) hasTools() bool { return slices.Contains(q.Speakers, said.Tool) }
