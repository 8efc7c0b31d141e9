package transcript

import (
	"math"
	"slices"
	"sort"
	"time"

	"dream-mcp/consolidate/transcript/dfa"
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
const gap = dfa.Gap

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

	Plain   plainness // of the transcript
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
