// Package said turns the sessions of a host into the utterances of a person, the model and its
// tools. Package host has the reader of each host; human.go here has the table of texts that nobody typed in any.
//
// It promises that one bad line costs that line only; that every text is bounded, and that what is cut is counted; that
// the IDs of utterances stay the same while a transcript only grows; and that nothing is written, locked, or followed
// through a link. It keeps nothing. It does not promise to know a form that a host has not used yet: what it does not
// know is left out.
package said

import (
	"errors"
	"io"
	"strings"
)

// manner returns how the words of a part were typed.
func (r *Reader) manner(p part) Manner {
	switch {
	case p.manner != Ordinary:
		return p.manner
	case p.recorded == enqueued || p.recorded == attached:
		return Busy
	case p.recorded == turn && r.Stopped:
		return Interrupting
	}
	return Ordinary
}

const (
	// MaxText bounds one utterance; the longest paste seen had 411,010 characters. A longer one is cut and
	// counted.
	MaxText = 8 << 20

	// maxName bounds working directories, branches, sessions and UUIDs; a longer one is ignored.
	maxName = 4 << 10

	// maxParts bounds the records that one message of the model is joined from. What follows is not kept, and counted.
	maxParts = 10_000

	// maxTyped bounds the words of a person that are remembered of one session.
	maxTyped = 1 << 16
)

// A Reader turns a transcript into utterances, in the order of the file, except that a message of the model is emitted
// when its last part has been read.
type Reader struct {
	session string
	host    HostID
	lines   *LineReader
	emit    func(*Entry) error
	Tools   func(line []byte) bool // reports whether the tools' text on a line is wanted; nil: on no line
	Settle  func()                 // called once, after the last line that ends with a newline; or nil
	Full    func() bool            // reports, before each line, whether to stop with errFull; or nil

	State
	Skipped Skipped
	size    int // of the words of the open message, in bytes

	decoder decoder
	said    []part // of the record last read
}

// ErrFull ends a reading that is to go on later: see Reader.Full.
var ErrFull = errors.New("enough was read at once")

// NewReader returns a reader of a session's lines. It calls emit with each utterance.
func NewReader(f File, lines *LineReader, emit func(*Entry) error) *Reader {
	r := &Reader{
		session: f.ID,
		host:    f.Host(),
		decoder: newDecoder(f.Format),
		lines:   lines,
		emit:    emit,
		Skipped: Skipped{},
	}
	r.Restore(State{HostState: HostState{CWD: f.beside()}})
	return r
}

// name is the text of a working directory, a branch, a session or a UUID; "" if it is too long.
func name(v Raw) string {
	if len(v) > maxName {
		return ""
	}
	return v.Text()
}

// Run reads to the end of the transcript, or until emit or the source returns an error.
func (r *Reader) Run() error {
	defer func() {
		if r.lines.skipped > 0 {
			r.Skipped[LongLine] += r.lines.skipped
		}
	}()
	for {
		if r.Full != nil && r.Settle != nil && r.Full() {
			r.Settle()
			return ErrFull
		}
		records, line, ended, bad, err := r.lines.decode(&r.decoder)
		if r.Settle != nil && (err == io.EOF || err == nil && !ended) {
			r.Settle()
			r.Settle = nil
		}
		if err == io.EOF {
			return r.end()
		}
		if err != nil {
			return err
		}
		if bad {
			r.Skipped[BadLine]++
		}
		tools := r.Tools != nil && r.Tools(line)
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
func (r *Reader) record(rec *Record, place *int, tools bool) error {
	sameTime := false // as the record before
	if stamped := rec.time(); !stamped.IsZero() {
		sameTime = r.host == ClaudeCode && stamped.Equal(r.Last)
		r.Last = stamped
		if stamped.After(r.Latest) {
			r.Latest = stamped
		}
	}
	if err := r.dequeue(rec.Type.Is("queue-operation") && rec.Operation.Is("dequeue")); err != nil {
		return err
	}
	said, marks := rec.parts(r.said[:0], &r.calls, tools)
	r.said = said
	r.Stopped = r.Stopped || marks == interrupted
	if marks == dreamBegun {
		r.Dreaming = true
		return nil
	}
	base := *place
	for _, p := range said {
		*place = base + p.slot + 1
		if p.typed() {
			r.Dreaming = false
		}
		if p.text == "" || r.Dreaming || p.typed() && (p.manner == Ordinary || p.manner == Suggested) && r.repeated(p, sameTime) {
			continue
		}
		if err := r.say(rec, p, *place); err != nil {
			return err
		}
		if p.typed() {
			r.Stopped = false
		}
	}
	return nil
}

// repeated reports whether a person's words were recorded before. Queued words come again as an attachment or a turn,
// perhaps joined with other queued words. A session that is resumed may be written again (2.0.2), all at one time. The
// first record is kept, since its ID may be in use when the second is written.
func (r *Reader) repeated(p part, sameTime bool) bool {
	key := Sum(p.text) // the same in every process: parser state is stored
	before := r.Typed[key]
	if len(r.Typed) >= maxTyped {
		clear(r.Typed)
	}
	r.Typed[key] = p.recorded
	if p.recorded == enqueued {
		r.Waiting = append(r.Waiting[max(0, len(r.Waiting)-maxWaiting+1):], waiting{key, len(p.text)})
	} else if r.joined(p.text) {
		return true
	}
	return before != spoken && before < p.recorded || sameTime && before == turn && p.recorded == turn
}

// joined reports whether a text is made of texts of the queue, in their order, each on lines of its own, and takes
// these out of the queue.
func (r *Reader) joined(text string) bool {
	var left []waiting
	for _, w := range r.Waiting {
		rest := strings.TrimLeft(text[min(len(text), w.Size):], " \t\r")
		if text != "" && len(text) >= w.Size && (rest == "" || rest[0] == '\n') && Sum(text[:w.Size]) == w.Sum {
			text = strings.TrimSpace(rest)
		} else {
			left = append(left, w)
		}
	}
	if text == "" {
		r.Waiting = left
	}
	return text == ""
}

func (r *Reader) say(rec *Record, p part, place int) error {
	u := &Entry{
		Utterance: Utterance{
			Session: r.host.key(r.session),
			Host:    r.host,
			Line:    r.lines.Number,
			Time:    r.Last,
			Speaker: p.speaker,
			Text:    r.bounded(p.text),
			CWD:     name(rec.CWD),
			Branch:  name(rec.Branch),
			UUID:    name(rec.UUID),
		},
		Offset: r.lines.start,
		Timed:  !rec.time().IsZero(),
		Slot:   p.slot,
		Place:  place,
		Manner: r.manner(p),
	}
	if !rec.Session.Is(r.session) {
		u.Origin = name(rec.Session)
	}
	u.ID = HitID(u.Session, u.Line, u.Place)
	if p.recorded == enqueued && r.host == ClaudeCode {
		r.Queued = &queued{Entry: *u}
		if r.Stopped {
			r.Queued.Idle = Interrupting
		}
		return nil
	}
	if p.speaker != Assistant || p.message == "" { // nothing joins it, and it ends no message
		return r.emit(u)
	}
	if r.Open == nil || p.message != r.Open.Message {
		if err := r.flush(); err != nil {
			return err
		}
		r.Open = &openMessage{Entry: *u, Message: p.message, Parts: sums{}}
		r.Open.Text = ""
	} else if u.UUID != "" && r.Open.Parts[Sum(u.UUID)] {
		return nil
	}
	return r.add(u)
}

// dequeue emits the text that is in the queue. taken says that the record read next takes it out: if at once, the model
// was not busy.
func (r *Reader) dequeue(taken bool) error {
	q := r.Queued
	r.Queued = nil
	if q == nil {
		return nil
	}
	if taken && r.Last.Sub(q.Time) < atOnce {
		q.Manner = q.Idle
	}
	return r.emit(&q.Entry)
}

// add adds a part to the open message.
func (r *Reader) add(u *Entry) error {
	o := r.Open
	if r.size > MaxText || len(o.Words) >= maxParts {
		r.Skipped[LongText]++
		return nil
	}
	o.Words = append(o.Words, u.Text)
	o.Parts[Sum(u.UUID)] = true
	r.size += len(u.Text)
	return nil
}

// end emits the open message, and what is in the queue.
func (r *Reader) end() error {
	if err := r.dequeue(false); err != nil {
		return err
	}
	return r.flush()
}

// flush emits the open message.
func (r *Reader) flush() error {
	o := r.Open
	r.Open, r.size = nil, 0
	if o == nil {
		return nil
	}
	u := o.Entry
	u.Text = r.bounded(strings.Join(o.Words, "\n\n"))
	return r.emit(&u)
}

func (r *Reader) bounded(text string) string {
	if len(text) <= MaxText {
		return text
	}
	r.Skipped[LongText]++
	return strings.ToValidUTF8(text[:MaxText], "")
}

// Version is of all readers: whoever changes what an utterance is raises it, and what is kept of sessions is read
// again.
const Version = 20
