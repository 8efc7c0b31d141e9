package transcript

import (
	"errors"
	"io"
	"strconv"
	"strings"
	"time"
)

// Speaker is who said something.
type Speaker string

// The speakers. What the model thinks is nobody's utterance.
const (
	User      Speaker = "user"      // a person
	Assistant Speaker = "assistant" // the model
	Tool      Speaker = "tool"      // what a tool was asked, and what it answered
)

// An Utterance is what one speaker said at one time.
type Utterance struct {
	ID      string // short, unique in the project, stable while the transcript only grows
	Session string // the transcript's name without its ending
	Host    Host   // the program in which it was said
	Origin  string // the session that recorded it, where a resumed copy says another; else empty
	Line    int    // from 1
	Time    time.Time
	Speaker Speaker
	Text    string // as it was said: valid UTF-8, not made visible
	CWD     string
	Branch  string
	UUID    string
}

// Manner is how a person's words came.
type Manner uint8

// The manners. A pass that does not decode every line takes Interrupting for Ordinary.
const (
	Ordinary     Manner = iota
	Busy                // typed while the model was busy
	Interrupting        // typed after the person interrupted the model
)

// manner returns how the words of a part came.
func (r *reader) manner(p part) Manner {
	switch {
	case p.via == enqueued || p.via == attached:
		return Busy
	case p.via == turn && r.stopped:
		return Interrupting
	}
	return Ordinary
}

// maxText bounds one utterance, and so one match of an expression; the longest paste seen had 411,010
// characters (CENSUS 2). What is longer is cut and counted.
const maxText = 8 << 20

// utterance is an Utterance with its place, from where it can be read again. It has no ID yet.
type utterance struct {
	Utterance
	offset int64
	slot   int // within its record
	place  int // among the utterances of its line, from 1
	manner Manner
	blind  bool // its time was inherited across lines that were passed over
	holds  bool // it holds what is sought; then it may be without its text
}

// errBlind ends a pass in which an utterance that matters is blind: it must be repeated without a
// filter, to know what time the utterance inherits.
var errBlind = errors.New("an utterance inherits its time from a line that was passed over")

// A reader turns one transcript into utterances, in the order of the file, except that the text of
// one message of the model is held until its last part has come.
type reader struct {
	session string
	host    Host
	lines   *lineReader
	filter  func(number int, line []byte) bool // reports whether a line is decoded; nil: every line is
	sieve   *sieve                             // holds back lines before that; nil: none is
	join    *joiner                            // hears messages of the model whole while the sieve is not joining by itself; or nil
	last    time.Time                          // what an utterance without a time inherits
	emit    func(*utterance) error
	skipped Skipped
	tools   func(raw) hearing // what of a tool's is decoded; nil: all is
	answers func(raw) hearing // what of its answers is, of that; nil: all is
	noModel bool              // nobody asks what the model says
	settle  func()            // called once, behind the last line that a newline ended, before what is open or half is taken in; or nil

	bears    plainness // of witnessed, what the lines that were decoded bear out
	from     int       // the first line of a message that others may join; 0: any
	blind    bool      // a line was passed over since last was set
	dreaming bool
	stopped  bool            // the person interrupted the model, and has typed nothing since
	ours     map[string]bool // calls of our own tools
	queued   map[uint64]via  // a person's words that may come again, by hash; nil: none are looked for
	open     *utterance      // a message of the model that may go on
	message  string          // its id
	words    []string        // its texts
	parts    map[string]bool // the records that they came from
	latest   time.Time       // of all records
	clock    clock

	decoder decoder
	said    []part            // of the record last read
	names   map[string]string // working directories, branches and sessions seen
}

func newReader(f file, lines *lineReader, emit func(*utterance) error) *reader {
	return &reader{
		session: f.id,
		host:    f.host,
		decoder: newDecoder(f.host),
		lines:   lines,
		emit:    emit,
		skipped: Skipped{},
		ours:    map[string]bool{},
		queued:  map[uint64]via{},
		parts:   map[string]bool{},
		names:   map[string]string{},
		bears:   witnessed,
	}
}

// name is the text of a value that many records repeat.
func (r *reader) name(v raw) string {
	name, ok := r.names[string(v)]
	if !ok {
		name = v.text()
		if len(r.names) < maxCWDs {
			r.names[string(v)] = name
		}
	}
	return name
}

// run reads to the end of the transcript, or until emit or the source returns an error.
func (r *reader) run() error {
	defer func() {
		if r.lines.skipped > 0 {
			r.skipped[LongLine] += r.lines.skipped
		}
	}()
	for {
		line, ended, err := r.lines.read(r.sifting())
		if r.lines.passed > 0 {
			r.blind = true
			if r.lines.broken > 0 {
				r.skipped[BadLine] += r.lines.broken
			}
		}
		if r.settle != nil && (err == io.EOF || err == nil && !ended) {
			r.settle()
			r.settle = nil
		}
		if err == io.EOF {
			return r.flush()
		}
		if err != nil {
			return err
		}
		line = trimmed(line, r.lines.start == 0)
		if len(line) == 0 {
			continue
		}
		if !looksWhole(line) {
			r.bears &^= noBroken
		}
		if r.filter != nil && !r.dreaming && !r.filter(r.lines.number, line) {
			r.blind = true
			if ended && !looksWhole(line) {
				r.skipped[BadLine]++
			}
			continue
		}
		records, bad := r.decoder.line(line)
		if bad && ended {
			r.skipped[BadLine]++
		}
		place := 0
		for i := range records {
			if err := r.record(&records[i], &place, i == len(records)-1); err != nil {
				return err
			}
		}
	}
}

// sifting returns the sieve, unless what follows must be read whole: to the end of a dream.
func (r *reader) sifting() *sieve {
	if r.dreaming {
		if r.sieve != nil {
			r.sieve.tells = 0 // what is read past it may hold anything
		}
		return nil
	}
	return r.sieve
}

// record takes in one record. place counts the utterances that its line has room for, whether they
// are empty or not, so that an id does not depend on what else is left out. Nothing comes behind the
// last of a line, so that what stands in it and nobody asks for need not be counted.
func (r *reader) record(rec *record, place *int, last bool) error {
	stamped := r.clock.read(rec)
	if !stamped.IsZero() {
		r.last, r.blind = stamped, false
		if stamped.After(r.latest) {
			r.latest = stamped
		}
	}
	said, marks := rec.parts(r.said[:0], ear{ours: r.ours, tools: r.tools, answers: r.answers, noModel: r.noModel && last})
	r.said = said
	dream := marks == dreamBegun
	if dream {
		r.bears &^= noDreams
	}
	r.stopped = r.stopped || marks == interrupted
	if len(r.ours) > 0 {
		r.bears &^= noOwnCalls
	}
	base := *place
	if dream {
		r.dreaming = true
		if r.join != nil {
			r.join.dreamt = true
		}
		return nil
	}
	for _, p := range said {
		*place = base + p.slot + 1
		if p.typed() {
			r.dreaming = false
		}
		if p.text == "" && !p.holds || r.dreaming || p.typed() && r.repeated(p) {
			continue
		}
		if err := r.say(rec, p, *place); err != nil {
			return err
		}
		if p.typed() {
			r.stopped = false
		}
	}
	return nil
}

// repeated reports whether a person's words are those that came before on another way: what was
// queued comes again as an attachment or a turn (CENSUS 5.6). The first is kept, since its id stands
// already when the others are written.
func (r *reader) repeated(p part) bool {
	if r.queued == nil || len(r.queued) == 0 && p.via == turn {
		return false
	}
	key := sum64(p.text) // the same in every process: a digest goes on where another left off
	before := r.queued[key]
	again := before != spoken && before < p.via
	if p.via == turn {
		delete(r.queued, key)
	} else {
		r.queued[key] = p.via
	}
	return again
}

func (r *reader) say(rec *record, p part, place int) error {
	u := &utterance{
		Utterance: Utterance{
			Session: r.session,
			Host:    r.host,
			Line:    r.lines.number,
			Time:    r.last,
			Speaker: p.speaker,
			Text:    r.bounded(p.text),
			CWD:     r.name(rec.CWD),
			Branch:  r.name(rec.Branch),
			UUID:    rec.UUID.text(),
		},
		offset: r.lines.start,
		slot:   p.slot,
		place:  place,
		manner: r.manner(p),
		blind:  r.blind,
		holds:  p.holds,
	}
	if !rec.Session.is(r.session) {
		u.Origin = r.name(rec.Session)
	}
	if p.speaker != Assistant || p.message == "" { // nothing joins it, and it ends no message
		return r.emit(u)
	}
	if r.join != nil {
		if held, err := r.joins(p.message); held || err != nil {
			return err
		}
	}
	if r.open != nil && r.open.Line >= r.from && p.message == r.message {
		if u.UUID == "" || !r.parts[u.UUID] {
			r.words = append(r.words, u.Text)
			r.parts[u.UUID] = true
		}
		return nil
	}
	if err := r.flush(); err != nil {
		return err
	}
	r.open, r.message = u, p.message
	r.words = append(r.words[:0], u.Text)
	clear(r.parts)
	r.parts[u.UUID] = true
	return nil
}

// flush emits the message that is open.
func (r *reader) flush() error {
	u := r.open
	r.open = nil
	if u == nil {
		return nil
	}
	u.Text = r.bounded(strings.Join(r.words, "\n\n"))
	return r.emit(u)
}

func (r *reader) bounded(text string) string {
	if len(text) <= maxText {
		return text
	}
	r.skipped[LongText]++
	return strings.ToValidUTF8(text[:maxText], "")
}

// id is the ID that the utterance gets where anybody wants it.
func (u *utterance) id() string { return hitID(u.Session, u.Line, u.place) }

// hitID names an utterance: session, line, and its place on the line where it is not the first.
func hitID(session string, line, place int) string {
	id := shortID(session) + ":" + strconv.Itoa(line)
	if place > 1 {
		id += "." + strconv.Itoa(place)
	}
	return id
}
