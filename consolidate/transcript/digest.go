package transcript

import (
	"math"
	"slices"
	"sort"
	"time"
)

// A digest is what people and the model said in one session, decoded: 3 to 4 % of a transcript's bytes (CENSUS 2). What
// tools were asked and answered is not in it.
//
// It promises to be what reading the whole transcript would give, whether it was built at once or extended as the
// transcript grew. It can be built again at any moment, so a crash, a deleted folder and a damaged file cost time only.
// It does not promise to notice a transcript that was edited in its middle and then appended to in place: writers only
// append (CENSUS 5.12). A file that was replaced, cut, or changed without growing is read again.
//
// The digest of a session that says much has parts. All but the last are sealed: they never change while the transcript
// only grows. The last has the head of all.
type digest struct {
	head  digestHead
	rows  []row
	text  string // what was said, each text ended by gap
	uuids string // of the rows' records, without separators

	checksum uint32 // of the file that it was read from
}

// gap ends each text: a byte that no text holds, since all of them are valid UTF-8.
const gap = "\xff"

// A digestHead is what a digest says besides its rows.
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
	Sealed  []sealed `json:",omitempty"` // the parts before this one

	Skipped Skipped   `json:",omitempty"`
	Strings []string  // working directories, branches and sessions, each once; the first is empty
	Latest  time.Time // of all records, those of tools among them
	Untimed bool      // a row of this part has no time of its own
}

// sealed identifies a part that is full.
type sealed struct {
	Rows    int
	Untimed bool   `json:",omitempty"`
	Sum     uint32 // of its file
}

// A settled part of a digest stays whatever is appended to the transcript: what the lines say that ended with a newline,
// without the message that may go on.
type settled struct {
	Rows, Text, UUIDs, Strings int     // how much of each
	Skipped                    Skipped `json:",omitempty"`
	State                      resume
}

// A row is one utterance.
type row struct {
	offset  int64
	seconds int64 // since 1970; untimed: none, and the transcript's own time is used
	key     uint64
	nanos   int32
	line    int32
	place   int32
	text    uint32 // where its text ends; it begins after the gap of the row before
	uuid    uint32 // where its record's UUID ends
	cwd     uint32 // in Strings
	branch  uint32
	origin  uint32
	signals uint16
	user    bool
	manner  Manner // of a person's words
}

const untimed = math.MinInt64

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
	return position{Time: nanoseconds(r.time(f.modTime)), Session: shortID(f.id), Line: int(r.line), Place: int(r.place)}
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
		Host:    f.host,
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

// order returns the rows in the order of the transcript; nil when that is theirs. A message of the model comes after what
// a person typed while it was written.
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

// bytes is roughly what a digest takes in memory.
func (d *digest) bytes() int64 {
	n := 1024 + len(d.rows)*rowSize + len(d.text) + len(d.uuids)
	for _, s := range d.head.Strings {
		n += 16 + len(s)
	}
	return int64(n)
}

// untimed reports whether a row of any part has no time of its own.
func (d *digest) untimed() bool {
	return d.head.Untimed || slices.ContainsFunc(d.head.Sealed, func(p sealed) bool { return p.Untimed })
}
