// Package digest keeps what people and the model said in sessions, decoded, in memory and in a folder.
//
// A digest is what reading the whole transcript would give, whether it was built at once or extended. All of the folder can
// be deleted at any moment, and several processes may use it: a crash, a full disk or a damaged file costs time only.
package digest

import (
	"cmp"
	"math"
	"slices"
	"sort"
	"time"

	"dream-mcp/consolidate/transcript/said"
)

// A Digest is what people and the model said in one session, decoded: 3 to 4 % of a transcript's bytes. What
// tools were asked and answered is not in it.
//
// It promises to be what reading the whole transcript would give, whether it was built at once or extended as the
// transcript grew. It can be built again at any moment, so a crash, a deleted folder and a damaged file cost time only.
// It does not promise to notice a transcript that was edited in its middle and then appended to in place: writers only
// append. A file that was replaced, cut, or changed without growing is read again.
//
// The digest of a session that says much has parts. All but the last are sealed: they never change while the transcript
// only grows. The last has the head of all.
type Digest struct {
	Head  digestHead
	Rows  []row
	Text  string // what was said, each text ended by gap
	uuids string // of the rows' records, without separators

	checksum uint32 // of the file that it was read from
}

// Gap ends each text: a byte that no text has, since all are valid UTF-8.
const Gap = "\xff"

// A digestHead is what a digest says besides its rows.
type digestHead struct {
	Version version
	Path    string
	ID      string

	// The transcript as it was: a digest is fresh as long as these hold.
	Size    int64
	ModTime int64 // nanoseconds since 1970
	Inode   uint64

	Prefix uint64 // of the first sampleSize bytes of what is settled
	Block  uint64 // of its last sampleSize bytes

	Settled settled
	Sealed  []sealed `json:",omitempty"` // the parts before this one

	Skipped said.Skipped `json:",omitempty"`
	Strings []string     // working directories, branches and sessions, each once; the first is empty
	Latest  time.Time    // of all records, those of tools among them
	Untimed bool         // a row of this part has no time of its own
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
	Rows, Text, UUIDs, Strings int          // how much of each
	Skipped                    said.Skipped `json:",omitempty"`
	State                      said.State
}

// A row is one utterance.
type row struct {
	Offset  int64
	seconds int64 // since 1970; untimed: none, and the transcript's own time is used
	Key     uint64
	nanos   int32
	Line    int32
	Place   int32
	Text    uint32 // where its text ends; it begins after the gap of the row before
	uuid    uint32 // where its record's UUID ends
	cwd     uint32 // in Strings
	branch  uint32
	origin  uint32
	User    bool
	Manner  said.Manner // of a person's words
}

const untimed = math.MinInt64

// start is where the text of a row begins.
func (d *Digest) start(i int) int {
	if i == 0 {
		return 0
	}
	return int(d.Rows[i-1].Text) + len(Gap)
}

// Said is the text of a row.
func (d *Digest) Said(i int) string { return d.Text[d.start(i):d.Rows[i].Text] }

// At returns the row, from one on, whose text holds a place of the whole.
func (d *Digest) At(from, place int) int {
	return from + sort.Search(len(d.Rows)-from, func(i int) bool { return place <= int(d.Rows[from+i].Text) })
}

// Time is when a row was said; modTime is the transcript's.
func (r *row) Time(modTime time.Time) time.Time {
	if r.seconds == untimed {
		return modTime.UTC()
	}
	return time.Unix(r.seconds, int64(r.nanos)).UTC()
}

// Speaker is who said a row.
func (r *row) Speaker() said.Speaker {
	if r.User {
		return said.User
	}
	return said.Assistant
}

// Utterance is a row with all that is known of it.
func (d *Digest) Utterance(i int, f *said.File) said.Utterance {
	r := &d.Rows[i]
	uuid := 0
	if i > 0 {
		uuid = int(d.Rows[i-1].uuid)
	}
	return said.Utterance{
		ID:      said.HitID(f.ID, int(r.Line), int(r.Place)),
		Session: f.ID,
		Host:    f.Host(),
		Origin:  d.Head.Strings[r.origin],
		Line:    int(r.Line),
		Time:    r.Time(f.ModTime),
		Speaker: r.Speaker(),
		Text:    d.Said(i),
		CWD:     d.Head.Strings[r.cwd],
		Branch:  d.Head.Strings[r.branch],
		UUID:    d.uuids[uuid:r.uuid],
	}
}

// Order returns the numbers of the rows in the order of the transcript. A message of the model comes after what a person
// typed while it was written.
func (d *Digest) Order() []int {
	order := make([]int, len(d.Rows))
	for i := range order {
		order[i] = i
	}
	before := func(a, b int) int {
		x, y := &d.Rows[a], &d.Rows[b]
		return cmp.Or(cmp.Compare(x.Line, y.Line), cmp.Compare(x.Place, y.Place))
	}
	if !slices.IsSortedFunc(order, before) {
		slices.SortFunc(order, before)
	}
	return order
}

// bytes is roughly what a digest takes in memory.
func (d *Digest) bytes() int64 {
	n := 1024 + len(d.Rows)*rowSize + len(d.Text) + len(d.uuids)
	for _, s := range d.Head.Strings {
		n += 16 + len(s)
	}
	return int64(n)
}

// Untimed reports whether a row of any part has no time of its own.
func (d *Digest) Untimed() bool {
	return d.Head.Untimed || slices.ContainsFunc(d.Head.Sealed, func(p sealed) bool { return p.Untimed })
}

// LastYear is the last whole year that nanoseconds can hold; the first is 1678.
const LastYear = 2261

// Nanoseconds is a time as a number that orders as times do; what lies beyond the numbers is not a time that
// a session had.
func Nanoseconds(t time.Time) int64 {
	if y := t.Year(); y < 1678 || y > LastYear {
		return 0
	}
	return t.UnixNano()
}
