package transcript

import (
	"context"
	"errors"
	"io"
	"math"
	"slices"
	"strconv"
	"sync/atomic"
)

// session searches one session: in its digest, in the transcript, or, where a query asks for tools
// and others, for each where it stands.
func (s *scan) session(ctx context.Context, i int, lines *lineReader) (all []found, skipped Skipped, err error) {
	speakers := s.query.Speakers
	if s.digested {
		d, err := s.store.digests().fresh(ctx, s.making, s.sessions[i].file, &s.read, s.decodesAll() || s.sessions[i].host.byLines())
		if d == nil {
			s.mu.Lock()
			s.lacking = append(s.lacking, i)
			s.mu.Unlock()
			if err != nil && ctx.Err() != nil {
				return nil, nil, err
			}
		} else {
			all, skipped = s.inDigest(d, i), d.head.Skipped
			speakers = s.raw
		}
	}
	if len(speakers) == 0 || len(s.patterns) == 0 {
		return all, skipped, nil
	}
	size := s.sessions[i].file.size
	s.begun.Add(size)
	p := pass{filter: s.filter(speakers), joins: s.isRule(&s.joins, joinsPay)}
	pays := int64(watchesPay)
	if slices.Contains(speakers, Tool) {
		pays = callsPay
	}
	p.watches = s.isRule(&s.watches, pays) || slices.Contains(speakers, Assistant) && s.goesBeyondLines()
	if s.sessions[i].host.byLines() {
		p.filter = nil
	}
	for {
		inFile, met, err := s.file(ctx, i, lines, speakers, p)
		switch err {
		case errUnwatched:
			s.watches.Add(size)
			p.watches = true
		case errAlone:
			s.joins.Add(size)
			p.joins = true
		case errBlind:
			p.filter = nil
		default:
			return append(all, inFile...), met, err
		}
	}
}

// A pass is a way to read a transcript. Most hold no match, so the first pass looks for nothing else; what it
// meets may ask for another.
type pass struct {
	filter  *filter // nil: every line is decoded
	joins   bool    // texts of the model pass it too
	watches bool    // so does what may tell that a match was not said, though none is known yet
}

// errUnwatched ends a pass that found a match and cannot tell whether it was said.
var errUnwatched = errors.New("a match may be part of a dream, or the answer to one of our own calls")

// Of so many bytes of transcripts one must be read again for the same cause before it pays to look for that
// everywhere: for texts that join others, for dreams, and for calls of our own tools.
const (
	joinsPay   = 8
	watchesPay = 16
	callsPay   = 4
)

// isRule reports whether so much was read again that the same pays for all.
func (s *scan) isRule(again *atomic.Int64, pays int64) bool {
	n := again.Load()
	return n > 0 && n*pays >= s.begun.Load()
}

// goesBeyondLines reports whether an expression may match more than one part of a message of the model, or no
// longer match one where another is joined to it: which those are, dreams tell.
func (s *scan) goesBeyondLines() bool {
	return slices.ContainsFunc(s.patterns, func(p *pattern) bool { return !p.inLine })
}

// decodesAll reports whether a transcript would have to be decoded whole: then its digest is built at
// once.
func (s *scan) decodesAll() bool {
	return len(s.raw) == 0 && s.filter(s.query.Speakers) == nil
}

// filter returns what lets lines pass undecoded; nil when nothing can.
func (s *scan) filter(speakers []Speaker) *filter {
	f := &filter{speakers: speakers, decides: s.decides, literal: true}
	for _, p := range s.patterns {
		if p.needles == nil {
			return nil
		}
		f.needles = append(f.needles, p.needles...)
		f.literal = f.literal && p.isNeedle()
	}
	if len(f.needles) == 0 {
		return nil
	}
	return f
}

// inDigest searches one session's digest.
func (s *scan) inDigest(d *digest, i int) (all []found) {
	f := &s.sessions[i].file
	user, assistant := slices.Contains(s.query.Speakers, User), slices.Contains(s.query.Speakers, Assistant)
	take := func(n int) {
		r := &d.rows[n]
		if r.user && !user || !r.user && !assistant {
			return
		}
		if !s.query.within(r.time(f.modTime)) {
			return
		}
		all = append(all, found{
			time: nanoseconds(r.time(f.modTime)), line: r.line, place: r.place,
			file: int32(i), row: int32(n), offset: r.offset, key: r.key, alike: s.likeness(r.speaker(), d.said(n)),
		})
	}
	if s.query.Signals != 0 {
		s.read.Add(int64(len(d.rows) * rowSize))
		for n := range d.rows {
			if d.rows[n].signals&s.query.Signals != 0 {
				take(n)
			}
		}
		return all
	}
	s.read.Add(int64(len(d.text)))
	d.find(s.finders, take)
	return all
}

// matches reports whether one of the patterns stands in a text.
func (s *scan) matches(text string) bool {
	for _, p := range s.patterns {
		if p.matches(text) {
			return true
		}
	}
	return false
}

// answer tells what there is to hear in a tool's answer for expressions, as far as its spelling tells.
func (s *scan) answer(v raw) hearing {
	if !v.isAllText() {
		return maybe
	}
	most := nothing
	for _, p := range s.patterns {
		most = max(most, p.hears(v[1:len(v)-1]))
	}
	if most == surely && !s.decides(v) {
		return maybe
	}
	return most
}

// decides reports whether a match in a tool's value is all that must be known of it: where all of it is
// said, and nobody asks what it is like.
func (s *scan) decides(v raw) bool {
	if !v.isAllText() {
		return false
	}
	return !s.query.Fold || len(v) > len(`"\u0000"`)*maxAlike || !mayBeLike(s.hints.Load(), v[1:len(v)-1], true)
}

// likeness is what a match is told from others by, where that matters to the page.
func (s *scan) likeness(speaker Speaker, text string) uint64 {
	if !s.query.Fold || !mayBeLike(s.hints.Load(), text, false) {
		return 0
	}
	return alike(speaker, text)
}

// file searches one transcript.
func (s *scan) file(ctx context.Context, i int, lines *lineReader, speakers []Speaker, p pass) ([]found, Skipped, error) {
	session := s.sessions[i]
	source, err := session.open()
	if err != nil {
		return nil, nil, err
	}
	defer source.Close()
	lines.reset(&meter{ctx: ctx, source: io.LimitReader(source, source.length), read: &s.read, budget: s.store.ByteBudget}, 1, 0)

	opened := session.file
	opened.size, opened.modTime = source.size, source.modTime // more may have been appended since it was listed
	known := s.store.plain(opened)
	assumed := known
	if p.filter != nil && !p.watches {
		assumed |= noDreams
		if slices.Contains(speakers, Tool) {
			assumed |= noOwnCalls
		}
	}
	var all []found
	r := newReader(session.file, lines, func(u *utterance) error {
		switch {
		case !slices.Contains(speakers, u.Speaker) || !u.holds && !s.matches(u.Text):
			return nil
		case u.blind:
			return errBlind
		case assumed != known: // of whatever time: a message has that of its first part, which may be dreamt
			return errUnwatched
		case !s.query.within(u.Time):
			return nil
		}
		match := found{
			time: nanoseconds(u.Time), line: int32(min(u.Line, math.MaxInt32)), place: int32(u.place),
			file: int32(i), row: -1, offset: u.offset, key: u.key(),
		}
		if !u.holds { // else it is like nothing that matters
			match.alike = s.likeness(u.Speaker, u.Text)
		}
		all = append(all, match)
		if len(all) >= maxFound {
			return errBudget
		}
		return nil
	})
	r.last = session.modTime.UTC()
	if f := p.filter; f != nil {
		r.sieve = f.sieve(assumed, p.joins)
		if !p.joins && slices.Contains(speakers, Assistant) {
			r.join = &joiner{source: source}
		}
		r.tools = f.hears(known)
	}
	if !slices.Contains(speakers, Tool) {
		r.tools = deaf
	}
	r.answers, r.noModel = s.answer, !slices.Contains(speakers, Assistant)
	err = r.run()
	if err == nil && r.sieve != nil && r.sieve.tells != 0 {
		s.store.learn(opened, r.sieve.tells)
	}
	return all, r.skipped, err
}

// key is the same for an utterance and its copies in resumed sessions; 0 where that cannot be told.
func (u *utterance) key() uint64 {
	if u.UUID == "" {
		return 0
	}
	return sum64(u.UUID, string(u.Speaker), strconv.Itoa(u.slot))
}
