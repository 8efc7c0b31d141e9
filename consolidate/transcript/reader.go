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

// The speakers. What the model thinks is not an utterance.
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

// The manners.
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

const (
	// maxText bounds one utterance; the longest paste seen had 411,010 characters (CENSUS 2). A longer one is cut and
	// counted.
	maxText = 8 << 20

	// maxName bounds working directories, branches, sessions and UUIDs; a longer one is ignored.
	maxName = 4 << 10

	// maxParts bounds the records that one message of the model is joined from. What follows is not kept, and counted.
	maxParts = 10_000

	// maxQueued bounds the queued words that are remembered until they are sent.
	maxQueued = 1 << 16
)

// utterance is an Utterance and where it is in its file. Its ID is not set.
type utterance struct {
	Utterance
	offset int64 // of its line
	slot   int   // within its record
	place  int   // among the utterances of its line, from 1
	manner Manner
}

// A reader turns a transcript into utterances, in the order of the file, except that a message of the model is emitted
// when its last part has been read.
type reader struct {
	session string
	host    Host
	lines   *lineReader
	emit    func(*utterance) error
	tools   func(line []byte) bool // reports whether the tools' text on a line is wanted; nil: on no line
	settle  func()                 // called once, after the last line that ends with a newline; or nil
	full    func() bool            // reports, before each line, whether to stop with errFull; or nil

	skipped  Skipped
	last     time.Time // what an utterance without a time inherits
	latest   time.Time // of all records
	dreaming bool
	stopped  bool // the person interrupted the model, and has typed nothing since
	ours     own
	queued   map[uint64]via  // a person's words that may come again, by sum
	open     *utterance      // a message of the model that may go on
	message  string          // its id
	words    []string        // its texts
	size     int             // of words, in bytes
	parts    map[uint64]bool // the records that they came from, by the sums of their UUIDs

	decoder decoder
	said    []part            // of the record last read
	names   map[string]string // working directories, branches and sessions, by their encoding
}

// errFull ends a reading whose utterances fill a part of a digest.
var errFull = errors.New("the part of the digest is full")

func newReader(f file, lines *lineReader, emit func(*utterance) error) *reader {
	return &reader{
		session: f.id,
		host:    f.host,
		decoder: newDecoder(f.host),
		lines:   lines,
		emit:    emit,
		skipped: Skipped{},
		ours:    own{},
		queued:  map[uint64]via{},
		parts:   map[uint64]bool{},
		names:   map[string]string{},
	}
}

// name is the text of a value that many records repeat.
func (r *reader) name(v raw) string {
	if len(v) > maxName {
		return ""
	}
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
		if r.full != nil && r.settle != nil && r.full() {
			r.settle()
			return errFull
		}
		line, ended, err := r.lines.read()
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
		if line = trimmed(line, r.lines.start == 0); len(line) == 0 {
			continue
		}
		records, bad := r.decoder.line(line)
		if bad && ended {
			r.skipped[BadLine]++
		}
		tools := r.tools != nil && r.tools(line)
		place := 0
		for i := range records {
			if err := r.record(&records[i], &place, tools); err != nil {
				return err
			}
		}
	}
}

// record reads one record. place counts the places for utterances on the line, empty ones too, so that an ID does not
// depend on what else is left out.
func (r *reader) record(rec *record, place *int, tools bool) error {
	if stamped := rec.time(); !stamped.IsZero() {
		r.last = stamped
		if stamped.After(r.latest) {
			r.latest = stamped
		}
	}
	said, marks := rec.parts(r.said[:0], r.ours, tools)
	r.said = said
	r.stopped = r.stopped || marks == interrupted
	if marks == dreamBegun {
		r.dreaming = true
		return nil
	}
	base := *place
	for _, p := range said {
		*place = base + p.slot + 1
		if p.typed() {
			r.dreaming = false
		}
		if p.text == "" || r.dreaming || p.typed() && r.repeated(p) {
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

// repeated reports whether a person's words came before on another way: what was queued comes again as an attachment
// or a turn (CENSUS 5.6). The first is kept, since others may know its ID by the time the second is written.
func (r *reader) repeated(p part) bool {
	if len(r.queued) == 0 && p.via == turn {
		return false
	}
	key := sum64(p.text) // the same in every process: parser state is stored
	before := r.queued[key]
	again := before != spoken && before < p.via
	switch {
	case p.via == turn:
		delete(r.queued, key)
	case len(r.queued) >= maxQueued:
		clear(r.queued)
		fallthrough
	default:
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
		},
		offset: r.lines.start,
		slot:   p.slot,
		place:  place,
		manner: r.manner(p),
	}
	if len(rec.UUID) <= maxName {
		u.UUID = rec.UUID.text()
	}
	if !rec.Session.is(r.session) {
		u.Origin = r.name(rec.Session)
	}
	if p.speaker != Assistant || p.message == "" { // nothing joins it, and it ends no message
		return r.emit(u)
	}
	if r.open != nil && p.message == r.message {
		if u.UUID == "" || !r.parts[sum64(u.UUID)] {
			r.add(u)
		}
		return nil
	}
	if err := r.flush(); err != nil {
		return err
	}
	r.open, r.message, r.words, r.size = u, p.message, r.words[:0], 0
	clear(r.parts)
	r.add(u)
	return nil
}

// add adds a part to the open message.
func (r *reader) add(u *utterance) {
	if r.size > maxText || len(r.words) >= maxParts {
		r.skipped[LongText]++
		return
	}
	r.words = append(r.words, u.Text)
	r.size += len(u.Text)
	r.parts[sum64(u.UUID)] = true
}

// flush emits the open message.
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

// id is the utterance's ID.
func (u *utterance) id() string { return hitID(u.Session, u.Line, u.place) }

// hitID names an utterance: session, line, and its place on the line where it is not the first.
func hitID(session string, line, place int) string {
	id := shortID(session) + ":" + strconv.Itoa(line)
	if place > 1 {
		id += "." + strconv.Itoa(place)
	}
	return id
}

// key is the same for an utterance and its copies in resumed sessions; 0 where that is not known.
func (u *utterance) key() uint64 {
	if u.UUID == "" {
		return 0
	}
	return sum64(u.UUID, string(u.Speaker), strconv.Itoa(u.slot))
}
