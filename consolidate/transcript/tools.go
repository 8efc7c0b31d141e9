package transcript

import (
	"context"
	"io"
	"math"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
	"unsafe"
)

// What tools were asked and answered is in no digest: it is most of a transcript. A search reads the transcripts for it,
// each only if it may hold a match, and decodes the tools' text only of lines that may.

// inTools searches what tools said in one session.
func (s *scan) inTools(ctx context.Context, i int) (all []found, skipped Skipped, err error) {
	session := s.sessions[i]
	source, err := session.open()
	if err != nil {
		return nil, nil, err
	}
	defer source.Close()
	may := s.mayMatch
	if session.host.byLines() {
		may = func([]byte) bool { return true } // its lines are decoded twice
	}
	input := func() io.Reader {
		return &meter{ctx: ctx, source: io.NewSectionReader(source, 0, source.length), read: &s.read}
	}
	lines := lineReaders.Get().(*lineReader)
	defer lines.putBack()
	if ok, err := anyLine(lines, input(), may); !ok || err != nil {
		return nil, nil, err
	}
	lines.reset(input(), 1, 0)
	recorded := map[recorded]*recorded{}
	r := newReader(session.file, lines, func(u *utterance) error {
		if u.Speaker != Tool || !s.query.within(u.Time) || !s.matches(u.Text) {
			return nil
		}
		all = append(all, found{
			time: nanoseconds(u.Time), line: int32(min(u.Line, math.MaxInt32)), place: int32(u.place), file: int32(i), row: -1,
			offset: u.offset, key: u.key(), alike: s.likeness(Tool, u.Text), recorded: intern(recorded, u),
		})
		if len(all) >= maxFound {
			return errEnough
		}
		return nil
	})
	r.last, r.tools = session.modTime.UTC(), may
	err = r.run()
	return all, r.skipped, err
}

// recorded is what many utterances of a session share.
type recorded struct{ cwd, branch, origin string }

func intern(all map[recorded]*recorded, u *utterance) *recorded {
	r := recorded{u.CWD, u.Branch, u.Origin}
	if all[r] == nil {
		all[r] = &r
	}
	return all[r]
}

// anyLine reports whether one of the lines of a transcript may hold a match.
func anyLine(lines *lineReader, source io.Reader, may func([]byte) bool) (bool, error) {
	lines.reset(source, 1, 0)
	for {
		block, err := lines.readAll()
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
	for _, p := range s.patterns {
		if len(p.raw) == 0 {
			return true
		}
		least := rune(unicode.MaxASCII)
		for i := range p.raw {
			if _, _, ok := p.raw[i].index(text); ok {
				return true
			}
			if !p.raw[i].isASCII() {
				least = unicode.MaxRune
			}
		}
		if hasEscape(text, least) {
			return true
		}
	}
	return false
}

// isASCII reports whether all that a literal matches is ASCII.
func (l *literal) isASCII() bool {
	return !strings.ContainsFunc(l.text, func(r rune) bool {
		return r >= utf8.RuneSelf || l.fold && (foldRune(r) == 'K' || foldRune(r) == 'S')
	})
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
		if r, ok := hex4(unsafe.Slice(unsafe.StringData(encoded), min(len(encoded), 4))); ok && ' ' <= r && r <= last {
			return true
		}
	}
}

// fromTranscript reads what a tool said again, from the line where it was found.
func (s *scan) fromTranscript(ctx context.Context, source *source, f *found) (*Utterance, error) {
	session := s.sessions[f.file]
	if _, err := source.Seek(f.offset, io.SeekStart); err != nil {
		return nil, err
	}
	lines := lineReaders.Get().(*lineReader)
	defer lines.putBack()
	lines.reset(&meter{ctx: ctx, source: source, read: &s.read}, int(f.line), f.offset)
	line, _, err := lines.read()
	if err != nil {
		return nil, err
	}
	var sought *Utterance
	r := newReader(session.file, lines, func(u *utterance) error {
		if u.place == int(f.place) && u.Speaker == Tool {
			u.ID = u.id()
			u.CWD, u.Branch, u.Origin = f.recorded.cwd, f.recorded.branch, f.recorded.origin
			sought = &u.Utterance
		}
		return nil
	})
	r.last = time.Unix(0, f.time).UTC()
	records, _ := r.decoder.line(trimmed(line, f.offset == 0))
	place := 0
	for i := range records {
		if err := r.record(&records[i], &place, true); err != nil {
			return nil, err
		}
	}
	if sought == nil {
		return nil, ErrNotFound
	}
	return sought, nil
}

// hasTools reports whether a query asks for what tools said.
func (q Query) hasTools() bool { return q.Signals == 0 && slices.Contains(q.Speakers, Tool) }
