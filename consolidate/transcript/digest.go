package transcript

import (
	"encoding/json"
	"errors"
	"maps"
	"math"
	"slices"
	"sort"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// A digest is what people and the model said in one session, decoded once: 3 to 4 % of a
// transcript's bytes (CENSUS 2). It holds what tools were asked and answered no more than thoughts.
//
// It promises to be what a reading of the whole transcript would give, whether it was built at once
// or extended as the transcript grew. It can be rebuilt at any moment, so a crash, a deleted folder
// and a damaged file cost time only. It does not promise to notice a transcript that was edited in
// its middle and then appended to in place: that writers only append is the rule (CENSUS 5.12), and
// a file that was replaced, cut, or changed without growing is read anew.
type digest struct {
	head  digestHead
	rows  []row
	text  string // what was said, one text behind the other, each ended by gap
	uuids string // of their records, one behind the other
}

// gap ends each text: a byte that no text holds, since all of them are valid UTF-8.
const gap = "\xff"

// A digestHead is what a digest tells beside the rows.
type digestHead struct {
	Version    int
	Classifier string // which made the signals
	Path       string
	ID         string

	// The transcript as it was: a digest is fresh as long as these hold.
	Size    int64
	ModTime int64 // nanoseconds since 1970
	Inode   uint64

	Prefix uint64 // of the first sampleSize bytes of what is settled
	Block  uint64 // of its last sampleSize bytes

	Settled settled

	Skipped Skipped   `json:",omitempty"`
	Strings []string  // working directories, branches and sessions, each once; the first is empty
	Latest  time.Time // of all records, those of tools among them
	Untimed bool      // a row has no time of its own
	TooBig  bool      // it would pass maxDigest, so it holds nothing, and the transcript is searched itself
}

// A settled part of a digest stands whatever is appended to the transcript: what the lines say that
// a newline ended, less the message that may go on.
type settled struct {
	Rows, Text, UUIDs, Strings int     // how much of each
	Skipped                    Skipped `json:",omitempty"`
	State                      resume
}

// A row is one utterance.
type row struct {
	offset  int64
	seconds int64 // since 1970; untimed: none, the transcript's own time stands for it
	key     uint64
	alike   uint64
	nanos   int32
	line    int32
	place   int32
	text    uint32 // where its text ends; it begins behind the gap of the row before
	uuid    uint32 // where its record's UUID ends
	cwd     uint32 // in Strings
	branch  uint32
	origin  uint32
	signals uint16
	user    bool
}

const untimed = math.MinInt64

// A resume is the state of a reader between two lines.
type resume struct {
	Line     int   // that was read last
	Offset   int64 // behind it
	Last     time.Time
	Latest   time.Time
	Dreaming bool           `json:",omitempty"`
	Ours     []string       `json:",omitempty"`
	Queued   map[uint64]via `json:",omitempty"`
	Open     *openMessage   `json:",omitempty"`
}

// An openMessage may be joined by records to come.
type openMessage struct {
	Utterance Utterance
	Offset    int64
	Slot      int
	Place     int
	Message   string
	Words     []string
	Parts     []string
}

// state returns where a reader stands. It must be between two lines.
func (r *reader) state() resume {
	s := resume{
		Line:     r.lines.settled.number,
		Offset:   r.lines.settled.next,
		Last:     r.last,
		Latest:   r.latest,
		Dreaming: r.dreaming,
		Ours:     slices.Sorted(maps.Keys(r.ours)),
	}
	for key, v := range r.queued {
		if s.Queued == nil {
			s.Queued = map[uint64]via{}
		}
		s.Queued[key] = v
	}
	if u := r.open; u != nil {
		s.Open = &openMessage{
			Utterance: u.Utterance, Offset: u.offset, Slot: u.slot, Place: u.place,
			Message: r.message, Words: slices.Clone(r.words), Parts: slices.Sorted(maps.Keys(r.parts)),
		}
	}
	return s
}

// goOn puts a reader where another stood.
func (r *reader) goOn(s resume) {
	r.last, r.latest, r.dreaming = s.Last, s.Latest, s.Dreaming
	for _, id := range s.Ours {
		r.ours[id] = true
	}
	for key, v := range s.Queued {
		r.queued[key] = v
	}
	if o := s.Open; o != nil {
		r.open = &utterance{Utterance: o.Utterance, offset: o.Offset, slot: o.Slot, place: o.Place}
		r.message, r.words, r.parts = o.Message, slices.Clone(o.Words), map[string]bool{}
		for _, uuid := range o.Parts {
			r.parts[uuid] = true
		}
	}
}

// start is where the text of a row begins.
func (d *digest) start(i int) int {
	if i == 0 {
		return 0
	}
	return int(d.rows[i-1].text) + len(gap)
}

// said is the text of a row.
func (d *digest) said(i int) string { return d.text[d.start(i):d.rows[i].text] }

// at returns the row, from one on, whose text holds a place of the whole.
func (d *digest) at(from, place int) int {
	return from + sort.Search(len(d.rows)-from, func(i int) bool { return place <= int(d.rows[from+i].text) })
}

// time is when a row was said; modTime is the transcript's.
func (r *row) time(modTime time.Time) time.Time {
	if r.seconds == untimed {
		return modTime.UTC()
	}
	return time.Unix(r.seconds, int64(r.nanos)).UTC()
}

func (r *row) speaker() Speaker {
	if r.user {
		return User
	}
	return Assistant
}

// position is a row's in the order of hits.
func (d *digest) position(i int, f *file) position {
	r := &d.rows[i]
	return position{Time: nanoseconds(r.time(f.modTime)), Session: f.id, Line: int(r.line), Place: int(r.place)}
}

// utterance is a row with all that is known of it.
func (d *digest) utterance(i int, f *file) Utterance {
	r := &d.rows[i]
	uuid := 0
	if i > 0 {
		uuid = int(d.rows[i-1].uuid)
	}
	return Utterance{
		ID:      hitID(f.id, int(r.line), int(r.place)),
		Session: f.id,
		Origin:  d.head.Strings[r.origin],
		Line:    int(r.line),
		Time:    r.time(f.modTime),
		Speaker: r.speaker(),
		Text:    d.said(i),
		CWD:     d.head.Strings[r.cwd],
		Branch:  d.head.Strings[r.branch],
		UUID:    d.uuids[uuid:r.uuid],
	}
}

// order returns the rows by where they stand in the transcript: nil when they lie so. A message of the
// model lies behind what a person typed while it was written.
func (d *digest) order() []int {
	before := func(a, b int) int {
		x, y := &d.rows[a], &d.rows[b]
		if x.line != y.line {
			return int(x.line) - int(y.line)
		}
		return int(x.place) - int(y.place)
	}
	for i := 1; i < len(d.rows); i++ {
		if before(i-1, i) > 0 {
			order := make([]int, len(d.rows))
			for i := range order {
				order[i] = i
			}
			slices.SortFunc(order, before)
			return order
		}
	}
	return nil
}

// bytes is what a digest takes in memory, about.
func (d *digest) bytes() int64 {
	n := 1024 + len(d.rows)*rowSize + len(d.text) + len(d.uuids)
	for _, s := range d.head.Strings {
		n += 16 + len(s)
	}
	return int64(n)
}

// maxDigest bounds the text of one digest. A session that says more, some 800 MB of transcript as
// they are written, is searched itself.
const maxDigest = 32 << 20

var errTooBig = errors.New("a digest would be too big")

// A digester makes a digest of what a reader emits.
type digester struct {
	digest
	classify func(Speaker, string) uint16
	said     strings.Builder
	names    strings.Builder
	index    map[string]uint32 // of Strings
}

// newDigester goes on where the settled part of a digest ends; of an empty one, at the beginning.
// grown is how many bytes will be read.
func newDigester(d digest, classify func(Speaker, string) uint16, grown int64) *digester {
	to := &d.head.Settled
	b := &digester{digest: d, classify: classify, index: map[string]uint32{}}
	b.rows = append(make([]row, 0, to.Rows+8+int(min(grown, maxDigest)/4096)), d.rows[:to.Rows]...)
	b.said.Grow(to.Text + int(min(grown, 16*maxDigest)/32))
	b.said.WriteString(d.text[:to.Text])
	b.names.WriteString(d.uuids[:to.UUIDs])
	b.head.Strings = slices.Clone(d.head.Strings[:to.Strings])
	b.head.Skipped = nil
	for i, s := range b.head.Strings {
		b.index[s] = uint32(i)
	}
	b.intern("")
	return b
}

func (b *digester) intern(s string) uint32 {
	i, ok := b.index[s]
	if !ok {
		i = uint32(len(b.head.Strings))
		b.index[s] = i
		b.head.Strings = append(b.head.Strings, strings.Clone(s))
	}
	return i
}

// add takes in an utterance.
func (b *digester) add(u *utterance) error {
	if u.Speaker == Tool {
		return nil
	}
	if b.said.Len()+len(u.Text) > maxDigest {
		return errTooBig
	}
	b.said.WriteString(u.Text)
	end := b.said.Len()
	b.said.WriteString(gap)
	b.names.WriteString(u.UUID)
	r := row{
		offset:  u.offset,
		seconds: u.Time.Unix(),
		nanos:   int32(u.Time.Nanosecond()),
		key:     u.key(),
		alike:   alike(u.Speaker, u.Text),
		line:    int32(min(u.Line, math.MaxInt32)),
		place:   int32(u.place),
		text:    uint32(end),
		uuid:    uint32(b.names.Len()),
		cwd:     b.intern(u.CWD),
		branch:  b.intern(u.Branch),
		origin:  b.intern(u.Origin),
		user:    u.Speaker == User,
	}
	if u.Time.IsZero() {
		r.seconds, r.nanos = untimed, 0
	}
	if b.classify != nil {
		r.signals = b.classify(u.Speaker, u.Text)
	}
	b.rows = append(b.rows, r)
	return nil
}

// settle marks that what was added stands, whatever the transcript's next lines say.
func (b *digester) settle(r *reader) {
	to := &b.head.Settled
	to.Rows, to.Text, to.UUIDs, to.Strings = len(b.rows), b.said.Len(), b.names.Len(), len(b.head.Strings)
	to.State = r.state()
	to.Skipped = Skipped{}
	to.Skipped.add(r.skipped)
	if n := r.lines.settled.skipped; n > 0 {
		to.Skipped[LongLine] += n
	}
}

// finish returns the digest.
func (b *digester) finish(r *reader) *digest {
	d := b.digest
	d.head.Skipped = r.skipped
	d.head.Latest = r.latest
	d.text, d.uuids = b.said.String(), b.names.String()
	if state, err := json.Marshal(d.head.Settled.State); err != nil || len(state) > maxDigest {
		d.head.TooBig = true
	}
	if d.head.TooBig {
		return d.emptied()
	}
	d.head.Untimed = slices.ContainsFunc(d.rows, func(r row) bool { return r.seconds == untimed })
	return &d
}

// emptied is what stands for a digest that is too big.
func (d *digest) emptied() *digest {
	h := &d.head
	return &digest{head: digestHead{
		Version: h.Version, Classifier: h.Classifier, Path: h.Path, ID: h.ID,
		Size: h.Size, ModTime: h.ModTime, Inode: h.Inode, TooBig: true,
	}}
}

// maxAlike bounds the texts that are compared with others, in bytes: what repeats is short.
const maxAlike = 4 << 10

// alike is the same for texts of one speaker that differ in nothing but case, digits and white space;
// 0 for one too long to tell.
func alike(speaker Speaker, text string) uint64 {
	if len(text) > maxAlike {
		return 0
	}
	var room [512]byte
	folded := append(room[:0], speaker...)
	last := byte(' ')
	for _, r := range text {
		switch {
		case r == ' ' || r == '\n' || r == '\t' || r == '\r':
			if last == ' ' {
				continue
			}
			folded, last = append(folded, ' '), ' '
			continue
		case '0' <= r && r <= '9':
			if last == '0' {
				continue
			}
			r, last = '0', '0'
		case r < utf8.RuneSelf:
			if 'A' <= r && r <= 'Z' {
				r += 'a' - 'A'
			}
			last = byte(r)
		default:
			r, last = unicode.ToLower(r), 'x'
		}
		folded = utf8.AppendRune(folded, r)
	}
	if last == ' ' {
		folded = folded[:len(folded)-1]
	}
	return sumBytes(folded)
}
